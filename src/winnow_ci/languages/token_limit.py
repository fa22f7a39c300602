"""How many tokens a text may have: more are refused while the text is being cut, before they take much memory."""

from __future__ import annotations

import re
from itertools import islice
from typing import TYPE_CHECKING

from winnow_ci.languages.tokens import Untokenizable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from winnow_ci.languages.tokens import TokenIds

# A token takes some 150 bytes of memory during look-up. Minified code of 50 MB has 17 million.
MOST_TOKENS = 20_000_000
_BATCH = 1 << 16


def cut(pattern: re.Pattern[bytes], text: bytes, classify: Callable[[bytes], TokenIds | None]) -> list[bytes]:
    """All that a pattern finds in a text, of which it matches every part. See ``gathered``."""
    if len(text) <= MOST_TOKENS and not pattern.groups:
        return pattern.findall(text)
    return gathered(map(re.Match.group, pattern.finditer(text)), text, classify)


def gathered(pieces: Iterable[bytes], text: bytes, classify: Callable[[bytes], TokenIds | None]) -> list[bytes]:
    """List the pieces of a text.

    Args:
        pieces: of the text, none of them empty.
        text: all of it.
        classify: ids of a piece, or None if it is not a token.

    Raises:
        Untokenizable: more than ``MOST_TOKENS`` of them are tokens.
    """
    return _bounded(pieces, classify) if len(text) > MOST_TOKENS else list(pieces)


def _bounded(pieces: Iterable[bytes], classify: Callable[[bytes], TokenIds | None]) -> list[bytes]:
    """The pieces; equal ones are one object, so that a large text takes 8 bytes a piece."""
    found: list[bytes] = []
    known: dict[bytes, bytes] = {}
    rest, tokens, checked = iter(pieces), 0, 0
    while batch := list(islice(rest, _BATCH)):
        found += map(known.setdefault, batch, batch)
        # Most pieces that are no tokens are white space: those are looked for when it matters.
        tokens += len(batch)
        if tokens > MOST_TOKENS:
            # Normalised text has no NUL but the mark of its end, after which a span that nothing closes is cut again.
            are_tokens = {piece: piece[-1:] != b"\0" and classify(piece) is not None for piece in known}
            tokens += sum(map(are_tokens.__getitem__, islice(found, checked, None))) - (len(found) - checked)
            checked = len(found)
        if tokens > MOST_TOKENS:
            raise Untokenizable(f"more than {MOST_TOKENS:,} tokens", "not-scanned")
    return found
