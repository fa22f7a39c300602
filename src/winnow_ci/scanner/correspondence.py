"""What of a region corresponds to what of its source, in tokens and in lines."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from winnow_ci.matching import region_tokens
from winnow_ci.model import LineRange
from winnow_ci.model.findings import Agreement
from winnow_ci.model.regions import AlignedLines

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from winnow_ci.model import TokenMap, Tokens
    from winnow_ci.model.regions import Region, Stretch


def lines_of(tokens: Tokens | TokenMap, start: int, end: int) -> LineRange:
    """The lines of tokens ``[start, end)``."""
    return LineRange(int(tokens.first_lines[start]), int(tokens.last_lines[end - 1]))


def token_pairs(region: Region) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Numbers of the matched tokens from the region's start on, and of the content's tokens that they stand for."""
    here, there, _ = region_tokens(region)
    return here - region.start, there


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


def exactly(found: Agreement, copied: Tokens, source: Tokens, region: Region) -> Agreement:
    """The agreement of a region, by the whole texts of the tokens on both sides.

    Args:
        found: as it is by what the index keeps of each token.
        copied: tokens of the region.
        source: tokens of the content.
        region: what matches.
    """
    here, there = token_pairs(region)
    return found._replace(verbatim=int((copied.verbatim[here] == source.verbatim[there]).sum()), exact=True)
