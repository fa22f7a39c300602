"""Every language without a family of its own, through Pygments' lexers.

Pygments makes no promise about time, and most of its lexers have inputs that cost them the square of their length or
worse. So a lexer gets a budget of time. It is enforced by a signal, which reaches the main thread of a POSIX process
even inside one call of the regular expression engine; anywhere else (Windows, other threads) there is no budget yet,
until lexing moves to a process that can be killed. What runs out of its budget is reported as not scanned.

Lexers that choose another lexer by a name in the text (fenced code, mail parts, ``LANGUAGE`` clauses) never run: see
``detect``. Only lexers that come with Pygments are used.
"""

from __future__ import annotations

import re
import signal
import threading
import time
from contextlib import contextmanager
from functools import lru_cache
from itertools import groupby
from operator import attrgetter
from typing import TYPE_CHECKING, NamedTuple, NoReturn

import numpy as np
import pygments
from pygments.lexers import get_lexer_by_name
from pygments.token import Comment, Keyword, Name, Number, Operator, Punctuation, String, is_token_subtype

from winnow_ci.languages.text import as_characters, with_plain_line_ends
from winnow_ci.languages.tokens import Alphabet, TokenIds, Untokenizable, gather, line_numbers

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from types import FrameType

    from pygments.token import _TokenType

    from winnow_ci.model import Tokens

REVISION = f"2.pygments-{pygments.__version__}"

_ALPHABET = Alphabet("pygments")
_WORDS = re.compile(r"\w+|[^\w\s]")


class LexingTimeoutError(TimeoutError):
    """A lexer ran out of its budget."""


class Place(NamedTuple):
    """A token: its ids, and its characters ``[start, end)``."""

    ids: TokenIds
    start: int
    end: int


def lex(text: bytes, language: str, seconds: float | None = None) -> Tokens:
    """Tokens of normalised text (``text.normalise``).

    Args:
        text: the text.
        language: one of Pygments' names.
        seconds: budget; by default one that follows from the length.

    Raises:
        Untokenizable: the lexer failed or ran out of its budget.
    """
    seconds = _budget(text) if seconds is None else seconds
    characters = as_characters(with_plain_line_ends(text))
    try:
        # Not in the budget: a lexer's patterns are compiled when it is first made, whatever the text.
        lexer = get_lexer_by_name(language)
        with _time_limit(seconds):
            places = list(_places(lexer.get_tokens_unprocessed(characters)))
        return _tokens(places, as_characters(text))
    except LexingTimeoutError as timeout:
        raise Untokenizable(f"not lexed within {seconds:g} s", "not-scanned") from timeout
    except Exception as failure:
        reason = f"the {language} lexer failed: {type(failure).__name__}"
        raise Untokenizable(reason, "not-scanned") from failure


def comment_pieces(text: bytes, language: str) -> list[tuple[int, int, bool]]:
    """Start, end and whether it is a comment, of each piece of normalised text; the parts of a comment are one piece.

    Raises:
        Untokenizable: as for ``lex``.
    """
    characters = as_characters(with_plain_line_ends(text))
    try:
        lexer = get_lexer_by_name(language)
        with _time_limit(_budget(text)):
            tokens = sorted(
                (start, start + len(value), kind) for start, kind, value in lexer.get_tokens_unprocessed(characters)
            )
    except Exception as failure:
        raise Untokenizable("its comments could not be read", "not-scanned") from failure
    pieces = []
    for is_comment, run in groupby(tokens, key=lambda token: _is_left_out(token[2])):
        parts = list(run)
        spans = [(parts[0][0], parts[-1][1])] if is_comment else [(start, end) for start, end, _ in parts]
        pieces += [(start, end, is_comment) for start, end in spans]
    return pieces


def _budget(text: bytes) -> float:
    return min(2 + 5e-6 * len(text), 10.0)


def _tokens(places: list[Place], characters: str) -> Tokens:
    # A few lexers yield what follows a here-document's name before or after their turn.
    places.sort(key=attrgetter("start"))
    lines = line_numbers(characters)
    starts = np.fromiter((place.start for place in places), np.intp, len(places))
    ends = np.fromiter((place.end for place in places), np.intp, len(places))
    codes = np.arange(len(places), dtype=np.intp)
    return gather([place.ids for place in places], codes, lines[starts], lines[ends - 1])


# ---- from Pygments' tokens to ours -----------------------------------------------------------------------------


def _places(tokens: Iterable[tuple[int, _TokenType, str]]) -> Iterator[Place]:
    """Strings come in pieces (quotes, escapes, text): those that follow each other are one token."""
    for is_string, run in groupby(tokens, key=lambda token: is_token_subtype(token[1], String)):
        if is_string:
            yield from _string([token for token in run if token[2]])
        else:
            for start, kind, value in run:
                yield from _code(start, kind, value)


def _string(run: list[tuple[int, _TokenType, str]]) -> Iterator[Place]:
    if run:
        start, text = run[0][0], "".join(value for _, _, value in run)
        yield Place(_ALPHABET.string(_encoded(text)), start, start + len(text))


def _code(start: int, kind: _TokenType, value: str) -> Iterator[Place]:
    if _is_left_out(kind):
        return
    ids_of = _ids_of_whole(kind)
    if ids_of is None:
        for word in _WORDS.finditer(value):
            yield Place(_remembered(_ALPHABET.word, word.group()), start + word.start(), start + word.end())
    elif token := value.strip():
        start += len(value) - len(value.lstrip())
        yield Place(_remembered(ids_of, token), start, start + len(token))


@lru_cache
def _is_left_out(kind: _TokenType) -> bool:
    return is_token_subtype(kind, Comment) and kind not in _CODE_IN_COMMENTS


@lru_cache
def _ids_of_whole(kind: _TokenType) -> Callable[[bytes], TokenIds] | None:
    """Ids of Pygments' token as one of ours; None if it is mere text, in which every word and mark is a token."""
    return next((ids_of for whole, ids_of in _WHOLE if is_token_subtype(kind, whole)), None)


@lru_cache(1 << 14)
def _remembered(ids_of: Callable[[bytes], TokenIds], token: str) -> TokenIds:
    return ids_of(_encoded(token))


_CODE_IN_COMMENTS = (Comment.Preproc, Comment.PreprocFile)
_WHOLE: tuple[tuple[_TokenType, Callable[[bytes], TokenIds]], ...] = (
    (Name, _ALPHABET.identifier),
    (Punctuation, _ALPHABET.word),
    (Operator, _ALPHABET.word),
    (Keyword, _ALPHABET.word),
    (Number, _ALPHABET.number),
)


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


# ---- the budget ------------------------------------------------------------------------------------------------


@contextmanager
def _time_limit(seconds: float) -> Iterator[None]:
    """Raise LexingTimeoutError inside the block after so many seconds, where that can be done."""
    if not hasattr(signal, "setitimer") or threading.current_thread() is not threading.main_thread():
        yield
        return
    began = time.monotonic()
    handler = signal.signal(signal.SIGALRM, _expire)
    remaining, interval = signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        try:
            yield
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
    finally:
        # Also if the alarm went off on the way out: an inner failure must not leave our handler behind.
        signal.signal(signal.SIGALRM, signal.SIG_DFL if handler is None else handler)
        if remaining:
            left = max(remaining - (time.monotonic() - began), 1e-6)
            signal.setitimer(signal.ITIMER_REAL, left, interval)


def _expire(_signal: int, _frame: FrameType | None) -> NoReturn:
    raise LexingTimeoutError
