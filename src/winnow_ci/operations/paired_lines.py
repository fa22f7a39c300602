"""Show the lines of compared files side by side, for a page of ``winnow-ci compare``.

``compare`` knows the fingerprints that two files share. From each of these, tokens are followed to both sides while
they have the same structure, as BLAST extends a seed without gaps (Altschul et al. 1990).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from winnow_ci.languages import Untokenizable
from winnow_ci.model import Tokens
from winnow_ci.model.regions import AlignedLines, Stretch, rising_blocks
from winnow_ci.scanner.files import token_lines
from winnow_ci.scanner.show import AlignedCopy, beside
from winnow_ci.scanner.side_text import read_side

if TYPE_CHECKING:
    from collections.abc import Iterable

    from winnow_ci.model import U64
    from winnow_ci.model.comparison import Comparison, FilePair
    from winnow_ci.scanner.side_text import SideText

_BLOCK_GAP = 20
"""Lines between two parts of a block; parts farther apart are shown apart."""
FARTHEST = 4_096
"""Tokens that are followed from a seed to each side; where more are alike, there is another seed."""


def shown_pairs(found: Comparison, most_rows: int) -> tuple[FilePair, ...]:
    """Return the pairs of a comparison with their lines, each with at most ``most_rows`` rows."""
    return tuple(_shown(pair, most_rows) for pair in found.pairs)


def _shown(pair: FilePair, most_rows: int) -> FilePair:
    if pair.texts is None:
        return pair
    try:
        here, there = (read_side(*text) for text in pair.texts)
    except Untokenizable:
        return pair
    seeds = sorted(seed for stretch in pair.stretches for seed in stretch.seeds)
    lines = _lines(seeds, here, there)
    sides = beside(lines, here, there, most_rows) if lines.stretches else None
    return pair._replace(alignment=lines.alignment, beside=sides)


def _lines(seeds: Iterable[tuple[int, int]], here: SideText, there: SideText) -> AlignedCopy:
    if not isinstance(here.tokens, Tokens) or not isinstance(there.tokens, Tokens):
        return AlignedCopy((), (), ())
    stretches = extended_seeds(seeds, here.tokens.structural, there.tokens.structural)
    alignment = tuple(
        AlignedLines(
            token_lines(here.tokens, part.start, part.start + part.tokens),
            token_lines(there.tokens, part.source_start, part.source_start + part.tokens),
        )
        for part in stretches
    )
    return AlignedCopy(stretches, alignment, rising_blocks(alignment, _BLOCK_GAP))


def extended_seeds(seeds: Iterable[tuple[int, int]], one: U64, other: U64) -> tuple[Stretch, ...]:
    """Follow the tokens from each seed to both sides; no two stretches share a token of the one.

    Args:
        seeds: numbers of tokens in the one and in the other, rising in the one.
        one: uint64; structural ids.
        other: the same of the other file.
    """
    found: list[Stretch] = []
    for start, source_start in seeds:
        end = found[-1].start + found[-1].tokens if found else 0
        if start < end:
            continue
        before = _alike(one[end:start][::-1][:FARTHEST], other[:source_start][::-1][:FARTHEST])
        after = _alike(one[start : start + FARTHEST], other[source_start : source_start + FARTHEST])
        if after:
            found.append(Stretch(start - before, source_start - before, before + after))
    return tuple(found)


def _alike(one: U64, other: U64) -> int:
    count = min(len(one), len(other))
    different = np.flatnonzero(one[:count] != other[:count])
    return int(different[0]) if len(different) else count
