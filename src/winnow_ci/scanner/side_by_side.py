"""A finding beside its source: rows of lines that correspond, from the texts and tokens of both sides.

``beside`` is what a scan and ``winnow-ci report`` both call. It reads no index and no file, and its time is linear in
the tokens of the finding: only the rows that are asked for are made.

Lines correspond if their first matched tokens do; between those, if they say the same, such as comments. Other lines
fill the rows before the next pair that corresponds.
"""

from __future__ import annotations

from itertools import islice, zip_longest
from typing import TYPE_CHECKING, Protocol, TypeAlias

import numpy as np

from winnow_ci.model import LineRange, Tokens
from winnow_ci.model.side_by_side import AlignedBlock, AlignedRow, SideBySide
from winnow_ci.named_tuples import NamedTuple
from winnow_ci.scanner.gaps import GapComparison
from winnow_ci.scanner.marked_lines import MarkedSide
from winnow_ci.scanner.token_marks import compared

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from winnow_ci.model.regions import AlignedLines, Stretch
    from winnow_ci.model.side_by_side import ExactRuns
    from winnow_ci.scanner.side_text import SideText

CONTEXT = 3
"""Lines before and after a block."""
LEAST_ROWS = 2
"""Of a block."""
_Numbers: TypeAlias = "tuple[int | None, int | None]"


class AlignedCopy(Protocol):
    """What is shown of a copy; a finding has it."""

    @property
    def alignment(self) -> tuple[AlignedLines, ...]:
        """Lines that correspond, in the order of the change."""

    @property
    def block_lines(self) -> tuple[AlignedLines, ...]:
        """The same, taken together to blocks that rise on both sides."""

    @property
    def stretches(self) -> tuple[Stretch, ...]:
        """Tokens that match."""

    @property
    def added(self) -> tuple[LineRange, ...]:
        """Lines that the change adds."""


def beside(finding: AlignedCopy, here: SideText, there: SideText, most_rows: int) -> SideBySide:
    """Show a finding beside its source.

    Args:
        finding: with ``stretches``, ``alignment`` and ``added``, which a stored report has, too.
        here: the changed file (``side_text.read_side``).
        there: the file of ``finding.source`` (``side_text.known_side``), of which the text may not be known; for an
            identical file the same as ``here``.
        most_rows: how many rows are made at most, without context, if that is enough for ``LEAST_ROWS`` of one block.

    Returns:
        The rows. Single tokens are marked where both sides have their tokens, and where these stand; otherwise lines
        are marked as a whole.
    """
    blocks = finding.block_lines
    shown = blocks[: max(most_rows // LEAST_ROWS, 1)]
    each = max(most_rows // len(shown), min(LEAST_ROWS, most_rows))
    page = _Page.of(finding, here, there, each)
    made, last = [], 0
    for number, lines in enumerate(shown):
        until = shown[number + 1].here.first - 1 if number + 1 < len(shown) else here.lines
        made.append(page.block(lines, LineRange(last + 1, until)))
        last = max([last, *(row.here.number for row in made[-1].rows if row.here)])
    left_out = len(blocks) - len(shown)
    return SideBySide(tuple(made), page.renames, there.text is not None, left_out, _exact(blocks, here, there))


def _exact(blocks: Sequence[AlignedLines], here: SideText, there: SideText) -> ExactRuns | None:
    """The longest runs that both sides share, on the lines of the copy."""
    ours, theirs = here.tokens, there.tokens
    if here is there or not isinstance(ours, Tokens) or not isinstance(theirs, Tokens):
        return None
    from winnow_ci.exact_runs import exact_runs  # noqa: PLC0415 - few findings are shown so

    return exact_runs(_on(ours, [each.here for each in blocks]), _on(theirs, [each.there for each in blocks]))


def _on(tokens: Tokens, lines: Sequence[LineRange]) -> Tokens:
    """The tokens from the first line of some to the last."""
    first, last = min(each.first for each in lines), max(each.last for each in lines)
    return tokens.part((tokens.first_lines >= first) & (tokens.last_lines <= last))


class _Page(NamedTuple):
    """Both sides, with the lines on which matched tokens begin.

    Attributes:
        here, there: the change and the source.
        pairs: int32, two columns; a line of each side.
        renames: as in ``SideBySide``.
        most: rows of a block.
    """

    here: MarkedSide
    there: MarkedSide
    pairs: NDArray[np.integer]
    renames: tuple[tuple[str, str, int], ...]
    most: int

    @classmethod
    def of(cls, finding: AlignedCopy, here: SideText, there: SideText, most: int) -> _Page:
        """Compare the tokens of both sides, if they are known."""
        alignment = finding.alignment or finding.block_lines
        found = compared(finding.stretches, here, there)
        pairs = _line_by_line(alignment, most) if found is None else found.lines
        ours, theirs = sorted(lines.here for lines in alignment), sorted(lines.there for lines in alignment)
        return cls(
            MarkedSide(here, "only-here", ours, finding.added, found and found.here),
            MarkedSide(there, "only-there", theirs, (), found and found.there),
            pairs,
            found.renames if found else (),
            most,
        )

    def block(self, lines: AlignedLines, free: LineRange) -> AlignedBlock:
        """A block with its context, for which some lines of the change are free."""
        pairs = self._corresponding(lines)
        numbers = list(islice(_numbered(lines, pairs), self.most))
        left_out = _count(lines, pairs) - len(numbers)
        before, after = self._context(lines, free)
        rows = [
            *(self._row(*both, is_copied=False) for both in before),
            *(self._row(*both) for both in numbers),
            *(self._row(*both, is_copied=False) for both in after if not left_out),
        ]
        return AlignedBlock(lines, tuple(rows), left_out)

    def _corresponding(self, lines: AlignedLines) -> list[tuple[int, int]]:
        """Pairs of lines of a block that correspond: by their tokens, and between those by their text."""
        first, last = np.searchsorted(self.pairs[:, 0], [lines.here.first, lines.here.last + 1])
        pairs = self.pairs[first:last]
        by_tokens = _rising(pairs[(pairs[:, 1] >= lines.there.first) & (pairs[:, 1] <= lines.there.last)])
        comparison = GapComparison(self.here.words, self.there.words)
        found: list[tuple[int, int]] = []
        for gap, pair in zip_longest(_gaps(lines, by_tokens), by_tokens):
            # Later rows are not shown.
            if len(found) < self.most:
                found += comparison.same(*gap)
            if pair:
                found.append(pair)
        return found

    def _context(self, lines: AlignedLines, free: LineRange) -> tuple[list[_Numbers], list[_Numbers]]:
        """The lines around a block, those next to it on one row; none on a side of which the text is not known."""
        (first, last), (source_first, source_last) = lines
        count = self.there.side.lines
        ours = range(first - 1, max(first - CONTEXT, free.first) - 1, -1) if self.here.side.lines else ()
        theirs = range(source_first - 1, max(source_first - CONTEXT, 1) - 1, -1) if count else ()
        after = range(last + 1, min(last + CONTEXT, free.last) + 1)
        source_after = range(source_last + 1, min(source_last + CONTEXT, count) + 1)
        return list(zip_longest(ours, theirs))[::-1], list(zip_longest(after, source_after))

    def _row(self, here: int | None, there: int | None, *, is_copied: bool = True) -> AlignedRow:
        return AlignedRow(
            None if here is None else self.here.line(here, is_copied=is_copied),
            None if there is None else self.there.line(there, is_copied=is_copied),
        )


def _line_by_line(alignment: Sequence[AlignedLines], most: int) -> NDArray[np.integer]:
    """Pairs of lines where only the lines of stretches are known: the first few of each, one by one."""
    pairs = [
        both
        for (first, last), there in alignment
        for both in islice(zip(range(first, last + 1), range(there.first, there.last + 1), strict=False), most)
    ]
    return np.array(pairs, np.int64).reshape(-1, 2)


def _rising(pairs: NDArray[np.integer]) -> list[tuple[int, int]]:
    """Pairs of lines of which each is below the one before on both sides."""
    # Most tokens begin on the lines of the token before.
    changes = np.any(np.diff(pairs, axis=0, prepend=-1) != 0, axis=1)
    last, found = (0, 0), []
    for here, there in pairs[changes].tolist():
        if here > last[0] and there > last[1]:
            last = here, there
            found.append(last)
    return found


def _gaps(lines: AlignedLines, pairs: Sequence[tuple[int, int]]) -> Iterator[tuple[range, range]]:
    """The lines on both sides before each pair, and after the last one."""
    here, there = lines.here.first, lines.there.first
    for one, other in (*pairs, (lines.here.last + 1, lines.there.last + 1)):
        yield range(here, one), range(there, other)
        here, there = one + 1, other + 1


def _numbered(lines: AlignedLines, pairs: Sequence[tuple[int, int]]) -> Iterator[_Numbers]:
    """The line numbers of each row of a block."""
    for (here, there), pair in zip_longest(_gaps(lines, pairs), pairs):
        if not pair:
            yield from zip_longest(here, there)
            return
        # What is on one side only comes first: a comment mostly belongs to the code below it.
        here_more, there_more = max(len(here) - len(there), 0), max(len(there) - len(here), 0)
        yield from zip_longest(here[:here_more], there[:there_more])
        yield from zip(here[here_more:], there[there_more:], strict=True)
        yield pair


def _count(lines: AlignedLines, pairs: Sequence[tuple[int, int]]) -> int:
    """How many rows a block has."""
    return len(pairs) + sum(max(len(ours), len(theirs)) for ours, theirs in _gaps(lines, pairs))
