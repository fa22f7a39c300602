"""Sizes and contents of stored objects."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from winnow_ci.git.plumbing import failure
from winnow_ci.processes import ProcessResult

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable, Sequence

    from winnow_ci.errors import GitError
    from winnow_ci.git.repository import Repository
    from winnow_ci.processes import ChildProcess

# How many questions are sent before their answers are read. Together they must fit into a pipe, which on some systems
# has 4 KiB: git does not read on while its answer waits, and we do not read while our question waits.
_AHEAD = 60

_SIZES = ("cat-file", "--batch-check")
# Git applies to its input only the options that stand before --stdin.
_PRESENT = "rev-list --no-walk --objects --no-object-names --ignore-missing --missing=allow-any --stdin".split()


def sizes(repository: Repository, ids: Iterable[str]) -> dict[str, int]:
    """Return the sizes in bytes of the blobs that are here, without unpacking them.

    Raises:
        GitError: git failed.
    """
    wanted = sorted(set(ids))
    if not wanted:
        return {}
    answer = repository.ask(*_SIZES, given=_lines(wanted))
    if answer.status and "promisor remote" in answer.complaint:
        # In a partial clone, cat-file ends at the first object that it would have to fetch.
        wanted = repository.ask(*_PRESENT, given=_lines(wanted)).output.decode().split()
        answer = repository.ask(*_SIZES, given=_lines(wanted))
    replies = [line.split() for line in answer.output.decode().splitlines()]
    if answer.status or [reply[0] for reply in replies] != wanted:
        raise failure("cat-file", answer)
    return {reply[0]: int(reply[2]) for reply in replies if reply[1] == "blob"}


def contents(repository: Repository, ids: Sequence[str]) -> Generator[bytes]:
    """Yield the contents of blobs that are known to be here, in this order, one at a time.

    Raises:
        GitError: git failed, or a blob cannot be read.
    """
    if not ids:
        return
    with repository.converse("cat-file", "--batch") as process:
        for start in range(0, len(ids), _AHEAD):
            asked = ids[start : start + _AHEAD]
            _send(process, asked)
            for object_id in asked:
                yield _receive(process, object_id)


def _lines(ids: Iterable[str]) -> bytes:
    return "".join(f"{object_id}\n" for object_id in ids).encode()


def _send(process: ChildProcess, ids: Sequence[str]) -> None:
    try:
        # Not through the buffer: it would write again when it is closed, and raise another error than the one below.
        os.write(process.input.fileno(), _lines(ids))
    except BrokenPipeError as error:
        raise _ended(process, ids[0]) from error


def _receive(process: ChildProcess, object_id: str) -> bytes:
    """Read one answer: ``<id> blob <size>`` LF content LF."""
    header = process.output.readline().split()
    if len(header) != 3 or header[:2] != [object_id.encode(), b"blob"]:
        raise _ended(process, object_id)
    size = int(header[2])
    content = process.output.read(size + 1)
    if len(content) != size + 1:
        raise _ended(process, object_id)
    return content[:-1]


def _ended(process: ChildProcess, object_id: str) -> GitError:
    return failure(f"cat-file of {object_id}", ProcessResult(process.kill(), b"", process.errors.read()))
