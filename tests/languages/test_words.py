"""Prose, licences and other known texts, and the fallback tokenizer."""

from __future__ import annotations

import numpy as np
import pytest
import xxhash
from hypothesis import given
from hypothesis import strategies as st
from identify.vendor.licenses import LICENSES

from support.token_rows import rows_of, written
from winnow_ci.languages import (
    FALLBACK,
    LICENCE_TEXT,
    Untokenizable,
    first_reading,
    front_end_of,
    normalise,
    tokenize,
)
from winnow_ci.languages.language_detection import METADATA
from winnow_ci.languages.words import (
    IN_A_ROW,
    KNOWN_TEXTS,
    PROSE_REVISION,
    RUN,
    SHORTEST_COPY,
    hashes_of_runs,
    in_known_texts,
    without_known_texts,
    words_of,
)

# ---- prose tokenizer ------------------------------------------------------------------------------------------------


def test_words_in_lower_case() -> None:
    text = "# The *Café* — “it”\n\n```scala\nx_1 = 2\n```\n".encode()
    words = {1: ["w the", "w café", "w it"], 3: ["w scala"], 4: ["w x", "w 1", "w 2"]}
    assert rows_of(tokenize("markdown", text)) == written("text", words)


def test_structural_and_verbatim_ids_are_the_same() -> None:
    tokens = tokenize("text", b"To be, or not to be")
    assert tokens.structural.tolist() == tokens.verbatim.tolist()
    assert tokens.sketch.max() < 128


def test_a_fence_that_names_a_hostile_lexer_starts_none() -> None:
    assert front_end_of("markdown").name == "text"
    assert len(tokenize("markdown", b'```scala\n"' + b"\\" * 60 + b"\n```\n")) == 1


def test_settings_and_other_data_are_read_as_words() -> None:
    assert rows_of(tokenize("yaml", b"on: [push]  # always\n")) == written("text", {1: ["w on", "w push", "w always"]})
    assert rows_of(tokenize("xml", b"<a href='b'/>")) == written("text", {1: ["w a", "w href", "w b"]})
    assert {front_end_of(language).name for language in METADATA} == {"text"}


# ---- known texts ----------------------------------------------------------------------------------------------------

PLEDGE = """\
In the interest of fostering an open and welcoming environment, we as contributors and maintainers pledge to making
participation in our project and our community a harassment-free experience for everyone, regardless of age, body size,
disability, ethnicity, gender identity and expression, level of experience, nationality, personal appearance, race,
religion, or sexual identity and orientation.
"""
OUT = f"{LICENCE_TEXT}, out-of-scope"
MIT = dict(LICENSES)["MIT"]
C_CODE = "int add(int first, int second)\n{\n    return first + second;\n}\n"


def own_words(count: int) -> str:
    return " ".join(f"own{number}" for number in range(count))


def reason(language: str, text: str) -> str | None:
    """Why a text has no tokens; None if it has some."""
    try:
        first_reading(language, text.encode())
    except Untokenizable as no_tokens:
        return f"{no_tokens.reason}, {no_tokens.state}"
    return None


@pytest.mark.parametrize("name", [name for name, _ in LICENSES])
def test_a_licence_is_known_by_its_words(name: str) -> None:
    text = dict(LICENSES)[name]
    assert reason("text", text) == OUT
    # Wrapped anew, in capitals, as Markdown.
    assert reason("markdown", "> **" + " ".join(text.upper().split()) + "**") == OUT


def test_names_and_years_may_stand_in_it() -> None:
    held = "\n".join(f"Copyright (c) 20{year} Ada Lovelace and others" for year in range(10, 14))
    assert reason("text", f"The {own_words(3)} licence\n\n{held}\n\n{MIT}") == OUT


def test_a_code_of_conduct_is_known() -> None:
    assert reason("markdown", f"# Code of Conduct\n\n## Our Pledge\n\n{PLEDGE}") == OUT


def test_what_is_no_more_than_a_passage_has_its_other_words() -> None:
    """What could be a copy is never taken for a part of a licence, so nothing hides behind one."""
    assert (RUN, IN_A_ROW, SHORTEST_COPY) == (8, 3, 60)
    behind = f"{MIT}\n\n{own_words(SHORTEST_COPY)}"
    known = in_known_texts(words_of(normalise(behind.encode())).verbatim)
    assert not known[-SHORTEST_COPY:].any()
    tokens = tokenize("text", behind.encode())
    assert tokens.verbatim[-SHORTEST_COPY:].tolist() == tokenize("text", own_words(60).encode()).verbatim.tolist()
    assert set(tokens.first_lines[-SHORTEST_COPY:].tolist()) == {behind.count("\n") + 1}
    # Names, years and titles are the rest of it.
    assert SHORTEST_COPY <= len(tokens) < SHORTEST_COPY + 12


def test_a_text_of_which_little_is_known_is_prose_however_short() -> None:
    assert reason("text", own_words(59)) is None
    assert reason("text", " ".join(PLEDGE.split()[:12]) + " " + own_words(12)) is None
    assert reason("text", "") is None


def test_where_a_licence_ends_and_a_copy_begins() -> None:
    assert reason("text", PLEDGE * 8 + own_words(59)) == OUT
    assert reason("text", PLEDGE * 8 + own_words(60)) is None
    # And three quarters of it are known.
    known = " ".join(PLEDGE.split()[:45])
    assert len(words_of(known.encode())) == 46
    assert reason("text", f"{known} {own_words(15)}") == OUT
    assert reason("text", f"{known} {own_words(16)}") is None


def test_another_table_needs_another_revision() -> None:
    """An index has no tokens of what the table calls known; with another table it would have others."""
    digest = xxhash.xxh3_128_hexdigest(KNOWN_TEXTS.read_bytes())
    assert (PROSE_REVISION, digest) == (3, "de16a9b20378b21c0a428c04cf0a1f8e")


def test_a_licence_above_code_is_a_comment_of_code() -> None:
    header = "\n".join(f" * {line}" for line in MIT.splitlines())
    assert (
        tokenize("c", f"/*\n{header}\n */\n{C_CODE}".encode()).verbatim.tolist()
        == tokenize("c", C_CODE.encode()).verbatim.tolist()
    )


def test_ten_words_are_a_passage_and_nine_are_not() -> None:
    known = words_of(PLEDGE.encode()).verbatim
    for count, is_known in ((9, False), (10, True)):
        assert in_known_texts(known[:count]).tolist() == [is_known] * count


def test_few_runs_are_equal_by_chance() -> None:
    some = np.random.default_rng(1).integers(0, 2**64, 200_000, np.uint64)
    runs = hashes_of_runs(some)
    assert runs.dtype == np.uint32
    assert 0 < np.isin(runs, np.cumsum(np.load(KNOWN_TEXTS), dtype=np.uint32)).sum() < 50
    assert not in_known_texts(some).any()


@given(st.lists(st.integers(0, 2**64 - 1), max_size=20))
def test_a_hash_is_that_of_eight_words_in_their_order(ids: list[int]) -> None:
    expected = []
    for at in range(len(ids) - RUN + 1):
        value = 0
        for one in ids[at : at + RUN]:
            value = (value * 0x9E3779B97F4A7C15 + one) % 2**64
        expected.append(value >> 32)
    assert hashes_of_runs(np.array(ids, np.uint64)).tolist() == expected


# ---- texts without them -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("mark", ["# ", ";; ", "-- ", "% ", " * ", "REM ", "dnl ", "C_CODE     ", "(* ", "é "])
def test_a_licence_in_a_comment_is_blanked(mark: str) -> None:
    licence = "\n".join(f"{mark}{line}" for line in MIT.splitlines() if "(c)" not in line)
    text = f"first = one(2);\n{licence}\nlast = three(4);\n".encode()
    left = without_known_texts(text)
    assert (len(left), left.count(b"\n")) == (len(text), text.count(b"\n"))
    assert left.split()[:2] == [b"first", b"="]
    assert left.split()[-3:] == [b"last", b"=", b"three(4);"]
    assert not {b"software", b"Software", b"permission", b"WARRANTY"} & set(left.split())


NOTICES = {
    "Clojure": """\
The use and distribution terms for this software are covered by the Eclipse Public License 1.0
(http://opensource.org/licenses/eclipse-1.0.php) which can be found in the file epl-v10.html at the root of this
distribution. By using this software in any fashion, you are agreeing to be bound by the terms of this license.
""",
    "Eclipse": """\
This program and the accompanying materials are made available under the terms of the Eclipse Public License 2.0
which is available at https://www.eclipse.org/legal/epl-2.0/
""",
    "Boost": """\
Distributed under the Boost Software License, Version 1.0. (See accompanying
file LICENSE_1_0.txt or copy at http://www.boost.org/LICENSE_1_0.txt)
""",
}


@pytest.mark.parametrize("name", NOTICES)
def test_a_notice_is_blanked(name: str) -> None:
    assert len(without_known_texts(NOTICES[name].encode()).split()) <= 1


@given(st.lists(st.sampled_from(["x = f(1)", "REM", "é", "\r\n", "\n", "permission is hereby granted", MIT])))
def test_what_is_no_known_text_stays(parts: list[str]) -> None:
    text = " ".join(parts).encode()
    left = without_known_texts(text)
    assert (len(left), left.count(b"\n")) == (len(text), text.count(b"\n"))
    assert left.count(b"x = f(") == parts.count("x = f(1)")
    assert MIT in parts or left == text


# ---- fallback tokenizer ---------------------------------------------------------------------------------------------


def test_token_stream_of_the_fallback() -> None:
    code = b'IF x1 == 0x1F.5 then // a "b\n  y := "c \\" d"; -- \'e\' `f`\n'
    stream = {
        1: ["w IF", "i x1", "w =", "w =", "n 0x1F.5", "w then", "w /", "w /", "i a", 'w "', "i b"],
        2: ["i y", "w :", "w =", 's "c \\" d"', "w ;", "w -", "w -", "s 'e'", "s `f`"],
    }
    assert rows_of(tokenize(FALLBACK, code)) == written("generic", stream)


def test_letters_of_any_script_are_names() -> None:
    assert rows_of(tokenize(FALLBACK, "größe价".encode())) == written("generic", {1: ["i größe价"]})


def test_a_quotation_mark_without_a_partner_hides_nothing() -> None:
    tokens = tokenize(FALLBACK, b"don't\n" + b"a = b + c\n" * 9)
    assert len(tokens) == 3 + 45
    assert tokens.last_lines.max() == 10


@pytest.mark.parametrize("marks", ["/* %s */", "# %s", '"""\n%s\n"""', "<!-- %s -->", "=begin\n%s\n=end"])
def test_nothing_can_be_called_a_comment(marks: str) -> None:
    code = "if a < 1 then b(c) end"
    within = tokenize(FALLBACK, (marks % code).encode()).verbatim.tolist()
    alone = tokenize(FALLBACK, code.encode()).verbatim.tolist()
    assert any(within[start : start + len(alone)] == alone for start in range(len(within)))


@pytest.mark.parametrize(("text", "count"), [(b"a" * 400, 1), (b"a" * 401, 3), (b"\\a" * 20, 1), (b"\\a" * 21, 44)])
def test_how_long_a_string_is_read_as_one(text: bytes, count: int) -> None:
    assert len(tokenize(FALLBACK, b'"' + text + b'"')) == count


def test_a_string_that_is_very_long_is_read_as_its_words() -> None:
    assert len(tokenize(FALLBACK, b'"' + b"a " * 100_000 + b'"')) == 100_002
