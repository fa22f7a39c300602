"""Sizes and contents of stored objects, asked of a git process that keeps running.

Git takes longer to start than to answer most questions, and an object never changes. So one command of ours keeps the
sizes that git has said, and the processes that have answered (``Repository.keeping_answers``).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from winnow_ci.git.plumbing import GitCommandError, lines_of_input, not_understood, only_object_id

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable, Iterator, Sequence

    from winnow_ci.git.plumbing import ObjectKind
    from winnow_ci.git.repository import Repository

# Bytes of questions that may be sent before their answers are read. They must fit into a pipe, which on some systems
# has no more: git does not read on while its answer waits, and we do not read while our question waits.
_AHEAD = 1 << 12
# Git applies to its input only the options that stand before --stdin.
_PRESENT = "rev-list --no-walk --objects --no-object-names --ignore-missing --missing=allow-any --stdin".split()


def blob_sizes(repository: Repository, ids: Iterable[str]) -> dict[str, int]:
    """Return the sizes in bytes of the blobs that are here, without unpacking them."""
    wanted, kept = set(ids), repository.kept
    known = {name: kept.sizes[name] for name in wanted & kept.sizes.keys()} if kept else {}
    found = _asked_sizes(repository, sorted(wanted - known.keys()))
    if kept:
        kept.keep_sizes(found)
    return known | found


def _asked_sizes(repository: Repository, wanted: Sequence[str]) -> dict[str, int]:
    try:
        replies = list(descriptions(repository, wanted))
    except GitCommandError as error:
        if "promisor remote" not in str(error):
            raise
        # In a partial clone, cat-file ends at the first object that it would have to fetch.
        wanted = repository.ask(*_PRESENT, given=lines_of_input(wanted)).output.decode(errors="replace").split()
        replies = list(descriptions(repository, wanted))
    for name, reply in zip(wanted, replies, strict=True):
        if reply[0] != name.encode():
            raise not_understood(b" ".join(reply))
    return {reply[0].decode(): int(reply[2]) for reply in replies if is_blob(reply)}


def partial_clone_remedy(repository: Repository) -> str:
    """Return how a partial clone gets the objects that it lacks; empty for any other clone."""
    is_partial = repository.ask("config", "--get-regexp", r"^remote\..*\.promisor$|^extensions\.partialclone$").output
    return ": this is a partial clone: run `git fetch --refetch --no-filter`" if is_partial else ""


def blobs_at(repository: Repository, commit: str, paths: Iterable[str]) -> dict[str, str]:
    """Return path → id of the blobs that a commit has at paths without line ends, and keep their sizes."""
    asked = list(paths)
    replies = descriptions(repository, [f"{commit}:{path}" for path in asked])
    found = {path: reply for path, reply in zip(asked, replies, strict=True) if is_blob(reply)}
    ids = {path: only_object_id(reply[0]) for path, reply in found.items()}
    if repository.kept:
        repository.kept.keep_sizes({ids[path]: int(reply[2]) for path, reply in found.items()})
    return ids


def is_blob(reply: Sequence[bytes]) -> bool:
    """Return whether a description is the id, kind and size of a blob."""
    return len(reply) == 3 and reply[1] == b"blob" and reply[2].isdigit()


def descriptions(repository: Repository, names: Sequence[str]) -> Iterator[list[bytes]]:
    """Yield id, kind and size of each named object, or the name and ``missing``."""
    if not names:
        return
    with repository.conversation("descriptions") as git:
        for asked in _batches(names):
            git.ask(asked)
            for name in asked:
                yield git.description(name)


def object_contents(repository: Repository, ids: Sequence[str], kind: ObjectKind = "blob") -> Generator[bytes]:
    """Yield the contents of objects that are known to be here, in this order, one at a time."""
    if not ids:
        return
    with repository.conversation("contents") as git:
        for asked in _batches(ids):
            git.ask(asked)
            for name in asked:
                yield git.content(name, kind)


def _batches(names: Sequence[str]) -> Iterator[Sequence[str]]:
    """Yield as many names at a time as may be asked for together."""
    start = size = 0
    for end, name in enumerate(names):
        length = len(lines_of_input([name]))
        if size + length > _AHEAD and end > start:
            yield names[start:end]
            start, size = end, 0
        size += length
    yield names[start:]
