"""List what is in a commit, the index or the work tree, changed or not, within bounds.

A few small trees can stand for 10^10 paths, and git walks all of them before it writes anything. So when a command
takes long, the trees that it reads are counted, level by level, and it is stopped if they are too large. A pair of
trees that stands at many paths of a level is read once, so the time depends on what is stored.

Differences have git's raw format (``--raw -z``, gitdiff-core(7), "Raw output format"): ``:old-mode new-mode old-id
new-id status`` NUL path NUL, with a second path, the new one, if the status is R (renamed) or C (copied). Names are any
bytes but NUL and are never quoted. Anything else is an error: a misread entry would be a file that nobody looks at.

``git grep`` looks for lines: no other command reads a whole commit so fast. It takes them literally, and its options
override the configuration and attributes that could hide a file from it or start a driver.

File systems may take two names for one that git tells apart. macOS and Windows find ``.WINNOW.YML`` where
``.winnow.yml`` is asked for, and macOS also ignores how letters are composed, and characters without width. So a file
that a change brings under such a name would pass for one that an earlier step of the job has written.
"""

from __future__ import annotations

import os
import re
import time
from collections import Counter
from contextlib import closing
from typing import TYPE_CHECKING, Literal, TypeAlias

from winnow_ci import system
from winnow_ci.errors import GitError
from winnow_ci.git.objects import blob_sizes, blobs_at, object_contents
from winnow_ci.git.plumbing import (
    MOST_GIT_OUTPUT,
    SECONDS,
    GitCommandError,
    command_failure,
    decoded,
    exceeded,
    not_understood,
    only_object_id,
)
from winnow_ci.git.revisions import tree_of
from winnow_ci.model.changes import EarlierFile
from winnow_ci.named_tuples import NamedTuple
from winnow_ci.processes import ProcessLimitError, ProcessLimits, ProcessResult

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Generator, Iterable, Iterator, Sequence

    from winnow_ci.git.repository import Repository
    from winnow_ci.model.changes import FileKind
    from winnow_ci.model.findings import Scope
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


# ---- what is there ----------------------------------------------------------------------------------------------

EntryKind: TypeAlias = "FileKind | Literal['folder']"

_ENTRY_KINDS: dict[bytes, EntryKind] = {**_KINDS, b"040000": "folder"}
_WHOLE_TREE = ("ls-tree", "-r", "-z", "--full-tree")
# The patterns of paths are ours, so they need not be literal.
_GREP = (
    "--no-literal-pathspecs grep -z --files-with-matches --fixed-strings --text --no-textconv --no-color "
    "--no-recurse-submodules"
).split()
_MOST_THREADS = 8  # with more threads than processors, a small commit takes a fifth longer, and a large one as long
_WILD, _ESCAPED = re.compile(r"[*?\[\\]"), r"\\\g<0>"
_NONE_IGNORED = 1  # the exit status of ``git check-ignore`` if nothing is ignored
_NO_WIDTH = "Cf"


class TreeEntry(NamedTuple):
    """Something in a tree: its path, what it is, and the id of its object."""

    path: str
    kind: EntryKind
    id: str


def entries_below(repository: Repository, tree: str, path: str = "") -> Generator[TreeEntry]:
    """Yield all that is, or lies below, a path in a tree but folders, in git's order.

    The tree is given by its full id, or that of a commit. A small tree can have entries for ever (the same subtree in
    each of its folders): the caller must set a limit.
    """
    below = ("--", path) if path else ()
    with closing(list_records(repository, *_WHOLE_TREE, tree, *below, trees=(None, tree))) as records:
        yield from map(_entry, records)


def entry_at(repository: Repository, commit: str, path: str) -> TreeEntry | None:
    """Return what a commit, given by its full id, has at a path; None if there is nothing.

    The path has no slash at its end; the empty path is the root.
    """
    if not path:
        return TreeEntry("", "folder", commit)
    found = list(list_records(repository, "ls-tree", "-z", "--full-tree", commit, "--", path))
    return _entry(found[0]) if found else None


def regular_files(repository: Repository, commit: str, path: str = "") -> list[TreeEntry]:
    """Return the regular files of a commit that are, or lie below, a path, in the order of git."""
    return [entry for entry in entries_below(repository, commit, path) if entry.kind == "file"]


def _entry(record: bytes) -> TreeEntry:
    """Parse ``<mode> <type> <id>`` TAB path."""
    about, _, path = record.partition(b"\t")
    fields = about.split(b" ")
    if len(fields) != 3 or fields[0] not in _ENTRY_KINDS or not path:
        raise not_understood(record)
    return TreeEntry(decoded(path), _ENTRY_KINDS[fields[0]], only_object_id(fields[2]))


def contents_at(repository: Repository, commit: str, path: str) -> Iterator[tuple[str, bytes]]:
    """Yield path and content of a regular file of a commit, or of all regular files in a folder of it, by path.

    Nothing is yielded for what is not there, and for links and submodules. The path has no slash at its end.
    """
    files = regular_files(repository, commit, path)
    stored = object_contents(repository, [file.id for file in files])
    yield from zip((file.path for file in files), stored, strict=True)


def files_with_lines(
    repository: Repository,
    commit: str,
    lines: Iterable[bytes],
    names: Iterable[str],
    meanwhile: Callable[[], None] = lambda: None,
) -> list[EarlierFile]:
    """Return the files of a commit that hold one of the lines, by path; none if git cannot read all of the commit.

    ``lines`` are parts of lines, not empty, without NUL and line ends; ``names`` are endings of files (``.py``,
    whatever their case), or whole names. ``meanwhile`` is called while git looks.
    """
    paths = [f":(glob,icase)**/{'*' if name.startswith('.') else ''}{_WILD.sub(_ESCAPED, name)}" for name in names]
    patterns = b"".join(line + b"\n" for line in lines)
    command = (*_GREP, f"--threads={min(_MOST_THREADS, os.cpu_count() or 1)}", "-f", "-", commit, "--", *paths)
    records = list_records(repository, *command, trees=(None, commit), given=patterns, meanwhile=meanwhile)
    try:
        found = [decoded(name).removeprefix(f"{commit}:") for name in records]
    except GitCommandError:
        return []
    odd = {path for path in found if "\n" in path or "\r" in path}
    ids = blobs_at(repository, commit, (path for path in found if path not in odd))
    if odd:
        ids |= {file.path: file.id for file in regular_files(repository, commit) if file.path in odd}
    return [EarlierFile(path, ids[path]) for path in found if path in ids]


def load_files(repository: Repository, files: Sequence[EarlierFile], limit: int) -> Iterator[tuple[str, bytes]]:
    """Yield path and content of one file after the other, ``limit`` bytes in all.

    A file that would exceed the limit is left out, as is one whose content is not in this clone.
    """
    sizes = blob_sizes(repository, (file.content for file in files))
    kept: dict[str, str] = {}
    for file in files:
        size = sizes.get(file.content, limit + 1)
        if size <= limit and file.content not in kept:
            kept[file.content] = file.path
            limit -= size
    yield from zip(kept.values(), object_contents(repository, list(kept)), strict=True)


def absent(repository: Repository, scope: Scope, paths: Iterable[str]) -> set[str]:
    """Return the paths, relative to the root, at which the new side of a comparison has nothing."""
    if scope.head is not None:
        names = list_records(repository, *_WHOLE_TREE, "--name-only", scope.head, trees=(None, scope.head))
    elif scope.mode == "staged":
        names = list_records(repository, "ls-files", "-z", "--full-name")
    elif repository.root is not None:
        root = repository.root
        return {path for path in paths if not os.path.lexists(system.place_below(root, path))}
    else:
        return set()
    wanted = set(paths)
    for name in names:
        wanted.discard(decoded(name))
    return wanted


def ignored(repository: Repository, paths: Collection[str]) -> set[str]:
    """Return those of some paths that git ignores in the work tree, whether anything is there or not.

    All of them, if git does not say: it refuses paths behind links and in submodules. Paths are relative to the root; a
    slash at the end says that it is a folder.
    """
    if repository.root is None or not paths:
        return set()
    # The command takes no literal paths; with ./ before it, no path has a meaning of its own.
    given = b"".join(b"./" + path.encode("utf-8", "surrogateescape") + b"\0" for path in paths)
    answer = repository.ask("--no-literal-pathspecs", "check-ignore", "--no-index", "-z", "--stdin", given=given)
    if answer.status not in {0, _NONE_IGNORED}:
        return set(paths)
    return {decoded(name).removeprefix("./") for name in answer.output.split(b"\0") if name}


def is_tracked(repository: Repository, name: str) -> bool:
    """Return whether git tracks a file or folder whose name some file system takes for this one."""
    wanted = folded(name)
    with closing(list_records(repository, "ls-files", "-z")) as names:
        tracked = (folded(decoded(each)) for each in names)
        return any(each == wanted or each.startswith(f"{wanted}/") for each in tracked)


def folded(name: str) -> str:
    """Return the same text for all names that a file system may take for one."""
    if name.isascii():
        return name.casefold()
    import unicodedata  # noqa: PLC0415 - few names need it

    composed = unicodedata.normalize("NFKC", name).casefold()
    return "".join(each for each in unicodedata.normalize("NFKC", composed) if unicodedata.category(each) != _NO_WIDTH)
