"""Marks the tokens of changed files that earlier files have, so that they no longer count as added."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from winnow_ci.fingerprint import all_kgrams
from winnow_ci.model import LineRange, Parameters
from winnow_ci.winnowing import among

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from winnow_ci.model import Tokens
    from winnow_ci.scanner.preparation import PreparedFile

# Not those of an index, which may be so short that any two files share some.
RUNS = Parameters()


def without_known(files: Sequence[PreparedFile], earlier: Iterable[Tokens]) -> list[PreparedFile]:
    """The files, what one of the earlier ones has no longer added; a file that has nothing of it stays as it is."""
    keys = [_keys(file.tokens) for file in files]
    wanted = np.sort(np.concatenate(keys))
    seen = np.zeros(len(wanted), np.bool_)
    for tokens in earlier:
        theirs = np.sort(_keys(tokens))
        seen |= among(wanted, theirs)
    known = (known_tokens(seen[np.searchsorted(wanted, own)]) for own in keys)
    return [_without_tokens(file, tokens) for file, tokens in zip(files, known, strict=True)]


def _keys(tokens: Tokens) -> NDArray[np.uint64]:
    """Hashes of all k-grams of a document's text."""
    kgrams = all_kgrams(tokens, RUNS)
    return kgrams.hashes ^ (kgrams.checks.astype(np.uint64) << np.uint64(32))


def known_tokens(kgrams: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Tell which tokens were there before.

    Args:
        kgrams: bool, one a k-gram; whether it was there.

    Returns:
        bool, shape (len(kgrams) + k − 1,), one a token; True in stretches of known k-grams that are less than k tokens
        apart, if there are t such tokens on end among them.
    """
    tokens = np.zeros(len(kgrams) + RUNS.k - 1, np.bool_)
    starts, ends = np.flatnonzero(np.diff(kgrams, prepend=False, append=False)).reshape(-1, 2).T
    if not len(starts):
        return tokens
    ends = ends + RUNS.k - 1
    firsts = np.flatnonzero(np.append(True, starts[1:] - ends[:-1] >= RUNS.k))
    lasts = np.append(firsts[1:], len(starts)) - 1
    is_long = np.maximum.reduceat(ends - starts, firsts) >= RUNS.guarantee
    for start, end in zip(starts[firsts[is_long]], ends[lasts[is_long]], strict=True):
        tokens[start:end] = True
    return tokens


def _without_tokens(file: PreparedFile, known: NDArray[np.bool_]) -> PreparedFile:
    lost = file.added & known[: len(file.added)]
    if not lost.any():
        return file
    return file._replace(added=file.added & ~lost, added_lines=_without_lines(file, lost))


def _without_lines(file: PreparedFile, lost: NDArray[np.bool_]) -> tuple[LineRange, ...]:
    """The added lines but those whose tokens are all lost; and those without any, next to a lost one."""
    numbers = np.concatenate([np.arange(first, last + 1) for first, last in file.added_lines])
    start = np.searchsorted(file.tokens.last_lines, numbers)
    end = np.searchsorted(file.tokens.first_lines, numbers, "right")
    sums = np.append(0, np.cumsum(lost))
    beside = sums[np.minimum(end + 1, len(lost))] - sums[np.maximum(start - 1, 0)]
    kept = numbers[np.where(start < end, sums[end] - sums[start] < end - start, beside == 0)]
    breaks = np.flatnonzero(np.diff(kept) > 1) + 1
    return tuple(LineRange(int(run[0]), int(run[-1])) for run in np.split(kept, breaks) if len(run))
