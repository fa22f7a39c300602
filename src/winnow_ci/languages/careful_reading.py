r"""Reading with care: where a text holds what a single expression could misread.

A regular expression cannot tell whether a slash divides, whether ``<<A`` shifts, or where a string ends that holds
code which holds strings. Guessing wrong there costs a line; but if the line opens a comment or string that spans lines,
everything up to the next mark of its kind would be taken for text. So if the pieces of a text show that this may be so
(few texts that people write do), it is read again, piece by piece, and a ``Reading`` says where a piece ends. Whatever
is misread first comes after what is not: so the pieces show it.

What the tokenizer reads by itself is kept wherever both agree at the end of the line: a mistake that ends with its line
hides nothing, and the tokens of ordinary code are the same whatever else is in the file. All else follows the language.

Linear on any input: the search for a span's end begins only after the reading has let the span begin, each line is read
at most twice, and a search that finds no end is the last one of its kind.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from winnow_ci.named_tuples import NamedTuple

if TYPE_CHECKING:
    import re
    from collections.abc import Callable, Sequence

_END = b"\0"
_AROUND = 32
"""Bytes before a place that a look-behind may need."""


class Reading(Protocol):
    """What a language makes of pieces."""

    def end(self, start: int, piece: bytes) -> int | None:
        """Where the piece that begins at ``start`` ends for the language, or None if it is as guessed.

        Args:
            start: its place in the text.
            piece: as guessed; of a comment or string that may span lines only the opener.
        """

    def follow(self, start: int, piece: bytes) -> None:
        """Take note of a piece."""


class Care(NamedTuple):
    """What a single expression cannot tell in a language.

    Attributes:
        is_marked: whether a piece may be misread, or may be what others are misread for.
        is_doubtful: whether a text may have to be cut otherwise, given its pieces and the places of the marked ones.
        reading: makes what knows the language.
        native_tables: what the kernel is told, which does the same (``kernel/src/tokens/careful_reading.rs``).
    """

    is_marked: Callable[[bytes], bool]
    is_doubtful: Callable[[Sequence[bytes], Sequence[int]], bool]
    reading: Callable[[CarefulReader], Reading]
    native_tables: Callable[[], dict[str, object]]


class Patterns(NamedTuple):
    """The expressions of a family for some text.

    Attributes:
        openers: matches a piece, but of spans only the opener, in a group called ``span``.
        spans: each matches a whole span.
        cut: cuts a text, which ends with NUL, as the tokenizer does without care.
    """

    openers: re.Pattern[bytes]
    spans: tuple[re.Pattern[bytes], ...]
    cut: Callable[[bytes, int], list[bytes]]


class CarefulReader:
    """Cuts one text.

    Args:
        text: the text, which ends with NUL.
        patterns: of its family.
        far_ends: start → end of spans that hold others of their kind.
        reading: makes what knows the language.
    """

    def __init__(
        self,
        text: bytes,
        patterns: Patterns,
        far_ends: dict[int, int],
        reading: Callable[[CarefulReader], Reading],
    ) -> None:
        self.text = text
        self._patterns = patterns
        self._far_ends = far_ends
        self._reading = reading(self)

    def pieces(self) -> list[bytes]:
        """All pieces; the last one ends with NUL."""
        found: list[bytes] = []
        position = 0
        while position < len(self.text):
            position = self._read_on(position, found)
        return found

    def end_of_piece(self, start: int, reading: Reading) -> int:
        """Where the piece that begins at ``start`` ends for a reading."""
        match = self._patterns.openers.match(self.text, start)
        assert match, "the last alternative matches any byte"
        end = reading.end(start, match.group())
        return self._end(match) if end is None else end

    def _read_on(self, position: int, found: list[bytes]) -> int:
        """Read up to the end of a span or a doubtful line."""
        reading = self._reading
        for match in self._patterns.openers.finditer(self.text, position):
            start, piece = match.start(), match.group()
            end = reading.end(start, piece)
            if end is not None:
                return self._read_line(start, end, found)
            if match.lastgroup == "span":
                end = self._end(match)
                piece = self.text[start:end]
            reading.follow(start, piece)
            found.append(piece)
            if end is not None:
                return end
        return len(self.text)

    def _end(self, match: re.Match[bytes]) -> int:
        start = match.start()
        if match.lastgroup != "span":
            return match.end()
        if start in self._far_ends:
            return self._far_ends[start]
        whole = (pattern.match(self.text, start) for pattern in self._patterns.spans)
        return next((found.end() for found in whole if found), match.end())

    def _read_line(self, start: int, end: int, found: list[bytes]) -> int:
        """Read from a piece with a known end up to the end of a line, or as far as a span goes from there."""
        first, true = start, []
        while True:
            piece = self.text[start:end]
            self._reading.follow(start, piece)
            true.append(piece)
            if self.text[end : end + 1] in (b"\n", _END, b"") or (b"\n" in piece and piece.isspace()):
                break
            start, end = end, self.end_of_piece(end, self._reading)
        around = max(0, first - _AROUND)
        guessed = self._patterns.cut(self.text[around:end] + _END, first - around)
        agree = guessed.pop() == _END and not true[-1].endswith(_END)
        found += guessed if agree else true
        return end
