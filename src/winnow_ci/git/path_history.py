"""What a path was in the past, as far as the history here tells.

A shallow clone has only the end of it, and a partial one lacks trees and contents. What is not here is not fetched.
"""

from __future__ import annotations

import re
from itertools import chain
from typing import TYPE_CHECKING

from winnow_ci.git import raw_diff
from winnow_ci.git.listing import listed
from winnow_ci.git.objects import contents
from winnow_ci.git.plumbing import object_ids

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from winnow_ci.git.repository import Repository

MOST_COMMITS = 200
"""Commits that are looked at, the newest. Whoever writes the history could have them be any number."""

LARGEST = 16 << 20
"""Bytes of a file that is searched for marks; of a larger one, none is known."""

_MARK = re.compile(rb'"([0-9a-f]{32})"')
# One command says it of many paths, since walking the history takes the time.
_PATHS_AT_ONCE = 500
# A merge is compared with each of its parents.
_CHANGES = "diff-tree --stdin -r -m --root --raw -z --no-abbrev --no-renames --no-ext-diff --no-commit-id".split()


def first_with(repository: Repository, head: str, path: str, marks: Collection[bytes]) -> dict[bytes, str]:
    """Find the commits that brought texts into a file, and since which it has had them.

    Args:
        repository: where the history is.
        head: id of the last commit.
        path: of the file.
        marks: the texts, each of 32 hexadecimal digits, which stand between quotation marks.

    Returns:
        Text → id of the commit; without the texts that the file does not have at ``head``.

    Raises:
        GitError: git failed.
    """
    since: dict[bytes, str] = {}
    left = set(marks)
    commits = _changing(repository, [path], head) if "\n" not in path else []
    for commit, content in zip(commits, _contents(repository, commits, path), strict=False):
        # Looked for one by one, a thousand marks in large files would take hours.
        left &= set(_MARK.findall(content))
        since |= dict.fromkeys(left, commit)
        if not left:
            break
    return since


def versions(repository: Repository, head: str, paths: Collection[str], since: str | None) -> dict[str, list[str]]:
    """Return what paths were from a commit to another: ids of their contents, newest first.

    Args:
        repository: where the history is.
        head: id of the last commit.
        paths: of files.
        since: id of the first commit; None for all of history.

    Returns:
        Path → ids, each once; what is no file has none.

    Raises:
        GitError: git failed.
    """
    found: dict[str, list[str]] = {path: [] for path in paths}
    in_order = sorted(found)
    for first in range(0, len(in_order), _PATHS_AT_ONCE):
        some = in_order[first : first + _PATHS_AT_ONCE]
        commits = _changing(repository, some, head, *(("--not", f"{since}^@") if since else ()))
        for path, blob in chain(_changes(repository, commits, some), _standing(repository, (head, since), some)):
            found[path].append(blob)
    return {path: list(dict.fromkeys(blobs)) for path, blobs in found.items()}


def _changes(repository: Repository, commits: Sequence[str], paths: Sequence[str]) -> Iterator[tuple[str, str]]:
    """What commits have made of paths, in the order of the commits."""
    given = "".join(f"{commit}\n" for commit in commits).encode()
    for entry in raw_diff.entries(listed(repository, *_CHANGES, "--", *paths, given=given)) if commits else ():
        if entry.new and entry.kind == "file":
            yield entry.path, entry.new


def _standing(repository: Repository, commits: Sequence[str | None], paths: Sequence[str]) -> Iterator[tuple[str, str]]:
    """What paths are in commits, which may not have changed them."""
    asked = [(commit, path) for commit in commits if commit for path in paths if "\n" not in path]
    for (_, path), blob in zip(asked, _blobs(repository, asked), strict=True):
        if blob:
            yield path, blob


def _changing(repository: Repository, paths: Sequence[str], *revisions: str) -> list[str]:
    """The commits of a history that change paths, newest first; none where a partial clone cannot say."""
    answer = repository.ask_walk("rev-list", f"--max-count={MOST_COMMITS}", *revisions, "--", *paths)
    return object_ids(answer.output) if not answer.status else []


def _contents(repository: Repository, commits: Sequence[str], path: str) -> Iterator[bytes]:
    """What a file was in each of some commits, until one has no such file, or a larger one than is searched."""
    blobs = _blobs(repository, [(commit, path) for commit in commits], LARGEST)
    there = blobs[: blobs.index(None)] if None in blobs else blobs
    yield from contents(repository, [blob for blob in there if blob])


def _blobs(repository: Repository, asked: Sequence[tuple[str, str]], largest: int | None = None) -> list[str | None]:
    """Ids of what paths are in commits; None where there is nothing, or it is too large, or git cannot be asked."""
    if not asked:
        return []
    names = (f"{commit}:{path}\n".encode("utf-8", "surrogateescape") for commit, path in asked)
    answer = repository.ask(
        "cat-file", "--batch-check=%(objecttype) %(objectname) %(objectsize)", given=b"".join(names)
    )
    found = [line.split(b" ") for line in answer.output.split(b"\n")[: len(asked)]]
    are_there = (line[0] == b"blob" and len(line) == 3 and int(line[2]) <= (largest or int(line[2])) for line in found)
    blobs = [line[1].decode() if is_there else None for line, is_there in zip(found, are_there, strict=True)]
    return blobs + [None] * (len(asked) - len(blobs))
