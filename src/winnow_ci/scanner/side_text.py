"""The file on one side of a copy: its text, its tokens, and where these stand, each as far as it is known."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from winnow_ci.languages import Untokenizable, front_end_named, front_end_of, normalise
from winnow_ci.model import Tokens
from winnow_ci.start_up import record

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from winnow_ci.languages.token_places import TokenPlaces
    from winnow_ci.model import TokenMap


@record(frozen=True)
class SideText:
    """A file on one side of a copy.

    Attributes:
        text: normalised; None if it is not known.
        tokens: its tokens; or what an index keeps of them; None if they are not known.
        places: where they stand in the text, if that is known.
        front_end: name of what read it.
        first_token: number of the first of these tokens in the file.
    """

    text: bytes | None = None
    tokens: Tokens | TokenMap | None = None
    places: TokenPlaces | None = None
    front_end: str = ""
    first_token: int = 0

    @cached_property
    def _ends(self) -> NDArray[np.int64]:
        """Where each line ends."""
        units = np.frombuffer(self.text or b"", np.uint8)
        ends = np.flatnonzero(units == ord("\n"))
        return ends if len(units) and len(ends) and ends[-1] == len(units) - 1 else np.append(ends, len(units))

    @property
    def lines(self) -> int:
        """Number of its lines; 0 if the text is not known."""
        return 0 if self.text is None else len(self._ends)

    def span(self, line: int) -> tuple[int, int]:
        """The bytes ``[start, end)`` of a line (1-based), without its line break; none of one that is not there."""
        if not 0 < line <= self.lines:
            return 0, 0
        return int(self._ends[line - 2]) + 1 if line > 1 else 0, int(self._ends[line - 1])

    def between(self, first: int, last: int) -> bytes:
        """The text from the line ``first`` to the line ``last``."""
        return (self.text or b"")[self.span(first)[0] : self.span(min(last, self.lines))[1]]


def read_side(content: bytes, language: str, front_end: str, *, has_places: bool = True) -> SideText:
    """Read a file for one side of a copy.

    Args:
        content: its bytes.
        language: its language.
        front_end: name of what reads it: that of the language, or the fallback tokenizer.
        has_places: whether single tokens will be marked, which needs their places.

    Returns:
        The file; without tokens if the front end fails, so that a copy in it can be shown line by line.

    Raises:
        Untokenizable: the content is binary.
    """
    text = normalise(content)
    try:
        own = front_end_of(language)
        tokens = (own if own.name == front_end else front_end_named(front_end)).read(text, language)
    except Untokenizable:
        return SideText(text, front_end=front_end)
    if not has_places:
        return SideText(text, tokens, front_end=front_end)
    from winnow_ci.languages.token_places import token_places  # noqa: PLC0415 - few findings are shown so

    places = token_places(text, language, front_end)
    agree = places is not None and len(places.starts) == len(tokens)
    return SideText(text, tokens, places if agree else None, front_end)


def known_side(side: SideText, known: TokenMap) -> SideText:
    """The source of a copy, as far as an index vouches for it.

    Args:
        side: its file, read again; empty if nobody has the text.
        known: what the index keeps of its tokens.

    Returns:
        The same if its tokens are those of the index, one for one; otherwise it has ``known`` and no places.
    """
    if isinstance(side.tokens, Tokens) and np.array_equal(side.tokens.sketch, known.sketch):
        return side
    return SideText(side.text, known, front_end=side.front_end)
