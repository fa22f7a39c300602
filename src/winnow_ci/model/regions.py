"""What a change shares with known code: stretches of tokens, and what speaks for a copy.

Positions are numbers of tokens; lines and arrays are as in ``winnow_ci.model``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from winnow_ci.model import LineRange
from winnow_ci.named_tuples import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable

    from winnow_ci.model import Kind, Strength


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
        weight: how much of ``bits`` unrelated code hardly has (``matching.strength``).
        strength: whether this is more than code of unrelated people has in common.
        evidence: what speaks for a copy.
        same: for each matched token, in the order of the stretches, whether its text is the same: packed bits.
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
    weight: float = 0.0
    strength: Strength = "strong"
    evidence: Evidence = Evidence()
    same: bytes = b""

    @property
    def tokens(self) -> int:
        """Length in tokens of the change."""
        return self.end - self.start

    @property
    def similarity(self) -> float:
        """Share of the region's tokens that match, as its kind counts a match."""
        return (self.matched_verbatim if self.kind == "verbatim" else self.matched) / self.tokens
