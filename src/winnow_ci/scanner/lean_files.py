"""Changed files without the statements that have no effect (``languages.idle_statements``).

Who hides a copy may put such statements between its lines, and each cuts the runs of tokens that it has in common with
its source. So a file that has some on added lines is looked up a second time without them, as a *lean file*, near
where they were. What is found there is a match of the whole file: its regions get the numbers that their tokens have in
the file, so that all further steps see no difference. What the file is found to have besides is not lost, as the file
itself is looked up as ever.
"""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING

import numpy as np

from winnow_ci import matching
from winnow_ci.languages import idle_statements
from winnow_ci.model import Tokens
from winnow_ci.scanner.values import FileMatches, LeanTokens, PreparedFile

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from winnow_ci.model import Phrases
    from winnow_ci.model.regions import Region
    from winnow_ci.scanner.values import Match, ReadFile

# Tokens from a place where a statement was left out to those that are looked up without it, at most.
NEAR = 200
# A change of fewer tokens is hardly a copy with statements between its lines, and need not be searched for them.
FEWEST = 48


def with_lean_tokens(files: Iterable[ReadFile]) -> Iterator[ReadFile]:
    """Files, those with statements that have no effect on added lines with what is left without them."""
    for file in files:
        yield file._replace(lean=_lean_tokens(file)) if isinstance(file, PreparedFile) else file


def parts_of(file: PreparedFile) -> tuple[PreparedFile, ...]:
    """A file and, if it has one, its lean file."""
    if file.lean is None:
        return (file,)
    tokens, numbers, near = file.lean
    added = file.added[numbers] & near
    return file, file._replace(tokens=tokens, added=added, lean=None, is_lean=True)


def of_whole_file(
    file: PreparedFile, found: Sequence[FileMatches], match: Callable[[PreparedFile, Match, Region], Match]
) -> FileMatches:
    """The matches of a file, given those of its parts.

    Args:
        file: the file.
        found: what each of ``parts_of`` the file has.
        match: makes a match of a file like another one, of another region.
    """
    own, *of_lean = found
    if file.lean is None or not of_lean:
        return own
    numbers, theirs = file.lean.numbers, chain(*(part.matches for part in of_lean))
    more = [match(file, one, matching.renumbered(one.region, numbers)) for one in theirs]
    return FileMatches([*own.matches, *more], max(part.uncompared for part in found))


def _lean_tokens(file: PreparedFile) -> LeanTokens | None:
    if file.added.sum() < FEWEST:
        return None
    kept = ~(idle_statements(file.tokens, file.front_end.name) & file.added)
    if kept.all():
        return None
    numbers = np.flatnonzero(kept)
    near = _near(np.searchsorted(numbers, np.flatnonzero(~kept)), len(numbers))
    return LeanTokens(_without(file.tokens, kept), numbers, near)


def _without(tokens: Tokens, kept: NDArray[np.bool_]) -> Tokens:
    part = tokens.part(kept)
    phrases = None if tokens.phrases is None else _moved(tokens.phrases, kept)
    return Tokens(part.structural, part.verbatim, part.first_lines, part.last_lines, part.sketch, phrases)


def _moved(phrases: Phrases, kept: NDArray[np.bool_]) -> Phrases:
    """The phrases that stand in or before a token that is kept, at its new place."""
    new = np.concatenate([[0], np.cumsum(kept)]).astype(np.int32)
    stays = phrases.part(np.append(kept, True)[phrases.positions])
    return type(phrases)(stays.hashes, stays.words, stays.names, new[stays.positions], stays.lines)


def _near(gaps: NDArray[np.int64], count: int) -> NDArray[np.bool_]:
    """Which of ``count`` tokens stand near one of some places between them: bool, one a token."""
    change = np.zeros(count + 1, np.int64)
    np.add.at(change, np.maximum(gaps - NEAR, 0), 1)
    np.add.at(change, np.minimum(gaps + NEAR, count), -1)
    return np.asarray(change[:-1].cumsum() > 0, np.bool_)
