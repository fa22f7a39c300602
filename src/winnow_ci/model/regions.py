"""Regions that a change shares with known code, the evidence of a copy, and a copy beside its source, line by line.

Positions are numbers of tokens; lines and arrays are as in ``winnow_ci.model``.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import inf
from typing import Literal, TypeAlias

from winnow_ci.model import Kind, LineRange
from winnow_ci.named_tuples import NamedTuple


class AlignedLines(NamedTuple):
    """Lines of the change, and the lines of the source that they match."""

    here: LineRange
    there: LineRange

    def to(self, other: AlignedLines) -> AlignedLines:
        """All lines from the first of these to the last of the others, on both sides."""
        return AlignedLines(LineRange(self.here.first, other.here.last), LineRange(self.there.first, other.there.last))


def rising_blocks(alignment: Iterable[AlignedLines], reach: int | None = None) -> tuple[AlignedLines, ...]:
    """Join matching lines, in the order of the change, into blocks that rise on both sides.

    At most ``reach`` lines lie between two parts of a block, on either side.
    """
    blocks: list[AlignedLines] = []
    for lines in alignment:
        if blocks:
            before = blocks[-1]
            gaps = lines.here.first - before.here.last, lines.there.first - before.there.last
            if gaps[1] >= 0 and (reach is None or max(gaps) <= reach + 1):
                blocks[-1] = before.to(lines)
                continue
        blocks.append(lines)
    return tuple(blocks)


class Stretch(NamedTuple):
    """Tokens from ``start`` on that match the source's from ``source_start`` on, one for one."""

    start: int
    source_start: int
    tokens: int


class Evidence(NamedTuple):
    """Equal things on added lines that speak for a copy, each counted once."""

    lines: int = 0  # whole lines of four tokens or more
    names: int = 0  # rare ones
    literals: int = 0  # rare numbers and strings
    phrases: int = 0  # of comments and strings


class Signs(NamedTuple):
    """Other features of a region and its surroundings that the evidence model uses (``evidence.model``)."""

    remarks: float = 0.0  # bits of equal phrases of comments and strings
    whole: float = 0.0  # matched tokens on lines that are whole lines on both sides
    astray: float = 0.0  # how often a name recurs and meets another name than before
    agreeing: float = 0.0  # how often a name recurs and meets the same name as before
    rows: float = 0.0  # matched tokens in rows of one shape, from the fifth row on, except in equal rows
    run: int = 0  # informative matched tokens of equal text side by side, at most
    again: float = 0.0  # share of its tokens in shapes that the changed file has elsewhere, too
    places: int = 0  # differently named files of the index that have most of it, besides the first
    files: int = 0  # other changed files that match the same known stretch
    unlearnt: bool = False  # whether no tables were learnt for its language
    words: float = 0.0  # bits of the rare words and phrases that a part of the change shares; only if it is restated
    share: float = 0.0  # how many they are of those that this part has


class Region(NamedTuple):
    """A stretch of a change that matches a stretch of one known content.

    Token numbers are half-open: ``[start, end)``.
    """

    content: int  # id in the index
    start: int
    end: int
    source_start: int
    source_end: int
    matched: int  # tokens that match structurally
    matched_verbatim: int  # tokens that match verbatim
    fingerprints: int  # informative fingerprints that support the region, each counted once
    kind: Kind
    stretches: tuple[Stretch, ...] = ()  # matching tokens, by rising start
    bits: float = 0.0  # strength of the evidence of a copy
    identical: bool = False  # the whole file is the whole content, except for line ends and a last line break
    evidence: Evidence = Evidence()
    same: bytes = b""  # whether each matched token, in the order of the stretches, has the same text: packed bits
    is_run: bool = False  # it holds (part of) a run of equal text that is always reported; False once it is cut
    signs: Signs = Signs()
    least_odds: float = -inf  # log-odds that it has at least, because it contains an exact copy

    @property
    def tokens(self) -> int:
        """Length in tokens of the change."""
        return self.end - self.start


# ---- a copy beside its source ----------------------------------------------------------------------------------------
# Blocks follow the order of the change, and a new one begins where the lines of the source fall back. Corresponding
# lines share a row; a side without one has None.

Mark: TypeAlias = Literal["same", "renamed", "literal", "only-here", "only-there", "not-compared"]
"""What became of a token: it has the same text, another name, another number or string, or no counterpart on the other
side; comments, white space and lines around a copy are not compared."""

Role: TypeAlias = Literal["", "keyword", "name", "number", "string", "comment"]
"""What a piece of text is in its language, for its colour."""


class MarkedPiece(NamedTuple):
    """Text of one line with one mark; neighbours of the same mark and role are one piece."""

    text: str  # as ``languages.normalise`` leaves it, without its line break; not made harmless otherwise
    mark: Mark = "not-compared"
    role: Role = ""
    pair: int | None = None  # of a renamed piece: the number of its names in ``SideBySide.renames``


class SideLine(NamedTuple):
    """A line of the change or of the source."""

    number: int  # in its file
    pieces: tuple[MarkedPiece, ...] = ()  # empty if the text is not known
    tokens: int = 0  # how many begin on it, which an index knows without the text
    is_copied: bool = True  # between the first and the last line of the copy; other lines are context
    is_added: bool = False  # a line of the finding that the change adds; False on the side of the source
    bytes_before: int = 0  # of a very long line: left out before its pieces
    bytes_after: int = 0


class AlignedRow(NamedTuple):
    """Lines that correspond."""

    here: SideLine | None
    there: SideLine | None


class AlignedBlock(NamedTuple):
    """A part of a copy that has the order of its source."""

    lines: AlignedLines  # without context
    rows: tuple[AlignedRow, ...]  # with context; only the first ones, if there are more than were asked for
    left_out: int = 0  # rows


class ExactRun(NamedTuple):
    """A run of tokens that two files share, and its lines in the one and in the other."""

    tokens: int
    lines: LineRange
    lines_there: LineRange


class ExactRuns(NamedTuple):
    """The longest runs that two files share; None if they share no token."""

    equal: ExactRun | None  # of tokens with the same text
    renamed: ExactRun | None  # of the same structure, in which names, numbers and strings correspond one to one


class SideBySide(NamedTuple):
    """A copy beside its source."""

    blocks: tuple[AlignedBlock, ...]  # in the order of the change; only the first ones, if there are too many
    renames: tuple[tuple[str, str, int], ...] = ()  # name in the source, in the change, how often; most frequent first
    has_source_text: bool = True  # if False, the source's lines have only numbers and tokens
    blocks_left_out: int = 0
    exact: ExactRuns | None = None  # None if the text of one side is not known
