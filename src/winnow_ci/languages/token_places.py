"""Where the tokens of a text stand in it: ``Tokens`` have lines only, and who shows code marks single tokens.

The text is cut once more, for the few files that are shown. The places are checked to be as many as the tokens by who
asks (``scanner.side_text``): a lexer may fail the second time.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

import numpy as np

from winnow_ci.languages import (
    fallback_tokenizer,
    markup_tokenizer,
    notebook_tokenizer,
    prose_tokenizer,
    table_tokenizer,
    whole_data,
)
from winnow_ci.languages.families import FAMILY_OF
from winnow_ci.languages.known_texts import in_known_texts
from winnow_ci.languages.normalisation import as_characters
from winnow_ci.languages.tokens import Untokenizable
from winnow_ci.named_tuples import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import AnyStr

    from numpy.typing import NDArray

    from winnow_ci.languages.tokens import TokenIds

_PROSE = "text"


class TokenPlaces(NamedTuple):
    """Where tokens stand; arrays with one element a token, in the order of ``Tokens``.

    Attributes:
        starts, ends: int64, neither of them falls; the bytes ``[start, end)`` of the normalised text.
    """

    starts: NDArray[np.int64]
    ends: NDArray[np.int64]


def token_places(text: bytes, language: str, front_end: str) -> TokenPlaces | None:
    """Where the tokens of normalised text (``normalisation.normalise``) stand.

    Args:
        text: the text.
        language: its language.
        front_end: name of what read it.

    Returns:
        The places, or None where tokens have none: in notebooks, whose cells are strings of JSON; and if the lexer
        fails, or tells places that are none.
    """
    try:
        found = _found(text, language, front_end)
    except Untokenizable:
        return None
    if found is None:
        return None
    edges = np.stack(found, axis=1).ravel()
    return found if not len(edges) or (edges[-1] <= len(text) and (np.diff(edges) >= 0).all()) else None


def _found(text: bytes, language: str, front_end: str) -> TokenPlaces | None:
    if front_end == notebook_tokenizer.LANGUAGE:
        return None
    if front_end == _PROSE:
        return _in_bytes(text, _of_prose(text))
    if front_end in (fallback_tokenizer.NAME, whole_data.DATA):
        is_whole = front_end == whole_data.DATA
        read = text if is_whole else prose_tokenizer.without_known_texts(text)
        return _of_pieces(fallback_tokenizer.pieces(read), fallback_tokenizer.ids_of)
    if language in markup_tokenizer.LANGUAGES:
        return _of_markup(text)
    family = FAMILY_OF.get(language)
    if family is not None:
        return _of_pieces(table_tokenizer.pieces(text, family), table_tokenizer.classifier(family))
    lexer = importlib.import_module("winnow_ci.languages.pygments_lexer")
    return _in_bytes(text, TokenPlaces(*lexer.token_places(text, language)))


def _of_pieces(pieces: Sequence[AnyStr], classify: Callable[[AnyStr], TokenIds | None], first: int = 0) -> TokenPlaces:
    """The places of the tokens among pieces that together are all of a text from its unit ``first`` on.

    White space at the front of a piece is not part of the token.
    """
    numbers = {piece: number for number, piece in enumerate(dict.fromkeys(pieces))}
    codes = np.fromiter(map(numbers.__getitem__, pieces), np.intp, len(pieces))
    lengths = np.fromiter(map(len, numbers), np.int64, len(numbers))
    bare = np.fromiter((len(piece.lstrip()) for piece in numbers), np.int64, len(numbers))
    are_tokens = np.fromiter((classify(piece) is not None for piece in numbers), np.bool_, len(numbers))
    ends = first + np.cumsum(lengths[codes])
    kept = are_tokens[codes]
    return TokenPlaces((ends - bare[codes])[kept], ends[kept])


def _of_markup(text: bytes) -> TokenPlaces:
    found, first = [], 0
    for part in markup_tokenizer.parts(text):
        found.append(_of_pieces(part.pieces, table_tokenizer.classifier(part.family), first))
        first += sum(map(len, part.pieces))
    return TokenPlaces(*(np.concatenate(edges) for edges in zip(*found, strict=True)))


def _of_prose(text: bytes) -> TokenPlaces:
    """In characters; passages of known texts have no tokens."""
    places = _of_pieces(prose_tokenizer.pieces(text), prose_tokenizer.ids_of)
    kept = ~in_known_texts(prose_tokenizer.words(text).verbatim)
    return TokenPlaces(places.starts[kept], places.ends[kept])


def _in_bytes(text: bytes, places: TokenPlaces) -> TokenPlaces:
    """Places in bytes, given those in characters."""
    characters = as_characters(text)
    if len(characters) == len(text):
        return places
    units = np.frombuffer(text, np.uint8)
    firsts = np.append(np.flatnonzero(units & 0xC0 != 0x80), len(text))
    return TokenPlaces(*(firsts[np.minimum(edges, len(firsts) - 1)] for edges in places))
