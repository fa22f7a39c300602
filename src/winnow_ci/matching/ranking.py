"""Choose the known contents to read for a file: those with the most telling hits, up to a bound.

The larger an index, the more contents have a few k-grams of a file by chance. So contents are ranked by what their hits
say (``telling``). Those that are hardly there by chance are all read, up to ``MOST_CONTENTS`` for each ``STRETCH``
tokens; of the others, the doubtful ones, ``MOST_DOUBTFUL`` for each ``ADDED`` tokens that are new.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from winnow_ci.matching.constants import kernel_numbers
from winnow_ci.native import kernel

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from winnow_ci.matching.hits import FileHits, SharedContents

# The most contents to read for each stretch of tokens. In an index of 13 million fingerprints, 143 of 144 contents of
# findings are among them; whole files have hits in 114 contents on average, and in 1,615 at most.
MOST_CONTENTS = 64
STRETCH = 16_384
# Contents with hits that may be there by chance: those that are read for each stretch of added tokens. Among 12.5
# million fingerprints, the sources of 498 of 498 copies are among them or beyond doubt; of four, those of 495.
MOST_DOUBTFUL = 6
ADDED = 2048


def most_contents(tokens: int) -> int:
    """Bound the contents that are read for a file of ``tokens`` tokens."""
    return MOST_CONTENTS * max(1, -(-tokens // STRETCH))


def most_doubtful(added: int) -> int:
    """Bound those of them that may be there by chance, if ``added`` tokens are new."""
    return MOST_DOUBTFUL * max(1, -(-added // ADDED))


def most_telling(shared: SharedContents, file: FileHits, k: int) -> tuple[SharedContents, int]:
    """Choose the contents that are read, and count the significant ones that are not."""
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
    """Return which contents are hardly there by chance, and the numbers of all, those that say most first."""
    if native := kernel():
        numbers = {content: number for number, content in enumerate(shared.contents.tolist())}
        phrases = [(numbers[content], shared.phrases[content]) for content in numbers if content in shared.phrases]
        significant, ranked = native.told_contents(file, shared, phrases, k, kernel_numbers())
        return significant, ranked
    from winnow_ci.matching.telling import is_significant, ranked_contents  # noqa: PLC0415 - not with the kernel

    return is_significant(shared, file, k), ranked_contents(shared, file, k)
