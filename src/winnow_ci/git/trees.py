"""What a commit has, changed or not."""

from __future__ import annotations

from typing import TYPE_CHECKING

from winnow_ci.git import objects
from winnow_ci.git.raw import decoded

if TYPE_CHECKING:
    from collections.abc import Iterator

    from winnow_ci.git.repository import Repository

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
