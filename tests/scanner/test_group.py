"""Every line that a match covers is shown once, in groups of places; code of our own is told apart."""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from support.file_hits import tokens_on
from winnow_ci.matching.region_tokens import covers_most, region_tokens
from winnow_ci.model import LineRange, Place, Source, SourceFile
from winnow_ci.model.regions import Evidence, Region, Stretch
from winnow_ci.policy.patterns import SourcePatterns
from winnow_ci.scanner.files import Match
from winnow_ci.scanner.group import grouped, split
from winnow_ci.start_up import replace

if TYPE_CHECKING:
    from collections.abc import Sequence

    from winnow_ci.model import Tokens
    from winnow_ci.scanner.files import MatchGroup


# Five tokens a line.
COUNT, WIDTH = 400, 5
TOKENS = tokens_on([1 + n // WIDTH for n in range(COUNT)])


def lines_of(start: int, end: int) -> LineRange:
    return LineRange(1 + start // WIDTH, 1 + (end - 1) // WIDTH)


def match(
    content: int, *spans: tuple[int, int], same: Sequence[tuple[int, int]] | None = None, source: str | None = None
) -> Match:
    """A match of a content in these tokens, with the source's text in those of ``same``; default: in all."""
    here = np.concatenate([np.arange(*span) for span in spans])
    text = np.zeros(COUNT, np.bool_)
    for part in spans if same is None else same:
        text[slice(*part)] = True
    region = Region(
        content=content,
        start=int(here[0]),
        end=int(here[-1]) + 1,
        source_start=int(here[0]),
        source_end=int(here[-1]) + 1,
        matched=len(here),
        matched_verbatim=int(text[here].sum()),
        fingerprints=1,
        kind="verbatim" if text[here].mean() >= 0.95 else "renamed",
        stretches=tuple(Stretch(start, start, end - start) for start, end in spans),
        bits=2.0 * len(here) + 40,
        same=np.packbits(text[here]).tobytes(),
    )
    return remade(
        Match("a.c", region, LineRange(1, 1), (LineRange(1, 1),), b"", _places(source or f"s{content}")), region, None
    )


def _places(source: str) -> tuple[Place, ...]:
    return (Place(SourceFile(Source(source), "x.c"), LineRange(1, 1)),)


def remade(match: Match, region: Region, lines: LineRange | None) -> Match:
    return match._replace(region=region, lines=lines or lines_of(region.start, region.end))


def groups(*matches: Match) -> list[MatchGroup]:
    return sorted(grouped(matches, TOKENS, remade), key=lambda group: group[0].lines)


def shown(*matches: Match) -> list[tuple[tuple[int, int], list[int]]]:
    """Lines and contents of each group."""
    return [(tuple(group[0].lines), [one.region.content for one in group]) for group in groups(*matches)]


def test_matches_that_cover_most_of_each_other_are_places_of_one_copy() -> None:
    assert shown(match(0, (0, 100)), match(1, (0, 60))) == [((1, 20), [0, 1])]


def test_a_match_whose_text_a_better_one_has_is_left_out_unless_it_covers_most_of_that() -> None:
    assert shown(match(0, (0, 100)), match(1, (20, 60))) == [((1, 20), [0])]


def test_exact_copies_inside_a_long_weak_one_are_shown_and_divide_it() -> None:
    weak = match(9, (0, 300), same=[(n, n + 1) for n in range(0, 300, 3)])
    first, second = match(1, (50, 80)), match(2, (150, 180))
    assert shown(weak, first, second) == [
        ((1, 10), [9]),
        ((11, 16), [1]),
        ((17, 30), [9]),
        ((31, 36), [2]),
        ((37, 60), [9]),
    ]


def test_a_weak_match_of_whose_lines_exact_copies_leave_none_is_not_shown() -> None:
    weak = match(9, (40, 120), same=[])
    assert shown(weak, match(1, (40, 80)), match(2, (80, 120))) == [((9, 16), [1]), ((17, 24), [2])]


@pytest.mark.parametrize(("content", "lines"), [(0, 2), (1, 0)])
def test_a_match_is_as_likely_as_an_exact_one_of_its_content_in_it(content: int, lines: int) -> None:
    longer = match(0, (0, 80), (110, 200), same=[(0, 80), (110, 190)])
    longer = longer._replace(region=longer.region._replace(evidence=Evidence(names=9)))
    exact = match(content, (20, 70))
    exact = exact._replace(region=exact.region._replace(least_odds=7.0, evidence=Evidence(lines=2)))
    found = groups(longer, exact)[0][0].region
    assert found.kind == "renamed"
    assert found.least_odds == (7.0 if lines else -inf)
    assert found.evidence == Evidence(names=9, lines=lines)


def test_a_copy_in_the_gap_of_another_one_is_shown() -> None:
    assert shown(match(0, (0, 100), (130, 200)), match(1, (100, 130))) == [
        ((1, 20), [0]),
        ((21, 26), [1]),
        ((27, 40), [0]),
    ]


def test_a_line_of_two_copies_belongs_to_the_one_that_has_more_of_it() -> None:
    assert shown(match(0, (0, 42)), match(1, (42, 80))) == [((1, 8), [0]), ((9, 16), [1])]
    assert shown(match(0, (0, 43)), match(1, (43, 80))) == [((1, 9), [0]), ((10, 16), [1])]


def test_two_copies_on_one_line_share_it() -> None:
    one_line = tokens_on([1] * COUNT)
    two = [remade(match(n, span), match(n, span).region, LineRange(1, 1)) for n, span in enumerate([(0, 40), (40, 80)])]
    assert [group[0].region.content for group in grouped(two, one_line, remade)] == [0, 1]


def test_what_a_line_has_from_one_content_is_one_copy() -> None:
    one_line = tokens_on([1] * COUNT)
    spans = [(0, 40), (60, 100), (200, 260)]
    pieces = [remade(match(7, span), match(7, span).region, LineRange(1, 1)) for span in spans]
    ((only,),) = grouped(pieces, one_line, remade)
    assert [(part.start, part.start + part.tokens) for part in only.region.stretches] == spans
    assert (only.region.matched, only.region.kind) == (140, "verbatim")


def test_a_copy_of_which_a_longer_match_has_a_part_is_not_divided_among_its_neighbours() -> None:
    """Of its lines, the longer match of its content has too few to keep them, and it has little that is new."""
    longer, copy = match(1, (0, 60), (100, 112)), match(1, (100, 112), (115, 124))
    assert shown(longer, match(2, (60, 100)), copy, match(3, (125, 165))) == [
        ((1, 12), [1]),
        ((13, 20), [2]),
        ((21, 25), [1]),
        ((26, 33), [3]),
    ]


def test_text_of_a_few_tokens_that_only_a_worse_match_has_joins_the_lines_beside_it() -> None:
    assert shown(match(0, (20, 200)), match(1, (5, 60))) == [((2, 40), [0])]


def test_a_few_tokens_that_a_better_match_has_do_not_divide_a_copy() -> None:
    assert shown(match(1, (0, 40), (75, 80)), match(2, (70, 90))) == [((1, 8), [1]), ((15, 18), [2])]


def test_text_of_a_few_tokens_above_blank_lines_joins_the_copy_below() -> None:
    tokens = tokens_on([1 + n // WIDTH + 2 * (n >= 20) for n in range(COUNT)])

    def remade_there(one: Match, region: Region, lines: LineRange | None) -> Match:
        whole = LineRange(int(tokens.first_lines[region.start]), int(tokens.last_lines[region.end - 1]))
        return one._replace(region=region, lines=lines or whole)

    two = [remade_there(one, one.region, None) for one in (match(0, (20, 200)), match(1, (10, 60)))]
    assert [tuple(group[0].lines) for group in grouped(two, tokens, remade_there)] == [(3, 42)]


def test_text_of_a_few_tokens_beside_a_copy_of_the_same_content_joins_that() -> None:
    above, rest = match(2, (0, 40)), match(1, (40, 80))
    assert shown(above, rest, match(1, (50, 200))) == [((1, 8), [2]), ((9, 40), [1])]
    assert shown(above, rest, match(3, (50, 200))) == [((1, 10), [2]), ((11, 40), [3])]


def test_structure_of_a_few_tokens_that_only_a_worse_match_has_is_chance() -> None:
    assert shown(match(0, (20, 200)), match(1, (5, 60), same=[(20, 40)])) == [((5, 40), [0])]


@pytest.mark.parametrize(("rest", "copies"), [(15, 1), (16, 2)])
def test_a_rest_of_16_tokens_of_text_is_a_copy_of_its_own(rest: int, copies: int) -> None:
    assert len(groups(match(0, (100, 300)), match(1, (100 - rest, 160)))) == copies


@pytest.mark.parametrize(("bits", "copies"), [(400.0, 2), (0.0, 1)])
def test_what_others_leave_of_a_changed_copy_has_to_be_evidence_by_itself(bits: float, copies: int) -> None:
    half = match(1, (50, 150), same=[])
    half = half._replace(region=half.region._replace(bits=bits))
    assert len(groups(match(0, (100, 300)), half)) == copies


def test_a_changed_copy_of_which_others_have_nothing_is_shown_whatever_its_score() -> None:
    weak = match(1, (50, 90), same=[])
    weak = weak._replace(region=weak.region._replace(bits=58.0, least_odds=0.0))
    assert len(groups(match(0, (100, 300)), weak)) == 2


def test_what_lies_among_the_lines_of_a_copy_and_comes_from_the_same_content_belongs_to_it() -> None:
    ((only,),) = groups(match(5, (0, 100), (130, 200)), match(5, (100, 130)))
    assert tuple(only.lines) == (1, 40)
    assert only.region.matched == 200


def test_what_adds_no_line_is_not_shown() -> None:
    weak = match(9, (0, 300), same=[(n, n + 1) for n in range(0, 300, 3)])
    found = grouped(
        [weak, match(1, (50, 80))],
        TOKENS,
        lambda one, region, lines: remade(one, region, lines)._replace(added=(lines,) if lines.first < 12 else ()),
    )
    assert sorted(group[0].lines.first for group in found) == [1, 11]


def test_two_views_of_one_content_are_one_place() -> None:
    assert shown(match(3, (0, 100)), match(3, (0, 80)), match(4, (0, 100))) == [((1, 20), [3, 4])]


# ---- any matches ------------------------------------------------------------------------------------------------

spans = st.tuples(st.integers(0, COUNT - 27), st.integers(16, 120)).map(lambda s: (s[0], min(COUNT, s[0] + s[1])))
exact = spans.map(lambda span: (span, None))
weak = spans.map(lambda span: (span, [(n, n + 1) for n in range(span[0], span[1], 3)]))
# A few tokens more behind a gap.
gapped = st.tuples(st.integers(0, 250), st.integers(16, 80), st.integers(5, 50), st.integers(1, 20)).map(
    lambda s: ([(s[0], s[0] + s[1]), (s[0] + s[1] + s[2], sum(s))], None)
)


@given(
    st.lists(
        exact.map(lambda one: ([one[0]], None)) | weak.map(lambda one: ([one[0]], one[1])) | gapped,
        min_size=1,
        max_size=12,
    )
)
@settings(max_examples=300)
def test_every_line_of_every_exact_match_is_shown_and_no_line_twice(drawn: list) -> None:
    matches = [match(number, *parts, same=same) for number, (parts, same) in enumerate(drawn)]
    found = groups(*matches)
    shown_lines = [set(range(group[0].lines.first, group[0].lines.last + 1)) for group in found]
    every = set().union(*shown_lines)
    for one in matches:
        if one.region.kind == "verbatim":
            here = region_tokens(one.region).here
            assert set(TOKENS.first_lines[here].tolist()) <= every
    own_line = [lines for lines in shown_lines if sum(lines <= other for other in shown_lines) == 1]
    assert sum(map(len, own_line)) == len(set().union(*own_line))
    for best, *others in found:
        beside = every & {best.lines.first - 1, best.lines.last + 1}
        assert best.region.matched >= 16 or not beside, "a short piece is lent to the copies beside it"
        for other in others:
            assert covers_most(other.region, best.region)


@given(st.lists(exact, min_size=1, max_size=12), st.sets(st.integers(0, COUNT - 1), max_size=60))
@settings(max_examples=200)
def test_every_line_of_every_exact_match_is_shown_where_tokens_take_many_lines(
    drawn: list[tuple[tuple[int, int], None]], long: set[int]
) -> None:
    """A docstring is one token, which begins on one line and ends twenty lines below."""
    tokens = _with_long_tokens(long)

    def shown_on(one: Match, region: Region, lines: LineRange | None) -> Match:
        whole = LineRange(int(tokens.first_lines[region.start]), int(tokens.last_lines[region.end - 1]))
        return one._replace(region=region, lines=lines or whole)

    plain = [match(number % 4, span) for number, (span, _) in enumerate(drawn)]
    matches = [shown_on(one, one.region, None) for one in plain]
    found = [group[0].lines for group in grouped(matches, tokens, shown_on)]
    every = set().union(*(range(first, last + 1) for first, last in found))
    for one in matches:
        assert set(range(one.lines.first, one.lines.last + 1)) <= every, one.region


def _with_long_tokens(long: set[int]) -> Tokens:
    """The same tokens on more lines: each of the long ones ends twenty lines below its beginning."""
    firsts, lasts, above = [], [], 0
    for number, line in enumerate(TOKENS.first_lines.tolist()):
        firsts.append(line + above)
        above += 20 * (number in long)
        lasts.append(line + above)
    return replace(TOKENS, first_lines=np.array(firsts, np.int32), last_lines=np.array(lasts, np.int32))


@given(st.data())
@settings(max_examples=100)
def test_runs_of_different_contents_are_all_shown_under_their_own_names(data: st.DataObject) -> None:
    """Runs that do not overlap, beside each other or not, with weak matches across them."""
    starts = data.draw(st.lists(st.integers(0, 12), min_size=2, max_size=12, unique=True))
    runs = [match(number, (30 * start, 30 * start + 27)) for number, start in enumerate(starts)]
    across = [match(100 + n, span, same=same) for n, (span, same) in enumerate(data.draw(st.lists(weak, max_size=4)))]
    found = groups(*runs, *across)
    for run in runs:
        own = [group for group in found if any(one.region.content == run.region.content for one in group)]
        lines = set().union(*(range(group[0].lines.first, group[0].lines.last + 1) for group in own))
        assert len(lines & set(range(run.lines.first, run.lines.last + 1))) >= 4, run


def test_a_copy_of_many_parts_is_built_once() -> None:
    built = []

    def counted(match: Match, region: Region, lines: LineRange) -> Match:
        built.append(region.matched)
        return remade(match, region, lines)

    chain = [match(0, (start, start + 12)) for start in range(0, COUNT - 12, 8)]
    (group,) = grouped(chain, TOKENS, counted)
    assert group[0].lines == lines_of(0, COUNT - 4)
    assert sum(built) <= 2 * COUNT


OWN = SourcePatterns(("ours*",))


def match_of(start: int, end: int, *sources: str) -> Match:
    places = tuple(Place(SourceFile(Source(name), "x.c"), LineRange(1, 10)) for name in sources)
    region = Region(0, start, end, 0, end - start, end - start, end - start, 5, "verbatim")
    return Match("src/x.c", region, LineRange(start + 1, end), (), b"copied", places)


def names(matches: list[Match]) -> list[list[str]]:
    return [[place.file.source.name for place in one.places] for one in matches]


@pytest.mark.parametrize(("covered", "is_ours"), [(90, True), (89, False)])
def test_a_match_is_ours_if_our_sources_have_nine_tenths_of_it(covered: int, is_ours: bool) -> None:
    foreign, ours = split([match_of(100, 200, "other"), match_of(100, 100 + covered, "ours")], OWN)
    assert (names(ours), names(foreign)) == (([["other"]], []) if is_ours else ([], [["other"]]))


def test_several_of_our_sources_cover_it_together() -> None:
    ours = [match_of(90, 150, "ours-1"), match_of(140, 190, "ours-2")]
    assert names(split([match_of(100, 200, "other"), *ours], OWN)[1]) == [["other"]]
    assert names(split([match_of(100, 201, "other"), *ours], OWN)[0]) == [["other"]]


def test_what_only_we_have_is_left_out_and_so_are_our_places_of_what_others_have() -> None:
    foreign, ours = split(
        [
            match_of(0, 50, "ours", "other"),
            match_of(60, 90, "ours"),
            match_of(100, 150, "other"),
        ],
        OWN,
    )
    assert (names(ours), names(foreign)) == ([["other"]], [["other"]])
    assert names(split([match_of(0, 50, "ours", "other")], SourcePatterns(()))[0]) == [["ours", "other"]]
