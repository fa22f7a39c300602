r"""Read with care where a single expression could misread a text.

A regular expression cannot tell whether a slash divides, whether ``<<A`` shifts, or where a string ends that holds
code which holds strings. Guessing wrong there costs a line; but if the line opens a comment or string that spans lines,
everything up to the next mark of its kind would be taken for text. So if the pieces of a text show that this may be so
(few texts that people write do), it is read again, piece by piece, and a ``Reading`` says where a piece ends. The first
misread piece comes after correctly read ones, so the pieces show it.

Where both readings agree at the end of a line, the tokenizer's own pieces are kept: a mistake that ends with its line
hides nothing, and the tokens of ordinary code are the same whatever else is in the file.

Linear on any input: the search for a span's end begins only after the reading has let the span begin, each line is read
at most twice, and a search that finds no end is the last one of its kind.

``Quotes`` takes this care for strings that hold code, which may hold strings, and for strings that may span lines.
The other kinds are in ``javascript_reading`` and ``here_document_reading``.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Protocol

from winnow_ci.named_tuples import NamedTuple
from winnow_ci.start_up import compiled_on_use

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_END = b"\0"
# Bytes before a place that a look-behind may need.
_AROUND = 32

DEEPEST_QUOTE = 64
NEAR_QUOTE = 1000
MAY_OPEN_QUOTE = compiled_on_use(rb"\w{0,8}[\"'`$#@~]|\W")
# A string with nothing in it that might be a mark in any language, as most are, or a name.
PLAIN_QUOTE = compiled_on_use(rb"""(?:(["'])[\w .,:;/-]+\1|\w+)\Z""", re.ASCII)


class Reading(Protocol):
    """Knows where the pieces of one text end in a language."""

    def end(self, start: int, piece: bytes) -> int | None:
        """Return where the piece at ``start`` ends, or None if it ends as guessed; of spans ``piece`` is the opener."""

    def follow(self, start: int, piece: bytes) -> None:
        """Take note of a piece."""


class Care(Protocol):
    """What a single expression cannot decide in a language; hashable, as part of a family."""

    def is_marked(self, piece: bytes) -> bool:
        """Whether a piece may be misread, or may be what others are misread for."""

    def is_doubtful(self, pieces: Sequence[bytes], marked: Sequence[int]) -> bool:
        """Whether a text may have to be cut otherwise, given its pieces and the places of the marked ones."""

    def reading(self, reader: CarefulReader) -> Reading:
        """Begin to read a text."""


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
    """Cuts one text, which ends with NUL; ``far_ends``: start → end of spans that hold others of their kind."""

    def __init__(self, text: bytes, patterns: Patterns, far_ends: dict[int, int], care: Care) -> None:
        self.text = text
        self._patterns = patterns
        self._far_ends = far_ends
        self._reading = care.reading(self)

    def pieces(self) -> list[bytes]:
        """Return all pieces; the last one ends with NUL."""
        found: list[bytes] = []
        position = 0
        while position < len(self.text):
            position = self._read_on(position, found)
        return found

    def end_of_piece(self, start: int, reading: Reading) -> int:
        """Return where the piece at ``start`` ends for a reading."""
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
        """Read from a piece with a known end to the end of a line, or of a span that begins on it."""
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


# ---- strings -----------------------------------------------------------------------------------------------------


class QuoteForm(NamedTuple):
    r"""A way to write strings.

    Attributes:
        opener: regular expression of the beginning.
        closer: the end.
        escape: regular expression of the character that keeps the next one from ending the string, if there is one.
        code: regular expression of what begins code in it, if anything does.
        spans_lines: whether it may go on over a line's end.
    """

    opener: bytes
    closer: bytes
    escape: bytes = rb"\\"
    code: bytes = b""
    spans_lines: bool = False

    def marks(self) -> list[tuple[str, bytes]]:
        """Name and regular expression of what may stand in such a string, and of the end of the text."""
        escaped = [("escaped", rb"(?:%b)[^\0]" % self.escape)] if self.escape else []
        code = [("code", self.code)] if self.code else []
        line = [] if self.spans_lines else [("line", rb"\n")]
        return [*escaped, *code, ("closer", re.escape(self.closer)), *line, ("end", rb"\0")]


class Quotes(NamedTuple):
    """The strings of a language, and the ``Care`` that they need.

    Attributes:
        forms: how they are written; the first that fits counts.
        brackets: what opens and closes around the code in a string.
    """

    forms: tuple[QuoteForm, ...]
    brackets: tuple[bytes, bytes] = (b"{", b"}")

    def is_marked(self, piece: bytes) -> bool:
        """Whether a piece begins a string that may go on behind it."""
        if PLAIN_QUOTE.match(piece) or piece[:1].isspace():
            return False
        opened = _openers(self).match(piece)
        if opened is None:
            return False
        end = _end_of_string(self, piece + _END, opened)
        return end == 0 or (0 < end < len(piece))

    def is_doubtful(self, pieces: Sequence[bytes], marked: Sequence[int]) -> bool:
        """Whether something that spans lines follows a marked piece on its line, or the string may span lines."""
        return any(self._may_span_lines(pieces[place]) or _spans_lines(pieces, place) for place in marked)

    def reading(self, reader: CarefulReader) -> Reading:
        """Begin to read a text."""
        return QuotesReading(self, reader)

    def _may_span_lines(self, piece: bytes) -> bool:
        opened = _openers(self).match(piece)
        return opened is not None and _form(self, opened).spans_lines


def quotes(*forms: QuoteForm, brackets: tuple[bytes, bytes] = (b"{", b"}")) -> Quotes:
    """Make the strings of a language."""
    return Quotes(forms, brackets)


def simple_quotes(*marks: bytes, code: bytes = b"", spans_lines: bool = False) -> tuple[QuoteForm, ...]:
    """Make forms that begin and end with the same mark."""
    return tuple(QuoteForm(mark, mark, code=code, spans_lines=spans_lines) for mark in marks)


class QuotesReading:
    """Knows where strings end."""

    def __init__(self, quotes: Quotes, reader: CarefulReader) -> None:
        self._quotes = quotes
        self.text = reader.text
        self._endless: set[bytes] = set()

    def end(self, start: int, piece: bytes) -> int | None:
        """See ``Reading``."""
        if piece[:1].isspace() or not MAY_OPEN_QUOTE.match(piece):
            return None
        opened = _openers(self._quotes).match(self.text, start)
        if opened is None or opened.group() in self._endless:
            return None
        end = _end_of_string(self._quotes, self.text, opened)
        if end == 0:
            self._endless.add(opened.group())
        return end if end > 0 and end != start + len(piece) else None

    def follow(self, start: int, piece: bytes) -> None:
        """See ``Reading``."""


def _end_of_string(quotes: Quotes, text: bytes, opened: re.Match[bytes]) -> int:
    """Return where a string ends; 0 if nothing ends it, -1 if its line does."""
    # Strings, and the number of brackets that are open in the code between them.
    within: list[QuoteForm | int] = [_form(quotes, opened)]
    at = opened.end()
    while within:
        top = within[-1]
        marks = _code_marks(quotes) if isinstance(top, int) else _string_marks(top)
        mark = marks.search(text, at)
        if mark is None or mark.group() == _END or len(within) > DEEPEST_QUOTE:
            return 0
        at = mark.end()
        if isinstance(top, int):
            _follow_code(quotes, mark, within, top)
        elif mark.lastgroup == "closer":
            within.pop()
        elif mark.lastgroup == "code":
            within.append(0)
        elif mark.lastgroup == "line":
            return -1
    return at


def _follow_code(quotes: Quotes, mark: re.Match[bytes], within: list[QuoteForm | int], depth: int) -> None:
    opening, closing = quotes.brackets
    if mark.group() == opening:
        within[-1] = depth + 1
    elif mark.group() != closing:
        within.append(_form(quotes, mark))
    elif depth:
        within[-1] = depth - 1
    else:
        within.pop()


def _form(quotes: Quotes, opened: re.Match[bytes]) -> QuoteForm:
    assert opened.lastgroup
    return quotes.forms[int(opened.lastgroup[1:])]


def _spans_lines(pieces: Sequence[bytes], place: int) -> bool:
    for piece in pieces[place + 1 : place + NEAR_QUOTE]:
        if b"\n" in piece:
            return not piece.isspace()
    return True


@lru_cache
def _openers(quotes: Quotes) -> re.Pattern[bytes]:
    return re.compile(b"|".join(rb"(?P<f%d>%b)" % (number, form.opener) for number, form in enumerate(quotes.forms)))


@lru_cache
def _string_marks(form: QuoteForm) -> re.Pattern[bytes]:
    return re.compile(b"|".join(rb"(?P<%b>%b)" % (name.encode(), pattern) for name, pattern in form.marks()))


@lru_cache
def _code_marks(quotes: Quotes) -> re.Pattern[bytes]:
    return re.compile(b"|".join([_openers(quotes).pattern, *map(re.escape, quotes.brackets), rb"\0"]))
