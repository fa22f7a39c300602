"""Several indexes as one: what is boilerplate in one of them is no evidence of a copy from another."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

from winnow_ci.errors import IndexFileError
from winnow_ci.scanner.lookup import Boilerplate

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from winnow_ci.index import IndexReader
    from winnow_ci.model import Tokens
    from winnow_ci.scanner.attribution import Match
    from winnow_ci.scanner.lookup import LookedUp, Matchable, Search
    from winnow_ci.scanner.preparation import PreparedFile


class _File(NamedTuple):
    """A file in each index; its tokens are kept since it is known by their identity."""

    tokens: Tokens
    found: tuple[Matchable, ...]


class Searches:
    """Looks changed files up in indexes.

    Args:
        searches: one an index.
    """

    def __init__(self, searches: Sequence[Search]) -> None:
        self._searches = searches
        # A file that had some of its code before is matched again, with less of it added.
        self._files: dict[int, _File] = {}

    def matches(self, batch: Sequence[PreparedFile]) -> list[list[Match]]:
        """The matches of each file in all indexes.

        Raises:
            IndexFileError: an index is damaged, or cannot be compared with the files.
        """
        if not all(id(file.tokens) in self._files for file in batch):
            looked_up = zip(*(search.look_up(batch) for search in self._searches), strict=True)
            files = (self._matchable(file, found) for file, found in zip(batch, looked_up, strict=True))
            self._files = {id(file.tokens): file for file in files}
        return [list(chain(*self._matches(file))) for file in batch]

    def _matches(self, file: PreparedFile) -> list[list[Match]]:
        found = self._files[id(file.tokens)].found
        return [search.matches(file, own) for search, own in zip(self._searches, found, strict=True)]

    def _matchable(self, file: PreparedFile, found: Sequence[LookedUp]) -> _File:
        """A file without what is boilerplate in any index; k-grams only as far as indexes have them of one length."""
        kgrams: dict[int, NDArray[np.bool_]] = {}
        phrases = found[0].boilerplate.phrases
        for search, own in zip(self._searches, found, strict=True):
            k = search.parameters.k
            kgrams[k] = kgrams[k] | own.boilerplate.kgrams if k in kgrams else own.boilerplate.kgrams
            phrases = phrases | own.boilerplate.phrases
        pairs = zip(self._searches, found, strict=True)
        common = {k: Boilerplate(own, phrases) for k, own in kgrams.items()}
        return _File(
            file.tokens, tuple(search.matchable(file, own, common[search.parameters.k]) for search, own in pairs)
        )


def check_known(indexes: Sequence[IndexReader]) -> None:
    """Refuse indexes in which there is nothing to find: no copy would ever be found in them.

    Raises:
        IndexFileError: all that they hold is boilerplate.
    """
    if indexes and all(index.boilerplate == index.contents for index in indexes):
        problem = f"there is nothing but boilerplate in {', '.join(str(index.path) for index in indexes)}"
        raise IndexFileError(problem, "build a source into it that copies may come from: winnow-ci index build")
