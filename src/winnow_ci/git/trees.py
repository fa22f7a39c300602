"""What there is, changed or not: in a commit, in the index, in the work tree."""

from __future__ import annotations

import os
from contextlib import closing
from typing import TYPE_CHECKING, Literal, TypeAlias

from winnow_ci.git import objects
from winnow_ci.git.listing import listed
from winnow_ci.git.plumbing import not_understood, object_id
from winnow_ci.git.raw_diff import decoded
from winnow_ci.named_tuples import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable, Iterator

    from winnow_ci.git.repository import Repository
    from winnow_ci.model.findings import Scope

EntryKind: TypeAlias = Literal["file", "symlink", "submodule", "folder"]

_REGULAR = (b"100644 ", b"100755 ")
_KINDS: dict[bytes, EntryKind] = {
    b"100644": "file",
    b"100755": "file",
    b"120000": "symlink",
    b"160000": "submodule",
    b"040000": "folder",
}


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
    listing = listed(repository, "ls-tree", "-r", "-z", "--full-tree", tree, trees=(None, tree))
    with closing(listing) as records:
        yield from map(_entry, records)


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
    found = list(listed(repository, "ls-tree", "-z", "--full-tree", commit, "--", path))
    return _entry(found[0]) if found else None


def regular_files(repository: Repository, commit: str, path: str = "") -> list[TreeEntry]:
    """Return the regular files of a commit that are, or lie below, a path, in the order of git.

    Raises:
        GitError: git failed.
    """
    below = ("--", path) if path else ()
    records = listed(repository, "ls-tree", "-r", "-z", "--full-tree", commit, *below, trees=(None, commit))
    return [_entry(record) for record in records if record.startswith(_REGULAR)]


def _entry(record: bytes) -> TreeEntry:
    """Parse ``<mode> <type> <id>`` TAB path."""
    about, _, path = record.partition(b"\t")
    fields = about.split(b" ")
    if len(fields) != 3 or fields[0] not in _KINDS or not path:
        raise not_understood(record)
    return TreeEntry(decoded(path), _KINDS[fields[0]], object_id(fields[2]))


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
        arguments = ("ls-tree", "-r", "-z", "--name-only", "--full-tree", scope.head)
        names = listed(repository, *arguments, trees=(None, scope.head))
    elif scope.mode == "staged":
        names = listed(repository, "ls-files", "-z", "--full-name")
    elif repository.root is not None:
        root = repository.root
        return {
            path for path in paths if not os.path.lexists(root / os.fsdecode(path.encode("utf-8", "surrogateescape")))
        }
    else:
        return set()
    wanted = set(paths)
    for name in names:
        wanted.discard(decoded(name))
    return wanted
