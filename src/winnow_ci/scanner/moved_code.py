"""Code that the repository had before is not new, wherever it stands now.

Git follows a file that moves. Code that moves between files, is split off, or is copied from a file that stays looks
new. So the scan looks in the base for whatever matches before it reports it; where nothing matches, nothing is done.

1. Where to look: first in the files that the change replaces or deletes, then in the files of the base that hold one of
   the most distinctive lines of a match (one ``git grep`` for all). Only files that a scan would read count: nobody has
   looked at code that moves here from an excluded path.
2. What was there: tokens are compared (``known_tokens``), so moved code may be reformatted. A stretch was there if the
   base has its text, apart from edits of less than k tokens, and an unbroken run of t tokens is in it. Runs of k to t
   tokens on their own are idioms of the language or of the project, and prove nothing.
   Quoted code was there as quoted code, too; but code was not there where it was quoted only, since nobody looked.
   And it is still there: the branch that the change is for has not dropped it since (``ChangeSet.target``), else a
   branch that begins early enough could bring anything back.
3. The scan matches the file again and no longer counts these tokens as added. So every threshold holds for what is new.
"""

from __future__ import annotations

from collections import Counter
from functools import partial
from typing import TYPE_CHECKING

from winnow_ci import git
from winnow_ci.languages import DATA, Untokenizable, endings, front_ends_of, is_archive, normalise
from winnow_ci.model import Change, Skipped
from winnow_ci.scanner.earlier_readings import earlier_readings
from winnow_ci.scanner.known_tokens import EarlierTokens, known_in, without_tokens
from winnow_ci.scanner.quotations import quoted_tokens
from winnow_ci.scanner.scope import language_in_scope, skip_by_path

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from typing import TypeAlias

    from winnow_ci.config.settings import Settings
    from winnow_ci.model.changes import ChangedFile, ChangeSet, EarlierFile
    from winnow_ci.scanner.values import Match, PreparedFile

    Matches: TypeAlias = Sequence[Sequence[Match]]
    _Earlier: TypeAlias = Callable[[Sequence[PreparedFile], Sequence[bytes]], Iterable[EarlierFile]]
    Look: TypeAlias = Callable[[Sequence[PreparedFile], Matches], list[PreparedFile]]

# How much of the base is read for one batch, and how much of that is tokenised, in bytes.
READ = 64 << 20
TOKENISED = 8 << 20
# Lines per search: git takes half as long again for 64 of them.
LINES = 64
LEAST_BLOCK = 4
SHORTEST_LINE = 10
LONG_LINE = 40
# A search takes as long as reading a whole commit: seconds for 100,000 files.
GREPS = 2
BASES = 4


def still_there(repository: git.Repository, changes: ChangeSet) -> list[ChangedFile]:
    """The changed files; those that the branch they are for has dropped since the base are new as a whole.

    Raises:
        GitError: git failed.
    """
    tip = _tip(changes)
    had = {file.was or file.path for file in changes.files if file.old} if tip else set()
    gone = git.absent(repository, changes.scope._replace(mode="range", head=tip), had) if had else set()
    return [file._replace(old=None) if (file.was or file.path) in gone else file for file in changes.files]


def _tip(changes: ChangeSet) -> str | None:
    """The tip of the branch that a change is for, if it is none of the bases."""
    return None if changes.target in changes.bases else changes.target


class MovedCode:
    """Finds the code of a change that its bases had already.

    Args:
        repository: where the change is.
        changes: the change.
        settings: what is in scope.
    """

    def __init__(self, repository: git.Repository, changes: ChangeSet, settings: Settings) -> None:
        self._repository = repository
        self._changes = changes
        self._settings = settings

    def looks(self) -> tuple[Look, ...]:
        """The places to search for the code of one batch, in order.

        Each search takes the files and their matches so far, and returns the files with fewer tokens added. It returns
        the same object for a file of which it found nothing.
        """
        if not self._changes.bases:
            return ()
        return (self._in_replaced, *[partial(self._in_holding, asked=set())] * GREPS)

    def _in_replaced(self, files: Sequence[PreparedFile], matches: Matches) -> list[PreparedFile]:
        """Search the files that the change replaces or deletes."""
        return self._without(files, matches, lambda _files, _lines: self._changes.replaced)

    def _in_holding(
        self, files: Sequence[PreparedFile], matches: Matches, asked: set[tuple[int, int]]
    ) -> list[PreparedFile]:
        """Search the files of the base that hold a line of a match, unless an earlier search covered these lines."""
        lines = {(file, number) for file, of_file in enumerate(matches) for number in _numbers(of_file)}
        if lines == asked or (len(asked) <= LINES * LEAST_BLOCK and lines <= asked):
            return list(files)
        asked.update(lines)
        return self._without(files, matches, self._holding)

    def _without(self, files: Sequence[PreparedFile], matches: Matches, earlier: _Earlier) -> list[PreparedFile]:
        """The files; of those that match something, fewer tokens count as added."""
        suspects = [number for number, of_file in enumerate(matches) if of_file]
        left = list(files)
        if suspects:
            own = [files[number] for number in suspects]
            lines = _telling_lines(own, [matches[number] for number in suspects])
            known = known_in(own, self._tokens(earlier(own, lines), lines, own))
            if _tip(self._changes) and any(tokens.any() for tokens in known):
                there = known_in(own, self._tokens(self._at_tip(own, lines), lines, own))
                known = [tokens & still for tokens, still in zip(known, there, strict=True)]
            for number, file, tokens in zip(suspects, own, known, strict=True):
                left[number] = without_tokens(file, tokens)
        return left

    def _at_tip(self, files: Sequence[PreparedFile], lines: Sequence[bytes]) -> Iterator[EarlierFile]:
        """The files of the tip that hold one of the lines."""
        tip = _tip(self._changes)
        if tip and lines:
            yield from git.files_with_lines(self._repository, tip, lines, self._names(files))

    def _holding(self, files: Sequence[PreparedFile], lines: Sequence[bytes]) -> Iterator[EarlierFile]:
        for base in self._changes.bases[:BASES] if lines else ():
            yield from git.files_with_lines(self._repository, base, lines, self._names(files), _import_what_groups)

    def _names(self, files: Sequence[PreparedFile]) -> list[str]:
        """The endings of files that may hold code of these files."""
        return sorted({_ending(file.path) for file in files}.union(*(endings(file.front_end) for file in files)))

    def _tokens(
        self, earlier: Iterable[EarlierFile], lines: Sequence[bytes], files: Sequence[PreparedFile]
    ) -> Iterator[EarlierTokens]:
        """Tokens of earlier files, up to a limit; files that hold many of the lines, or rare ones, come first."""
        alphabets = frozenset[str]().union(*(file.front_end.alphabets for file in files))
        quoted = alphabets if any(file.in_text for file in files) else frozenset[str]()
        own = frozenset[str]().union(*(self._alphabets(file.path) for file in files if file.in_text))
        names = {_name(file.path) for file in files}
        wanted = [file for file in earlier if self._may_hold(file.path, alphabets | own)]
        wanted.sort(key=lambda file: _name(file.path) not in names)
        allowed = TOKENISED
        for path, content in _by_lines(list(self._loaded(wanted)), lines):
            allowed -= len(content)
            language = language_in_scope(Change(path, content, ()), self._settings)
            if allowed < 0 or isinstance(language, Skipped):
                continue
            try:
                for reading in earlier_readings(language, content, alphabets | own):
                    yield EarlierTokens(reading.tokens, in_text=False)
                    for tokens in quoted_tokens(language, content, reading.tokens, quoted) if quoted else ():
                        yield EarlierTokens(tokens, in_text=True)
            except Untokenizable:
                continue

    def _loaded(self, files: Sequence[EarlierFile]) -> Iterator[tuple[str, bytes]]:
        """Path and content of earlier files, and of the members of archives among them."""
        for path, content in git.load_files(self._repository, files, READ):
            if is_archive(path):
                from winnow_ci.scanner.archives import texts_in  # noqa: PLC0415 - few changes have an archive

                members = texts_in(path, content, READ)
                yield from (member for member in members if not skip_by_path(member[0], self._settings))
            else:
                yield path, content

    def _may_hold(self, path: str, alphabets: frozenset[str]) -> bool:
        """Whether a file may hold code in some alphabets, as far as its path tells."""
        is_read = is_archive(path) and not skip_by_path(path, self._settings)
        return is_read or bool(self._alphabets(path) & alphabets)

    def _alphabets(self, path: str) -> frozenset[str]:
        """The alphabets of a file that a scan would read, as far as its path tells its language."""
        if skip_by_path(path, self._settings):
            return frozenset()
        language = language_in_scope(Change(path, b"", ()), self._settings)
        # Whether a file is data is known only once it has been read.
        front_ends = front_ends_of(DATA if isinstance(language, Skipped) else language)
        return frozenset[str]().union(*(front_end.alphabets for front_end in front_ends))


def _import_what_groups() -> None:
    """Import what will be needed, unless all that matches turns out to have been there."""
    from winnow_ci.scanner import grouping, source_excerpts  # noqa: F401, PLC0415 - a hook's user waits for git here


def _numbers(matches: Iterable[Match]) -> set[int]:
    """The numbers of the added lines in matches."""
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
    order = sorted(range(len(contents)), key=lambda number: -worth[number])
    return [contents[number] for number in order]


def _telling_lines(files: Sequence[PreparedFile], found: Matches) -> list[bytes]:
    """Long lines from all parts of the matches, stripped of white space."""
    texts = [
        text.strip()
        for file, matches in zip(files, found, strict=True)
        for text in _lines_at(normalise(file.content).split(b"\n"), _numbers(matches))
    ]
    size = max(LEAST_BLOCK, -(-len(texts) // LINES))
    # Formatters break very long lines, so beyond some length a longer line is no better.
    best = (
        max(texts[start : start + size], key=lambda text: min(len(text), LONG_LINE))
        for start in range(0, len(texts), size)
    )
    return [line for line in dict.fromkeys(best) if len(line) >= SHORTEST_LINE and b"\r" not in line]


def _lines_at(text: Sequence[bytes], numbers: Iterable[int]) -> Iterator[bytes]:
    return (text[number - 1] for number in sorted(numbers) if number <= len(text))
