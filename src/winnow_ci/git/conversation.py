"""A git process that gives the contents of objects, each when it is asked for."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Literal, TypeAlias

from winnow_ci.git.plumbing import SECONDS, exceeded, failure
from winnow_ci.processes import ProcessLimitError, ProcessResult

if TYPE_CHECKING:
    from collections.abc import Sequence

    from winnow_ci.errors import GitError
    from winnow_ci.processes import ChildProcess

ObjectKind: TypeAlias = Literal["blob", "tree"]

AHEAD = 60
"""How many questions may be sent before their answers are read. Together they must fit into a pipe, which on some
systems has 4 KiB: git does not read on while its answer waits, and we do not read while our question waits."""

_LONGEST_LINE = 1 << 10


class Conversation:
    """``git cat-file --batch`` while it runs.

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

    def ask(self, ids: Sequence[str]) -> None:
        """Ask for objects, at most ``AHEAD`` of them.

        Raises:
            GitError: git has ended.
        """
        self._unanswered += len(ids)
        try:
            # Not through the buffer: it would write again when it is closed, and raise another error than this one.
            os.write(self._process.input.fileno(), lines_of(ids))
        except BrokenPipeError as error:
            raise self._ended(ids[0]) from error

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


def lines_of(ids: Sequence[str]) -> bytes:
    """Ids of objects as git reads them."""
    return "".join(f"{object_id}\n" for object_id in ids).encode()
