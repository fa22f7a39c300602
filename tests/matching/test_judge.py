"""What speaks for a copy and against it, bit by bit, and what is long enough to be one."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.file_hits import MARK, file_hits, tokens_on
from winnow_ci.matching.constants import Thresholds
from winnow_ci.matching.extension import Segment
from winnow_ci.matching.judge import Candidate, Judge, PhraseBits, equal_rows
from winnow_ci.model import NUMBER_SKETCH, STRING_SKETCH, Parameters
from winnow_ci.model.regions import Region

COUNT = 300
NAME, OTHER_NAME = 130, 140
# Another mark than that of the change.
DIFFERENT = MARK + 1


def judge(
    *,
    bits: dict[int, float] | None = None,
    literals: dict[int, float] | None = None,
    sketch: int = MARK,
    same_text: range = range(0),
    grams: dict[int, int] | None = None,
    added: int = COUNT,
    thresholds: Thresholds | None = None,
) -> Judge:
    """Judges candidates of a file of which a few tokens say something, and the first ones are added."""
    numbers = np.arange(COUNT)
    verbatim = np.where(np.isin(numbers, same_text), COUNT, numbers)
    tokens = tokens_on([1] * COUNT, sketch, verbatim)
    said, alike, same_grams = np.zeros(COUNT), np.zeros(COUNT), numbers.copy()
    for values, own in ((said, bits), (alike, literals), (same_grams, grams)):
        values[[*(own or ())]] = [*(own or {}).values()]
    file = file_hits(tokens, bits=said, literals=alike, grams=same_grams, added=numbers < added)
    return Judge(file, Parameters(), thresholds or Thresholds())


def candidate(
    *parts: tuple[int, int, int],
    there: int = DIFFERENT,
    equal: int = 0,
    lines: tuple[tuple[int, int], ...] = (),
    other_gaps: int = 0,
    by_text: bool = False,
    said: PhraseBits | None = None,
) -> Candidate:
    """Segments by start, end and diagonal; of what they match, the first ``equal`` tokens are as in the change."""
    segments = tuple(Segment(start, end, diagonal, 1) for start, end, diagonal in parts)
    here = np.concatenate([np.arange(start, end) for start, end, _ in parts])
    sketches = np.where(np.arange(len(here)) < equal, MARK, there).astype(np.uint8)
    return Candidate(segments, here, sketches, lines, other_gaps, by_text, said or PhraseBits())


def region(matched: int = COUNT, kind: str = "renamed", bits: float = 100.0) -> Region:
    assert kind in {"renamed", "verbatim"}
    return Region(0, 0, COUNT, 0, COUNT, matched, 0, 1, "renamed" if kind == "renamed" else "verbatim", (), bits)


# ---- the score --------------------------------------------------------------------------------------------------


def test_structure_counts_from_the_fourth_token_of_a_segment_on() -> None:
    assert judge(bits={12: 8.0}).score(candidate((10, 40, 0))) == 0
    assert judge(bits={13: 8.0}).score(candidate((10, 40, 0))) == 8
    assert judge(bits={39: 8.0}).score(candidate((10, 40, 0))) == 8
    assert judge(bits={40: 8.0}).score(candidate((10, 40, 0))) == 0


def test_each_gram_counts_once() -> None:
    # A gram is kept at its first token, and says what its fourth one does.
    assert judge(bits={20: 8.0, 30: 8.0}).score(candidate((10, 40, 0))) == 16
    assert judge(bits={20: 8.0, 30: 8.0}, grams={17: 7000, 27: 7000}).score(candidate((10, 40, 0))) == 8


def test_only_what_stands_on_added_lines_counts() -> None:
    assert judge(bits={20: 8.0}, literals={20: 10.0}, added=21).score(candidate((10, 40, 0), equal=30)) == 8 + 12
    assert judge(bits={20: 8.0}, literals={20: 10.0}, added=20).score(candidate((10, 40, 0), equal=30)) == 0


def test_equal_text_is_worth_a_fifth_more_than_it_says_and_counts_once() -> None:
    literals = {10: 10.0, 11: 10.0, 12: 10.0}
    assert judge(literals=literals).score(candidate((10, 40, 0))) == 0
    assert judge(literals=literals).score(candidate((10, 40, 0), equal=2)) == 24.0
    assert judge(literals=literals, same_text=range(10, 12)).score(candidate((10, 40, 0), equal=2)) == 12.0


@pytest.mark.parametrize(
    ("equal", "share"),
    [(220, 1 - 2 / 22), (110, 1 - 4 / 22), (40, 0.5), (20, 0.0), (10, 0.0)],
)
def test_equal_numbers_count_as_far_as_they_are_twice_as_many_as_chance_gives(equal: int, share: float) -> None:
    number = NUMBER_SKETCH.start
    numbers = judge(literals={20: 10.0, 21: 20.0}, sketch=number)
    found = candidate((20, 240, 0), there=number + 1)
    found.there[:equal] = number
    assert numbers.score(found) == pytest.approx(1.2 * 30 * share, abs=0.001)
    # Tokens that are no numbers on both sides are none of these.
    found.there[equal:] = DIFFERENT
    assert numbers.score(found) == pytest.approx(1.2 * 30 * (1 - 2 / 22), abs=0.001)


@pytest.mark.parametrize(("equal", "share"), [(220, 1.0), (20, 1 - 2 * 200 / (25 * 20)), (16, 0.0), (1, 0.0)])
def test_equal_strings_count_as_far_as_those_that_differ_leave_them(equal: int, share: float) -> None:
    """One of the equal tokens is rare; of 25 that differ, two say nothing of an equal one."""
    string = STRING_SKETCH.start
    strings = judge(literals={20: 30.0}, sketch=string)
    found = candidate((20, 240, 0), there=string + 1)
    found.there[:equal] = string
    assert strings.score(found) == pytest.approx(1.2 * 30 * share, abs=0.001)
    # Tokens that are no strings on both sides are none of these.
    found.there[equal:] = DIFFERENT
    assert strings.score(found) == pytest.approx(1.2 * 30)


def test_a_whole_line_is_worth_what_it_says_and_six_bits_at_most() -> None:
    for said, line in ((0.0, 0.0), (5.0, 5.0), (6.0, 6.0), (9.0, 6.0)):
        assert judge(bits={20: said}).score(candidate((10, 40, 0), lines=((15, 25),))) == said + line
    two = judge(bits={20: 9.0, 30: 9.0})
    assert two.score(candidate((10, 40, 0), lines=((15, 25), (30, 35)))) == 18 + 12
    assert two.score(candidate((10, 40, 0), lines=((15, 35),))) == 18 + 6


def test_a_line_is_from_its_first_token_to_its_last() -> None:
    lines = ((15, 20), (21, 25))
    for token, line in ((14, 0), (15, 5), (19, 5), (20, 0), (21, 5), (24, 5), (25, 0)):
        assert judge(bits={token: 5.0}).score(candidate((10, 40, 0), lines=lines)) == 5 + line


def test_another_gap_takes_eight_bits_of_lines_away_but_no_more_than_they_are_worth() -> None:
    said, lines = judge(bits={20: 9.0, 30: 9.0}), ((15, 25), (30, 35))
    assert [said.score(candidate((10, 40, 0), lines=lines, other_gaps=gaps)) for gaps in range(3)] == [30, 22, 18]


def test_phrases_are_worth_what_they_say() -> None:
    assert judge().score(candidate((10, 40, 0), said=PhraseBits(17.5, 12.5))) == 17.5


def test_a_name_that_meets_another_than_before_costs_six_bits() -> None:
    names = judge(same_text=range(10, 14), sketch=NAME)
    here = candidate((10, 14, 0), there=NAME)
    assert names.score(here) == 0
    assert names.score(here._replace(there=np.array([130, 130, 130, 140], np.uint8))) == -6
    assert names.score(here._replace(there=np.array([130, 150, 130, 140], np.uint8))) == -12


def test_breaks_between_segments_cost_bits() -> None:
    plain = judge()
    assert plain.score(candidate((10, 40, 100), (42, 60, 100))) == pytest.approx(-4.2)
    assert plain.score(candidate((10, 40, 100), (42, 60, 101))) == pytest.approx(-4.2 - 2.8)
    assert plain.score(candidate((10, 40, 100), (42, 60, 68))) == pytest.approx(-4.2 - 2.8)
    assert plain.score(candidate((10, 40, 100), (42, 60, 67))) == pytest.approx(-4.2 - 2.8 - 1.4)
    assert plain.score(candidate((10, 40, 9), (42, 60, 9), (62, 80, 9))) == pytest.approx(-8.4)


@given(pairs=st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=1, max_size=30))
def test_recurrences_of_names_and_those_that_agree_are_counted(pairs: list[tuple[int, int]]) -> None:
    names, there = zip(*pairs, strict=True)
    said = Judge(file_hits(tokens_on([1] * len(pairs), NAME, names)), Parameters(), Thresholds())
    found = candidate((0, len(pairs), 0))._replace(there=np.array(there, np.uint8) + np.uint8(NAME))
    most = [max(Counter(v for k, v in pairs if k == name).values()) for name in set(names)]
    assert said.recurrences(found) == (len(pairs) - len(most), sum(most) - len(most))


# ---- rows of one shape ------------------------------------------------------------------------------------------

# Six lines of three tokens; the fourth line of the file has none.
LINES = np.repeat([1, 2, 3, 5, 6, 7], 3).astype(np.int32)


@pytest.mark.parametrize(
    ("different", "counted"),
    [
        ([], {1, 2, 3, 5, 6, 7}),
        ([4], {3, 5, 6, 7}),
        ([4, 10], {6, 7}),
        ([7, 13], {1, 2}),
        ([0, 8, 14], set()),
    ],
)
def test_two_equal_rows_in_succession_count(different: list[int], counted: set[int]) -> None:
    same = np.ones(len(LINES), np.bool_)
    same[different] = False
    found = equal_rows(LINES, np.arange(len(LINES)), same)
    assert set(LINES[found].tolist()) == counted


def test_a_row_of_which_a_token_does_not_match_is_not_the_same() -> None:
    here = np.delete(np.arange(len(LINES)), [4, 9])
    found = equal_rows(LINES, here, np.ones(len(here), np.bool_))
    assert set(LINES[here][found].tolist()) == {6, 7}


# ---- what is enough ---------------------------------------------------------------------------------------------


def test_a_copy_that_was_changed_has_sixteen_tokens_on_added_lines() -> None:
    copy = candidate((10, 60, 0))
    assert judge(added=26).is_enough(copy, region(bits=0.0))
    assert not judge(added=25).is_enough(copy, region(bits=0.0))
    assert judge(added=26, thresholds=Thresholds(99, 16)).is_enough(copy, region())
    assert not judge(added=26, thresholds=Thresholds(1, 17)).is_enough(copy, region())


def test_where_only_equal_text_is_evidence_no_copy_is_renamed() -> None:
    copy, words = candidate((10, 60, 0)), Thresholds(verbatim=16, renamed=None)
    assert not judge(thresholds=words).is_enough(copy, region(bits=999.0))
    assert judge(thresholds=words).is_enough(copy, region(kind="verbatim", bits=999.0))


def test_no_more_tokens_count_than_are_reported() -> None:
    copy = candidate((10, 60, 0))
    assert judge().is_enough(copy, region(matched=16))
    assert not judge().is_enough(copy, region(matched=15))
    assert judge().is_verbatim_copy(copy, region(matched=16, kind="verbatim"))
    assert not judge().is_verbatim_copy(copy, region(matched=15, kind="verbatim"))


def test_a_copy_that_turns_out_verbatim_needs_the_length_of_one() -> None:
    copy = candidate((10, 60, 0))
    assert judge(added=26).is_enough(copy, region(kind="verbatim"))
    assert not judge(added=25).is_enough(copy, region(kind="verbatim"))
    assert not judge(thresholds=Thresholds(51, 1)).is_enough(copy, region(kind="verbatim"))


def is_verbatim_copy(*lengths: int, by_text: bool = False, added: int = COUNT) -> bool:
    """Whether equal runs of these lengths, one token apart, are a copy; t is 24."""
    parts, start = [], 0
    for length in lengths:
        parts.append((start, start + length, 0))
        start += length + 1
    copy = candidate(*parts, by_text=by_text)
    return judge(added=added).is_verbatim_copy(copy, region(matched=sum(lengths), kind="verbatim"))


def test_a_verbatim_copy_is_a_run_of_t_tokens_or_shorter_ones_of_twice_as_many() -> None:
    assert is_verbatim_copy(24)
    assert not is_verbatim_copy(23)
    assert is_verbatim_copy(16, 24)
    assert is_verbatim_copy(16, 16, 16)
    assert not is_verbatim_copy(16, 16, 15)
    assert is_verbatim_copy(24, added=16)
    assert not is_verbatim_copy(24, added=15)


def test_text_that_says_nothing_by_its_structure_takes_three_times_t() -> None:
    assert is_verbatim_copy(72, by_text=True)
    assert not is_verbatim_copy(71, by_text=True)
    assert is_verbatim_copy(36, 36, by_text=True)
    assert is_verbatim_copy(100, by_text=True, added=72)
    assert not is_verbatim_copy(100, by_text=True, added=71)
    at_least = judge(thresholds=Thresholds(73, 16))
    assert not at_least.is_verbatim_copy(candidate((0, 72, 0), by_text=True), region(72, "verbatim"))
    assert at_least.is_verbatim_copy(candidate((0, 73, 0), by_text=True), region(73, "verbatim"))
