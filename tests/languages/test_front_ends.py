"""Which front ends read a content, what replaces one that fails, and what an edit changes."""

from __future__ import annotations

import random
import subprocess
import sys
from typing import TYPE_CHECKING

import numpy as np
import pytest

from support.quotations import QUOTATIONS, Quotation
from support.slow import EXPONENTIAL, QUADRATIC, shorten
from support.token_rows import rows_of
from winnow_ci.git.line_diff import added_lines
from winnow_ci.languages import (
    FALLBACK,
    Untokenizable,
    comments,
    first_reading,
    keeps_reading,
    language_of,
    readings,
    revisions,
    tokenize,
)
from winnow_ci.languages.families import FAMILIES
from winnow_ci.model import LineRange

if TYPE_CHECKING:
    from winnow_ci.model import Tokens


# ---- readings -------------------------------------------------------------------------------------------------------


def test_what_a_lexer_gets_through_is_read_by_it() -> None:
    reading = first_reading("chapel", b"var a = 1;")
    assert (reading.front_end.name, reading.failure) == ("pygments", None)
    assert rows_of(reading.tokens) == rows_of(tokenize("chapel", b"var a = 1;"))


@pytest.mark.parametrize(("language", "pump"), [("chapel", EXPONENTIAL), ("boo", QUADRATIC)])
def test_what_a_lexer_does_not_get_through_is_read_by_the_fallback(
    monkeypatch: pytest.MonkeyPatch, language: str, pump: bytes
) -> None:
    shorten(monkeypatch)
    code = b"a = b + 1\n" + pump
    reading = first_reading(language, code)
    assert (reading.front_end.name, reading.failure) == (FALLBACK, "not lexed within 0.3 s")
    assert rows_of(reading.tokens) == rows_of(tokenize(FALLBACK, code))
    assert [each.failure for each in readings(language, code)] == ["not lexed within 0.3 s"]


def test_both_readings_of_what_pygments_reads() -> None:
    assert [reading.front_end.name for reading in readings("chapel", b"a")] == ["pygments", FALLBACK]
    assert [reading.front_end.name for reading in readings("chapel", b"a", {FALLBACK})] == [FALLBACK]


@pytest.mark.parametrize(("language", "name"), [("c", "c"), ("python", "python"), ("markdown", "text")])
def test_one_reading_of_everything_else(language: str, name: str) -> None:
    assert [reading.front_end.name for reading in readings(language, b"a")] == [name]


def test_binary_content_is_read_by_none() -> None:
    with pytest.raises(Untokenizable, match="binary content"):
        first_reading("chapel", b"a\0\0\0")


def test_comments_have_the_same_budget(monkeypatch: pytest.MonkeyPatch) -> None:
    shorten(monkeypatch)
    assert [comment.text.strip() for comment in comments("chapel", b"var a; // b\n")] == ["// b"]
    with pytest.raises(Untokenizable):
        comments("chapel", b"var a; // b\n" + EXPONENTIAL)


def test_the_fallback_has_a_revision() -> None:
    assert FALLBACK in revisions()


def test_fast_languages_start_no_process() -> None:
    code = (
        "import sys; from winnow_ci.languages import readings;"
        "list(readings('c', b'int a;'));"
        "sys.exit(len({'pygments', 'winnow_ci.languages.lexing'} & set(sys.modules)))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


# ---- line state -----------------------------------------------------------------------------------------------------

EDITED = "def a(b):\n    c = b + 1\n    return [c, 'd']\n\n\ndef e(f):\n    return a(f)\n"
PIECES = """
    ''' \"\"\" ` /* */ // # \\ ' " <<EOF EOF =begin =end =pod =cut --[[ ]] {- -} (* *) R"x( )x" <!-- -->
    <script> </script> %{ %} r# x
    f' f" f''\' f\"\"\" {x['a']} {' {" ${ $( #{ \\( } ) $" @" $@" 'a' "b" '{c' f'{d["e"]}' $"{d["e"]}" "${g("h")}"
    \\u002f\\u002a \\u002a/ \\u0022\\u0022\\u0022
""".split()
LANGUAGES = sorted({language for family in FAMILIES for language in family.languages} | {"html", "vue"})


def _lines_of(tokens: Tokens) -> dict[int, tuple[int, ...]]:
    found: dict[int, list[int]] = {}
    # A string of several lines begins on a line that is left alone, and may have another text.
    for line, text in zip(tokens.first_lines.tolist(), tokens.structural.tolist(), strict=True):
        found.setdefault(line, []).append(text)
    return {line: tuple(texts) for line, texts in found.items()}


def _edited(chance: random.Random, lines: list[str]) -> list[str]:
    """Some lines with one to three edits, most of which bring or take a mark."""
    edited = list(lines)
    for _ in range(chance.randint(1, 3)):
        place = chance.randrange(len(edited))
        kind = chance.randrange(4)
        if kind == 0:
            edited.insert(place, chance.choice(PIECES))
        elif kind == 1:
            del edited[place]
        elif kind == 2:
            edited[place] = f"{chance.choice(PIECES)} {edited[place]}"
        else:
            edited[place] = f"{edited[place]} {chance.choice(PIECES)} y"
        edited = edited or [""]
    return edited


@pytest.mark.parametrize("language", LANGUAGES)
def test_where_an_edit_keeps_the_reading_all_lines_left_alone_have_their_tokens(language: str) -> None:
    chance = random.Random(language)
    kept = 0
    for _ in range(150):
        lines = EDITED.splitlines()
        for _ in range(chance.randint(0, 4)):
            lines.insert(chance.randrange(len(lines)), f"{chance.choice(PIECES)}{chance.choice(['', ' z'])}")
        old, new = ("\n".join(text).encode() for text in (lines, _edited(chance, lines)))
        added = added_lines(old, new)
        if keeps_reading(language, old, new, added, careful=tokenize(language, new).careful):
            kept += 1
            before = list(_lines_of(tokenize(language, old)).values())
            left = {
                line: texts
                for line, texts in _lines_of(tokenize(language, new)).items()
                if not any(first <= line <= last for first, last in added)
            }
            assert all(texts in before for texts in left.values()), (old, new)
    # Of markup, and where brackets may open a string, nothing is certain.
    assert kept or language in {"html", "vue", "php", "html+php", "elixir", "ruby", "perl", "lua", "r"}, language


CONTINUED = "// words \\\nint a = b; \\\nint c = d;\nint e;\n"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (CONTINUED, CONTINUED.replace("words \\\n", "words \\\n\n")),
        (CONTINUED.replace("words \\\n", "words \\  \n"), CONTINUED.replace("words \\\n", "words \\  \nint z;\n")),
        (CONTINUED.replace("words \\\n", "words \\\nint z;\n"), CONTINUED),
    ],
    ids=["an empty line", "white space behind the backslash", "a line that goes"],
)
def test_a_line_behind_one_that_is_continued_is_certain_of_nothing(old: str, new: str) -> None:
    added = added_lines(old.encode(), new.encode())
    assert not keeps_reading("c", old.encode(), new.encode(), added, careful=False)
    # What was continued before, and still is, has no say.
    further = f"int f;\n{new}"
    assert keeps_reading("c", new.encode(), further.encode(), (LineRange(1, 1),), careful=False)


# What has no language is text before and after, and read as such.
@pytest.mark.parametrize(
    "quotation", [one for one in QUOTATIONS if language_of(one.path, b"")], ids=lambda quotation: quotation.path
)
def test_taking_the_marks_away_is_noticed(quotation: Quotation) -> None:
    old, new = (
        quotation.file(EDITED).encode(),
        "".join(quotation.each(line) + "\n" for line in EDITED.splitlines()).encode(),
    )
    language = language_of(quotation.path, new)
    assert language
    if keeps_reading(language, old, new, added_lines(old, new), careful=tokenize(language, new).careful):
        assert all(np.isin(tokenize(language, new).verbatim, tokenize(language, old).verbatim))
