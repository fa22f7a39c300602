"""Verbatim ids → values of long numbers: the constants of a table, which no two people write alike.

As with names (``identifiers``), no second lexing is needed: every word of the text that might be a number is hashed as
one, and the word that has a token's id is its number.
"""

from __future__ import annotations

import re
from math import frexp, log2

from winnow_ci.languages.families import FAMILIES
from winnow_ci.languages.identifiers import EMBEDDED
from winnow_ci.languages.tokens import Alphabet

# The significant digits of a long number say at least this many bits: five decimal digits, or four hexadecimal ones.
LONG = 16.0

# Characters of the longest one that is read: numbers of many thousands of digits are no row of a table.
LONGEST = 100

_BITS_A_DIGIT = {10: log2(10), 16: 4.0}
_MARKS = b"_'"
# Each has four characters or more after the first, and may end with an exponent and the letters of a type.
_WORDS = re.compile(
    rb"(?<![\w.])(?:0[xX][0-9A-Fa-f_']{4,}|\.?[0-9](?=[0-9_'.]{4})[0-9_']*\.?[0-9_']*(?:[eEpP][+-]?[0-9]+)?)\w*"
)
_HEXADECIMAL = re.compile(rb"0[xX]([0-9A-Fa-f]+)[uUlLnN]*\Z")
_DECIMAL = re.compile(rb"([0-9]*\.?[0-9]*)(?:[eE]([+-]?[0-9]{1,2}))?[a-zA-Z]{0,3}\Z")
_FOLDED = frozenset(family.name for family in FAMILIES if "number" in family.any_case)


def long_numbers(text: bytes, front_end: str) -> dict[int, float]:
    """The values of the long numbers in a normalised text, by the verbatim id that each has as a number.

    A number is long if its significant digits, without zeros before and after them, say ``LONG`` bits. Powers of two
    and masks are not: their digits follow from one small number.

    Args:
        text: any lines of a file.
        front_end: name of the front end that made the ids.
    """
    values = {word: value for word in set(_WORDS.findall(text)) if (value := _value(word)) is not None}
    found = {}
    for family in EMBEDDED.get(front_end, [front_end]):
        number = Alphabet(family).number
        for word, value in values.items():
            found[number(word.lower() if family in _FOLDED else word).verbatim] = value
    return found


def _value(word: bytes) -> float | None:
    """The value of a number; None if it is not a long one."""
    if len(word) > LONGEST:
        return None
    plain = word.translate(None, _MARKS)
    if found := _HEXADECIMAL.match(plain):
        digits = found.group(1)
        return None if _is_mask(int(digits, 16)) or not _is_long(digits, 16) else float(int(digits, 16))
    found = _DECIMAL.match(plain)
    if found is None or not _is_long(found.group(1).replace(b".", b""), 10):
        return None
    value = float(b"%be%b" % (found.group(1), found.group(2) or b"0"))
    return None if frexp(value)[0] == 0.5 or (value.is_integer() and _is_mask(int(value))) else value


def _is_long(digits: bytes, base: int) -> bool:
    return len(digits.strip(b"0")) * _BITS_A_DIGIT[base] >= LONG


def _is_mask(value: int) -> bool:
    """Whether the bits that are set stand in a row, as in a power of two."""
    filled = value | (value - 1)
    return filled & (filled + 1) == 0
