"""Choose the known contents to read for a file, and turn seeds into regions, the stretches that resemble one of them.

The larger an index, the more contents have a few k-grams of a file by chance. So contents are ranked by what their hits
say, and only those with the most telling hits are read, up to a bound. The kernel does all that if there is one,
otherwise Python does (``telling`` and ``copies``, which say how).
"""

from __future__ import annotations

from itertools import chain, islice
from math import inf
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import numpy as np

from winnow_ci.matching.constants import kernel_numbers
from winnow_ci.matching.hits import Seeds
from winnow_ci.model.regions import Evidence, Region, Signs, Stretch
from winnow_ci.native import kernel

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

    from winnow_ci.matching.constants import Thresholds
    from winnow_ci.matching.hits import FileHits, SharedContents
    from winnow_ci.model import Parameters, TokenMap

# The most contents to read for each stretch of tokens. In an index of 13 million fingerprints, 143 of 144 contents of
# findings are among them; whole files have hits in 114 contents on average, and in 1,615 at most.
MOST_CONTENTS = 64
STRETCH = 16_384
# Contents with hits that may be there by chance: those that are read for each stretch of added tokens. Among 12.5
# million fingerprints, the sources of 498 of 498 copies are among them or beyond doubt; of four, those of 495.
MOST_DOUBTFUL = 6
ADDED = 2048
# Contents held in memory at a time.
TOGETHER = 64
# Tokens or lines of a block in which overlaps are sought.
BLOCK = 256

Value = TypeVar("Value")


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


def find_regions(
    file: FileHits,
    shared: SharedContents,
    token_map: Callable[[int], TokenMap],
    parameters: Parameters,
    thresholds: Thresholds,
) -> list[Region]:
    """Find what a changed file has in common with known contents, whose tokens ``token_map`` gives.

    Regions are in no particular order; those of one content hardly overlap.
    """
    if native := kernel():
        found: list[Region] = []
        contents, numbers = shared.each(), kernel_numbers()
        while some := list(islice(contents, TOGETHER)):
            maps = [token_map(content) for content, _, _ in some]
            found += map(_region, native.find_regions(file, parameters, thresholds, numbers, some, maps))
        return found
    # A commit hook that has the kernel need not wait for the import of all that does the same in Python.
    from winnow_ci.matching import copies, judge  # noqa: PLC0415

    return copies.regions_of(judge.Judge(file, parameters, thresholds), shared, token_map)


def whole_file(file: FileHits, content: int, parameters: Parameters, thresholds: Thresholds) -> Region:
    """Make the region of a file that is identical to a content, token for token."""
    seeds = _seeds_in_place(file, content)
    if native := kernel():
        region = _region(native.whole_file(file, parameters, thresholds, kernel_numbers(), content, seeds))
    else:
        from winnow_ci.matching import copies, judge  # noqa: PLC0415 - as above

        region = copies.whole_file_of(judge.Judge(file, parameters, thresholds), content, seeds)
    return region._replace(identical=True)


def _region(fields: tuple[Any, ...]) -> Region:
    """Make a region of what the kernel says of it."""
    place, counts, kind, starts, bits, evidence, same, is_run, signs = fields
    stretches = tuple(map(Stretch._make, starts))
    return Region._make(
        (*place, *counts, kind, stretches, bits, False, Evidence(*evidence), same, is_run, Signs(*signs), -inf)
    )


def _seeds_in_place(file: FileHits, content: int) -> Seeds:
    """Return the hits of the content that stand where they stand in the file."""
    hits = file.hits
    positions = hits.queries[(hits.contents == content) & (hits.positions == hits.queries)]
    verbatim = np.ones(len(positions), np.bool_)
    informative, telling = file.kgrams.informative[positions], file.telling[positions]
    return Seeds(positions, np.zeros(len(positions), np.int64), informative, telling, verbatim)


class Overlaps(Generic[Value]):
    """Values, each on a half-open span of tokens or lines, found by what they overlap.

    A file may have thousands. So a value is noted in each block that its span touches, and a search looks at a few.
    """

    def __init__(self) -> None:
        self._values: list[tuple[int, int, Value]] = []
        self._blocks: dict[int, list[int]] = {}

    def add(self, start: int, end: int, value: Value) -> None:
        """Add a value on the span ``[start, end)``."""
        for block in _blocks(start, end):
            self._blocks.setdefault(block, []).append(len(self._values))
        self._values.append((start, end, value))

    def over(self, start: int, end: int) -> Iterator[Value]:
        """Find the values whose span overlaps another one, in the order in which they were added."""
        near = [self._blocks[block] for block in _blocks(start, end) if block in self._blocks]
        for number in near[0] if len(near) == 1 else sorted(set(chain.from_iterable(near))):
            other_start, other_end, value = self._values[number]
            if other_start < end and start < other_end:
                yield value


def _blocks(start: int, end: int) -> range:
    return range(start // BLOCK, -(-end // BLOCK))
