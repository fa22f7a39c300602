"""What stands around a match speaks against a copy: its shapes elsewhere in the file, other known files with it."""

from __future__ import annotations

import pytest

from winnow_ci.languages import front_end_of, tokenize
from winnow_ci.model import LineRange, Place, Source, SourceFile, Tokens
from winnow_ci.model.regions import Region, Stretch
from winnow_ci.scanner.files import Match, PreparedFile
from winnow_ci.scanner.match import likely, with_surroundings

BODY = """\
def {0}(self, key):
    if key in self.seen:
        return self.seen[key]
    self.seen[key] = self.read(key)
"""


def prepared(text: str, language: str = "python") -> PreparedFile:
    tokens = tokenize(language, text.encode())
    assert isinstance(tokens, Tokens)
    lines = (LineRange(1, text.count("\n")),)
    return PreparedFile("own.py", text.encode(), front_end_of(language), tokens, lines, tokens.first_lines >= 0)


def match(start: int, end: int, *paths: str, content: int = 0) -> Match:
    tokens = end - start
    region = Region(content, start, end, 0, tokens, tokens, tokens, 5, "renamed", (Stretch(start, 0, tokens),))
    places = tuple(Place(SourceFile(Source("known"), path), LineRange(1, 9)) for path in paths)
    return Match("own.py", region._replace(least_odds=9.0), LineRange(1, 9), (), b"", places)


@pytest.mark.parametrize(("copies", "share"), [(1, 0.0), (2, 1.0)])
def test_shapes_that_the_file_has_elsewhere_are_counted(copies: int, share: float) -> None:
    file = prepared("".join(BODY.format(f"name{number}") for number in range(copies)))
    (found,) = with_surroundings([match(0, len(file.tokens) // copies, "a.py")], file.tokens)
    assert found.region.signs.again == pytest.approx(share, abs=0.1)


def test_known_files_of_other_names_are_counted_once_each() -> None:
    file = prepared(BODY.format("one"))
    whole = len(file.tokens)
    matches = [
        match(0, whole, "a.py"),
        match(0, whole, "old/a.py", "b.py", content=1),
        match(0, whole, "c.py", content=2),
        match(whole - 5, whole, "far.py", content=3),
    ]
    found = with_surroundings(matches, file.tokens)
    assert [one.region.signs.places for one in found[:3]] == [2, 2, 2]


def test_an_identical_file_is_left_as_it_is() -> None:
    file = prepared(BODY.format("one") * 2)
    one = match(0, len(file.tokens) // 2, "a.py")
    one = one._replace(region=one.region._replace(identical=True))
    assert with_surroundings([one], file.tokens) == [one]


@pytest.mark.parametrize(("language", "unlearnt"), [("python", False), ("lua", True)])
def test_a_language_without_tables_is_unlearnt(language: str, *, unlearnt: bool) -> None:
    file = prepared("x = y(z)\n", language)
    (region,) = likely([match(0, 5, "a.py").region], file)
    assert region.signs.unlearnt == unlearnt
