r"""Read with care where a single expression could misread a text.

A regular expression cannot tell whether a slash divides, whether ``<<A`` shifts, or where a string ends that holds
code which holds strings. Guessing wrong there costs a line; but if the line opens a comment or string that spans lines,
everything up to the next mark of its kind would be taken for text. So if the pieces of a text show that this may be so,
it is read again, piece by piece, and a ``Reading`` says where a piece ends. The first misread piece comes after
correctly read ones, so the pieces show it. Where both readings agree at the end of a line, the tokenizer's own pieces
are kept, so that the tokens of ordinary code are the same whatever else is in the file.

Linear on any input: the search for a span's end begins only after the reading has let the span begin, each line is read
at most twice, and a search that finds no end is the last one of its kind.

``Quotes`` takes this care for strings that hold code, which may hold strings, and for strings that may span lines.
The other kinds are in ``javascript_reading`` and ``here_document_reading``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Protocol

from winnow_ci.named_tuples import NamedTuple
from winnow_ci.start_up import compiled_on_use, record

_END = b"\0"
# Bytes before a place that a look-behind may need.
_AROUND = 32

QUOTE_DEEPEST = 64
QUOTE_NEAR = 1000
QUOTE_MAY_OPEN = compiled_on_use(rb"\w{0,8}[\"'`$#@~]|\W")
# A string with nothing in it that might be a mark in any language, as most are, or a name.
QUOTE_PLAIN = compiled_on_use(rb"""(?:(["'])[\w .,:;/-]+\1|\w+)\Z""", re.ASCII)


class Reading(Protocol):
    """Knows where the pieces of one text end in a language."""

    def end(self, start: int, piece: bytes) -> int | None:
        """Return where the piece at ``start`` ends, or None if it ends as guessed; of spans ``piece`` is the opener."""

    def follow(self, start: int, piece: bytes) -> None:
        """Take note of a piece."""


class Care(Protocol):
    """What a single expression cannot decide in a language; hashable, as part of a family."""

    def is_doubtful(self, pieces: Sequence[bytes]) -> bool:
        """Whether a text may have to be cut otherwise than into these pieces."""

    def reading(self, reader: CarefulReader) -> Reading:
        """Begin to read a text."""


@record(slots=True, eq=False, repr=False)
class CarefulReader:
    """Cuts one text, which ends with NUL."""

    text: bytes
    care: Care
    openers: re.Pattern[bytes]  # matches a piece, but of spans only the opener, in a group called ``span``
    spans: tuple[re.Pattern[bytes], ...]  # each matches a whole span
    far_ends: dict[int, int]  # start → end of spans that hold others of their kind
    cut: Callable[[bytes, int], list[bytes]]  # cuts a text, which ends with NUL, as the tokenizer does without care

    def pieces(self) -> list[bytes]:
        """Return all pieces; the last one ends with NUL."""
        found: list[bytes] = []
        reading, start = self.care.reading(self), 0
        while start < len(self.text):
            match = self._opener(start)
            end = reading.end(start, match.group())
            if end is not None:
                line, start = self._line(start, end, reading)
                found += line
            else:
                found.append(self.text[start : self._end(match)])
                reading.follow(start, found[-1])
                start += len(found[-1])
        return found

    def end_of_piece(self, start: int, reading: Reading) -> int:
        """Return where the piece at ``start`` ends for a reading."""
        match = self._opener(start)
        end = reading.end(start, match.group())
        return self._end(match) if end is None else end

    def _opener(self, start: int) -> re.Match[bytes]:
        match = self.openers.match(self.text, start)
        assert match, "the last alternative matches any byte"
        return match

    def _end(self, match: re.Match[bytes]) -> int:
        start = match.start()
        if match.lastgroup != "span":
            return match.end()
        if start in self.far_ends:
            return self.far_ends[start]
        whole = (pattern.match(self.text, start) for pattern in self.spans)
        return next((found.end() for found in whole if found), match.end())

    def _line(self, start: int, end: int, reading: Reading) -> tuple[list[bytes], int]:
        """Read from a piece with a known end to the end of a line, or of a span that begins on it."""
        first, true = start, []
        while True:
            piece = self.text[start:end]
            reading.follow(start, piece)
            true.append(piece)
            if self.text[end : end + 1] in (b"\n", _END, b"") or (b"\n" in piece and piece.isspace()):
                break
            start, end = end, self.end_of_piece(end, reading)
        around = max(0, first - _AROUND)
        guessed = self.cut(self.text[around:end] + _END, first - around)
        agree = guessed.pop() == _END and not true[-1].endswith(_END)
        return guessed if agree else true, end


def doubtful_places(pieces: Sequence[bytes], is_marked: Callable[[bytes], object]) -> list[int]:
    """List the places of pieces that may be misread, or that others may be misread for."""
    marks = set(filter(is_marked, set(pieces)))
    return [place for place, piece in enumerate(pieces) if piece in marks]


class QuoteForm(NamedTuple):
    """A way to write strings; the opener, the escape and what begins code in it are regular expressions."""

    opener: bytes
    closer: bytes
    escape: bytes = rb"\\"  # keeps the next character from ending the string
    code: bytes = b""
    spans_lines: bool = False

    def marks(self) -> list[tuple[str, bytes]]:
        """Name and regular expression of what may stand in such a string, and of the end of the text."""
        escaped = [("escaped", rb"(?:%b)[^\0]" % self.escape)] if self.escape else []
        code = [("code", self.code)] if self.code else []
        line = [] if self.spans_lines else [("line", rb"\n")]
        return [*escaped, *code, ("closer", re.escape(self.closer)), *line, ("end", rb"\0")]


class Quotes(NamedTuple):
    """The strings of a language, and the ``Care`` that they need."""

    forms: tuple[QuoteForm, ...]  # the first that fits counts
    brackets: tuple[bytes, bytes] = (b"{", b"}")  # around the code in a string

    def is_marked(self, piece: bytes) -> bool:
        """Whether a piece begins a string that may go on behind it."""
        if QUOTE_PLAIN.match(piece) or piece[:1].isspace():
            return False
        opened = _openers(self).match(piece)
        if opened is None:
            return False
        end = _end_of_string(self, piece + _END, opened)
        return end == 0 or (0 < end < len(piece))

    def is_doubtful(self, pieces: Sequence[bytes]) -> bool:
        """Whether something that spans lines follows a marked piece on its line, or the string may span lines."""
        marked = doubtful_places(pieces, self.is_marked)
        opened = [_openers(self).match(pieces[place]) for place in marked]
        may_span_lines = any(_form(self, found).spans_lines for found in opened if found)
        return may_span_lines or any(_spans_lines(pieces, place) for place in marked)

    def reading(self, reader: CarefulReader) -> Reading:
        """Begin to read a text."""
        return QuotesReading(self, reader)


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
        if piece[:1].isspace() or not QUOTE_MAY_OPEN.match(piece):
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
        if mark is None or mark.group() == _END or len(within) > QUOTE_DEEPEST:
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
    for piece in pieces[place + 1 : place + QUOTE_NEAR]:
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
