"""Changed files as matching weighs them, made of arrays instead of code: a test decides what each token says."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from winnow_ci.matching.hits import FileHits, FileKgrams
from winnow_ci.model import Fingerprints, Hits, Parameters, Phrases, Tokens

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray

# A punctuation mark.
MARK = 7

_NOWHERE = Hits(np.empty(0, np.int64), np.empty(0, np.uint32), np.empty(0, np.uint32), np.empty(0, np.uint32))
_NO_PHRASES = Phrases(
    np.empty(0, np.uint64), np.empty(0, np.uint8), np.empty(0, np.bool_), np.empty(0, np.int32), np.empty(0, np.int32)
)


def tokens_on(lines: Sequence[int], sketch: ArrayLike = MARK, verbatim: ArrayLike | None = None) -> Tokens:
    """Tokens on some lines; each has its own text unless ``verbatim`` says otherwise."""
    count, at = len(lines), np.array(lines, np.int32)
    ids = np.arange(count) if verbatim is None else verbatim
    return Tokens(np.zeros(count, np.uint64), _each(ids, count, np.uint64), at, at, _each(sketch, count, np.uint8))


def file_hits(
    tokens: Tokens,
    *,
    bits: ArrayLike = 0,
    literals: ArrayLike = 0,
    new_literals: ArrayLike = 0,
    grams: ArrayLike | None = None,
    added: ArrayLike = True,
    hits: Hits = _NOWHERE,
    informative: bool = True,
    telling: bool = True,
    k: int = Parameters().k,
) -> FileHits:
    """A file with hits; all its k-grams are looked up, and no 4-gram recurs unless ``grams`` says so.

    A k-gram has its own number for a hash, and 0 for a check.
    """
    count = len(tokens)
    of_each = max(count - k + 1, 0)
    numbers = np.arange(of_each)
    fingerprints = Fingerprints(numbers.astype(np.uint64), np.zeros(of_each, np.uint32), numbers.astype(np.uint32))
    kgrams = FileKgrams(
        tokens=tokens,
        kgrams=fingerprints,
        grams=_each(np.arange(count) if grams is None else grams, count, np.uint64)[: max(0, count - 3)],
        informative=np.full(of_each, informative),
        informative_text=np.full(of_each, True),
        rare_numbers=np.zeros(count, np.bool_),
        imported=np.zeros(count, np.bool_),
        added=_each(added, count, np.bool_),
        phrases=_NO_PHRASES,
    )
    said = _each(bits, count, np.float64)
    return FileHits(
        kgrams=kgrams,
        hits=hits,
        phrase_hits=_NOWHERE,
        token_bits=said,
        literal_bits=_each(literals, count, np.float64),
        new_literal_bits=_each(new_literals, count, np.float64),
        further_rows=np.zeros(len(tokens), np.bool_),
        telling=np.full(of_each, telling),
        cumulative=np.concatenate([[0.0], np.cumsum(said)]),
    )


def _each(values: ArrayLike, count: int, kind: type) -> NDArray[Any]:
    """One value a token: as they are, or the same for all."""
    return np.broadcast_to(np.asarray(values), count).astype(kind)
