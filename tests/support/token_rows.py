"""Token streams written down for people, and compared by id."""

from __future__ import annotations

from typing import TYPE_CHECKING

from winnow_ci.languages.tokens import Alphabet

if TYPE_CHECKING:
    from winnow_ci.model import Tokens

Row = tuple[int, int, int, int]


def rows_of(tokens: Tokens) -> list[Row]:
    """First line, structural id, verbatim id and sketch of each token."""
    columns = (tokens.first_lines, tokens.structural, tokens.verbatim, tokens.sketch)
    return list(zip(*(column.tolist() for column in columns), strict=True))


def written(family: str, lines: dict[int, list[str]]) -> list[Row]:
    """The rows of tokens written as line → kind and text.

    The kinds are ``w`` (word: keyword, operator, punctuation), ``i`` (identifier), ``n`` (number) and ``s`` (string).
    """
    alphabet = Alphabet(family)
    kinds = {"w": alphabet.word, "i": alphabet.identifier, "n": alphabet.number, "s": alphabet.string}
    return [(line, *kinds[token[0]](token[2:].encode())) for line, tokens in lines.items() for token in tokens]
