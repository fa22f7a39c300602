"""What candidates say in bits, by their structure, their text, their lines and their names: many at a time.

Most candidates have a few dozen tokens. For so few, a call of NumPy takes longer than its work does, so the candidates
of a file are weighed together, in arrays that hold the tokens of one after those of the other. ``judge`` says what the
bits mean.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from winnow_ci.arrays import ranges, sums
from winnow_ci.matching.classes import IS_IDENTIFIER, IS_NUMBER, IS_STRING
from winnow_ci.matching.equal_rows import equal_rows
from winnow_ci.matching.renaming import recurrences
from winnow_ci.matching.runs import firsts_of_each
from winnow_ci.matching.segments import CONTEXT, columns
from winnow_ci.model import NUMBER_SKETCH, STRING_SKETCH
from winnow_ci.named_tuples import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from winnow_ci.matching.candidate import Candidate
    from winnow_ci.matching.file_hits import FileHits

# Worth in bits.
SAME = 1.2
WHOLE_LINE = 6.0
OTHER_GAP = -8.0
# One in 22 pairs of different numbers looks equal, in rows of numbers a few more: twice as many say nothing.
CHANCE_NUMBERS = 2 / len(NUMBER_SKETCH)
# For 25 pairs of different strings one looks equal: twice as many say nothing.
CHANCE_STRINGS = 2 / (len(STRING_SKETCH) - 1)
# More than the tokens of any document.
_FAR = 1 << 32


class TokenBits(NamedTuple):
    """What some tokens of candidates say; arrays with one element a token, ordered by candidate.

    Attributes:
        owners: int64; the number of the candidate.
        tokens: int64; the number of the token in the change.
        bits: float64; what it says.
    """

    owners: NDArray[np.int64]
    tokens: NDArray[np.int64]
    bits: NDArray[np.float64]

    def part(self, which: NDArray[np.bool_] | NDArray[np.int64]) -> TokenBits:
        """Some of the tokens."""
        return TokenBits(self.owners[which], self.tokens[which], self.bits[which])


class CandidateBits:
    """Weighs candidates of one changed file.

    Args:
        file: the changed file.
        candidates: the candidates, at least one; they have numbers from 0 on.
    """

    def __init__(self, file: FileHits, candidates: Sequence[Candidate]) -> None:
        self._file = file
        self._candidates = candidates
        self._count = len(candidates)
        self._owners = np.repeat(np.arange(self._count), [len(one.here) for one in candidates])
        self._here = np.concatenate([one.here for one in candidates])
        self._there = np.concatenate([one.there for one in candidates])

    @cached_property
    def structure(self) -> TokenBits:
        """The distinct 4-grams that lie inside segments and on added lines; the tokens are their last ones."""
        starts, ends, _, _ = columns(part for one in self._candidates for part in one.segments)
        counts = np.repeat(np.arange(self._count), [len(one.segments) for one in self._candidates])
        lengths = np.maximum(ends - starts - CONTEXT, 0)
        inside, owners = ranges(starts + CONTEXT, lengths), np.repeat(counts, lengths)
        added = self._file.added[inside]
        inside, owners = inside[added], owners[added]
        first = firsts_of_each(owners, self._file.kgrams.grams[inside - CONTEXT])
        return TokenBits(owners[first], inside[first], self._file.token_bits[inside[first]])

    @cached_property
    def same(self) -> TokenBits:
        """Names and literals that are the same on both sides, each once."""
        tokens = self._file.tokens
        is_same = tokens.sketch[self._here] == self._there
        counts = is_same & self._file.added[self._here] & self._are_no_chance_rows(is_same)
        same, owners = self._here[counts], self._owners[counts]
        first = firsts_of_each(owners, tokens.verbatim[same])
        same, owners = same[first], owners[first]
        bits = SAME * self._file.literal_bits[same]
        for of_class, share in ((IS_NUMBER, self._share_of_numbers), (IS_STRING, self._share_of_strings)):
            which = of_class[tokens.sketch[same]]
            if which.any():
                bits[which] *= share(is_same)[owners[which]]
        return TokenBits(owners, same, bits)

    @cached_property
    def tokens(self) -> TokenBits:
        """The structure of each candidate, then its same names and literals."""
        one, other = self.structure, self.same
        owners = np.concatenate([one.owners, other.owners])
        tokens, bits = np.concatenate([one.tokens, other.tokens]), np.concatenate([one.bits, other.bits])
        both = TokenBits(owners, tokens, bits)
        return both if self._count == 1 else both.part(owners.argsort(kind="stable"))

    def total(self) -> NDArray[np.float64]:
        """What all tokens of each candidate say: float64."""
        return sums(self.tokens.bits, np.bincount(self.tokens.owners, minlength=self._count))

    def lines(self) -> NDArray[np.float64]:
        """Bits of lines that are whole on both sides: float64, never less than 0."""
        whole = np.concatenate([one.layout.whole for one in self._candidates])
        if not len(whole):
            return np.zeros(self._count)
        counts = np.array([len(one.layout.whole) for one in self._candidates])
        (starts, ends), owners, said = whole.T, np.arange(self._count).repeat(counts), self.tokens
        line = np.searchsorted(owners * _FAR + starts, said.owners * _FAR + said.tokens, "right") - 1
        inside = (line >= 0) & (owners[line] == said.owners) & (said.tokens < ends[line])
        worth = np.bincount(line[inside], said.bits[inside], len(starts))
        gaps = np.array([one.layout.other_gaps for one in self._candidates])
        return np.maximum(0.0, sums(np.minimum(worth, WHOLE_LINE), counts) + OTHER_GAP * gaps)

    def recurrences(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Of each candidate: recurrences of names, and those that meet the same name as before (``renaming``)."""
        named = IS_IDENTIFIER[self._there]
        names = self._file.tokens.verbatim[self._here[named]]
        return recurrences(self._owners[named], names, self._there[named], self._count)

    def in_rows(self) -> int:
        """How many matched tokens stand in one of many rows of a shape, and not in rows that are the same."""
        is_same = self._file.tokens.sketch[self._here] == self._there
        return int((~self._are_no_chance_rows(is_same)).sum())

    def _are_no_chance_rows(self, is_same: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Tokens that do not stand in one of many rows of a shape, or in rows that are the same: bool, one a token."""
        alone: NDArray[np.bool_] = ~self._file.further_rows[self._here]
        for owner in dict.fromkeys(self._owners[~alone].tolist()):
            own = slice(*np.searchsorted(self._owners, (owner, owner + 1)))
            alone[own] |= equal_rows(self._file.tokens.first_lines, self._here[own], is_same[own])
        return alone

    def _share_of_numbers(self, is_same: NDArray[np.bool_]) -> NDArray[np.float64]:
        """The shares of equal numbers that count: two rows of numbers have some that look equal by chance."""
        numbers, equal = self._pairs(IS_NUMBER, is_same)
        return np.maximum(0.0, 1 - CHANCE_NUMBERS * numbers / np.maximum(1, equal))

    def _share_of_strings(self, is_same: NDArray[np.bool_]) -> NDArray[np.float64]:
        """The shares of equal strings that count: of those that differ, others look equal by chance."""
        strings, equal = self._pairs(IS_STRING, is_same)
        return np.maximum(0.0, 1 - CHANCE_STRINGS * (strings - equal) / np.maximum(1, equal))

    def _pairs(
        self, is_of_class: NDArray[np.bool_], is_same: NDArray[np.bool_]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """How many tokens of each candidate are of a class on both sides, and how many of these look equal."""
        pairs = is_of_class[self._file.tokens.sketch[self._here]] & is_of_class[self._there]
        both = (self._owners[pairs], self._owners[pairs & is_same])
        of_class, equal = (np.bincount(owners, minlength=self._count) for owners in both)
        return of_class, equal
