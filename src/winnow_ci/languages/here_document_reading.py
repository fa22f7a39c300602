"""Here-documents and documentation in Perl and Ruby: what looks like their beginning may be an operator.

After an operand ``<<A`` shifts, or adds to an array, and ``=begin`` assigns. Of several here-documents that begin on a
line the second begins where the first one ends.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from functools import cached_property, partial
from itertools import accumulate, islice
from typing import TYPE_CHECKING

from winnow_ci.languages import quotes_reading
from winnow_ci.languages.careful_reading import Care
from winnow_ci.languages.quotes_reading import Quotes, QuotesReading, is_quote_doubtful, is_quote_marked
from winnow_ci.start_up import compiled_on_use

if TYPE_CHECKING:
    from collections.abc import Sequence

    from winnow_ci.languages.careful_reading import CarefulReader

_NAMES = (rb'"([^"\n\0]+)"', rb"'([^'\n\0]+)'", rb"`([^`\n\0]+)`", rb"([A-Za-z_]\w*)")
_OPENERS = tuple(rb"<<[~-]?" + name for name in _NAMES)
_OPENER = compiled_on_use(b"|".join(_OPENERS))
_PLAIN_NAME = len(_NAMES)
_MOST_ON_LINE = 50
"""Here-documents that begin on a line; where there are more, none is one of several."""
_OPERAND = compiled_on_use(rb"[$@][\w$@]|[0-9\"'`)\]]|[A-Z]\w*\Z")
_NAME = compiled_on_use(rb"[a-z_]\w*[?!]?\Z")
_SUBSCRIPT = compiled_on_use(rb"[\w\])}>]\{[^{}\n]{0,200}\}[\x01-\x20]*\Z")
_PRINTS = frozenset(b"print printf say".split())
_BEFORE_DOCUMENTATION = frozenset((b"", b";", b"{", b"}", b":", b"__END__", b"__DATA__"))
# A name gets a value.
_ASSIGNED = compiled_on_use(rb"(?<![\w$@.])([a-z_]\w*[?!]?)[\x01-\x20]*=(?![=~>])")
_LINE_END = compiled_on_use(rb"[\n\0]")
_BLANKS = b" \t"
_NEAR = 300
_ASSIGNED_NEAR = 100 * _NEAR


def care(quotes: Quotes) -> Care:
    """For a language with these strings."""
    return Care(
        partial(_is_marked, quotes),
        partial(_is_doubtful, quotes),
        partial(HereDocumentReading, quotes),
        partial(_native_tables, quotes),
    )


class HereDocumentReading(QuotesReading):
    """Knows where strings, here-documents and documentation end."""

    def __init__(self, quotes: Quotes, reader: CarefulReader) -> None:
        super().__init__(quotes, reader)
        self._places = _Places(reader.text)
        self._last: tuple[bytes, bytes] = (b"", b"")

    def end(self, start: int, piece: bytes) -> int | None:
        """See ``Reading``."""
        if piece.startswith(b"<<"):
            return _end_of_here_document(self._places, start, *self._last)
        if piece[:1] == b"=" and piece[1:2].isalpha():
            return None if _is_documentation(self._last[1], piece) else start + 1
        return super().end(start, piece)

    def follow(self, start: int, piece: bytes) -> None:  # noqa: ARG002 - other readings need it
        """See ``Reading``."""
        token = piece.strip()
        if token and token[:1] != b"#":
            ends = token.startswith((b"<<", b"=")) and b"\n" in token
            self._last = self._last[1], b";" if ends else token


def _is_documentation(last: bytes, piece: bytes) -> bool:
    return last in _BEFORE_DOCUMENTATION or piece.startswith(b"=begin\n")


class _Places:
    """A text, and where in it lines and assignments are."""

    def __init__(self, text: bytes) -> None:
        self.text = text
        self._ends_of: dict[bytes, list[int]] = {}
        self._line = range(0)

    def line_end(self, at: int) -> int:
        """The place of the next line feed; -1 if there is none."""
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
        """What stands on each line but the first one, behind its indentation → the ends of such lines."""
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
        for match in _ASSIGNED.finditer(self.text):
            found[match.group(1)].append(match.start())
        return found


def _end_of_here_document(places: _Places, start: int, before: bytes, last: bytes) -> int | None:
    """Where an operator, or more than one here-document, ends; None if it is one, or what it was taken for."""
    if _is_operand(places, start, before, last):
        return start + 2
    # Without this, each of many shifts on a long line would have all of the line searched.
    if not _OPENER.match(places.text, start):
        return None
    line_end = places.line_end(start)
    at = line_end
    for name in _names(places.text, start, line_end):
        end = places.line_behind(at, name)
        if end is None:
            return None
        at = end
    return at if at > line_end else None


def _names(text: bytes, start: int, line_end: int) -> list[bytes]:
    """Of the here-documents that begin at a place and behind it on its line; none if it may be a plain one."""
    openers = list(islice(_OPENER.finditer(text, start, max(start, line_end)), _MOST_ON_LINE + 1))
    is_plain = len(openers) == 1 and openers[0].lastindex == _PLAIN_NAME
    if not openers or openers[0].start() != start or is_plain or len(openers) > _MOST_ON_LINE:
        return []
    return [opener.group(opener.lastindex or 0) for opener in openers]


def _is_operand(places: _Places, start: int, before: bytes, last: bytes) -> bool:
    if last == b"class":
        return True
    if last == b"}":
        return _SUBSCRIPT.search(places.text[max(0, start - _NEAR) : start]) is not None
    if _OPERAND.match(last):
        return before not in _PRINTS
    return _NAME.match(last) is not None and places.is_assigned(last, max(0, start - _ASSIGNED_NEAR), start)


# ---- doubts ------------------------------------------------------------------------------------------------------


def _is_marked(quotes: Quotes, piece: bytes) -> bool:
    begins = piece.startswith(b"<<") or (piece[:1] == b"=" and piece[1:2].isalpha())
    return begins or is_quote_marked(quotes, piece)


def _is_doubtful(quotes: Quotes, pieces: Sequence[bytes], marked: Sequence[int]) -> bool:
    strings = [place for place in marked if is_quote_marked(quotes, pieces[place])]
    if is_quote_doubtful(quotes, pieces, strings):
        return True
    starts = list(accumulate(map(len, pieces), initial=0))
    places = _Places(b"".join(pieces) + b"\0")
    for place in marked:
        if pieces[place][:1] == b"=" and not _is_documentation(_before(pieces, place, 1)[0], pieces[place]):
            return True
        last, before = _before(pieces, place, 2)
        if pieces[place][:2] == b"<<" and _end_of_here_document(places, starts[place], before, last) is not None:
            return True
    return False


def _before(pieces: Sequence[bytes], place: int, count: int) -> list[bytes]:
    """The last tokens before a piece, the nearest first."""
    found: list[bytes] = []
    while place > 0 and len(found) < count:
        place -= 1
        token = pieces[place].strip()
        if token and token[:1] != b"#":
            found.append(b";" if token.startswith((b"<<", b"=")) and b"\n" in token else token)
    return found + [b""] * (count - len(found))


# ---- the kernel --------------------------------------------------------------------------------------------------


def _native_tables(quotes: Quotes) -> dict[str, object]:
    """See ``Care``; of this module it is ``kernel/src/tokens/here_document_reading.rs``."""
    marks = {
        "openers": list(_OPENERS),
        "operand": _OPERAND.pattern,
        "name": _NAME.pattern,
        "subscript": _SUBSCRIPT.pattern,
        "assigned": _ASSIGNED.pattern,
        "prints": list(_PRINTS),
        "before_documentation": list(_BEFORE_DOCUMENTATION),
        "near": _NEAR,
        "assigned_near": _ASSIGNED_NEAR,
        "most_on_line": _MOST_ON_LINE,
    }
    return {**quotes_reading.native_tables(quotes), "here_documents": marks}
