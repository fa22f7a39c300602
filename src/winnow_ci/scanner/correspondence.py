"""What of a region corresponds to what of its source, in tokens and in lines."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from winnow_ci.model import LineRange
from winnow_ci.model.findings import Agreement
from winnow_ci.model.regions import AlignedLines

if TYPE_CHECKING:
    from collections.abc import Sequence

    from winnow_ci.model import TokenMap, Tokens
    from winnow_ci.model.regions import Region, Stretch


def lines_of(tokens: Tokens | TokenMap, start: int, end: int) -> LineRange:
    """The lines of tokens ``[start, end)``."""
    return LineRange(int(tokens.first_lines[start]), int(tokens.last_lines[end - 1]))


def aligned_lines(tokens: Tokens, known: Tokens | TokenMap, region: Region) -> tuple[AlignedLines, ...]:
    """The lines of a region's stretches; stretches with no line between them on either side are taken together.

    Args:
        tokens: of the changed file.
        known: tokens of the content.
        region: what matches.
    """
    found: list[AlignedLines] = []
    for part in region.stretches:
        lines = AlignedLines(
            lines_of(tokens, part.start, part.start + part.tokens),
            lines_of(known, part.source_start, part.source_start + part.tokens),
        )
        if found and _is_next(found[-1], lines):
            found[-1] = found[-1].to(lines)
        else:
            found.append(lines)
    return tuple(found)


def _is_next(before: AlignedLines, after: AlignedLines) -> bool:
    return after.here.first - before.here.last <= 1 and 0 <= after.there.first - before.there.last <= 1


def agreement(tokens: Tokens, region: Region) -> Agreement:
    """How far a region of a changed file with these tokens agrees with its source, by what an index keeps of it."""
    first, last = lines_of(tokens, region.start, region.end)
    start = int(np.searchsorted(tokens.last_lines, np.int32(first), "left"))
    end = int(np.searchsorted(tokens.first_lines, np.int32(last), "right"))
    missing = sum(_missing(*both) for both in pairwise(region.stretches))
    in_order = all(part.source_start < after.source_start for part, after in pairwise(region.stretches))
    return Agreement(region.matched, region.matched_verbatim, end - start - region.tokens, missing, in_order)


def _missing(part: Stretch, after: Stretch) -> int:
    """How many more tokens the source has between two stretches; those that the copy has there replace as many."""
    gap = after.start - part.start - part.tokens
    return max(after.source_start - part.source_start - part.tokens - gap, 0)


def are_there(stretches: Sequence[Stretch], count: int, source_count: int) -> bool:
    """Whether the stretches rise, and lie inside so many tokens; those of a stored report may be anybody's."""
    ends = [0, *(part.start + part.tokens for part in stretches)]
    return bool(stretches) and all(
        part.tokens > 0
        and before <= part.start <= count - part.tokens
        and 0 <= part.source_start <= source_count - part.tokens
        for before, part in zip(ends, stretches, strict=False)
    )


def exactly(
    found: Agreement, stretches: Sequence[Stretch], copied: Tokens, source: Tokens, first_token: int = 0
) -> Agreement:
    """The agreement of a copy, by the whole texts of the tokens on both sides.

    Args:
        found: as it is by what the index keeps of each token.
        stretches: the tokens that match.
        copied: tokens of the changed file, from ``first_token`` on.
        source: tokens of the source's file.
        first_token: number of the first of the copied tokens in the changed file.
    """
    parts = [part._replace(start=part.start - first_token) for part in stretches]
    if not are_there(parts, len(copied), len(source)):
        return found
    same = sum(int((copied.verbatim[a : a + count] == source.verbatim[b : b + count]).sum()) for a, b, count in parts)
    return found._replace(verbatim=same, exact=True)
