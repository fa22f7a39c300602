"""Structure and the names of a library make weak evidence; whole lines and comments make it strong."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from support.file_hits import MARK, file_hits, tokens_on
from winnow_ci.matching import Thresholds, part_of, union
from winnow_ci.matching.candidate import Candidate
from winnow_ci.matching.judge import Judge
from winnow_ci.matching.layout import Layout
from winnow_ci.matching.segments import Segment
from winnow_ci.matching.shared_phrases import PhraseBits
from winnow_ci.matching.strength import strength
from winnow_ci.matching.weighing import weighed
from winnow_ci.model import Parameters
from winnow_ci.model.regions import Evidence, Region, Stretch

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

COUNT, WIDTH, OTHER, NAME = 100, 5, 9, 140


def region(
    *,
    bits: Mapping[int, float] | None = None,
    literals: Mapping[int, float] | None = None,
    same: Sequence[int] = (),
    lines: int = 0,
    line: range | None = None,
    texts: float = 0.0,
    phrases: int = 0,
    names: Sequence[int] = (),
    segments: tuple[tuple[int, int, int], ...] = ((0, COUNT, 0),),
    added: range = range(COUNT),
) -> Region:
    """A renamed region, weighed; ``lines`` whole lines of five tokens from the first token on, or one ``line``."""

    def each(values: Mapping[int, float] | None) -> np.ndarray:
        array = np.zeros(COUNT)
        for at, value in (values or {}).items():
            array[at] = value
        return array

    sketch = np.where(np.isin(np.arange(COUNT), names), NAME, MARK).astype(np.uint8)
    tokens = tokens_on([1 + n // WIDTH for n in range(COUNT)], sketch)
    file = file_hits(tokens, bits=each(bits), literals=each(literals), added=np.isin(np.arange(COUNT), added))
    here = np.concatenate([np.arange(start, end) for start, end, _ in segments])
    there = np.where(np.isin(here, same), sketch[here], OTHER).astype(np.uint8)
    whole = np.array([(WIDTH * n, WIDTH * (n + 1)) for n in range(lines)], np.int64).reshape(-1, 2)
    if line is not None:
        whole = np.array([(line.start, line.stop)], np.int64)
    parts = tuple(Segment(start, end, diagonal, 1) for start, end, diagonal in segments)
    found = Candidate(parts, here, there, Layout(whole, 0), said=PhraseBits(texts, texts, phrases))
    plain = Region(0, 0, COUNT, 0, COUNT, len(here), len(same), 1, "renamed", (Stretch(0, 0, COUNT),), 80.0)
    return weighed(plain, found, Judge(file, Parameters(), Thresholds()))


def test_structure_counts_for_a_third() -> None:
    assert region(bits={20: 10.0, 30: 20.0}).weight == pytest.approx(9.0)


def test_whole_lines_count_by_what_they_say_and_comments_as_they_are() -> None:
    found = region(bits={3: 5.0, 8: 10.0}, lines=2, texts=20.0, phrases=2)
    assert found.weight == pytest.approx(0.3 * 15 + 5 + 6 + 20)
    assert found.evidence == Evidence(phrases=2)


def test_breaks_count_for_half() -> None:
    one, two = region(segments=((0, 60, 0),)), region(segments=((0, 30, 0), (30, 60, 5)))
    assert two.weight - one.weight == pytest.approx(0.5 * (-4.2 - 2.8))


@pytest.mark.parametrize(("same", "lines", "weight"), [(79, 1, -15.0), (78, 1, 0.0), (79, 2, 0.0)])
def test_equal_text_without_two_equal_lines_speaks_against_a_copy(same: int, lines: int, weight: float) -> None:
    found = region(same=range(same), lines=lines)
    assert (found.weight, found.evidence.lines) == (pytest.approx(weight), lines)


@pytest.mark.parametrize(
    ("names", "differs", "added", "weight"),
    [
        ({1, 6}, {2, 7}, range(COUNT), 0.0),
        ({1, 6}, {1, 7}, range(COUNT), -15.0),
        ({1}, {2, 7}, range(COUNT), -15.0),
        ({1, 6}, {2, 7}, range(1, COUNT), -15.0),
    ],
)
def test_two_lines_with_all_their_names_are_more_than_a_library(
    names: set[int], differs: set[int], added: range, weight: float
) -> None:
    same = sorted(set(range(COUNT)) - differs)
    assert region(same=same, names=sorted(names), lines=2, added=added).weight == pytest.approx(weight)


@pytest.mark.parametrize(
    ("lines", "differs", "counts"),
    [
        (4, set(), {2, 8, 13}),
        (4, {7}, {13}),
        (3, {7}, set()),
        (1, set(), set()),
    ],
)
def test_text_counts_for_more_on_equal_lines_in_a_row(lines: int, differs: set[int], counts: set[int]) -> None:
    """Lines are five tokens long; on the second one, one may differ."""
    literals = {2: 5.0, 8: 2.0, 13: 3.0, 40: 10.0}
    same = sorted(set(range(60)) - differs)
    text = 1.2 * sum(literals[at] for at in counts)
    whole = [1.2 * literals.get(at, 0.0) for at in (2, 8, 13) if at < WIDTH * lines]
    assert region(literals=literals, same=same, lines=lines).weight == pytest.approx(
        sum(min(6.0, said) for said in whole) + 0.6 * text
    )


@pytest.mark.parametrize(
    ("tokens", "literal", "phrases", "line", "weight"),
    [
        (30, 0.0, 0, None, -10.0),
        (31, 0.0, 0, None, 0.0),
        (30, 3.0, 0, None, 0.0),
        (30, 2.9, 0, None, -10.0),
        (30, 0.0, 1, None, 0.0),
        (30, 0.0, 0, range(10, 15), 0.0),
    ],
)
def test_structure_alone_speaks_against_a_short_copy(
    tokens: int, literal: float, phrases: int, line: range | None, weight: float
) -> None:
    """One token has the same text, or those of one line; what they say besides is subtracted."""
    same = line or range(3, 4)
    found = region(segments=((0, tokens, 0),), literals={3: literal}, same=same, phrases=phrases, line=line)
    assert found.weight == pytest.approx(weight)


def test_what_is_the_same_is_counted_once_and_only_on_added_lines() -> None:
    rare = {0: 3.0, 1: 3.0, 2: 2.9, 10: 4.0, 40: 4.0}
    found = region(literals=rare, same=range(30), names=range(2), lines=4)
    assert found.evidence == Evidence(lines=4, names=2, literals=1)
    assert region(literals=rare, same=range(30), names=range(2), lines=4, added=range(5, COUNT)).evidence == Evidence(
        lines=3, literals=1
    )


@pytest.mark.parametrize(
    ("kind", "bits", "weight", "expected"),
    [
        ("verbatim", 75.0, 0.0, "strong"),
        ("verbatim", 74.9, 99.0, "weak"),
        ("renamed", 99.0, 33.9, "weak"),
        ("renamed", 65.0, 34.0, "strong"),
        ("renamed", 64.9, 99.0, "weak"),
    ],
)
@pytest.mark.parametrize("evidence", [Evidence(lines=1), Evidence(phrases=1)])
def test_what_is_strong(kind: str, bits: float, weight: float, expected: str, evidence: Evidence) -> None:
    assert strength("renamed" if kind == "renamed" else "verbatim", bits, weight, evidence) == expected


@pytest.mark.parametrize(("bits", "expected"), [(89.9, "weak"), (90.0, "strong")])
def test_equal_text_without_a_whole_line_or_a_phrase_has_to_say_more(bits: float, expected: str) -> None:
    assert strength("verbatim", bits, 0.0, Evidence(names=9, literals=9)) == expected


@pytest.mark.parametrize(("lines", "least"), [(1, 75.0), (2, 63.0), (3, 51.0), (4, 50.0), (40, 50.0)])
def test_each_whole_line_of_equal_text_makes_less_enough(lines: int, least: float) -> None:
    assert strength("verbatim", least, 0.0, Evidence(lines=lines)) == "strong"
    assert strength("verbatim", least - 0.1, 0.0, Evidence(lines=lines)) == "weak"


@pytest.mark.parametrize(("tokens", "said"), [(1, 3.0), (3, 3.0), (4, 6.0), (5, 6.0)])
def test_a_short_line_says_half_of_what_others_do(tokens: int, said: float) -> None:
    """One whole line, whose first token says ten bits, three of them for the structure."""
    assert region(bits={3: 10.0}, line=range(3, 3 + tokens)).weight == pytest.approx(3 + said)


def test_a_part_has_its_share_of_the_evidence_and_a_union_all_of_it() -> None:
    whole = region(bits=dict.fromkeys(range(10, 90, 5), 10.0), texts=10.0, phrases=4)
    whole = whole._replace(same=np.packbits(np.zeros(COUNT, np.bool_)).tobytes())
    assert whole.strength == "strong"
    half = part_of(whole, 0, 50)
    assert half is not None
    assert (half.weight, half.evidence, half.strength) == (whole.weight / 2, Evidence(phrases=2), "weak")
    rest = part_of(whole, 50, 100)
    assert rest is not None
    both = union(half, rest)
    assert (both.matched, both.weight, both.evidence, both.strength) == (100, whole.weight, whole.evidence, "strong")
