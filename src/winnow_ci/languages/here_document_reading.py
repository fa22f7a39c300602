"""Here-documents and documentation in Perl and Ruby: what looks like their beginning may be an operator.

After an operand ``<<A`` shifts, or adds to an array, and ``=begin`` assigns. Of several here-documents that begin on a
line the second begins where the first one ends.
"""

from __future__ import annotations

import re
from functools import partial
from itertools import accumulate
from typing import TYPE_CHECKING

from winnow_ci.languages.careful_reading import Care
from winnow_ci.languages.quotes_reading import Quotes, QuotesReading, is_quote_doubtful, is_quote_marked

if TYPE_CHECKING:
    from collections.abc import Sequence

    from winnow_ci.languages.careful_reading import CarefulReader

_OPENER = re.compile(rb"""<<[~-]?(?:"([^"\n\0]+)"|'([^'\n\0]+)'|`([^`\n\0]+)`|([A-Za-z_]\w*))""")
_OPERAND = re.compile(rb"[$@][\w$@]|[0-9\"'`)\]]|[A-Z]\w*\Z")
_NAME = re.compile(rb"[a-z_]\w*[?!]?\Z")
_SUBSCRIPT = re.compile(rb"[\w\])}>]\{[^{}\n]{0,200}\}[\x01-\x20]*\Z")
_PRINTS = frozenset(b"print printf say".split())
_BEFORE_DOCUMENTATION = frozenset((b"", b";", b"{", b"}", b":", b"__END__", b"__DATA__"))
_NEAR = 300


def care(quotes: Quotes) -> Care:
    """For a language with these strings."""
    return Care(partial(_is_marked, quotes), partial(_is_doubtful, quotes), partial(HereDocumentReading, quotes))


class HereDocumentReading(QuotesReading):
    """Knows where strings, here-documents and documentation end."""

    def __init__(self, quotes: Quotes, reader: CarefulReader) -> None:
        super().__init__(quotes, reader)
        self._last: tuple[bytes, bytes] = (b"", b"")

    def end(self, start: int, piece: bytes) -> int | None:
        """See ``Reading``."""
        if piece.startswith(b"<<"):
            return _end_of_here_document(self.text, start, *self._last)
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


def _end_of_here_document(text: bytes, start: int, before: bytes, last: bytes) -> int | None:
    """Where an operator, or more than one here-document, ends; None if it is one, or what it was taken for."""
    if _is_operand(text, start, before, last):
        return start + 2
    line_end = text.find(b"\n", start)
    openers = list(_OPENER.finditer(text, start, line_end)) if line_end >= 0 else []
    if not openers or openers[0].start() != start or (len(openers) == 1 and openers[0].group(4)):
        return None
    at = line_end
    for opener in openers:
        name = next(filter(None, opener.groups()))
        end = re.compile(rb"\n[ \t]*%b(?=[\n\0])" % re.escape(name)).search(text, at)
        if end is None:
            return None
        at = end.end()
    return at


def _is_operand(text: bytes, start: int, before: bytes, last: bytes) -> bool:
    if last == b"class":
        return True
    if last == b"}":
        return _SUBSCRIPT.search(text[max(0, start - _NEAR) : start]) is not None
    if _OPERAND.match(last):
        return before not in _PRINTS
    return _NAME.match(last) is not None and _is_assigned(text, last, start)


def _is_assigned(text: bytes, name: bytes, before: int) -> bool:
    """Whether a variable got a value on one of the last lines."""
    value = re.compile(rb"(?<![\w$@.])%b[\x01-\x20]*=(?![=~>])" % re.escape(name))
    return value.search(text, max(0, before - 100 * _NEAR), before) is not None


# ---- doubts ------------------------------------------------------------------------------------------------------


def _is_marked(quotes: Quotes, piece: bytes) -> bool:
    begins = piece.startswith(b"<<") or (piece[:1] == b"=" and piece[1:2].isalpha())
    return begins or is_quote_marked(quotes, piece)


def _is_doubtful(quotes: Quotes, pieces: Sequence[bytes], marked: Sequence[int]) -> bool:
    strings = [place for place in marked if is_quote_marked(quotes, pieces[place])]
    if is_quote_doubtful(quotes, pieces, strings):
        return True
    starts = list(accumulate(map(len, pieces), initial=0))
    text = b"".join(pieces) + b"\0"
    for place in marked:
        if pieces[place][:1] == b"=" and not _is_documentation(_before(pieces, place, 1)[0], pieces[place]):
            return True
        last, before = _before(pieces, place, 2)
        if pieces[place][:2] == b"<<" and _end_of_here_document(text, starts[place], before, last) is not None:
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
