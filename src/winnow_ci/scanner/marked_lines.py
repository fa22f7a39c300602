"""Lines of a copy in marked pieces: what became of each token on them, and what it is in its language.

A line may have megabytes. Of one that is longer than ``LONGEST_LINE`` only a part is shown: from shortly before the
first token that matched, or from its beginning.
"""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from winnow_ci.model import IDENTIFIER_SKETCH, NUMBER_SKETCH, STRING_SKETCH
from winnow_ci.model.side_by_side import MarkedPiece, SideLine
from winnow_ci.named_tuples import NamedTuple
from winnow_ci.scanner.token_marks import MARKS, ONE_SIDED

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from winnow_ci.languages.token_places import TokenPlaces
    from winnow_ci.model import LineRange
    from winnow_ci.model.side_by_side import Mark, Role
    from winnow_ci.scanner.side_text import SideText
    from winnow_ci.scanner.token_marks import TokenMarks

LONGEST_LINE = 1_000
"""Bytes of a line that are shown."""
_BEFORE = 40
"""Bytes before the first matched token of a longer line."""
_PROSE = "text"
# Where a piece begins and ends, what became of it, what it is, and the number of its names.
_Extent: TypeAlias = "tuple[int, int, Mark, Role, int | None]"


class MarkedSide(NamedTuple):
    """The lines on one side of a copy.

    Attributes:
        side: the file.
        one_sided: the mark of a token without a counterpart.
        matching: lines with tokens that matched, sorted.
        added: lines that the change adds, sorted.
        marks: of the tokens, if they were compared; without them, or without their places, lines are marked as a whole.
    """

    side: SideText
    one_sided: Mark
    matching: Sequence[LineRange]
    added: Sequence[LineRange] = ()
    marks: TokenMarks | None = None

    def line(self, number: int, *, is_copied: bool = True) -> SideLine:
        """A line, in marked pieces if its text is known."""
        start, end = self.side.span(number)
        if (places := self.side.places) and self.marks:
            first, last = self._shown(start, end, self._matched(_numbers(places, start, end), places))
            extents = self._extents(first, last, places, is_copied=is_copied)
        else:
            first, last = self._shown(start, end, start)
            is_same = is_copied and _holds(self.matching, number)
            extents = iter([(first, last, "same" if is_same else "not-compared", "", None)])
        pieces = tuple(_joined(self.side.text or b"", extents))
        added = _holds(self.added, number)
        return SideLine(number, pieces, self._count(number), is_copied, added, first - start, end - last)

    def words(self, number: int) -> Hashable:
        """The words of a line, to be compared; a line without any is equal to none."""
        start, end = self.side.span(number)
        words = (self.side.text or b"")[start : min(end, start + LONGEST_LINE)].split()
        return tuple(words) or object()

    def _count(self, number: int) -> int:
        """How many tokens begin on a line."""
        if self.side.tokens is None:
            return 0
        # With another type of numbers, NumPy would copy all lines first.
        first, last = np.searchsorted(self.side.tokens.first_lines, _as_lines(number, number + 1))
        return max(int(last - first), 0)

    def _matched(self, tokens: range, places: TokenPlaces) -> int:
        """Where the first of some tokens that matched begins; 0 if none did."""
        assert self.marks is not None
        matched = np.flatnonzero(self.marks.marks[tokens.start : tokens.stop] != ONE_SIDED)
        return int(places.starts[tokens.start + int(matched[0])]) if len(matched) else 0

    def _shown(self, start: int, end: int, matched: int) -> tuple[int, int]:
        """The bytes of a line that are shown, if the first token on it that matched begins at ``matched``."""
        if end - start <= LONGEST_LINE:
            return start, end
        text, first = self.side.text or b"", max(start, min(matched - _BEFORE, end - LONGEST_LINE))
        return _character(text, first, end), _character(text, first + LONGEST_LINE, end)

    def _extents(self, first: int, last: int, places: TokenPlaces, *, is_copied: bool) -> Iterator[_Extent]:
        """The tokens on a part of a line, and what stands between them."""
        at = first
        for number in _numbers(places, first, last):
            start, end = max(int(places.starts[number]), at), min(int(places.ends[number]), last)
            if end <= start:
                continue
            yield at, start, "not-compared", self._role_between(at, start), None
            mark, pair = self._mark(number) if is_copied else ("not-compared", None)
            yield start, end, mark, self._role(number, start), pair
            at = end
        yield at, last, "not-compared", self._role_between(at, last), None

    def _mark(self, number: int) -> tuple[Mark, int | None]:
        """What became of a token, and the number of its names if they are known."""
        assert self.marks is not None
        pair = int(self.marks.pairs[number])
        return MARKS[self.marks.marks[number]] or self.one_sided, None if pair < 0 else pair

    def _role(self, number: int, start: int) -> Role:
        """What a token is in its language."""
        assert self.side.tokens is not None
        assert self.side.text is not None
        sketch = self.side.tokens.sketch[number]
        if sketch >= STRING_SKETCH.start:
            return "string"
        if sketch >= NUMBER_SKETCH.start:
            return "number"
        if sketch >= IDENTIFIER_SKETCH.start:
            return "name"
        is_word = self.side.text[start : start + 1].isalpha() and self.side.front_end != _PROSE
        return "keyword" if is_word else ""

    def _role_between(self, start: int, end: int) -> Role:
        """What stands between tokens: a comment, or white space, also behind the mark of a line that goes on."""
        assert self.side.text is not None
        is_comment = self.side.front_end != _PROSE and self.side.text[start:end].strip(b" \t\r\f\v\\")
        return "comment" if is_comment else ""


def _numbers(places: TokenPlaces, start: int, end: int) -> range:
    """The numbers of the tokens that stand in ``[start, end)``, at least in part."""
    first, last = np.searchsorted(places.ends, start, "right"), np.searchsorted(places.starts, end, "left")
    return range(int(first), int(last))


def _as_lines(*numbers: int) -> NDArray[np.int32]:
    """Numbers of lines in the type that tokens have them in; a stored report may name lines that no file has."""
    return np.minimum(numbers, np.iinfo(np.int32).max).astype(np.int32)


def _holds(ranges: Sequence[LineRange], line: int) -> bool:
    """Whether a line is in one of the ranges, which are sorted and do not overlap."""
    before = bisect_right(ranges, (line, line + (1 << 62))) - 1
    return before >= 0 and ranges[before].last >= line


def _character(text: bytes, place: int, end: int) -> int:
    """The beginning of the next character of UTF-8."""
    while place < end and text[place] & 0xC0 == 0x80:
        place += 1
    return place


def _joined(text: bytes, extents: Iterable[_Extent]) -> Iterator[MarkedPiece]:
    """The pieces; neighbours that are marked alike are one."""
    last: _Extent | None = None
    for extent in extents:
        if extent[0] == extent[1]:
            continue
        if last is not None and last[2:] == extent[2:]:
            last = (last[0], extent[1], *last[2:])
            continue
        if last is not None:
            yield _piece(text, last)
        last = extent
    if last is not None:
        yield _piece(text, last)


def _piece(text: bytes, extent: _Extent) -> MarkedPiece:
    start, end, mark, role, pair = extent
    return MarkedPiece(text[start:end].decode("utf-8", "replace"), mark, role, pair)
