"""A git process that gives the contents of objects, or tells of them, each when it is asked for."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Literal, TypeAlias

from winnow_ci.git.plumbing import SECONDS, exceeded, failure
from winnow_ci.processes import ProcessLimitError, ProcessResult

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from winnow_ci.errors import GitError
    from winnow_ci.processes import ChildProcess

ObjectKind: TypeAlias = Literal["blob", "tree"]
Subject: TypeAlias = Literal["contents", "descriptions"]
"""What it is asked for."""

OPTIONS: dict[Subject, str] = {"contents": "--batch", "descriptions": "--batch-check"}
"""The option of ``git cat-file`` for each."""

_AHEAD = 1 << 12
"""Bytes of questions that may be sent before their answers are read. They must fit into a pipe, which on some systems
has no more: git does not read on while its answer waits, and we do not read while our question waits."""

_LONGEST_LINE = 1 << 10


class Conversation:
    """``git cat-file`` while it runs.

    Args:
        process: the command, which ends when ``end`` is called.
    """

    def __init__(self, process: ChildProcess) -> None:
        self._process, self._held, self._at = process, b"", 0
        self._unanswered = 0

    @property
    def is_idle(self) -> bool:
        """Whether it has answered all that it was asked, and can be asked more."""
        return self._unanswered == 0

    def ask(self, names: Sequence[str]) -> None:
        """Ask for objects, as many as ``batches`` gives, by names without line breaks.

        Raises:
            GitError: git has ended.
        """
        self._unanswered += len(names)
        try:
            # Not through the buffer: it would write again when it is closed, and raise another error than this one.
            os.write(self._process.input.fileno(), lines_of(names))
        except BrokenPipeError as error:
            raise self._ended(names[0]) from error

    def description(self, name: str) -> list[bytes]:
        """What git says of the next object that was asked for: its id, kind and size, or ``<name> missing``.

        Raises:
            GitError: git failed, or says nothing for ``plumbing.SECONDS``.
        """
        line = self._line()
        if not line.endswith(b"\n"):
            raise self._ended(name)
        self._unanswered -= 1
        return line[:-1].split(b" ")

    def answer(self, object_id: str, kind: ObjectKind) -> bytes:
        """The content of the next object that was asked for: ``<id> <kind> <size>`` LF content LF.

        Raises:
            GitError: git failed, says nothing for ``plumbing.SECONDS``, or the object cannot be read.
        """
        header = self._line().split()
        if len(header) != 3 or header[:2] != [object_id.encode(), kind.encode()] or not header[2].isdigit():
            raise self._ended(object_id)
        size = int(header[2])
        content = self._take(size)
        if len(content) != size or self._take(1) != b"\n":
            raise self._ended(object_id)
        self._unanswered -= 1
        return content

    def end(self) -> None:
        """End the command."""
        self._process.kill()
        self._process.close()

    def _line(self) -> bytes:
        """The next line, or what there is to the end."""
        end = self._held.find(b"\n", self._at)
        while end < 0 and len(self._held) - self._at < _LONGEST_LINE and (more := self._next()):
            self._held, self._at = self._held[self._at :] + more, 0
            end = self._held.find(b"\n")
        return self._cut(end + 1 if end >= 0 else len(self._held))

    def _take(self, size: int) -> bytes:
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

    def _ended(self, object_id: str) -> GitError:
        return failure(
            f"cat-file of {object_id}", ProcessResult(self._process.kill(), b"", self._process.last_errors())
        )


def batches(names: Sequence[str]) -> Iterator[Sequence[str]]:
    """Names of objects, as many at a time as may be asked for together."""
    start = size = 0
    for end, name in enumerate(names):
        size += len(lines_of([name]))
        if size > _AHEAD and end > start:
            yield names[start:end]
            start, size = end, len(lines_of([name]))
    yield names[start:]


def lines_of(names: Sequence[str]) -> bytes:
    """Names of objects as git reads them."""
    return "".join(f"{name}\n" for name in names).encode("utf-8", "surrogateescape")
