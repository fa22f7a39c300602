"""Read git's lists record by record, within bounds.

A few small trees can stand for 10^10 paths, and git walks all of them before it writes anything. So when a command
takes long, the trees that it reads are counted, level by level, and it is stopped if they are too large. A pair of
trees that stands at many paths of a level is read once, so the time depends on what is stored.

Differences have git's raw format (``--raw -z``, gitdiff-core(7), "Raw output format"): ``:old-mode new-mode old-id
new-id status`` NUL path NUL, with a second path, the new one, if the status is R (renamed) or C (copied). Names are any
bytes but NUL and are never quoted. Anything else is an error: a misread entry would be a file that nobody looks at.
"""

from __future__ import annotations

import re
import time
from collections import Counter
from contextlib import closing
from typing import TYPE_CHECKING, TypeAlias

from winnow_ci.errors import GitError
from winnow_ci.git.objects import object_contents
from winnow_ci.git.plumbing import MOST_GIT_OUTPUT, SECONDS, command_failure, decoded, exceeded, not_understood
from winnow_ci.git.revisions import tree_of
from winnow_ci.named_tuples import NamedTuple
from winnow_ci.processes import ProcessLimitError, ProcessLimits, ProcessResult

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Iterator

    from winnow_ci.git.repository import Repository
    from winnow_ci.model.changes import FileKind
    from winnow_ci.processes import ChildProcess

    TreePair: TypeAlias = tuple[str | None, str | None]

# Paths of one list. The largest repository that we have read of, that of Windows, has 3.5 million files (Harry 2017,
# "The largest Git repo on the planet"). Git takes some 400 bytes for each, and we as many again.
MOST_PATHS = 5_000_000
UNSUSPICIOUS = 1.0  # seconds that a command may take before the trees that it reads are counted
LONGEST_RECORD = 1 << 20  # in bytes; no system has paths that long, but a hostile tree may
DEEPEST_TREE = 2048  # levels of folders; git itself refuses more from version 2.43 on (``core.maxTreeDepth``)

_OPEN_FOLDER = "could not open directory"
_FOLDER = b"40000"
_HEADER = re.compile(rb":(\d{6}) (\d{6}) ((?:[0-9a-f]{2}){20,32}) ((?:[0-9a-f]{2}){20,32}) ([ACDMRTU])\d*")
_KINDS: dict[bytes, FileKind] = {
    b"000000": "unmerged",
    b"100644": "file",
    b"100755": "file",
    b"120000": "symlink",
    b"160000": "submodule",
}


def list_records(
    repository: Repository,
    *arguments: str,
    trees: TreePair | None = None,
    given: bytes = b"",
    meanwhile: Callable[[], None] = lambda: None,
) -> Generator[bytes]:
    """Yield what a git command with ``-z`` lists, cut at each NUL.

    ``trees`` are those that it compares, or their commits; None in place of the first for no tree. ``given`` is its
    standard input, and ``meanwhile`` is called once it has started.
    """
    try:
        with repository.start(*arguments, given=given) as process:
            meanwhile()
            yield from _records(repository, process, arguments[0], trees)
    except ProcessLimitError as error:
        raise exceeded(error) from error


def _records(repository: Repository, process: ChildProcess, command: str, trees: TreePair | None) -> Iterator[bytes]:
    rest, errors, count, began = b"", b"", 0, time.monotonic()
    for output, more_errors in process.listen(ProcessLimits(SECONDS, output=MOST_GIT_OUTPUT)):
        errors += more_errors
        *records, rest = (rest + output).split(b"\0")
        count += len(records)
        # A change has one record for what it is, and one for the path.
        if count > 2 * MOST_PATHS:
            raise _too_many(None, None)
        if trees and time.monotonic() - began > UNSUSPICIOUS:
            if differs_in_more(repository, *trees, MOST_PATHS):
                raise _too_many(*trees)
            trees = None
        yield from records
        if len(rest) > LONGEST_RECORD:
            raise not_understood(rest)
    result = ProcessResult(process.wait(), b"", errors)
    # Git only warns about a folder that it may not read, but its files would be missing without a trace.
    if result.status or _OPEN_FOLDER in result.complaint:
        raise command_failure(command, result)
    if rest:
        raise not_understood(rest)


def _too_many(old: str | None, new: str | None) -> GitError:
    where = f"{old[:12]} and {new[:12]} differ in" if old and new else f"{new[:12]} has" if new else "git lists"
    problem = f"{where} more than {MOST_PATHS:,} paths, or folders nested more than {DEEPEST_TREE:,} deep"
    shown = f": `git ls-tree {new[:12]}` shows where they begin" if new else ""
    return GitError(problem, f"a few small trees can list that many{shown}")


class RawEntry(NamedTuple):
    """One path that differs."""

    path: str  # its name on the new side
    status: str  # A(dded), C(opied), D(eleted), M(odified), R(enamed), T(ype changed), U(nmerged)
    kind: FileKind  # of the new side; meaningless if deleted
    old: str | None  # id of the old content, if a file had it
    new: str | None  # id of the new content; None if git has not computed it (work tree)
    was: str | None = None  # the path that was renamed or copied


def list_differences(records: Iterable[bytes]) -> Iterator[RawEntry]:
    """Parse the raw format, cut at each NUL."""
    fields = iter(records)
    for header in fields:
        found = _HEADER.fullmatch(header)
        if found is None or found[2] not in _KINDS:
            raise not_understood(header)
        path = next(fields, b"")
        was = None
        if found[5] in b"RC":
            was, path = decoded(path), next(fields, b"")
        if not path:
            raise not_understood(header)
        old = _content_id(found[3]) if _KINDS.get(found[1]) == "file" else None
        # A conflict has a mode in the work tree, but in the index no one mode.
        kind = "unmerged" if found[5] == b"U" else _KINDS[found[2]]
        yield RawEntry(decoded(path), found[5].decode(), kind, old, _content_id(found[4]), was)


def _content_id(digits: bytes) -> str | None:
    return digits.decode() if digits.strip(b"0") else None


class _TreeItem(NamedTuple):
    mode: bytes
    id: str


def differs_in_more(repository: Repository, old: str | None, new: str | None, most: int) -> bool:
    """Return whether two trees differ in more than ``most`` paths or folders, or below ``DEEPEST_TREE``.

    They are given by their ids or those of commits; None is the empty tree.
    """
    first = (old and tree_of(repository, old), new and tree_of(repository, new))
    level: Counter[TreePair] = Counter({first: 1})
    paths = 0
    for _ in range(DEEPEST_TREE):
        below: Counter[TreePair] = Counter()
        for pair, times in _differing(repository, level):
            paths += times
            if paths > most:
                return True
            if pair != (None, None):
                below[pair] += times
        if not below:
            return False
        level = below
    return True


def _differing(repository: Repository, level: Counter[TreePair]) -> Iterator[tuple[TreePair, int]]:
    """Yield for each path that differs the folders there, if any, and how often that is so."""
    ids = [tree for pair in level for tree in pair if tree]
    with closing(object_contents(repository, ids, "tree")) as stored:
        for (old, new), times in level.items():
            before = dict(_items(old, next(stored))) if old else {}
            for name, item in _items(new, next(stored)) if new else ():
                known = before.pop(name, None)
                if known != item:
                    yield (_folder(known), _folder(item)), times
            for gone in before.values():
                yield (_folder(gone), None), times


def _items(tree: str, content: bytes) -> Iterator[tuple[bytes, _TreeItem]]:
    """Parse a tree object, whose entries are mode, space, name, NUL, and the id in binary."""
    for found in re.finditer(rb"([0-7]+) ([^\0]+)\0([\0-\xff]{%d})" % (len(tree) // 2), content):
        yield found[2], _TreeItem(found[1], found[3].hex())


def _folder(item: _TreeItem | None) -> str | None:
    return item.id if item and item.mode.lstrip(b"0") == _FOLDER else None
