"""Texts of licences, those that the library ships."""

from __future__ import annotations

import re

import pytest

from support.licences import TEXTS
from winnow_ci.licensing.licence_texts import recognise
from winnow_ci.licensing.statements import LARGEST_STATEMENT

MIT, BSD, APACHE = TEXTS["MIT"], TEXTS["BSD-3-Clause"], TEXTS["Apache-2.0"]
ONE_LINE = " ".join(APACHE.split())
FOR_GOOD = "The Software shall be used for Good, not Evil."
NO_SALE = "The grant of rights under the License will not include the right to Sell the Software."
REACTORS = "You acknowledge that this software is not designed or intended for use in any nuclear facility."


@pytest.mark.parametrize("name", TEXTS)
def test_a_text_is_known_however_it_is_written(name: str) -> None:
    text = TEXTS[name]
    commented = "\n".join(f"# {line}" for line in text.splitlines())
    titled = f"A Project\n\nCopyright (c) 2011-2026 A. Person <a@example.org>\nAll rights reserved.\n\n{text}"
    for written in (text, text.replace("\n", "\r\n"), text.upper(), commented, titled):
        assert recognise(written.encode()) == name


@pytest.mark.parametrize(
    "text",
    [
        BSD.replace("the copyright holder nor", "A. Person, B. Person and their employer nor"),
        BSD.replace("COPYRIGHT HOLDERS AND CONTRIBUTORS", "REGENTS AND CONTRIBUTORS"),
    ],
)
def test_names_of_holders_may_differ(text: str) -> None:
    assert text != BSD
    assert recognise(text.encode()) == "BSD-3-Clause"


def test_an_apache_licence_needs_no_appendix() -> None:
    body, end, _ = APACHE.partition("END OF TERMS AND CONDITIONS")
    assert recognise(f"{body}{end}\n".encode()) == "Apache-2.0"


@pytest.mark.parametrize(
    "text",
    [
        MIT.replace("THE SOFTWARE IS", f"{FOR_GOOD}\n\nTHE SOFTWARE IS"),
        f"{MIT}\n{NO_SALE}",
        f"{NO_SALE}\n\n{MIT}",
        f"{BSD}\n{REACTORS}",
        MIT.replace("without restriction", "for non-commercial purposes, without restriction"),
        MIT.replace("without restriction", "for evaluation"),
        MIT.replace("without restriction", "for internal purposes"),
        MIT.replace("without restriction", "with the restrictions below"),
        ONE_LINE.replace("for reasonable and customary use in describing the origin of the Work", "to comply with us"),
        MIT + APACHE,
        APACHE + MIT,
        MIT[: len(MIT) // 2],
        "All rights reserved.",
        "",
    ],
)
def test_a_sentence_more_or_less_is_another_licence(text: str) -> None:
    assert text not in {MIT, BSD, ONE_LINE}
    assert recognise(text.encode()) is None


@pytest.mark.parametrize("unit", [b"permission ", b"license\n", b"the above copyright notice and ", b"\n", b"\xff\0"])
def test_what_repeats_without_end_is_no_licence(unit: bytes) -> None:
    assert recognise((unit * LARGEST_STATEMENT)[:LARGEST_STATEMENT]) is None
    assert recognise(MIT.encode() + (unit * LARGEST_STATEMENT)[:LARGEST_STATEMENT]) in {None, "MIT"}


# ---- how much may differ: each limit, and one step further ------------------------------------------------------

WORDS = re.findall("[a-z]{2,}", MIT[MIT.index("Permission") :].lower())
OTHERS = [f"zq{chr(97 + number)}x" for number in range(26)] * 2


def _recognised(words: list[str]) -> str | None:
    return recognise(" ".join(words).encode())


@pytest.mark.parametrize(("most", "taken", "given"), [(5, 0, 1), (5, 1, 0), (10, 1, 1)])
def test_how_many_words_may_be_added_missing_or_replaced_at_one_place(most: int, taken: int, given: int) -> None:
    for count, name in ((most, "MIT"), (most + 1, None)):
        assert _recognised(WORDS[:40] + OTHERS[: count * given] + WORDS[40 + count * taken :]) == name


def test_how_many_words_may_be_cut_off() -> None:
    assert [_recognised(WORDS[: len(WORDS) - count]) for count in (5, 6)] == ["MIT", None]


def test_how_many_words_may_stand_around_that_are_not_english() -> None:
    # Above it, two of them stand where its title does.
    for count, name in ((12, "MIT"), (13, None)):
        assert _recognised(OTHERS[: count + 2] + WORDS) == _recognised(WORDS + OTHERS[:count]) == name
    assert recognise(("Copyright 2011 Ada Lovelace of London\n" * 300 + " ".join(WORDS)).encode()) == "MIT"


def test_how_many_words_must_agree_between_two_differences() -> None:
    for between, name in ((4, "MIT"), (3, None)):
        assert (
            _recognised(WORDS[:40] + OTHERS[:5] + WORDS[40 : 40 + between] + OTHERS[5:10] + WORDS[40 + between :])
            == name
        )


def test_how_many_places_may_differ() -> None:
    # Four, and one for each hundred words.
    assert 100 <= len(WORDS) < 200
    for places, name in ((5, "MIT"), (6, None)):
        changed = [*WORDS]
        for number in range(places):
            changed[10 + 12 * number] = OTHERS[number]
        assert _recognised(changed) == name
