"""Find code of a change that the repository had before: it is not new, wherever it stands now.

docs/matching.md (*Code that was there before*) has the rules.

1. Where to look: first in the files that the change replaces or deletes, then in the files of the base that hold one of
   the most distinctive lines of a match (one ``git grep`` for all).
2. What was there: code was not there where it was only quoted, since nobody looked. And it is still there: the branch
   that the change is for has not dropped it (``ChangeSet.target``), else an early branch could bring anything back.
3. The scan matches the file again and no longer counts these tokens as added. So every threshold holds for what is new.
"""

from __future__ import annotations

from collections import Counter
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from winnow_ci import git
from winnow_ci.arrays import covered, distinct, nearest, ranges, true_runs
from winnow_ci.fingerprint import all_kgrams
from winnow_ci.languages import DATA, Untokenizable, endings, front_ends_of, is_archive_name, normalise
from winnow_ci.model import Change, LineRange, Parameters, Skipped, Tokens
from winnow_ci.scanner.files import Match, PreparedFile, quoted_tokens, ranges_of
from winnow_ci.scanner.read import earlier_readings, language_in_scope, skip_by_path

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from typing import TypeAlias

    from numpy.typing import NDArray

    from winnow_ci.config.settings import Settings
    from winnow_ci.model.changes import ChangedFile, ChangeSet, EarlierFile

    Matches: TypeAlias = Sequence[Sequence[Match]]
    # Tokens of a file of the base, and whether they are those of code that it quotes.
    _Reading: TypeAlias = tuple[Tokens, bool]
    _Earlier: TypeAlias = Callable[[Sequence[PreparedFile], Sequence[bytes]], Iterable[EarlierFile]]
    Look: TypeAlias = Callable[[Sequence[PreparedFile], Matches], list[PreparedFile]]

# An index may have k-grams so short that any two files share some, so its parameters do not serve here.
RUNS = Parameters(k=16, w=12)
# How much of the base is read for one batch, and how much of that is tokenised, in bytes.
MOST_READ = 64 << 20
TOKENISED = 8 << 20
# Lines per search: git takes half as long again for 64 of them.
SEARCHED_LINES = 64
_LEAST_BLOCK = 4
_SHORTEST_LINE = 10
# Formatters break longer lines, so a longer line is no better.
_LONG_LINE = 40
# A search takes as long as reading a whole commit: seconds for 100,000 files.
GREPS = 2
BASES = 4


def still_there(repository: git.Repository, changes: ChangeSet) -> list[ChangedFile]:
    """Mark the files that the branch the change is for has dropped since the base as new as a whole."""
    tip = _tip(changes)
    had = {file.was or file.path for file in changes.files if file.old} if tip else set()
    gone = git.absent(repository, changes.scope._replace(mode="range", head=tip), had) if had else set()
    return [file._replace(old=None) if (file.was or file.path) in gone else file for file in changes.files]


def _tip(changes: ChangeSet) -> str | None:
    """The tip of the branch that a change is for, if it is none of the bases."""
    return None if changes.target in changes.bases else changes.target


class MovedCode:
    """Finds the code of a change that its bases had already."""

    def __init__(self, repository: git.Repository, changes: ChangeSet, settings: Settings) -> None:
        self._repository = repository
        self._changes = changes
        self._settings = settings

    def looks(self) -> tuple[Look, ...]:
        """Return the searches for the code of one batch, in order.

        Each returns the files with fewer tokens added; a file without earlier code stays the same object.
        """
        if not self._changes.bases:
            return ()
        in_replaced = partial(self._without, earlier=lambda _files, _lines: self._changes.replaced)
        return (in_replaced, *[partial(self._in_holding, asked=set())] * GREPS)

    def _in_holding(
        self, files: Sequence[PreparedFile], matches: Matches, asked: set[tuple[int, int]]
    ) -> list[PreparedFile]:
        """Search the files of the base that hold a line of a match, unless an earlier search covered these lines."""
        lines = {(file, number) for file, of_file in enumerate(matches) for number in _added_numbers(of_file)}
        if lines == asked or (len(asked) <= SEARCHED_LINES * _LEAST_BLOCK and lines <= asked):
            return list(files)
        asked.update(lines)
        return self._without(files, matches, partial(self._holding, self._changes.bases[:BASES]))

    def _without(self, files: Sequence[PreparedFile], matches: Matches, earlier: _Earlier) -> list[PreparedFile]:
        """The files; of those that match something, fewer tokens count as added."""
        suspects = [number for number, of_file in enumerate(matches) if of_file]
        left = list(files)
        if suspects:
            own = [files[number] for number in suspects]
            lines = _telling_lines(own, [matches[number] for number in suspects])
            known = known_in(own, self._tokens(earlier(own, lines), lines, own))
            if (tip := _tip(self._changes)) and any(tokens.any() for tokens in known):
                there = known_in(own, self._tokens(self._holding([tip], own, lines), lines, own))
                known = [tokens & still for tokens, still in zip(known, there, strict=True)]
            for number, file, tokens in zip(suspects, own, known, strict=True):
                left[number] = _without_tokens(file, tokens)
        return left

    def _holding(
        self, commits: Sequence[str], files: Sequence[PreparedFile], lines: Sequence[bytes]
    ) -> Iterator[EarlierFile]:
        """The files of some commits that hold one of the lines, and may hold code of these files."""
        names = sorted({_ending(file.path) for file in files}.union(*(endings(file.front_end) for file in files)))
        for commit in commits if lines else ():
            yield from git.files_with_lines(self._repository, commit, lines, names, _import_next_steps)

    def _tokens(
        self, earlier: Iterable[EarlierFile], lines: Sequence[bytes], files: Sequence[PreparedFile]
    ) -> Iterator[_Reading]:
        """Tokens of earlier files, up to a limit; files that hold many of the lines, or rare ones, come first."""
        alphabets = frozenset[str]().union(*(file.front_end.alphabets for file in files))
        quoted = alphabets if any(file.in_text for file in files) else frozenset[str]()
        alphabets = alphabets.union(*(self._alphabets(file.path) for file in files if file.in_text))
        names = {_name(file.path) for file in files}
        wanted = [file for file in earlier if self._may_hold(file.path, alphabets)]
        wanted.sort(key=lambda file: _name(file.path) not in names)
        allowed = TOKENISED
        for path, content in _by_lines(list(self._loaded(wanted)), lines):
            allowed -= len(content)
            language = language_in_scope(Change(path, content, ()), self._settings)
            if allowed < 0 or isinstance(language, Skipped):
                continue
            try:
                for reading in earlier_readings(language, content, alphabets):
                    yield reading.tokens, False
                    for tokens in quoted_tokens(language, content, reading.tokens, quoted) if quoted else ():
                        yield tokens, True
            except Untokenizable:
                continue

    def _loaded(self, files: Sequence[EarlierFile]) -> Iterator[tuple[str, bytes]]:
        """Path and content of earlier files, and of the members of archives among them."""
        for path, content in git.load_files(self._repository, files, MOST_READ):
            if is_archive_name(path):
                from winnow_ci.scanner.archives import texts_in  # noqa: PLC0415 - few changes have an archive

                members = texts_in(path, content, MOST_READ)
                yield from (member for member in members if not skip_by_path(member[0], self._settings))
            else:
                yield path, content

    def _may_hold(self, path: str, alphabets: frozenset[str]) -> bool:
        """Whether a file may hold code in some alphabets, judged by its path."""
        is_read = is_archive_name(path) and not skip_by_path(path, self._settings)
        return is_read or bool(self._alphabets(path) & alphabets)

    def _alphabets(self, path: str) -> frozenset[str]:
        """The alphabets of a file that a scan would read, judged by its path."""
        if skip_by_path(path, self._settings):
            return frozenset()
        language = language_in_scope(Change(path, b"", ()), self._settings)
        # Whether a file is data is known only once it has been read.
        front_ends = front_ends_of(DATA if isinstance(language, Skipped) else language)
        return frozenset[str]().union(*(front_end.alphabets for front_end in front_ends))


def _import_next_steps() -> None:
    """Import what will be needed, unless all that matches turns out to have been there."""
    from winnow_ci.scanner import attribute, group, show  # noqa: F401, PLC0415 - a hook's user waits for git here


def _added_numbers(matches: Iterable[Match]) -> set[int]:
    return {number for match in matches for first, last in match.added for number in range(first, last + 1)}


def _name(path: str) -> str:
    return path.rpartition("/")[2]


def _ending(path: str) -> str:
    """The extension of a file's name with its dot, or the whole name if it has none."""
    stem, dot, ending = _name(path).rpartition(".")
    return dot + ending if stem else _name(path)


def _by_lines(contents: list[tuple[str, bytes]], lines: Sequence[bytes]) -> list[tuple[str, bytes]]:
    """Those first that hold many of the lines, or rare ones, unless there is room for all."""
    if sum(len(content) for _, content in contents) <= TOKENISED:
        return contents
    held = [[line for line in lines if line in content] for _, content in contents]
    files = Counter(line for of_file in held for line in of_file)
    worth = [sum(1 / files[line] for line in of_file) for of_file in held]
    return [contents[number] for number in sorted(range(len(contents)), key=lambda number: -worth[number])]


def _telling_lines(files: Sequence[PreparedFile], found: Matches) -> list[bytes]:
    """Long lines from all parts of the matches, stripped of white space."""
    texts: list[bytes] = []
    for file, matches in zip(files, found, strict=True):
        lines = normalise(file.content).split(b"\n")
        texts += (lines[number - 1].strip() for number in sorted(_added_numbers(matches)) if number <= len(lines))
    size = max(_LEAST_BLOCK, -(-len(texts) // SEARCHED_LINES))
    best = (
        max(texts[start : start + size], key=lambda text: min(len(text), _LONG_LINE))
        for start in range(0, len(texts), size)
    )
    return [line for line in dict.fromkeys(best) if len(line) >= _SHORTEST_LINE and b"\r" not in line]


def known_in(files: Sequence[PreparedFile], earlier: Iterable[_Reading]) -> list[NDArray[np.bool_]]:
    """Mark the tokens that one of the earlier files has: bool, one a token, for each file."""
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
    """Mark the tokens that were there before, given which k-grams were (bool, one a k-gram).

    They are those in stretches of known k-grams less than k tokens apart, if a stretch holds t such tokens in a row.
    """
    starts, ends = true_runs(kgrams)
    if not len(starts):
        return np.zeros(len(kgrams) + RUNS.k - 1, np.bool_)
    ends = ends + RUNS.k - 1
    firsts = np.flatnonzero(np.append(True, starts[1:] - ends[:-1] >= RUNS.k))
    lasts = np.append(firsts[1:], len(starts)) - 1
    is_long = np.maximum.reduceat(ends - starts, firsts) >= RUNS.guarantee
    return covered(starts[firsts[is_long]], ends[lasts[is_long]], len(kgrams) + RUNS.k - 1)


def _without_tokens(file: PreparedFile, known: NDArray[np.bool_]) -> PreparedFile:
    """A file in which known tokens no longer count as added; the same object if none did."""
    lost = without_slides(file.added, file.added & known)
    if not lost.any():
        return file
    return file._replace(added=file.added & ~lost, added_lines=_without_lines(file, lost))


def without_slides(added: NDArray[np.bool_], lost: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Unmark known tokens that are only beside what stayed.

    New code often ends as the code before it does, with ``); }``, and nobody can know which of the two ends is new. So
    a run of fewer than k ``lost`` tokens, which the base had, stays added if it lies between a token that was not
    added, or an edge of the file, and an added one that is new.
    """
    starts, ends = true_runs(lost)
    new = np.concatenate([[False], added & ~lost, [False]])
    beside = (new[starts] != new[ends + 1]) & (ends - starts < RUNS.k)
    return lost & ~covered(starts[beside], ends[beside], len(lost))


def _without_lines(file: PreparedFile, lost: NDArray[np.bool_]) -> tuple[LineRange, ...]:
    """The added lines, except lines that lost all their tokens and empty lines next to a lost token."""
    first, last = np.array(file.added_lines, np.int64).reshape(-1, 2).T
    numbers = ranges(first, last - first + 1)
    start = np.searchsorted(file.tokens.last_lines, numbers)
    end = np.searchsorted(file.tokens.first_lines, numbers, "right")
    sums = np.append(0, np.cumsum(lost))
    beside = sums[np.minimum(end + 1, len(lost))] - sums[np.maximum(start - 1, 0)]
    return ranges_of(numbers[np.where(start < end, sums[end] - sums[start] < end - start, beside == 0)])
