"""Token ids, the sketch byte, and how a front end's pieces of text become ``model.Tokens``.

A token has two ids, both XXH3 seeded with its family's name, so that two families never share one. The *verbatim* id is
the hash of the token's own text. The *structural* id is the same hash for keywords, operators and punctuation, and one
constant each for all identifiers, numbers and strings. Neither depends on which quotation mark encloses a string, nor
on the case of the letters before it, because formatters change both.

The *sketch* is one byte a token, small enough for an index to keep: its structural class and a few bits of its text.

    0 to 127     keyword, operator, punctuation, word of prose: structural id modulo 128
    128 to 207   identifier: 128 + verbatim id modulo 80; it has the most values because most differences are there
    208 to 229   number: 208 + verbatim id modulo 22
    230 to 255   string: 230 + verbatim id modulo 26

Compared byte by byte, two sketches say where two texts agree verbatim; compared by class (``matching.judge``), where
they agree structurally.
"""

from __future__ import annotations

import re
from itertools import islice
from typing import TYPE_CHECKING, AnyStr

import numpy as np
from xxhash import xxh3_64_intdigest

from winnow_ci.model import IDENTIFIER_SKETCH, NUMBER_SKETCH, STRING_SKETCH, Tokens
from winnow_ci.named_tuples import NamedTuple
from winnow_ci.start_up import replace

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from numpy.typing import NDArray

    from winnow_ci.model import I32, SkipState

# 2: words.
TOKENS_REVISION = 2  # raised when a change of ids, normalisation or tokenizer changes what any front end yields
TOKEN_LIMIT = 20_000_000  # of the longest text that is read; each takes 150 bytes (minified code of 50 MB: 17 million)
WORD_SKETCH = range(IDENTIFIER_SKETCH.start)
_STRING = re.compile(rb"""([A-Za-z0-9]*)('''|\"\"\"|['"`])""")


class Untokenizable(Exception):  # noqa: N818 - it describes the content, and is no error of the user's
    """The content has no token stream: it is no code (``out-of-scope``) or cannot be read (``not-scanned``)."""

    def __init__(self, reason: str, state: SkipState) -> None:
        super().__init__(reason)
        self.reason = reason
        self.state = state


class TokenIds(NamedTuple):
    """The ids of a token's text: two of 64 bits, and the sketch byte."""

    structural: int
    verbatim: int
    sketch: int


class TextLine(NamedTuple):
    """A line of text, and the 1-based line of the document that it is on."""

    line: int
    text: bytes


class Alphabet:
    """Maps the tokens of one family of languages to their ids."""

    def __init__(self, family: str) -> None:
        self._seed = xxh3_64_intdigest(family.encode())
        # No token begins with NUL, so none has the id of a class.
        classes = (b"\0identifier", b"\0number", b"\0string")
        self._identifier, self._number, self._string = (xxh3_64_intdigest(each, self._seed) for each in classes)

    def word(self, text: bytes) -> TokenIds:
        """Return the ids of a token that stands for itself: keyword, operator, punctuation, word of prose."""
        return self._ids(None, text, WORD_SKETCH)

    def identifier(self, text: bytes) -> TokenIds:
        """Return the ids of an identifier."""
        return self._ids(self._identifier, text, IDENTIFIER_SKETCH)

    def number(self, text: bytes) -> TokenIds:
        """Return the ids of a number."""
        return self._ids(self._number, text, NUMBER_SKETCH)

    def string(self, text: bytes) -> TokenIds:
        """Return the ids of a string, given with its prefix and quotation marks."""
        if opening := _STRING.match(text):
            prefix, mark = opening.groups()
            text = b'%b"%b' % (prefix.lower(), text[opening.end() :].removesuffix(mark))
        return self._ids(self._string, text, STRING_SKETCH)

    def _ids(self, structural: int | None, text: bytes, sketches: range) -> TokenIds:
        own = xxh3_64_intdigest(text, self._seed)
        return TokenIds(own if structural is None else structural, own, sketches.start + own % len(sketches))


def with_plain_line_ends(text: bytes) -> bytes:
    r"""Write ``\n`` for ``\r``, for a tokenizer that does not count lines; offsets stay the same."""
    return text.replace(b"\r", b"\n")


def line_numbers(text: bytes | str) -> I32:
    """Number the lines at each byte or character of a text: int32, 1-based; a line feed is part of its line."""
    units = (
        np.frombuffer(text, np.uint8)
        if isinstance(text, bytes)
        else np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.dtype("<u4"))
    )
    ends = units == ord("\n")
    lines: I32 = np.cumsum(ends, dtype=np.int32) - ends + np.int32(1)
    return lines


def recounted(tokens: Tokens, text: bytes) -> Tokens:
    r"""Renumber the lines of tokens that were numbered as if ``\r`` ended a counted line, too."""
    units = np.frombuffer(text, np.uint8)
    feeds = units[(units == ord("\n")) | (units == ord("\r"))] == ord("\n")
    lines = np.concatenate([[0], np.cumsum(feeds)]).astype(np.int32) + np.int32(1)
    return with_lines(tokens, lines)


def with_lines(tokens: Tokens, numbers: I32, last: I32 | None = None) -> Tokens:
    """Renumber the lines of a part's tokens, given where each of them begins (int32) and, if need be, ends."""
    phrases = tokens.phrases and replace(tokens.phrases, lines=numbers[tokens.phrases.lines - 1])
    ends = numbers if last is None else last
    first_lines, last_lines = numbers[tokens.first_lines - 1], ends[tokens.last_lines - 1]
    return replace(tokens, first_lines=first_lines, last_lines=last_lines, phrases=phrases)


def bounded_pieces(pieces: Iterable[bytes], text: bytes) -> list[bytes]:
    """List the pieces of a text, and refuse too many before they take much memory; two of three may be no tokens."""
    if len(text) <= TOKEN_LIMIT:
        return list(pieces)
    # Equal pieces are one object, so that a piece takes 8 bytes.
    known: dict[bytes, bytes] = {}
    found = [known.setdefault(piece, piece) for piece in islice(pieces, 3 * TOKEN_LIMIT + 1)]
    if len(found) > 3 * TOKEN_LIMIT:
        raise too_many_tokens()
    return found


def too_many_tokens() -> Untokenizable:
    """Return the refusal of a text with more than ``TOKEN_LIMIT`` tokens."""
    return Untokenizable(f"more than {TOKEN_LIMIT:,} tokens", "not-scanned")


def assemble_tokens(pieces: Sequence[AnyStr], classify: Callable[[AnyStr], TokenIds | None], lines: I32) -> Tokens:
    """Make the tokens of a text that has been cut into pieces without gaps.

    Args:
        pieces: the pieces; white space at the front of one is not part of the token.
        classify: ids of a piece, or None if it is not a token; called once for each distinct piece.
        lines: line number of each unit (byte or character) of the text.

    Raises:
        Untokenizable: more than ``TOKEN_LIMIT`` pieces are tokens.
    """
    numbers = {piece: number for number, piece in enumerate(dict.fromkeys(pieces))}
    codes = np.fromiter(map(numbers.__getitem__, pieces), np.int32, len(pieces))
    # The pieces take most of a large file's memory, which the arrays below can then have.
    del pieces
    ids = [classify(piece) for piece in numbers]
    lengths = np.fromiter(map(len, numbers), np.intp, len(numbers))
    bare = np.fromiter((len(piece.lstrip()) for piece in numbers), np.intp, len(numbers))
    ends = np.cumsum(lengths[codes])
    kept = np.fromiter((known is not None for known in ids), np.bool_, len(ids))[codes]
    codes, ends = codes[kept], ends[kept]
    if len(codes) > TOKEN_LIMIT:
        raise too_many_tokens()
    return gather([known or TokenIds(0, 0, 0) for known in ids], codes, lines[ends - bare[codes]], lines[ends - 1])


def gather(ids: Sequence[TokenIds], codes: NDArray[np.integer], first_lines: I32, last_lines: I32) -> Tokens:
    """Make the tokens with the ids ``ids[code]`` for each of ``codes``, and with these lines."""
    return Tokens(
        structural=np.fromiter((known.structural for known in ids), np.uint64, len(ids))[codes],
        verbatim=np.fromiter((known.verbatim for known in ids), np.uint64, len(ids))[codes],
        first_lines=first_lines,
        last_lines=last_lines,
        sketch=np.fromiter((known.sketch for known in ids), np.uint8, len(ids))[codes],
    )
