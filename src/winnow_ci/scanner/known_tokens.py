"""Which tokens of a change its base had, whatever file they stood in there (``moved_code``)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from winnow_ci.arrays import distinct, nearest
from winnow_ci.fingerprint import all_kgrams
from winnow_ci.model import Parameters
from winnow_ci.named_tuples import NamedTuple
from winnow_ci.scanner.added import numbers_in, ranges_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from winnow_ci.model import LineRange, Tokens
    from winnow_ci.scanner.values import PreparedFile

# An index may have k-grams so short that any two files share some, so its parameters do not serve here.
RUNS = Parameters(k=16, w=12)


class EarlierTokens(NamedTuple):
    """Tokens of a file of the base, of its own code or of the code that it quotes."""

    tokens: Tokens
    in_text: bool


def known_in(files: Sequence[PreparedFile], earlier: Iterable[EarlierTokens]) -> list[NDArray[np.bool_]]:
    """Which tokens one of the earlier files has: bool, one a token, for each file."""
    keys = [_keys(file.tokens) for file in files]
    wanted, numbers = distinct(np.concatenate(keys))
    as_code, anywhere = np.zeros((2, len(wanted)), np.bool_)
    for tokens, in_text in earlier if len(wanted) else ():
        theirs = _keys(tokens)
        places = nearest(theirs, wanted)
        known = places[wanted[places] == theirs]
        anywhere[known] = True
        as_code[known] |= not in_text
    of_files = np.split(numbers, np.cumsum([len(own) for own in keys[:-1]], dtype=np.int64))
    return [
        known_tokens((anywhere if file.in_text else as_code)[own])[: len(file.tokens)]
        for file, own in zip(files, of_files, strict=True)
    ]


def _keys(tokens: Tokens) -> NDArray[np.uint64]:
    """Hashes of the text of all k-grams: uint64."""
    kgrams = all_kgrams(tokens, RUNS)
    return kgrams.hashes ^ (kgrams.checks.astype(np.uint64) << np.uint64(32))


def known_tokens(kgrams: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Tell which tokens were there before.

    Args:
        kgrams: bool, one a k-gram; whether it was there.

    Returns:
        bool, shape (len(kgrams) + k − 1,), one a token; True in stretches of known k-grams less than k tokens apart, if
        a stretch holds t such tokens in a row.
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


def without_tokens(file: PreparedFile, known: NDArray[np.bool_]) -> PreparedFile:
    """A file in which known tokens no longer count as added; the same object if none did."""
    lost = without_slides(file.added, file.added & known)
    if not lost.any():
        return file
    return file._replace(added=file.added & ~lost, added_lines=_without_lines(file, lost))


def without_slides(added: NDArray[np.bool_], lost: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Known tokens without those that are only beside what stayed.

    New code often ends as the code before it does, with ``); }``. Its end and what follows it are then, word for word,
    what the base has at this place. Which of the two ends is new, nobody can tell.

    Args:
        added: bool, one a token; whether the change adds it.
        lost: bool, one a token; whether it is added, and the base had it.

    Returns:
        bool, one a token; ``lost`` without runs of fewer than k tokens that lie between a token that was not added, or
        an edge of the file, and an added one that is new.
    """
    starts, ends = np.flatnonzero(np.diff(lost, prepend=False, append=False)).reshape(-1, 2).T
    new = np.concatenate([[False], added & ~lost, [False]])
    beside = (new[starts] != new[ends + 1]) & (ends - starts < RUNS.k)
    kept = lost.copy()
    for start, end in zip(starts[beside], ends[beside], strict=True):
        kept[start:end] = False
    return kept


def _without_lines(file: PreparedFile, lost: NDArray[np.bool_]) -> tuple[LineRange, ...]:
    """The added lines, except lines that lost all their tokens and empty lines next to a lost token."""
    numbers = numbers_in(file.added_lines)
    start = np.searchsorted(file.tokens.last_lines, numbers)
    end = np.searchsorted(file.tokens.first_lines, numbers, "right")
    sums = np.append(0, np.cumsum(lost))
    beside = sums[np.minimum(end + 1, len(lost))] - sums[np.maximum(start - 1, 0)]
    return ranges_of(numbers[np.where(start < end, sums[end] - sums[start] < end - start, beside == 0)])
