"""Which k-grams of a changed file an index is asked for, and what follows for those that it is not asked for.

If both sides of a run of t tokens select the same k-gram in it, asking for what the change selects is enough: it is one
of the fingerprints that the index keeps. ``robust``, ``winnowing`` and ``mod-minimizer`` promise that, and what
``mod-p`` does not select is in no index that it made. So a sixth of the k-grams is looked up, and an informative run of
t tokens has a seed all the same. The selection is made over *all* k-grams of the file, as the index made it, and what
is no evidence is left out afterwards. All places of a selected hash are looked up, not only the selected one: among
equal hashes each side may have chosen another place, of which only one has the right text.

An index of ``anchored`` selection keeps every w-th k-gram and relies on being asked for all: one of the w k-grams of
such a run is in it, and the change cannot tell which. Nor can it with ``bounded`` and ``bottom-s``.

**Fewer** (Schleimer et al. 2003, section 3.2). Windows wider than the index's select a part of what is in it. Or the
fingerprints of a file are looked up from the smallest on: the first ``smallest`` are as good as a sample drawn at
random, and if the index has none of them, little of the file can be known. Only files of which it has one are looked up
in full, so what is found in them is what a full scan finds.

**Boilerplate.** An index has each k-gram of boilerplate, so that all that were asked for are known to be boilerplate or
not. Of those between two that were asked for, shorter than a run of t tokens could begin in, it is inferred: they are
boilerplate if both are. A run of w k-grams that are none holds one that was asked for, so none of the run is ever taken
for boilerplate.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from winnow_ci.arrays import among, distinct
from winnow_ci.errors import UsageError
from winnow_ci.named_tuples import NamedTuple
from winnow_ci.winnowing import select

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from winnow_ci.index import IndexReader
    from winnow_ci.matching import FileKgrams
    from winnow_ci.model import Parameters, Selection

# Selections of which both sides make the same choice in a run of t tokens, or none (``winnowing.schemes``).
SHARED: frozenset[Selection] = frozenset({"winnowing", "robust", "mod-minimizer", "mod-p"})


class Narrowing(NamedTuple):
    """How to look up less than an index asks for.

    Attributes:
        window: length of the windows of which one k-gram each is looked up; None for what the index asks for.
        smallest: how many fingerprints of a file are looked up before all others; None for all at once.
    """

    window: int | None = None
    smallest: int | None = None

    @property
    def is_any(self) -> bool:
        """Whether something may go unseen that a full scan sees."""
        return self != EVERYTHING

    def check(self, index: IndexReader) -> None:
        """Refuse an index that cannot answer.

        Raises:
            UsageError: the index need not have what would be looked up.
        """
        p = index.parameters
        if self.window is not None and p.selection not in {"winnowing", "robust"}:
            problem = f"{index.name} was made with {p.selection} selection, of which a wider window has no part"
            raise UsageError(problem, "leave out --window, or build the index with robust selection")
        if self.window is not None and self.window < p.w:
            problem = f"{index.name} was made with w = {p.w}, and lacks what a window of {self.window} would look up"
            raise UsageError(problem, f"give --window at least {p.w}, or leave it out to look up everything")
        if self.smallest is not None and p.selection not in SHARED:
            problem = f"{index.name} was made with {p.selection} selection, and need not have the smallest fingerprints"
            raise UsageError(problem, "leave out --smallest, or build the index with robust selection")


EVERYTHING = Narrowing()


def asked_kgrams(file: FileKgrams, parameters: Parameters, window: int | None, *, all_near: bool) -> NDArray[np.bool_]:
    """Which k-grams are looked up in an index: bool, one a k-gram.

    Args:
        file: the changed file.
        parameters: of the index.
        window: length of the windows of which one k-gram each is looked up; None for that of the index.
        all_near: whether those that say nothing are looked up too, as some may turn out to be boilerplate.
    """
    wanted, hashes = file.reachable if all_near else file.asked, file.kgrams.hashes
    if not wanted.any() or parameters.selection not in SHARED:
        return wanted
    chosen = select(hashes, window or parameters.w, parameters.selection, file.tokens.structural)
    return wanted & among(hashes, np.sort(hashes[chosen]))


def smallest_of(asked: NDArray[np.bool_], hashes: NDArray[np.uint64], count: int) -> NDArray[np.bool_]:
    """Which k-grams are looked up first: bool, one a k-gram; all places of the ``count`` smallest hashes asked for."""
    return asked & among(hashes, distinct(hashes[asked])[0][:count])


def known_boilerplate(found: NDArray[np.bool_], asked: NDArray[np.bool_], shortest: int) -> NDArray[np.bool_]:
    """Which k-grams are boilerplate, also of those that were not looked up: bool, one a k-gram.

    Args:
        found: bool, one a k-gram; which the index has as boilerplate.
        asked: bool, one a k-gram; which were looked up.
        shortest: the shortest w of the indexes that are asked; between k-grams that are further apart nothing is
            inferred.
    """
    if not found.any():
        return found
    at = np.flatnonzero(asked)
    inside = found[at[:-1]] & found[at[1:]] & (np.diff(at) <= shortest)
    change = np.zeros(len(found) + 1, np.int64)
    np.add.at(change, at[:-1][inside], 1)
    np.add.at(change, at[1:][inside], -1)
    return found | np.asarray(change.cumsum()[:-1] > 0, np.bool_)
