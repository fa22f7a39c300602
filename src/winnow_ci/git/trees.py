"""What there is, changed or not: in a commit, in the index, in the work tree."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

from winnow_ci.errors import GitError
from winnow_ci.git import objects
from winnow_ci.git.plumbing import failure
from winnow_ci.git.raw_diff import decoded, names
from winnow_ci.processes import ProcessResult

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable, Iterator

    from winnow_ci.git.repository import Repository
    from winnow_ci.model.findings import Scope
    from winnow_ci.processes import ChildProcess

EntryKind: TypeAlias = Literal["file", "symlink", "submodule", "folder"]

_REGULAR = (b"100644 ", b"100755 ")
_KINDS: dict[bytes, EntryKind] = {
    b"100644": "file",
    b"100755": "file",
    b"120000": "symlink",
    b"160000": "submodule",
    b"040000": "folder",
}
# No system has paths of that length, but the nested folders of a hostile tree may.
_LONGEST_ENTRY = 1 << 20


class TreeEntry(NamedTuple):
    """Something in a tree: its path, what it is, and the id of its object."""

    path: str
    kind: EntryKind
    id: str


def entries_below(repository: Repository, tree: str) -> Generator[TreeEntry]:
    """Yield all that is in a tree but folders, in git's order.

    A small tree can have entries for ever (the same subtree in each of its folders): the caller must set a limit.

    Args:
        repository: where the tree is.
        tree: its full id, or that of a commit.

    Raises:
        GitError: git failed.
    """
    with repository.converse("ls-tree", "-r", "-z", "--full-tree", tree) as process:
        yield from map(_entry, _records(process))


def entry_at(repository: Repository, commit: str, path: str) -> TreeEntry | None:
    """Return what a commit has at a path; None if there is nothing.

    Args:
        repository: where the commit is.
        commit: its full id.
        path: relative to the root, without a slash at the end; the empty path is the root.

    Raises:
        GitError: git failed.
    """
    if not path:
        return TreeEntry("", "folder", commit)
    listed = names(repository.run("ls-tree", "-z", "--full-tree", commit, "--", path))
    return _entry(listed[0]) if listed else None


def regular_files(repository: Repository, commit: str, path: str = "") -> list[TreeEntry]:
    """Return the regular files of a commit that are, or lie below, a path, in the order of git.

    Raises:
        GitError: git failed.
    """
    listed = names(repository.run("ls-tree", "-r", "-z", "--full-tree", commit, *(("--", path) if path else ())))
    return [_entry(record) for record in listed if record.startswith(_REGULAR)]


def _records(process: ChildProcess) -> Iterator[bytes]:
    """What a process writes, cut at each NUL."""
    rest, errors = b"", b""
    for output, more_errors in process.listen():
        errors += more_errors
        *records, rest = (rest + output).split(b"\0")
        yield from records
        if len(rest) > _LONGEST_ENTRY:
            raise _unexpected(rest)
    if status := process.wait():
        raise failure("ls-tree", ProcessResult(status, b"", errors))
    if rest:
        raise _unexpected(rest)


def _entry(record: bytes) -> TreeEntry:
    """Parse ``<mode> <type> <id>`` TAB path."""
    about, _, path = record.partition(b"\t")
    fields = about.split(b" ")
    if len(fields) != 3 or fields[0] not in _KINDS or not path:
        raise _unexpected(record)
    return TreeEntry(decoded(path), _KINDS[fields[0]], fields[2].decode())


def _unexpected(record: bytes) -> GitError:
    problem = f"git's list of files cannot be understood at {record[:80]!r}"
    return GitError(problem, "`git fsck` tells whether the repository is whole")


def contents_at(repository: Repository, commit: str, path: str) -> Iterator[tuple[str, bytes]]:
    """Yield path and content of a regular file of a commit, or of all regular files in a folder of it, by path.

    Nothing is yielded for what is not there, and for links and submodules.

    Args:
        repository: where the commit is.
        commit: its full id.
        path: relative to the root, without a slash at the end.

    Raises:
        GitError: git failed.
    """
    files = regular_files(repository, commit, path)
    stored = objects.contents(repository, [file.id for file in files])
    yield from zip((file.path for file in files), stored, strict=True)


def absent(repository: Repository, scope: Scope, paths: Iterable[str]) -> set[str]:
    """The paths at which the new side of a comparison has nothing.

    Args:
        repository: where it is.
        scope: the comparison.
        paths: relative to the root.

    Raises:
        GitError: git failed.
    """
    if scope.head is not None:
        listed = repository.run("ls-tree", "-r", "-z", "--name-only", "--full-tree", scope.head)
    elif scope.mode == "staged":
        listed = repository.run("ls-files", "-z", "--full-name")
    elif repository.root is not None:
        root = repository.root
        return {
            path for path in paths if not os.path.lexists(root / os.fsdecode(path.encode("utf-8", "surrogateescape")))
        }
    else:
        return set()
    return set(paths) - {decoded(name) for name in names(listed)}
