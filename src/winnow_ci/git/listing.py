"""What git lists, record by record as it comes, and within bounds.

A tree may stand many times in others: a few small trees can stand for 10^10 paths. Git walks all of them, keeps what it
finds in memory, and writes nothing until it has ended. So when a command takes long, the trees that it reads are
counted (``tree_size``), each once, and it is stopped if they are too large.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from winnow_ci.errors import GitError
from winnow_ci.git.plumbing import MOST_OUTPUT, SECONDS, exceeded, failure, not_understood
from winnow_ci.git.tree_size import DEEPEST, differs_in_more
from winnow_ci.processes import ProcessLimitError, ProcessLimits, ProcessResult

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator

    from winnow_ci.git.repository import Repository
    from winnow_ci.processes import ChildProcess

MOST_PATHS = 5_000_000
"""Paths of one list. The largest repository that anybody has told of, that of Windows, has 3.5 million files
(Harry 2017, "The largest Git repo on the planet"). Git takes some 400 bytes for each, and we as many again."""

UNSUSPICIOUS = 1.0
"""Seconds that a command may take before the trees that it reads are counted."""

LONGEST_RECORD = 1 << 20
"""No system has paths of that length, but the nested folders of a hostile tree may."""

# A change has one for what it is, and one for the path.
_RECORDS_A_PATH = 2
_OPEN_FOLDER = "could not open directory"


def nothing() -> None:
    """What there is to do meanwhile, if there is nothing."""


def listed(
    repository: Repository,
    *arguments: str,
    trees: tuple[str | None, str] | None = None,
    given: bytes = b"",
    meanwhile: Callable[[], None] = nothing,
) -> Generator[bytes]:
    """Yield what a git command lists, cut at each NUL.

    Args:
        repository: where to ask.
        arguments: the subcommand, with ``-z``, and its arguments.
        trees: ids of the trees (or their commits) that it compares; None in place of the first for no tree.
        given: its standard input.
        meanwhile: is called once git has started, before it is listened to.

    Raises:
        GitError: it failed, lists too much, takes too long, or its output ends within a record.
    """
    try:
        with repository.start(*arguments, given=given) as process:
            meanwhile()
            yield from _records(process, arguments[0], _Watch(repository, trees))
    except ProcessLimitError as error:
        raise exceeded(error) from error


class _Watch:
    """Counts what a command lists and, once it takes long, what it reads."""

    def __init__(self, repository: Repository, trees: tuple[str | None, str] | None) -> None:
        self._repository, self._trees = repository, trees
        self._records, self._began = 0, time.monotonic()

    def heard(self, records: int) -> None:
        """Take note of more records.

        Raises:
            GitError: there are too many.
        """
        self._records += records
        if self._records > _RECORDS_A_PATH * MOST_PATHS:
            raise _too_many()
        if self._trees and time.monotonic() - self._began > UNSUSPICIOUS:
            trees, self._trees = self._trees, None
            if differs_in_more(self._repository, *trees, MOST_PATHS):
                raise _too_many(trees)


def _records(process: ChildProcess, command: str, watch: _Watch) -> Iterator[bytes]:
    rest, errors = b"", b""
    for output, more_errors in process.listen(ProcessLimits(SECONDS, output=MOST_OUTPUT)):
        errors += more_errors
        *records, rest = (rest + output).split(b"\0")
        watch.heard(len(records))
        yield from records
        if len(rest) > LONGEST_RECORD:
            raise not_understood(rest)
    result = ProcessResult(process.wait(), b"", errors)
    # To git a folder that it may not read is only worth a warning, but the files would be missing without a trace.
    if result.status or _OPEN_FOLDER in result.complaint:
        raise failure(command, result)
    if rest:
        raise not_understood(rest)


def _too_many(trees: tuple[str | None, str] | None = None) -> GitError:
    old, new = trees or (None, None)
    where = f"{old[:12]} and {new[:12]} differ in" if old and new else f"{new[:12]} has" if new else "git lists"
    problem = f"{where} more than {MOST_PATHS:,} paths, or folders nested more than {DEEPEST:,} deep"
    shown = f": `git ls-tree {new[:12]}` shows where they begin" if new else ""
    return GitError(problem, f"a few small trees can stand for that many{shown}")
