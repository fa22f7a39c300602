"""Texts of licences, those that the library ships."""

from __future__ import annotations

import pytest

from support.licences import TEXTS
from winnow_ci.licensing.claims import LARGEST_STATEMENT
from winnow_ci.licensing.licence_texts import recognise

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
        assert recognise(written.encode()).name == name


@pytest.mark.parametrize(
    "text",
    [
        BSD.replace("the copyright holder nor", "A. Person, B. Person and their employer nor"),
        BSD.replace("COPYRIGHT HOLDERS AND CONTRIBUTORS", "REGENTS AND CONTRIBUTORS"),
    ],
)
def test_names_of_holders_may_differ(text: str) -> None:
    assert text != BSD
    assert recognise(text.encode()).name == "BSD-3-Clause"


def test_an_apache_licence_needs_no_appendix() -> None:
    body, end, _ = APACHE.partition("END OF TERMS AND CONDITIONS")
    assert recognise(f"{body}{end}\n".encode()).name == "Apache-2.0"


@pytest.mark.parametrize(
    "text",
    [
        MIT.replace("THE SOFTWARE IS", f"{FOR_GOOD}\n\nTHE SOFTWARE IS"),
        f"{MIT}\n{NO_SALE}",
        f"{NO_SALE}\n\n{MIT}",
        f"{BSD}\n{REACTORS}",
        MIT.replace("without restriction", "for non-commercial purposes, without restriction"),
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
    assert recognise(text.encode()).name is None


@pytest.mark.parametrize("unit", [b"permission ", b"license\n", b"the above copyright notice and ", b"\n", b"\xff\0"])
def test_what_repeats_without_end_is_no_licence(unit: bytes) -> None:
    assert recognise((unit * LARGEST_STATEMENT)[:LARGEST_STATEMENT]).name is None
    assert recognise(MIT.encode() + (unit * LARGEST_STATEMENT)[:LARGEST_STATEMENT]).name in {None, "MIT"}
