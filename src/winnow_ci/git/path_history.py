"""What a path was in the past, as far as the history here tells.

A shallow clone has only the end of it, and a partial one lacks trees and contents. What is not here is not fetched.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from winnow_ci.git.objects import contents
from winnow_ci.git.plumbing import object_ids

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from winnow_ci.git.repository import Repository

MOST_COMMITS = 200
"""Commits of one path that are looked at, the newest. Whoever writes the history could have them be any number."""


def first_with(repository: Repository, head: str, path: str, marks: Collection[bytes]) -> dict[bytes, str]:
    """Find the commits that brought texts into a file, and since which it has had them.

    Args:
        repository: where the history is.
        head: id of the last commit.
        path: of the file.
        marks: the texts.

    Returns:
        Text → id of the commit; without the texts that the file does not have at ``head``.

    Raises:
        GitError: git failed.
    """
    since: dict[bytes, str] = {}
    left = set(marks)
    commits = _changing(repository, path, head)
    for commit, content in zip(commits, _contents(repository, commits, path), strict=False):
        left = {mark for mark in left if mark in content}
        since |= dict.fromkeys(left, commit)
        if not left:
            break
    return since


def versions(repository: Repository, head: str, path: str, since: str | None) -> list[str]:
    """Return ids of what a path was from a commit to another, newest first; in all of history without ``since``.

    Raises:
        GitError: git failed.
    """
    beyond = ("--not", f"{since}^@") if since else ()
    commits = _changing(repository, path, head, *beyond)
    # What the path was when it began may be older.
    blobs = _blobs(repository, [*commits, *([since] if since else [])], path)
    return list(dict.fromkeys(blob for blob in blobs if blob is not None))


def _changing(repository: Repository, path: str, *revisions: str) -> list[str]:
    """The commits of a history that change a path, newest first; none where a partial clone cannot say."""
    answer = repository.ask("rev-list", f"--max-count={MOST_COMMITS}", *revisions, "--", path)
    return object_ids(answer.output) if not answer.status else []


def _contents(repository: Repository, commits: Sequence[str], path: str) -> Iterator[bytes]:
    """What a file was in each of some commits, until one has no such file."""
    blobs = _blobs(repository, commits, path)
    there = blobs[: blobs.index(None)] if None in blobs else blobs
    yield from contents(repository, [blob for blob in there if blob])


def _blobs(repository: Repository, commits: Sequence[str], path: str) -> list[str | None]:
    """Ids of what a path is in each of some commits; None where there is nothing, or git cannot be asked for it."""
    if "\n" in path or not commits:
        return [None] * len(commits)
    name = path.encode("utf-8", "surrogateescape")
    given = b"".join(commit.encode() + b":" + name + b"\n" for commit in commits)
    answer = repository.ask("cat-file", "--batch-check=%(objecttype) %(objectname)", given=given)
    found = [line.split(b" ") for line in answer.output.split(b"\n")[: len(commits)]]
    blobs = [line[1].decode() if line[0] == b"blob" and len(line) == 2 else None for line in found]
    return blobs + [None] * (len(commits) - len(blobs))
