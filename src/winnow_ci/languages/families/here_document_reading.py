"""Read here-documents and documentation in Perl and Ruby: their openers may also be operators.

After an operand ``<<A`` shifts, or adds to an array, and ``=begin`` assigns. Of several here-documents that begin on a
line the second begins where the first one ends.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Sequence
from functools import cached_property
from itertools import accumulate, islice

from winnow_ci.languages.families.careful_reading import CarefulReader, Quotes, QuotesReading, doubtful_places
from winnow_ci.named_tuples import NamedTuple
from winnow_ci.start_up import compiled_on_use

_NAMES = (rb'"([^"\n\0]+)"', rb"'([^'\n\0]+)'", rb"`([^`\n\0]+)`", rb"([A-Za-z_]\w*)")
HERE_OPENERS = tuple(rb"<<[~-]?" + name for name in _NAMES)
_OPENER = compiled_on_use(b"|".join(HERE_OPENERS))
_PLAIN_NAME = len(_NAMES)
HERE_MOST_ON_LINE = 50  # here-documents that begin on a line; where there are more, none is one of several
HERE_OPERAND = compiled_on_use(rb"[$@][\w$@]|[0-9\"'`)\]]|[A-Z]\w*\Z")
HERE_NAME = compiled_on_use(rb"[a-z_]\w*[?!]?\Z")
HERE_SUBSCRIPT = compiled_on_use(rb"[\w\])}>]\{[^{}\n]{0,200}\}[\x01-\x20]*\Z")
HERE_PRINTS = frozenset(b"print printf say".split())
HERE_BEFORE_DOCUMENTATION = frozenset((b"", b";", b"{", b"}", b":", b"__END__", b"__DATA__"))
# A name gets a value.
HERE_ASSIGNED = compiled_on_use(rb"(?<![\w$@.])([a-z_]\w*[?!]?)[\x01-\x20]*=(?![=~>])")
_OPENS = compiled_on_use(rb"<<|=[A-Za-z]")
_LINE_END = compiled_on_use(rb"[\n\0]")
_BLANKS = b" \t"
HERE_NEAR = 300
HERE_ASSIGNED_NEAR = 100 * HERE_NEAR


class HereDocuments(NamedTuple):
    """The ``Care`` that a language with these strings and here-documents needs."""

    quotes: Quotes

    def is_doubtful(self, pieces: Sequence[bytes]) -> bool:
        """Whether a text may have to be cut otherwise than into these pieces."""
        if self.quotes.is_doubtful(pieces):
            return True
        starts = list(accumulate(map(len, pieces), initial=0))
        text = _Text(b"".join(pieces) + b"\0")
        for place in doubtful_places(pieces, _OPENS.match):
            last, before = _tokens_before(pieces, place)
            if _end_of_opener(text, starts[place], pieces[place], before, last) is not None:
                return True
        return False

    def reading(self, reader: CarefulReader) -> HereDocumentReading:
        """Begin to read a text."""
        return HereDocumentReading(self.quotes, reader)


class HereDocumentReading(QuotesReading):
    """Knows where strings, here-documents and documentation end."""

    def __init__(self, quotes: Quotes, reader: CarefulReader) -> None:
        super().__init__(quotes, reader)
        self._lines = _Text(reader.text)
        self._last: tuple[bytes, bytes] = (b"", b"")

    def end(self, start: int, piece: bytes) -> int | None:
        """See ``Reading``."""
        if _OPENS.match(piece):
            return _end_of_opener(self._lines, start, piece, *self._last)
        return super().end(start, piece)

    def follow(self, start: int, piece: bytes) -> None:  # noqa: ARG002 - other readings need it
        """See ``Reading``."""
        if token := _meaning(piece):
            self._last = self._last[1], token


def _meaning(piece: bytes) -> bytes:
    """The token that a piece is to what follows it; empty for white space and comments."""
    token = piece.strip()
    if token[:1] == b"#":
        return b""
    return b";" if token.startswith((b"<<", b"=")) and b"\n" in token else token


def _tokens_before(pieces: Sequence[bytes], place: int) -> tuple[bytes, bytes]:
    tokens = filter(None, (_meaning(pieces[near]) for near in range(place - 1, -1, -1)))
    return next(tokens, b""), next(tokens, b"")


class _Text:
    """A text, and where in it lines and assignments are."""

    def __init__(self, text: bytes) -> None:
        self.text = text
        self._ends_of: dict[bytes, list[int]] = {}
        self._line = range(0)

    def line_end(self, at: int) -> int:
        """The place of the next line feed; -1 if there is none."""
        # Kept for the next place on the same line, which may be long and have many.
        if at not in self._line:
            end = self.text.find(b"\n", at)
            self._line = range(at, (len(self.text) if end < 0 else end) + 1)
        return self._line[-1] if self._line[-1] < len(self.text) else -1

    def line_behind(self, at: int, name: bytes) -> int | None:
        """The end of the next line that has nothing but a name behind its indentation."""
        if name not in self._ends_of:
            ends = self._lines.get(name.lstrip(_BLANKS), ())
            self._ends_of[name] = [end for end in ends if self.text.endswith(name, 0, end)]
        ends = self._ends_of[name]
        behind = bisect_right(ends, at)
        return ends[behind] if behind < len(ends) else None

    def is_assigned(self, name: bytes, start: int, end: int) -> bool:
        """Whether a name gets a value between two places."""
        places = self._assignments.get(name, ())
        first = bisect_left(places, start)
        return first < len(places) and places[first] < end

    @cached_property
    def _lines(self) -> dict[bytes, list[int]]:
        """Line without its indentation → the ends of such lines, the first line left out."""
        found: dict[bytes, list[int]] = defaultdict(list)
        start = 0
        for end in (match.start() for match in _LINE_END.finditer(self.text)):
            if start:
                found[self.text[start:end].lstrip(_BLANKS)].append(end)
            start = end + 1
        return found

    @cached_property
    def _assignments(self) -> dict[bytes, list[int]]:
        found: dict[bytes, list[int]] = defaultdict(list)
        for match in HERE_ASSIGNED.finditer(self.text):
            found[match.group(1)].append(match.start())
        return found


def _end_of_opener(text: _Text, start: int, piece: bytes, before: bytes, last: bytes) -> int | None:
    """Where an operator, or more than one here-document, ends; None if it is one, or what it was taken for."""
    if piece[:1] == b"=":
        is_documentation = last in HERE_BEFORE_DOCUMENTATION or piece.startswith(b"=begin\n")
        return None if is_documentation else start + 1
    if _is_operand(text, start, before, last):
        return start + 2
    # Without this, each of many shifts on a long line would have all of the line searched.
    if not _OPENER.match(text.text, start):
        return None
    line_end = text.line_end(start)
    at = line_end
    for name in here_names(text.text, start, line_end):
        end = text.line_behind(at, name)
        if end is None:
            return None
        at = end
    return at if at > line_end else None


def here_names(text: bytes, start: int, line_end: int) -> list[bytes]:
    """Return the names of the here-documents from a place on, on its line; none if it may be a single plain one."""
    openers = list(islice(_OPENER.finditer(text, start, max(start, line_end)), HERE_MOST_ON_LINE + 1))
    is_plain = len(openers) == 1 and openers[0].lastindex == _PLAIN_NAME
    if not openers or openers[0].start() != start or is_plain or len(openers) > HERE_MOST_ON_LINE:
        return []
    return [opener.group(opener.lastindex or 0) for opener in openers]


def _is_operand(text: _Text, start: int, before: bytes, last: bytes) -> bool:
    if last == b"class":
        return True
    if last == b"}":
        return HERE_SUBSCRIPT.search(text.text[max(0, start - HERE_NEAR) : start]) is not None
    if HERE_OPERAND.match(last):
        return before not in HERE_PRINTS
    return HERE_NAME.match(last) is not None and text.is_assigned(last, max(0, start - HERE_ASSIGNED_NEAR), start)
