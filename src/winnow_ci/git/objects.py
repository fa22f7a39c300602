"""Sizes and contents of stored objects."""

from __future__ import annotations

from typing import TYPE_CHECKING

from winnow_ci.git.conversation import AHEAD, lines_of
from winnow_ci.git.plumbing import failure

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable, Sequence

    from winnow_ci.git.conversation import ObjectKind
    from winnow_ci.git.repository import Repository

_SIZES = ("cat-file", "--batch-check")
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


def _told(repository: Repository, wanted: Sequence[str]) -> dict[str, int]:
    if not wanted:
        return {}
    answer = repository.ask(*_SIZES, given=lines_of(wanted))
    if answer.status and "promisor remote" in answer.complaint:
        # In a partial clone, cat-file ends at the first object that it would have to fetch.
        wanted = repository.ask(*_PRESENT, given=lines_of(wanted)).output.decode(errors="replace").split()
        answer = repository.ask(*_SIZES, given=lines_of(wanted))
    replies = [line.split() for line in answer.output.decode(errors="replace").splitlines()]
    if answer.status or [reply[:1] for reply in replies] != [[name] for name in wanted]:
        raise failure("cat-file", answer)
    return {reply[0]: int(reply[2]) for reply in replies if reply[1:2] == ["blob"] and "".join(reply[2:]).isdecimal()}


def contents(repository: Repository, ids: Sequence[str], kind: ObjectKind = "blob") -> Generator[bytes]:
    """Yield the contents of objects that are known to be here, in this order, one at a time.

    Raises:
        GitError: git failed, says nothing for ``plumbing.SECONDS``, or an object cannot be read.
    """
    if not ids:
        return
    with repository.conversation() as git:
        for start in range(0, len(ids), AHEAD):
            asked = ids[start : start + AHEAD]
            git.ask(asked)
            for object_id in asked:
                yield git.answer(object_id, kind)
