"""Code that the repository had before is not new, wherever it stands now.

A file that moves is followed by git. What moves between files, is split off or copied from a file that stays as it is
looks new, so whatever matches is looked for in the base before it is reported: nothing is done where nothing matches.

1. Where to look: first in what the change replaces or deletes, then in the files of the base that hold one of the most
   telling lines of a match (one ``git grep`` for all). Only files that a scan would look at count: code that moves here
   from an excluded path has never been looked at.
2. What was there: tokens are compared, so that moved code may be formatted anew. A stretch was there if the base has
   its text, but for edits of less than k tokens, with an unbroken run of t tokens in it; runs between k and t tokens
   alone are phrases of the language or of the house, and prove nothing.
3. The file is matched again with these tokens not counted as added. So every threshold holds for what is new.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from winnow_ci import git
from winnow_ci.languages import Untokenizable, endings, front_ends_of, normalise, readings
from winnow_ci.model import Change, Skipped
from winnow_ci.scanner.attribution import findings
from winnow_ci.scanner.moved import without_known
from winnow_ci.scanner.scope import language_in_scope, skip_by_path

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from winnow_ci.config import Settings
    from winnow_ci.model import Tokens
    from winnow_ci.scanner.attribution import Match
    from winnow_ci.scanner.preparation import PreparedFile

# What is read of the base for one batch, and what of it is tokenised, in bytes.
READ = 64 << 20
TOKENISED = 8 << 20
# Lines to look for at a time: git's time grows with them, by half for 64.
LINES = 64
LEAST_BLOCK = 4
SHORTEST_LINE = 10
LONG_LINE = 40
# Each one takes as long as reading all of a commit: seconds for 100,000 files.
GREPS = 2
BASES = 4


class _Looked(NamedTuple):
    """Files of a batch, each with its matches."""

    files: Sequence[PreparedFile]
    found: Sequence[list[Match]]

    def suspects(self) -> list[int]:
        return [number for number, matches in enumerate(self.found) if matches]


class Existing:
    """Tells what of a change its bases had already.

    Args:
        repository: where the change is.
        changes: the change.
        settings: what is in scope.

    Attributes:
        count: findings that are none, so far.
    """

    def __init__(self, repository: git.Repository, changes: git.ChangeSet, settings: Settings) -> None:
        self.count = 0
        self._repository = repository
        self._changes = changes
        self._settings = settings

    def new_matches(
        self, batch: Sequence[PreparedFile], search: Callable[[Sequence[PreparedFile]], list[list[Match]]]
    ) -> list[list[Match]]:
        """The matches of each file, without code that was there before.

        Args:
            batch: changed files.
            search: finds the matches of each file.

        Raises:
            GitError: git failed.
            IndexFileError: as ``search`` does.
        """
        first = looked = _Looked(batch, search(batch))
        if self._changes.bases and looked.suspects():
            looked = self._without(looked, search, self._replaced)
            for _ in range(GREPS):
                before, looked = looked, self._without(looked, search, self._holding)
                if looked is before or _were_asked(before, looked):
                    break
            self.count += max(0, len(findings(first.found)) - len(findings(looked.found)))
        return list(looked.found)

    def _without(
        self,
        looked: _Looked,
        search: Callable[[Sequence[PreparedFile]], list[list[Match]]],
        earlier: Callable[[Sequence[PreparedFile], Sequence[bytes]], Iterable[git.Earlier]],
    ) -> _Looked:
        """Match those files again that have something of these earlier ones; the very same if none has."""
        suspects = looked.suspects()
        if not suspects:
            return looked
        files = [looked.files[number] for number in suspects]
        lines = _telling_lines(files, [looked.found[number] for number in suspects])
        without = without_known(files, self._tokens(earlier(files, lines), lines, files))
        edited = {number: new for number, old, new in zip(suspects, files, without, strict=True) if new is not old}
        if not edited:
            return looked
        left = [number for number, file in edited.items() if file.added.any()]
        found = dict(zip(left, search([edited[number] for number in left]), strict=True)) if left else {}
        return _Looked(
            [edited.get(number, file) for number, file in enumerate(looked.files)],
            [found.get(number, []) if number in edited else old for number, old in enumerate(looked.found)],
        )

    def _replaced(self, _files: Sequence[PreparedFile], _lines: Sequence[bytes]) -> Iterable[git.Earlier]:
        return git.replaced(self._repository, self._changes)

    def _holding(self, files: Sequence[PreparedFile], lines: Sequence[bytes]) -> Iterator[git.Earlier]:
        names = {_ending(file.path) for file in files}.union(*(endings(file.front_end) for file in files))
        for base in self._changes.bases[:BASES] if lines else ():
            yield from git.holding(self._repository, base, lines, sorted(names))

    def _tokens(
        self, earlier: Iterable[git.Earlier], lines: Sequence[bytes], files: Sequence[PreparedFile]
    ) -> Iterator[Tokens]:
        """Tokens of earlier files, those first that hold many lines, and rare ones; no more than is allowed."""
        alphabets = frozenset[str]().union(*(file.front_end.alphabets for file in files))
        names = {_name(file.path) for file in files}
        wanted = [file for file in earlier if self._alphabets(file.path) & alphabets]
        wanted.sort(key=lambda file: _name(file.path) not in names)
        allowed = TOKENISED
        for path, content in _by_lines(list(git.load(self._repository, wanted, READ)), lines):
            allowed -= len(content)
            language = language_in_scope(Change(path, content, ()), self._settings)
            if allowed < 0 or isinstance(language, Skipped):
                continue
            try:
                yield from (reading.tokens for reading in readings(language, content, alphabets))
            except Untokenizable:
                continue

    def _alphabets(self, path: str) -> frozenset[str]:
        """Those of a file that a scan would look at; what only its content tells is not asked."""
        if skip_by_path(path, self._settings):
            return frozenset()
        language = language_in_scope(Change(path, b"", ()), self._settings)
        front_ends = () if isinstance(language, Skipped) else front_ends_of(language)
        return frozenset[str]().union(*(front_end.alphabets for front_end in front_ends))


def _were_asked(before: _Looked, looked: _Looked) -> bool:
    """Whether each line that matches was near one that has been looked for; others may have surfaced instead."""
    asked = _all_lines(before)
    return len(asked) <= LINES * LEAST_BLOCK and _all_lines(looked) <= asked


def _all_lines(looked: _Looked) -> set[tuple[int, int]]:
    return {(file, number) for file, matches in enumerate(looked.found) for number in _numbers(matches)}


def _numbers(matches: Iterable[Match]) -> set[int]:
    """The added lines of matches."""
    return {number for match in matches for first, last in match.added for number in range(first, last + 1)}


def _name(path: str) -> str:
    return path.rpartition("/")[2]


def _ending(path: str) -> str:
    """The ending of a file's name with its dot, or the whole name if it has none."""
    stem, dot, ending = _name(path).rpartition(".")
    return dot + ending if stem else _name(path)


def _by_lines(contents: list[tuple[str, bytes]], lines: Sequence[bytes]) -> list[tuple[str, bytes]]:
    held = [[line for line in lines if line in content] for _, content in contents]
    files = Counter(line for of_file in held for line in of_file)
    worth = [sum(1 / files[line] for line in of_file) for of_file in held]
    order = sorted(range(len(contents)), key=lambda number: -worth[number])
    return [contents[number] for number in order]


def _telling_lines(files: Sequence[PreparedFile], found: Sequence[list[Match]]) -> list[bytes]:
    """Long lines of the matches, without white space at their ends, from all over them."""
    texts = [
        text.strip()
        for file, matches in zip(files, found, strict=True)
        for text in _lines_at(normalise(file.content).split(b"\n"), _numbers(matches))
    ]
    size = max(LEAST_BLOCK, -(-len(texts) // LINES))
    # Formatters break lines that are very long, so length is not all.
    best = (
        max(texts[start : start + size], key=lambda text: min(len(text), LONG_LINE))
        for start in range(0, len(texts), size)
    )
    return [line for line in dict.fromkeys(best) if len(line) >= SHORTEST_LINE and b"\r" not in line]


def _lines_at(text: Sequence[bytes], numbers: Iterable[int]) -> Iterator[bytes]:
    return (text[number - 1] for number in sorted(numbers) if number <= len(text))
