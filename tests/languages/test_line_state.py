"""What an edit does to the lines that it leaves alone."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import numpy as np
import pytest

from support.quotations import QUOTATIONS, Quotation
from winnow_ci.git.line_diff import added_lines
from winnow_ci.languages import keeps_reading, language_of, tokenize
from winnow_ci.languages.families import FAMILIES
from winnow_ci.model import LineRange

if TYPE_CHECKING:
    from winnow_ci.model import Tokens

CODE = "def a(b):\n    c = b + 1\n    return [c, 'd']\n\n\ndef e(f):\n    return a(f)\n"
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
        lines = CODE.splitlines()
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
        quotation.file(CODE).encode(),
        "".join(quotation.each(line) + "\n" for line in CODE.splitlines()).encode(),
    )
    language = language_of(quotation.path, new)
    assert language
    if keeps_reading(language, old, new, added_lines(old, new), careful=tokenize(language, new).careful):
        assert all(np.isin(tokenize(language, new).verbatim, tokenize(language, old).verbatim))
