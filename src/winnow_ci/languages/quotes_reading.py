"""Where strings end that hold code, which may hold strings, and strings that may span lines.

The tokenizer ends a string at the first quotation mark of its kind, or with its line. Then the rest of such a string is
read as code, where what looks like the beginning of a comment or of a text would hide what follows.
"""

from __future__ import annotations

import re
from functools import lru_cache, partial
from typing import TYPE_CHECKING

from winnow_ci.languages.careful_reading import Care
from winnow_ci.named_tuples import NamedTuple
from winnow_ci.start_up import compiled_on_use

if TYPE_CHECKING:
    from collections.abc import Sequence

    from winnow_ci.languages.careful_reading import CarefulReader

_DEEPEST = 64
_NEAR = 1000
_MAY_OPEN = compiled_on_use(rb"\w{0,8}[\"'`$#@~]|\W")
# A string with nothing in it that might be a mark in any language, as most are, or a name.
_PLAIN = compiled_on_use(rb"""(?:(["'])[\w .,:;/-]+\1|\w+)\Z""", re.ASCII)


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


class Quotes(NamedTuple):
    """The strings of a language.

    Attributes:
        forms: how they are written; the first that fits counts.
        brackets: what opens and closes around the code in a string.
    """

    forms: tuple[QuoteForm, ...]
    brackets: tuple[bytes, bytes] = (b"{", b"}")

    def care(self) -> Care:
        """For languages in which nothing else takes care to read."""
        return Care(
            partial(is_quote_marked, self),
            partial(is_quote_doubtful, self),
            partial(QuotesReading, self),
            partial(native_tables, self),
        )


class QuotesReading:
    """Knows where strings end."""

    def __init__(self, quotes: Quotes, reader: CarefulReader) -> None:
        self._quotes = quotes
        # Asked for it with all that it depends on, the cache would take longer than the search.
        self._openers = _openers(quotes)
        self.text = reader.text
        self._endless: set[bytes] = set()

    def end(self, start: int, piece: bytes) -> int | None:
        """See ``Reading``."""
        if piece[:1].isspace() or not _MAY_OPEN.match(piece):
            return None
        opened = self._openers.match(self.text, start)
        if opened is None or opened.group() in self._endless:
            return None
        end = _end_of_string(self._quotes, self.text, opened)
        if end == 0:
            self._endless.add(opened.group())
        return end if end > 0 and end != start + len(piece) else None

    def follow(self, start: int, piece: bytes) -> None:
        """See ``Reading``."""


def _end_of_string(quotes: Quotes, text: bytes, opened: re.Match[bytes]) -> int:
    """Where a string ends; 0 if nothing ends it, -1 if its line does."""
    form = _form(quotes, opened)
    # Strings, and the number of brackets that are open in the code between them.
    within: list[QuoteForm | int] = [form]
    at = opened.end()
    while within:
        top = within[-1]
        marks = _code_marks(quotes) if isinstance(top, int) else _string_marks(top)
        mark = marks.search(text, at)
        if mark is None or mark.group() == b"\0" or len(within) > _DEEPEST:
            return 0
        at = mark.end()
        if isinstance(top, int):
            at = _in_code(quotes, mark, within, top)
        elif mark.lastgroup == "closer":
            within.pop()
        elif mark.lastgroup == "code":
            within.append(0)
        elif mark.lastgroup == "line":
            return -1
    return at


def _in_code(quotes: Quotes, mark: re.Match[bytes], within: list[QuoteForm | int], depth: int) -> int:
    opening, closing = quotes.brackets
    if mark.group() == opening:
        within[-1] = depth + 1
    elif mark.group() == closing:
        if depth:
            within[-1] = depth - 1
        else:
            within.pop()
    else:
        within.append(_form(quotes, mark))
    return mark.end()


def _form(quotes: Quotes, opened: re.Match[bytes]) -> QuoteForm:
    assert opened.lastgroup
    return quotes.forms[int(opened.lastgroup[1:])]


@lru_cache
def _openers(quotes: Quotes) -> re.Pattern[bytes]:
    return re.compile(b"|".join(rb"(?P<f%d>%b)" % (number, form.opener) for number, form in enumerate(quotes.forms)))


@lru_cache
def _string_marks(form: QuoteForm) -> re.Pattern[bytes]:
    closer = re.escape(form.closer)
    escaped = [rb"(?:%b)[^\0]" % form.escape] if form.escape else []
    code = [rb"(?P<code>%b)" % form.code] if form.code else []
    line = [] if form.spans_lines else [rb"(?P<line>\n)"]
    return re.compile(b"|".join([*escaped, *code, rb"(?P<closer>%b)" % closer, *line, rb"\0"]))


@lru_cache
def _code_marks(quotes: Quotes) -> re.Pattern[bytes]:
    brackets = b"|".join(map(re.escape, quotes.brackets))
    return re.compile(_openers(quotes).pattern + b"|" + brackets + rb"|\0")


# ---- doubts ------------------------------------------------------------------------------------------------------


def is_quote_marked(quotes: Quotes, piece: bytes) -> bool:
    """Whether a piece begins a string that may go on behind it."""
    if _PLAIN.match(piece) or piece[:1].isspace():
        return False
    opened = _openers(quotes).match(piece)
    if opened is None:
        return False
    end = _end_of_string(quotes, piece + b"\0", opened)
    return end == 0 or (0 < end < len(piece))


def is_quote_doubtful(quotes: Quotes, pieces: Sequence[bytes], marked: Sequence[int]) -> bool:
    """Whether something that spans lines follows a marked piece on its line, or the string may span lines."""
    return any(_form_of(quotes, pieces[place]).spans_lines or _spans_lines(pieces, place) for place in marked)


def _form_of(quotes: Quotes, piece: bytes) -> QuoteForm:
    opened = _openers(quotes).match(piece)
    assert opened
    return _form(quotes, opened)


def _spans_lines(pieces: Sequence[bytes], place: int) -> bool:
    for piece in pieces[place + 1 : place + _NEAR]:
        if b"\n" in piece:
            return not piece.isspace()
    return True


# ---- the kernel --------------------------------------------------------------------------------------------------


def native_tables(quotes: Quotes) -> dict[str, object]:
    """See ``Care``; of this module it is ``kernel/src/tokens/quotes_reading.rs``."""
    openers = [form.opener for form in quotes.forms]
    return {
        "quotes": {
            "plain": _PLAIN.pattern,
            "may_open": _MAY_OPEN.pattern,
            "openers": openers,
            "strings": [_marks_of(form) for form in quotes.forms],
            "code": [*openers, *map(re.escape, quotes.brackets), rb"\0"],
            "deepest": _DEEPEST,
            "near": _NEAR,
        }
    }


def _marks_of(form: QuoteForm) -> list[tuple[str, bytes]]:
    """As in ``_string_marks``."""
    escaped = [("escaped", rb"(?:%b)[^\0]" % form.escape)] if form.escape else []
    code = [("code", form.code)] if form.code else []
    line = [] if form.spans_lines else [("line", rb"\n")]
    return [*escaped, *code, ("closer", re.escape(form.closer)), *line, ("end", rb"\0")]
