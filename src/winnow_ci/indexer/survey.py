"""Find the code in an index that most sources share: candidates for boilerplate."""

from __future__ import annotations

from typing import TYPE_CHECKING

from winnow_ci.index import most_shared, owners_of
from winnow_ci.model import LineRange
from winnow_ci.named_tuples import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable

    from winnow_ci.index import SharedKgram, WholeIndex
    from winnow_ci.model import SourceFile


class SharedPassage(NamedTuple):
    """A k-gram that several contents have, and one place of it.

    Attributes:
        sources: how many sources have it.
        contents: how many contents have it.
        file, lines: where it stands in the form that most places have.
    """

    sources: int
    contents: int
    file: SourceFile
    lines: LineRange


class IndexSurvey(NamedTuple):
    """What is shared in an index.

    Attributes:
        shared_contents: contents that more than one source has.
        candidates: what most sources have.
    """

    shared_contents: int
    candidates: tuple[SharedPassage, ...]


def survey(index: WholeIndex, most: int, progress: Callable[[int, int], None]) -> IndexSurvey:
    """Look through all of an index for at most so many widely shared passages; progress is counted in blocks.

    Raises:
        IndexFileError: the index is damaged.
    """
    known = owners_of(index)
    kgrams = most_shared(index, known, most, progress)
    return IndexSurvey(int((known.counts > 1).sum()), tuple(_candidate(index, kgram) for kgram in kgrams))


def _candidate(index: WholeIndex, kgram: SharedKgram) -> SharedPassage:
    tokens, last = index.token_map(kgram.content), kgram.position + index.parameters.k - 1
    files = index.files(kgram.content)
    if last >= len(tokens.sketch) or not files:
        raise index.damaged("a block holds postings that cannot be")
    lines = LineRange(int(tokens.first_lines[kgram.position]), int(tokens.last_lines[last]))
    return SharedPassage(kgram.sources, kgram.contents, files[0], lines)
