"""What our own sources have is ours, and what others have as well is so if ours have nearly all of it."""

from __future__ import annotations

import pytest

from winnow_ci.model import LineRange, Place, Source, SourceFile
from winnow_ci.model.regions import Region
from winnow_ci.policy.patterns import SourcePatterns
from winnow_ci.scanner.files import Match
from winnow_ci.scanner.group import split

OWN = SourcePatterns(("ours*",))


def match(start: int, end: int, *sources: str) -> Match:
    places = tuple(Place(SourceFile(Source(name), "x.c"), LineRange(1, 10)) for name in sources)
    region = Region(0, start, end, 0, end - start, end - start, end - start, 5, "verbatim")
    return Match("src/x.c", region, LineRange(start + 1, end), (), b"copied", places)


def names(matches: list[Match]) -> list[list[str]]:
    return [[place.file.source.name for place in one.places] for one in matches]


@pytest.mark.parametrize(("covered", "is_ours"), [(90, True), (89, False)])
def test_a_match_is_ours_if_our_sources_have_nine_tenths_of_it(covered: int, is_ours: bool) -> None:
    parts = split([match(100, 200, "other"), match(100, 100 + covered, "ours")], OWN)
    assert (names(parts.ours), names(parts.foreign)) == (([["other"]], []) if is_ours else ([], [["other"]]))


def test_several_of_our_sources_cover_it_together() -> None:
    ours = [match(90, 150, "ours-1"), match(140, 190, "ours-2")]
    assert names(split([match(100, 200, "other"), *ours], OWN).ours) == [["other"]]
    assert names(split([match(100, 201, "other"), *ours], OWN).foreign) == [["other"]]


def test_what_only_we_have_is_left_out_and_so_are_our_places_of_what_others_have() -> None:
    parts = split([match(0, 50, "ours", "other"), match(60, 90, "ours"), match(100, 150, "other")], OWN)
    assert (names(parts.ours), names(parts.foreign)) == ([["other"]], [["other"]])
    assert names(split([match(0, 50, "ours", "other")], SourcePatterns(())).foreign) == [["ours", "other"]]
