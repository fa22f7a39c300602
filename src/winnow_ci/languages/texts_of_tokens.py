"""Find what tokens do not keep: their text, the values of numbers, and places in the text.

Tokens have hashes of their text. To read names and numbers, every word of a text that might be one is hashed as one:
the word that has a token's id is its name or number. ``Tokens`` have lines, but a report marks single tokens. So the
few texts that are shown are cut once more; a lexer may fail then, so callers count the places.
"""

from __future__ import annotations

import importlib
import re
from functools import lru_cache
from math import ceil, frexp, log2, nan
from typing import TYPE_CHECKING

import numpy as np

from winnow_ci.languages import markup_tokenizer, notebook_tokenizer, words
from winnow_ci.languages.families import FAMILIES
from winnow_ci.languages.language_detection import DATA
from winnow_ci.languages.normalisation import as_characters
from winnow_ci.languages.table_tokenizer import classifier
from winnow_ci.languages.tokens import Alphabet, Untokenizable, assemble_tokens
from winnow_ci.named_tuples import NamedTuple
from winnow_ci.start_up import compiled_on_use, replace

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import AnyStr

    from numpy.typing import NDArray

    from winnow_ci.languages.tokens import TokenIds
    from winnow_ci.model import Tokens

# Front end → the families whose tokens it yields, if they are not the one of its name.
_EMBEDDED = {
    "markup": [family.name for family in markup_tokenizer.MARKUP_PARTS],
    notebook_tokenizer.LANGUAGE: list(notebook_tokenizer.KERNELS),
}

_NAMES = (
    compiled_on_use(rb"[\w\x80-\xff]+"),
    compiled_on_use(rb"[\w$\x80-\xff]+"),
    # Names with a mark before or after them, names of several parts, and names that may contain nearly anything.
    compiled_on_use(rb"[$@%&:']+[\w\x80-\xff]+"),
    compiled_on_use(rb"[\w\x80-\xff]+[!?]"),
    compiled_on_use(rb"`[^`\n]*`"),
    compiled_on_use(rb"[\w.\x80-\xff]+"),
    compiled_on_use(rb"[A-Za-z_\x80-\xff][\w'@$\x80-\xff-]*"),
    compiled_on_use(rb"[$@%:.-]+[A-Za-z_\x80-\xff][\w'@$\x80-\xff-]*"),
    compiled_on_use(rb"\$\{[!#]?\w*"),
    compiled_on_use(rb"""[^\s()\[\]{}"';,]+"""),
)
_FOLDED_NAMES = frozenset(family.name for family in FAMILIES if "name" in family.any_case)


def names_in(text: bytes, front_end: str) -> dict[int, str]:
    """Map the verbatim id that each word of normalised lines has as a name to the word."""
    if front_end == "pygments":
        text = as_characters(text).encode("utf-8", "surrogatepass")
    found = dict.fromkeys(word for pattern in _NAMES for word in pattern.findall(text))
    names = {}
    for family in _EMBEDDED.get(front_end, [front_end]):
        identifier = Alphabet(family).identifier
        for word in found:
            own = word.lower() if family in _FOLDED_NAMES else word
            names[identifier(own).verbatim] = word.decode("utf-8", "replace")
    return names


_ITEM = compiled_on_use(rb"""\[ *(["'])([A-Za-z_]\w*)\1""")
_ATTRIBUTE = compiled_on_use(rb"->([A-Za-z_]\w*)")
_MARKS = {"php": b"$"}  # what the names of variables begin with, and those of attributes do not


def variables(tokens: Tokens, around: NDArray[np.bool_], text: bytes, family: str) -> Tokens:
    """Make variables of the attributes and strings with tokens around them (``statements.state_around``)."""
    alphabet, mark = Alphabet(family), _MARKS.get(family, b"")
    names = {alphabet.string(b'"%b"' % name).verbatim: mark + name for _, name in _ITEM.findall(text)}
    if mark:
        names |= {alphabet.identifier(name).verbatim: mark + name for name in _ATTRIBUTE.findall(text)}
    structural, verbatim, sketch = tokens.structural.copy(), tokens.verbatim.copy(), tokens.sketch.copy()
    for at in (np.flatnonzero(around[:-1] & ~around[1:]) + 1).tolist():
        if name := names.get(int(verbatim[at])):
            structural[at], verbatim[at], sketch[at] = alphabet.identifier(name)
    return replace(tokens, structural=structural, verbatim=verbatim, sketch=sketch)


LONG_NUMBER = 16.0  # bits that its digits say at least: five decimal digits, or four hexadecimal ones
SAME_DIGITS = 2  # a long number has more different digits than this
LONGEST_NUMBER = 100  # characters of the longest number that is read: those of many thousands of digits are in no table

_BITS_A_DIGIT = {10: log2(10), 16: 4.0}
_FEWEST_DIGITS = ceil(LONG_NUMBER / _BITS_A_DIGIT[10])
# It begins with the characters that a number begins with, and looks back from there: so the search passes over all
# others without trying the pattern.
NUMBER_WORDS = compiled_on_use(
    rb"[.0-9](?<![\w.].)(?:(?<=0)[xX][0-9A-Fa-f_']+"
    rb"|(?:(?<=\.)[0-9]|(?<=[0-9]))[0-9_']*\.?[0-9_']*(?:[eEpP][+-]?[0-9]+)?)\w*",
    re.DOTALL,
)
_HEXADECIMAL = compiled_on_use(rb"0[xX]([0-9A-Fa-f]+)(?:[g-zG-Z]\w*)?\Z")
_DECIMAL = compiled_on_use(rb"([0-9]*\.?[0-9]*)(?:[eE]([+-]?[0-9]{1,2}))?(?:[a-zA-Z]\w*)?\Z")
_FOLDED_NUMBERS = frozenset(family.name for family in FAMILIES if "number" in family.any_case)


class NumberValue(NamedTuple):
    """The value of a number, NaN if it is not known, and whether it is long."""

    value: float
    long: bool


class TextNumbers:
    """The numbers of a text, by the verbatim id that each has as a number.

    No two people choose the same long number. A number is long if its significant digits, without zeros before and
    after them, say ``LONG_NUMBER`` bits. Powers of two and masks are not, nor ``0x55555555`` and ``99999``: their
    digits follow from one small number. The text is any normalised lines of a file; the front end made the ids.
    """

    def __init__(self, text: bytes, front_end: str) -> None:
        self._words = [word for word in dict.fromkeys(NUMBER_WORDS.findall(text)) if len(word) <= LONGEST_NUMBER]
        self._families = _EMBEDDED.get(front_end, [front_end])

    def values(self) -> dict[int, NumberValue]:
        """Return all numbers."""
        return self._by_id(self._words)

    def long_values(self) -> dict[int, float]:
        """Return the long ones, which are few or none."""
        long = [word for word in self._words if len(word) >= _FEWEST_DIGITS and _value(word).long]
        return {number: found.value for number, found in self._by_id(long).items()}

    def _by_id(self, found: Sequence[bytes]) -> dict[int, NumberValue]:
        return {
            Alphabet(family).number(word.lower() if family in _FOLDED_NUMBERS else word).verbatim: _value(word)
            for family in self._families
            for word in found
        }


# Most numbers of a file are in others, too.
@lru_cache(maxsize=4096)
def _value(word: bytes) -> NumberValue:
    plain = word.translate(None, b"_'")
    if found := _HEXADECIMAL.match(plain):
        number = int(found[1], 16)
        return NumberValue(float(number), _is_long(found[1], 16) and not _is_mask(number))
    found = _DECIMAL.match(plain)
    if found is None:
        return NumberValue(nan, long=False)
    value = float(b"%be%b" % (found[1], found[2] or b"0"))
    return NumberValue(value, _is_long(found[1].replace(b".", b""), 10) and not _is_power(value))


def _is_long(digits: bytes, base: int) -> bool:
    significant = digits.strip(b"0")
    return len(significant) * _BITS_A_DIGIT[base] >= LONG_NUMBER and len(set(significant.lower())) > SAME_DIGITS


def _is_power(value: float) -> bool:
    """Whether it is a power of two, also one below 1, or a mask."""
    return frexp(value)[0] == 0.5 or (value.is_integer() and _is_mask(int(value)))


def _is_mask(value: int) -> bool:
    """Whether the bits that are set are in a row, as in a power of two."""
    filled = value | (value - 1)
    return filled & (filled + 1) == 0


class TokenPlaces(NamedTuple):
    """Tokens are the bytes ``[start, end)`` of the normalised text: int64, one a token, neither of them falls."""

    starts: NDArray[np.int64]
    ends: NDArray[np.int64]


def token_places(text: bytes, language: str, front_end: str) -> TokenPlaces | None:
    """Find where the tokens of normalised text (``normalisation.normalise``) are, given what read it.

    Returns None where tokens have no places: in notebooks, whose cells are strings of JSON; and if the lexer fails, or
    gives impossible places.
    """
    if front_end == notebook_tokenizer.LANGUAGE:
        return None
    try:
        found = _found_places(text, language, front_end)
    except Untokenizable:
        return None
    edges = np.stack(found, axis=1).ravel()
    return found if not len(edges) or (edges[-1] <= len(text) and (np.diff(edges) >= 0).all()) else None


def _found_places(text: bytes, language: str, front_end: str) -> TokenPlaces:
    if front_end == "text":
        places = _of_pieces(words.prose_pieces(text), words.prose_ids)
        kept = ~words.in_known_texts(words.words_of(text).verbatim)
        return _in_bytes(text, TokenPlaces(places.starts[kept], places.ends[kept]))
    if front_end in (words.FALLBACK, DATA):
        read = text if front_end == DATA else words.without_known_texts(text)
        return _of_pieces(words.fallback_pieces(read), words.fallback_ids)
    if parts := markup_tokenizer.code_parts(text, language):
        found = [_of_pieces(part.pieces, classifier(part.family), part.start) for part in parts]
        return TokenPlaces(*(np.concatenate(edges) for edges in zip(*found, strict=True)))
    lexer = importlib.import_module("winnow_ci.languages.pygments_lexer")
    return _in_bytes(text, TokenPlaces(*lexer.located_tokens(text, language)[1:]))


def _of_pieces(pieces: Sequence[AnyStr], classify: Callable[[AnyStr], TokenIds | None], first: int = 0) -> TokenPlaces:
    """Find the tokens among pieces that together are all of a text from its unit ``first`` on."""
    # Where tokens have the places of their units for lines.
    units = np.arange(first, first + sum(map(len, pieces)), dtype=np.int32)
    tokens = assemble_tokens(pieces, classify, units)
    return TokenPlaces(tokens.first_lines.astype(np.int64), tokens.last_lines.astype(np.int64) + 1)


def _in_bytes(text: bytes, places: TokenPlaces) -> TokenPlaces:
    if len(as_characters(text)) == len(text):
        return places
    units = np.frombuffer(text, np.uint8)
    firsts = np.append(np.flatnonzero(units & 0xC0 != 0x80), len(text))
    return TokenPlaces(*(firsts[np.minimum(edges, len(firsts) - 1)] for edges in places))
