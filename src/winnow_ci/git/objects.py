"""Sizes and contents of stored objects."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Literal, TypeAlias

from winnow_ci.git.plumbing import SECONDS, exceeded, failure
from winnow_ci.processes import ProcessLimitError, ProcessResult

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable, Sequence

    from winnow_ci.errors import GitError
    from winnow_ci.git.repository import Repository
    from winnow_ci.processes import ChildProcess

ObjectKind: TypeAlias = Literal["blob", "tree"]

# How many questions are sent before their answers are read. Together they must fit into a pipe, which on some systems
# has 4 KiB: git does not read on while its answer waits, and we do not read while our question waits.
_AHEAD = 60

_LONGEST_LINE = 1 << 10

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
        wanted = repository.ask(*_PRESENT, given=_lines(wanted)).output.decode(errors="replace").split()
        answer = repository.ask(*_SIZES, given=_lines(wanted))
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
    with repository.converse("cat-file", "--batch") as process:
        answers = _Answers(process)
        for start in range(0, len(ids), _AHEAD):
            asked = ids[start : start + _AHEAD]
            _send(process, asked)
            for object_id in asked:
                yield _receive(process, answers, object_id, kind)


class _Answers:
    """What a command answers, in lines and in numbers of bytes."""

    def __init__(self, process: ChildProcess) -> None:
        self._process, self._held, self._at = process, b"", 0

    def line(self) -> bytes:
        """The next line, or what there is to the end."""
        end = self._held.find(b"\n", self._at)
        while end < 0 and len(self._held) - self._at < _LONGEST_LINE and (more := self._next()):
            self._held, self._at = self._held[self._at :] + more, 0
            end = self._held.find(b"\n")
        return self._cut(end + 1 if end >= 0 else len(self._held))

    def take(self, size: int) -> bytes:
        """So many bytes, or what there is to the end."""
        missing = size - (len(self._held) - self._at)
        parts = [self._cut(min(self._at + size, len(self._held)))]
        while missing > 0 and (more := self._next()):
            self._held, self._at = more, 0
            parts.append(self._cut(min(missing, len(more))))
            missing -= len(parts[-1])
        return b"".join(parts)

    def _cut(self, end: int) -> bytes:
        part, self._at = self._held[self._at : end], end
        return part

    def _next(self) -> bytes:
        try:
            return self._process.next_output(SECONDS)
        except ProcessLimitError as error:
            raise exceeded(error) from error


def _lines(ids: Iterable[str]) -> bytes:
    return "".join(f"{object_id}\n" for object_id in ids).encode()


def _send(process: ChildProcess, ids: Sequence[str]) -> None:
    try:
        # Not through the buffer: it would write again when it is closed, and raise another error than the one below.
        os.write(process.input.fileno(), _lines(ids))
    except BrokenPipeError as error:
        raise _ended(process, ids[0]) from error


def _receive(process: ChildProcess, answers: _Answers, object_id: str, kind: ObjectKind) -> bytes:
    """Read one answer: ``<id> <kind> <size>`` LF content LF."""
    header = answers.line().split()
    if len(header) != 3 or header[:2] != [object_id.encode(), kind.encode()] or not header[2].isdigit():
        raise _ended(process, object_id)
    size = int(header[2])
    content = answers.take(size)
    if len(content) != size or answers.take(1) != b"\n":
        raise _ended(process, object_id)
    return content


def _ended(process: ChildProcess, object_id: str) -> GitError:
    return failure(f"cat-file of {object_id}", ProcessResult(process.kill(), b"", process.last_errors()))
