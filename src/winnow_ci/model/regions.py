"""What a change shares with known code: stretches of tokens, and what speaks for a copy.

Positions are numbers of tokens; lines and arrays are as in ``winnow_ci.model``.
"""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING

from winnow_ci.model import LineRange
from winnow_ci.named_tuples import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable

    from winnow_ci.model import Kind


class AlignedLines(NamedTuple):
    """Lines of the change, and the lines of the source that they match."""

    here: LineRange
    there: LineRange

    def to(self, other: AlignedLines) -> AlignedLines:
        """All lines from the first of these to the last of the others, on both sides."""
        return AlignedLines(LineRange(self.here.first, other.here.last), LineRange(self.there.first, other.there.last))


def rising_blocks(alignment: Iterable[AlignedLines], reach: int | None = None) -> tuple[AlignedLines, ...]:
    """Take lines that correspond together to blocks.

    Args:
        alignment: lines, in the order of the change.
        reach: lines between two parts of a block on either side, at most; None for any number.

    Returns:
        Blocks that rise on both sides. A copy in the order of its source is one if nothing limits it.
    """
    blocks: list[AlignedLines] = []
    for lines in alignment:
        if blocks and lines.there.first >= blocks[-1].there.last and _is_near(blocks[-1], lines, reach):
            blocks[-1] = blocks[-1].to(lines)
        else:
            blocks.append(lines)
    return tuple(blocks)


def _is_near(before: AlignedLines, after: AlignedLines, reach: int | None) -> bool:
    gaps = after.here.first - before.here.last, after.there.first - before.there.last
    return reach is None or max(gaps) <= reach + 1


class Stretch(NamedTuple):
    """Tokens from ``start`` on that match the source's from ``source_start`` on, one for one."""

    start: int
    source_start: int
    tokens: int


class Evidence(NamedTuple):
    """What speaks for a copy, each thing counted once; only what stands on added lines counts.

    Attributes:
        lines: whole lines of four tokens or more whose text is the same.
        names: rare names that are the same.
        literals: rare numbers and strings that are the same.
        phrases: phrases of comments and strings that are the same.
    """

    lines: int = 0
    names: int = 0
    literals: int = 0
    phrases: int = 0


class Signs(NamedTuple):
    """What else the evidence model looks at (``evidence.model``): numbers of a region, and of what is around it.

    Attributes:
        remarks: bits of the phrases of comments and strings that are the same.
        whole: matched tokens on lines that are whole lines on both sides.
        astray: how often a name recurs and meets another name than before.
        agreeing: how often a name recurs and meets the same name as before.
        rows: matched tokens in rows of one shape, from the fifth row on, but for rows that are the same.
        run: matched tokens of equal text side by side, of those that say something, at most.
        again: share of its tokens in shapes that the changed file has elsewhere, too.
        places: differently named files of the index that have most of it, besides the first.
        files: other changed files that match the same known stretch.
        unlearnt: whether no tables were learnt for its language.
    """

    remarks: float = 0.0
    whole: float = 0.0
    astray: float = 0.0
    agreeing: float = 0.0
    rows: float = 0.0
    run: int = 0
    again: float = 0.0
    places: int = 0
    files: int = 0
    unlearnt: bool = False


class Region(NamedTuple):
    """A stretch of a change that matches a stretch of one known content.

    Token numbers are half-open: ``[start, end)``.

    Attributes:
        content: id of the content in the index.
        start, end: tokens of the change.
        source_start, source_end: tokens of the content.
        matched: number of tokens that match structurally.
        matched_verbatim: number of tokens that match verbatim.
        fingerprints: informative fingerprints that support the region, each counted once.
        kind: verbatim or renamed.
        stretches: which tokens of the change match which of the content, by rising start.
        bits: how strong the evidence of a copy is.
        identical: whether the whole file is the whole content, but for line ends and a last line break.
        evidence: what speaks for a copy.
        same: for each matched token, in the order of the stretches, whether its text is the same: packed bits.
        is_run: whether it holds a run of equal text that is always reported, or a part of it; cut, it does not.
        signs: what else speaks for a copy or against it.
        least_odds: log-odds that it has at least, as an exact copy lies in it.
    """

    content: int
    start: int
    end: int
    source_start: int
    source_end: int
    matched: int
    matched_verbatim: int
    fingerprints: int
    kind: Kind
    stretches: tuple[Stretch, ...] = ()
    bits: float = 0.0
    identical: bool = False
    evidence: Evidence = Evidence()
    same: bytes = b""
    is_run: bool = False
    signs: Signs = Signs()
    least_odds: float = -inf

    @property
    def tokens(self) -> int:
        """Length in tokens of the change."""
        return self.end - self.start
