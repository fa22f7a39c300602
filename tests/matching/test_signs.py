"""What speaks for a copy is counted once, and only where the change adds it."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
import pytest

from support.file_hits import MARK, file_hits, tokens_on
from winnow_ci.matching.constants import Thresholds
from winnow_ci.matching.extension import Segment
from winnow_ci.matching.judge import Candidate, Judge, PhraseBits, with_signs
from winnow_ci.matching.region_tokens import part_of, union
from winnow_ci.model import Parameters, TokenMap
from winnow_ci.model.regions import Evidence, Region, Signs, Stretch

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

COUNT, WIDTH, OTHER, NAME = 100, 5, 9, 140


def region(
    *,
    literals: Mapping[int, float] | None = None,
    same: Sequence[int] = (),
    lines: int = 0,
    said: PhraseBits | None = None,
    names: Sequence[int] = (),
    added: range = range(COUNT),
    silent: Sequence[int] = (),
    part: range = range(COUNT),
) -> Region:
    """A region of all tokens, or a part, counted; the first lines, of five tokens each, are whole on both sides."""
    bits, sketch = np.zeros(COUNT), np.full(COUNT, MARK, np.uint8)
    bits[[*(literals or {})]] = [*(literals or {}).values()]
    sketch[[*names]] = NAME
    here = np.arange(COUNT)
    file = file_hits(
        tokens_on((1 + here // WIDTH).tolist(), sketch),
        bits=~np.isin(here, silent),
        literals=bits,
        added=np.isin(here, added),
    )
    there = np.where(np.isin(here, same), sketch, OTHER).astype(np.uint8)
    whole = tuple((WIDTH * n, WIDTH * (n + 1)) for n in range(lines))
    segment = Segment(part.start, part.stop, 0, 1)
    found = Candidate((segment,), here[part], there[part], whole, 0, said=said or PhraseBits())
    marks = np.packbits(np.isin(here, same)).tobytes()
    plain = Region(0, 0, COUNT, 0, COUNT, COUNT, len(same), 1, "renamed", (Stretch(0, 0, COUNT),), 80.0, same=marks)
    known = TokenMap(file.tokens.first_lines, file.tokens.last_lines, there)
    return with_signs(plain, found, known, Judge(file, Parameters(), Thresholds()))


def test_what_is_the_same_is_counted_once_and_only_on_added_lines() -> None:
    rare = {0: 3.0, 1: 3.0, 2: 2.9, 10: 4.0, 40: 4.0}
    found = region(literals=rare, same=range(30), names=range(2), lines=4)
    assert found.evidence == Evidence(lines=4, names=2, literals=1)
    assert region(literals=rare, same=range(30), names=range(2), lines=4, added=range(5, COUNT)).evidence == Evidence(
        lines=3, literals=1
    )


@pytest.mark.parametrize(("differs", "lines"), [((), 3), ((7,), 2), ((0, 7, 14), 0)])
def test_a_line_is_equal_if_all_of_its_text_is(differs: Sequence[int], lines: int) -> None:
    same = sorted(set(range(COUNT)) - set(differs))
    assert region(same=same, lines=3).evidence.lines == lines


def test_the_signs_tell_bits_of_remarks_and_tokens_on_whole_lines() -> None:
    found = region(literals={3: 5.0, 8: 2.0, 70: 9.0}, same=range(20), lines=4, said=PhraseBits(30.0, 20.0, 2))
    assert found.signs == Signs(remarks=20.0, whole=20.0, run=20)
    assert found.evidence.phrases == 2


def test_a_part_has_its_share_of_the_evidence_and_a_union_all_of_it() -> None:
    whole = region(literals={3: 2.5, 4: 2.5}, same=range(20), lines=4, said=PhraseBits(30.0, 20.0, 4))
    whole = whole._replace(signs=whole.signs._replace(places=2))
    half, rest = part_of(whole, 0, 50), part_of(whole, 50, 100)
    assert half is not None
    assert rest is not None
    assert (half.end, half.source_end) == (rest.start, rest.source_start)
    assert (half.bits, half.evidence) == (40.0, Evidence(lines=2, phrases=2))
    assert half.signs == Signs(remarks=10.0, whole=10.0, run=20, places=2)
    both = union(half, rest)
    assert (both.start, both.end, both.source_start, both.source_end) == whole[1:5]
    assert (both.matched, both.bits, both.evidence, both.signs) == (
        100,
        80.0,
        whole.evidence,
        whole.signs._replace(run=20),
    )


@pytest.mark.parametrize(
    ("same", "silent", "part", "run", "is_run"),
    [
        (range(24), (), range(COUNT), 24, True),
        (range(23), (), range(COUNT), 23, False),
        # What says nothing does not make a run longer, but the guarantee is about it.
        (range(50), range(10, 40), range(COUNT), 20, True),
        # A part of a run, whose rest another chain has.
        (range(40, 64), (), range(48, COUNT), 16, True),
        (range(40, 64), (), range(70, COUNT), 0, False),
    ],
)
def test_a_run_of_equal_text(
    same: Sequence[int], silent: Sequence[int], part: range, run: int, *, is_run: bool
) -> None:
    found = region(same=same, silent=silent, part=part)
    assert (found.signs.run, found.is_run) == (run, is_run)


@pytest.mark.parametrize(
    ("same", "cuts", "run"),
    [
        ((), (), 0),
        (range(5, 25), (), 20),
        ((*range(5, 25), *range(30, 60)), (), 30),
        # A run ends where a stretch does: the next one stands elsewhere.
        (range(5, 75), (50,), 45),
    ],
)
def test_a_run_of_a_part_lies_within_one_stretch(same: Sequence[int], cuts: Sequence[int], run: int) -> None:
    whole = region(same=same)
    edges = [0, *cuts, COUNT]
    parts = tuple(Stretch(start, start + 100 * n, end - start) for n, (start, end) in enumerate(pairwise(edges)))
    part = part_of(whole._replace(stretches=parts, signs=Signs(run=COUNT)), 0, COUNT)
    assert part is not None
    assert part.signs.run == run
