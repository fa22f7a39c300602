"""A changed file, as it is looked up and as it is matched."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from winnow_ci.named_tuples import NamedTuple

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from winnow_ci.model import Fingerprints, Hits, Phrases, Tokens

# A copy on added lines may have its seeds on lines beside them, but not further away than this, in tokens.
AROUND = 200


class FileKgrams(NamedTuple):
    """One changed file, as far as an index has to know it.

    Attributes:
        tokens: its tokens.
        kgrams: all its k-grams.
        grams: uint64, one a token but the last three; hashes of its structural 4-grams.
        informative: bool, one a k-gram; whether its structure carries information (and is not boilerplate).
        informative_text: the same of its text.
        rare_numbers: bool, one a token; whether it is a number that counts as text.
        imported: bool, one a token; whether it stands in a statement that imports something.
        added: bool, one a token; True on lines that the change adds.
        phrases: those that stand on lines that the change adds.
    """

    tokens: Tokens
    kgrams: Fingerprints
    grams: NDArray[np.uint64]
    informative: NDArray[np.bool_]
    informative_text: NDArray[np.bool_]
    rare_numbers: NDArray[np.bool_]
    imported: NDArray[np.bool_]
    added: NDArray[np.bool_]
    phrases: Phrases

    @property
    def asked(self) -> NDArray[np.bool_]:
        """Which k-grams are to be looked up: bool, one a k-gram.

        Those that say something, as structure or as text, and are so near an added line that a copy on added lines may
        have a seed there.
        """
        return (self.informative | self.informative_text) & self.reachable

    @property
    def reachable(self) -> NDArray[np.bool_]:
        """Which k-grams are near an added line: bool, one a k-gram."""
        return _near(self.added, len(self.kgrams))


class FileHits(NamedTuple):
    """One changed file that has hits in an index, ready to be matched.

    Attributes:
        kgrams: what was looked up.
        hits: where its k-grams stand; ``queries`` number the k-grams.
        phrase_hits: where its phrases stand; ``queries`` number them, positions are those of tokens.
        token_bits: float64, one a token; what it says after the three before it.
        literal_bits: float64, one a token; what it says that its text stands in another document too.
        new_literal_bits: float64, one a token; the same, but nothing for a text that stands shortly before, too.
        further_rows: bool, one a token; whether it stands in one of many rows of one shape.
        telling: bool, one a k-gram; whether it is informative, its structure is not common property, and it imports
            nothing.
        cumulative: float64, one more than tokens; bits of the tokens before each, and of all.
        identical: contents that are the whole file.
    """

    kgrams: FileKgrams
    hits: Hits
    phrase_hits: Hits
    token_bits: NDArray[np.float64]
    literal_bits: NDArray[np.float64]
    new_literal_bits: NDArray[np.float64]
    further_rows: NDArray[np.bool_]
    telling: NDArray[np.bool_]
    cumulative: NDArray[np.float64]
    identical: tuple[int, ...] = ()

    @property
    def tokens(self) -> Tokens:
        """Tokens of the file."""
        return self.kgrams.tokens

    @property
    def added(self) -> NDArray[np.bool_]:
        """Bool, one a token; True on lines that the change adds."""
        return self.kgrams.added


def _near(added: NDArray[np.bool_], count: int) -> NDArray[np.bool_]:
    """Which of ``count`` k-grams are near an added token: bool, shape (count,)."""
    if added.all():
        return np.ones(count, np.bool_)
    nothing, sums = np.zeros(AROUND + 1, np.int64), np.cumsum(added)
    before = np.concatenate([nothing, sums, np.full(AROUND + 1, sums[-1] if len(sums) else 0)])
    # Of the tokens from so many before to so many behind the first of a k-gram, one is added.
    return np.asarray(before[2 * AROUND + 1 :][:count] > before[:count], np.bool_)
