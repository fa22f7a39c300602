"""Sizes and contents of stored objects."""

from __future__ import annotations

from typing import TYPE_CHECKING

from winnow_ci.git.conversation import batches, lines_of
from winnow_ci.git.plumbing import GitCommandError, not_understood, object_id

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable, Sequence

    from winnow_ci.git.conversation import ObjectKind
    from winnow_ci.git.repository import Repository

# Git applies to its input only the options that stand before --stdin.
_PRESENT = "rev-list --no-walk --objects --no-object-names --ignore-missing --missing=allow-any --stdin".split()


def sizes(repository: Repository, ids: Iterable[str]) -> dict[str, int]:
    """Return the sizes in bytes of the blobs that are here, without unpacking them.

    Raises:
        GitError: git failed.
    """
    wanted, kept = set(ids), repository.kept
    known = kept.sizes_of(wanted) if kept else {}
    told = _told(repository, sorted(wanted - known.keys()))
    if kept:
        kept.keep_sizes(told)
    return known | told


def remedy(repository: Repository) -> str:
    """Say how a partial clone gets the objects that it lacks; empty for any other clone."""
    is_partial = repository.ask("config", "--get-regexp", r"^remote\..*\.promisor$|^extensions\.partialclone$").output
    return ": it is a partial clone, run `git fetch --refetch --no-filter`" if is_partial else ""


def blobs_at(repository: Repository, commit: str, paths: Iterable[str]) -> dict[str, str]:
    """Path → id of the blobs that a commit has at paths, in the order of these; their sizes are known from now on.

    Args:
        repository: where the commit is.
        commit: its full id.
        paths: relative to the root, without line feeds and carriage returns: git is told a name a line.

    Raises:
        GitError: git failed.
    """
    asked = list(paths)
    replies = _descriptions(repository, [f"{commit}:{path}" for path in asked])
    found = {path: reply for path, reply in zip(asked, replies, strict=True) if _is_blob(reply)}
    ids = {path: object_id(reply[0]) for path, reply in found.items()}
    if repository.kept:
        repository.kept.keep_sizes({ids[path]: int(reply[2]) for path, reply in found.items()})
    return ids


def _is_blob(reply: Sequence[bytes]) -> bool:
    """Whether the words of a reply are an id, a kind and a size; otherwise they are a name and ``missing``."""
    return len(reply) == 3 and reply[1] == b"blob" and reply[2].isdigit()


def _told(repository: Repository, wanted: Sequence[str]) -> dict[str, int]:
    try:
        replies = _descriptions(repository, wanted)
    except GitCommandError as error:
        if "promisor remote" not in str(error):
            raise
        # In a partial clone, cat-file ends at the first object that it would have to fetch.
        wanted = repository.ask(*_PRESENT, given=lines_of(wanted)).output.decode(errors="replace").split()
        replies = _descriptions(repository, wanted)
    for name, reply in zip(wanted, replies, strict=True):
        if reply[0] != name.encode():
            raise not_understood(b" ".join(reply))
    return {reply[0].decode(): int(reply[2]) for reply in replies if _is_blob(reply)}


def _descriptions(repository: Repository, names: Sequence[str]) -> list[list[bytes]]:
    """What git says of objects (``Conversation.description``)."""
    if not names:
        return []
    with repository.conversation("descriptions") as git:
        replies = []
        for some in batches(names):
            git.ask(some)
            replies += [git.description(name) for name in some]
        return replies


def contents(repository: Repository, ids: Sequence[str], kind: ObjectKind = "blob") -> Generator[bytes]:
    """Yield the contents of objects that are known to be here, in this order, one at a time.

    Raises:
        GitError: git failed, says nothing for ``plumbing.SECONDS``, or an object cannot be read.
    """
    if not ids:
        return
    with repository.conversation("contents") as git:
        for asked in batches(ids):
            git.ask(asked)
            for name in asked:
                yield git.answer(name, kind)
