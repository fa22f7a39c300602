"""Verbatim ids → values of numbers, and which of them are long: constants that no two people choose alike.

As with names (``identifiers``), no second lexing is needed: every word of the text that might be a number is hashed as
one, and the word that has a token's id is its number.
"""

from __future__ import annotations

import re
from functools import lru_cache
from math import ceil, frexp, log2, nan
from typing import TYPE_CHECKING

from winnow_ci.languages.families import FAMILIES
from winnow_ci.languages.identifiers import EMBEDDED
from winnow_ci.languages.tokens import Alphabet
from winnow_ci.named_tuples import NamedTuple
from winnow_ci.start_up import compiled_on_use

if TYPE_CHECKING:
    from collections.abc import Sequence

# The significant digits of a long number say at least this many bits: five decimal digits, or four hexadecimal ones.
LONG = 16.0
# It is not made of this many different digits alone.
SAME_DIGITS = 2
# Characters of the longest number that is read: those of many thousands of digits stand in no table.
LONGEST = 100

_BITS_A_DIGIT = {10: log2(10), 16: 4.0}
_FEWEST_DIGITS = ceil(LONG / _BITS_A_DIGIT[10])
_MARKS = b"_'"
# It begins with the characters that a number begins with, and looks back from there: so the search passes over all
# others without trying the pattern.
_WORDS = compiled_on_use(
    rb"[.0-9](?<![\w.].)(?:(?<=0)[xX][0-9A-Fa-f_']+"
    rb"|(?:(?<=\.)[0-9]|(?<=[0-9]))[0-9_']*\.?[0-9_']*(?:[eEpP][+-]?[0-9]+)?)\w*",
    re.DOTALL,
)
_HEXADECIMAL = compiled_on_use(rb"0[xX]([0-9A-Fa-f]+)(?:[g-zG-Z]\w*)?\Z")
_DECIMAL = compiled_on_use(rb"([0-9]*\.?[0-9]*)(?:[eE]([+-]?[0-9]{1,2}))?(?:[a-zA-Z]\w*)?\Z")
_FOLDED = frozenset(family.name for family in FAMILIES if "number" in family.any_case)


class NumberValue(NamedTuple):
    """The value of a number, NaN if it is not known, and whether it is long."""

    value: float
    long: bool


_UNKNOWN = NumberValue(nan, long=False)


class TextNumbers:
    """The numbers of a text, by the verbatim id that each has as a number.

    A number is long if its significant digits, without zeros before and after them, say ``LONG`` bits. Powers of two
    and masks are not, nor ``0x55555555`` and ``99999``: their digits follow from one small number.

    Args:
        text: any lines of a file, normalised.
        front_end: name of the front end that made the ids.
    """

    def __init__(self, text: bytes, front_end: str) -> None:
        self._words = [word for word in dict.fromkeys(_WORDS.findall(text)) if len(word) <= LONGEST]
        self._front_end = front_end

    def values(self) -> dict[int, NumberValue]:
        """All numbers."""
        return self._by_id(self._words)

    def long_values(self) -> dict[int, float]:
        """The long ones, which are few or none."""
        long = (word for word in self._words if len(word) >= _FEWEST_DIGITS and _value(word).long)
        return {number: found.value for number, found in self._by_id(list(long)).items()}

    def _by_id(self, words: Sequence[bytes]) -> dict[int, NumberValue]:
        found = {}
        for family in EMBEDDED.get(self._front_end, [self._front_end]):
            number = Alphabet(family).number
            for word in words:
                found[number(word.lower() if family in _FOLDED else word).verbatim] = _value(word)
        return found


# Most numbers of a file stand in others, too.
@lru_cache(maxsize=4096)
def _value(word: bytes) -> NumberValue:
    plain = word.translate(None, _MARKS)
    if len(plain) < _FEWEST_DIGITS and plain.isdigit():
        return NumberValue(float(plain), long=False)
    if found := _HEXADECIMAL.match(plain):
        digits = found.group(1)
        return NumberValue(float(int(digits, 16)), _is_long(digits, 16) and not _is_mask(int(digits, 16)))
    found = _DECIMAL.match(plain)
    if found is None:
        return _UNKNOWN
    value = float(b"%be%b" % (found.group(1), found.group(2) or b"0"))
    return NumberValue(value, _is_long(found.group(1).replace(b".", b""), 10) and not _is_power(value))


def _is_long(digits: bytes, base: int) -> bool:
    significant = digits.strip(b"0")
    return len(significant) * _BITS_A_DIGIT[base] >= LONG and len(set(significant.lower())) > SAME_DIGITS


def _is_power(value: float) -> bool:
    """Whether it is a power of two, also one below 1, or a mask."""
    return frexp(value)[0] == 0.5 or (value.is_integer() and _is_mask(int(value)))


def _is_mask(value: int) -> bool:
    """Whether the bits that are set stand in a row, as in a power of two."""
    filled = value | (value - 1)
    return filled & (filled + 1) == 0
