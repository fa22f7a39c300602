"""Which contents are read for a file: those that its hits say most about, and not more than a bound.

The larger an index, the more contents have a few k-grams of a file by chance, while the sources of a file do not become
more. So contents are ranked by what their hits say. Those that are hardly there by chance (``significance``) are all
read, up to ``MOST_CONTENTS`` for each ``STRETCH`` tokens; of the others, the doubtful ones, ``MOST_DOUBTFUL`` for each
``ADDED`` tokens that are new: most have nothing, and how many there are says no more than how large the index is.

The sum of a content's bits alone would not do: a copy of a few lines has few hits, and a long file that is like many
others would push it out. So each part of the file votes: in each window of ``WINDOW`` tokens the content wins whose
hits say most there, with their sum. Only hits of about one diagonal count together, since those of a copy are together
on both sides. A window votes twice, the second time by equal text alone: a short verbatim run inside a long renamed
copy has another source. Contents are ranked by their votes, then by all their bits.

Versions of one file say about the same, and an edit here or there would make another of them win each window, until
they fill all places. So among those that say nearly as much as the best, the one with the most bits in the whole file
wins: the same version in most windows.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from winnow_ci.matching.runs import row_starts, run_starts
from winnow_ci.matching.shared_contents import LEAST_OF_TEXT, said_by
from winnow_ci.named_tuples import NamedTuple
from winnow_ci.native import kernel

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from winnow_ci.matching.file_hits import FileHits
    from winnow_ci.matching.shared_contents import SharedContents

# At most so many contents are read for each stretch of so many tokens: one for 256 tokens. In an index of 13 million
# fingerprints, 143 of 144 contents of findings are among them, the other one on weak evidence; whole files have hits in
# 114 contents on average, and in 1,615 at most (decision 28).
MOST_CONTENTS = 64
STRETCH = 16_384
# Of contents whose hits may be there by chance, so many are read for each stretch of so many added tokens. Among 12.5
# million fingerprints, the sources of 498 of 498 copies are among them or beyond doubt; of four, those of 495.
MOST_DOUBTFUL = 6
ADDED = 2048
# Windows that vote, one begins at each half: hardly longer than the shortest run that is always found (24 tokens), or
# runs on both sides would win all windows of a run between them.
WINDOW = 32
# Hits on diagonals as far apart as edits move them within a window.
BAND = 32
# A verbatim k-gram says so many times what its structure says, or a bit a token if that is more; and what its names
# and literals say.
VERBATIM_GAIN = 2.0
# Contents that say this share of what the best says in a window say nearly as much.
NEARLY = 2 / 3


class _Bits(NamedTuple):
    """What hits say; arrays with one element for each k-gram or phrase of a content in a band of diagonals."""

    owners: NDArray[np.int64]
    bands: NDArray[np.int64]
    positions: NDArray[np.int64]
    bits: NDArray[np.float64]
    verbatim: NDArray[np.bool_]

    def part(self, which: NDArray[np.int64] | NDArray[np.bool_]) -> _Bits:
        """Some of them."""
        owners, bands, positions, bits, verbatim = self
        return _Bits(owners[which], bands[which], positions[which], bits[which], verbatim[which])


def most_contents(tokens: int) -> int:
    """How many contents are read for a file of so many tokens at most."""
    return MOST_CONTENTS * max(1, -(-tokens // STRETCH))


def most_doubtful(added: int) -> int:
    """How many of them may be there by chance, if so many tokens are new."""
    return MOST_DOUBTFUL * max(1, -(-added // ADDED))


def most_telling(shared: SharedContents, file: FileHits, k: int) -> tuple[SharedContents, int]:
    """The contents that are read, and how many significant ones are not.

    Args:
        shared: what the file shares with contents.
        file: the file.
        k: length of its k-grams.
    """
    count, most = len(shared.contents), most_contents(len(file.tokens))
    doubtful = most_doubtful(int(file.added.sum()))
    if count <= doubtful:
        return shared, 0
    significant, ranked = told_contents(shared, file, k)
    wanted = significant.copy()
    wanted[ranked[~significant[ranked]][:doubtful]] = True
    read = ranked[wanted[ranked]][:most]
    return shared.part(np.sort(read)), int(significant.sum() - significant[read].sum())


def told_contents(shared: SharedContents, file: FileHits, k: int) -> tuple[NDArray[np.bool_], NDArray[np.int64]]:
    """What hits say of contents; the kernel says the same.

    Returns:
        bool, one a content: whether it is hardly there by chance (``significance``); and int64: the numbers of the
        contents, those that say most first.
    """
    if native := kernel():
        numbers = {content: number for number, content in enumerate(shared.contents.tolist())}
        phrases = [(numbers[content], shared.phrases[content]) for content in numbers if content in shared.phrases]
        significant, ranked = native.told_contents(file, shared, phrases, k)
        return significant, ranked
    from winnow_ci.matching.significance import is_significant  # noqa: PLC0415 - not with the kernel

    return is_significant(shared, file, k), _ranked(shared, file, k)


def _ranked(shared: SharedContents, file: FileHits, k: int) -> NDArray[np.int64]:
    """The numbers of the contents, those that say most first."""
    count, bits = len(shared.contents), _distinct(_bits(shared, file, k))
    total = np.bincount(bits.owners, bits.bits, count).astype(np.float64)
    votes = _votes(bits, total) + _votes(bits.part(bits.verbatim), total)
    return np.lexsort((np.arange(count), -total, -votes))


def _bits(shared: SharedContents, file: FileHits, k: int) -> _Bits:
    """What each seed and each shared phrase says."""
    at, verbatim = shared.seeds.positions, shared.seeds.verbatim
    literals = np.concatenate([[0.0], np.cumsum(file.literal_bits)])
    structure = said_by(file, at, k)
    whole = VERBATIM_GAIN * np.maximum(structure, LEAST_OF_TEXT * k) + literals[at + k] - literals[at]
    columns = [_Bits(shared.owners, shared.seeds.diagonals // BAND, at, np.where(verbatim, whole, structure), verbatim)]
    for owner, content in enumerate(shared.contents.tolist()):
        if own := shared.phrases.get(content):
            text = np.ones(len(own.positions), np.bool_)
            columns.append(_Bits(np.full(len(text), owner), own.diagonals // BAND, own.positions, own.bits, text))
    return _Bits(*map(np.concatenate, zip(*columns, strict=True)))


def _distinct(bits: _Bits) -> _Bits:
    """The best of each k-gram of a content in a band: code that repeats itself says a thing once."""
    bits = bits.part(np.lexsort((-bits.bits, bits.positions, bits.bands, bits.owners)))
    return bits.part(row_starts(bits.owners, bits.bands, bits.positions))


def _votes(bits: _Bits, total: NDArray[np.float64]) -> NDArray[np.float64]:
    """The votes of all windows: float64, one a content."""
    votes = np.zeros(len(total), np.float64)
    for half in (0, 1):
        windows = (bits.positions // (WINDOW // 2) + half) // 2
        winners, worth = _winners(bits, windows, total)
        votes += np.bincount(winners, worth, len(total))
    return votes


def _winners(
    bits: _Bits, windows: NDArray[np.int64], total: NDArray[np.float64]
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """The content that wins each window, and the bits that it has there.

    Args:
        bits: what hits say.
        windows: int64, one for each of them; the window that it is in.
        total: float64, one a content; all its bits.
    """
    order = np.lexsort((bits.bands, bits.owners, windows))
    starts = row_starts(windows[order], bits.owners[order], bits.bands[order])
    if not len(starts):
        return np.empty(0, np.int64), np.empty(0)
    said = np.add.reduceat(bits.bits[order], starts)
    windows, owners = windows[order][starts], bits.owners[order][starts]
    firsts = run_starts(windows)
    best = np.repeat(np.maximum.reduceat(said, firsts), np.diff(firsts, append=len(windows)))
    ranked = np.lexsort((owners, -said, -total[owners], said < NEARLY * best, windows))
    winners = ranked[firsts]
    return owners[winners], said[winners]
