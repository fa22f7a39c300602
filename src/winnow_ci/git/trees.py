"""What there is, changed or not: in a commit, in the index, in the work tree."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from winnow_ci.git import objects
from winnow_ci.git.raw import decoded, names

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from winnow_ci.git.repository import Repository
    from winnow_ci.model import Scope

_REGULAR = (b"100644", b"100755")


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
    listed = repository.run("ls-tree", "-r", "-z", "--full-tree", commit, "--", path)
    entries = [entry.partition(b"\t") for entry in listed.split(b"\0")[:-1]]
    files = [(decoded(name), about.split()) for about, _, name in entries]
    blobs = [(name, about[2].decode()) for name, about in files if about[0] in _REGULAR]
    stored = objects.contents(repository, [blob for _, blob in blobs])
    yield from zip((name for name, _ in blobs), stored, strict=True)


def absent(repository: Repository, scope: Scope, paths: Iterable[str]) -> set[str]:
    """Those of some paths at which the new side of a comparison has nothing.

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
