"""The process in which archives are read.

It is asked for one archive at a time: for a list of its members, then for their contents, which it sends in the order
in which they are stored, as fast as they are taken. Its memory is limited, where the system can do that, and so is its
processor time, which does not depend on how busy the machine is.
"""

from __future__ import annotations

import contextlib
import os
import sys
from multiprocessing import Pipe, Process
from typing import TYPE_CHECKING

from winnow_ci import system
from winnow_ci.corpus.archive import HEAD_SIZE, USE_A_FOLDER, ArchiveLimitError, kind_of, members
from winnow_ci.errors import CorpusError, WinnowError
from winnow_ci.named_tuples import NamedTuple
from winnow_ci.processes import begin_worker
from winnow_ci.regular_file import open_regular

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from multiprocessing.connection import Connection
    from pathlib import Path

    from winnow_ci.corpus.archive import ArchiveLimits, Member

_LISTED_AT_ONCE = 1000
_SENT_AT_ONCE = 1 << 18


class ListedMember(NamedTuple):
    """A member of an archive, as the process lists it; see ``archive.Member``."""

    number: int  # among the members that are not folders
    name: str
    size: int
    reason: str | None
    content: bytes | None  # if it was asked for, is to be read, and is not too large


class ArchiveProcess:
    """Reads archives; start it before any thread, which no fork copies."""

    def __init__(self, limits: ArchiveLimits) -> None:
        self._here, there = Pipe()
        self._process = Process(target=_serve, args=(there, self._here, limits), daemon=True)
        with system.starting_workers():
            self._process.start()
        there.close()

    def members(self, path: Path, *, contents: bool, kind: str | None = None) -> Iterator[ListedMember]:
        """Yield the members of an archive; take all of them.

        With a ``kind`` (``archive.kind_of``) it may also be a packed file that is no tar.
        """
        try:
            self._here.send((path, contents, kind))
            while (answer := self._here.recv()) is not None:
                if isinstance(answer, WinnowError):
                    raise answer
                yield from answer
        except (EOFError, OSError) as error:
            problem = f"{path}: the process reading it was killed: too much memory or time"
            raise CorpusError(problem, USE_A_FOLDER) from error

    def end(self) -> None:
        """End the process."""
        self._process.kill()
        self._process.join()
        self._here.close()


def _serve(requests: Connection, parents: Connection, limits: ArchiveLimits) -> None:
    """Answer requests with lists of members, then None or an error."""
    begin_worker()
    # With a copy of the parent's end open here, its death would not end what is read there.
    parents.close()
    with contextlib.suppress(OSError):
        system.limit_memory(0, system.memory_in_use() + limits.memory)
    with contextlib.suppress(EOFError, OSError):
        while True:
            path, contents, kind = requests.recv()
            requests.send(_answer(requests, path, limits, kind, contents=contents))


class TimeOverError(BaseException):
    """Time is over; not an ``Exception``, which the libraries would catch."""


def _answer(
    answers: Connection, path: Path, limits: ArchiveLimits, kind: str | None, *, contents: bool
) -> CorpusError | None:
    sending = _Sending(answers)
    try:
        with open_regular(path) as file:
            size = os.fstat(file.fileno()).st_size
            with ended_after(limits.time_for(size)):
                found = kind or kind_of(file.read(HEAD_SIZE), path.name) or "tar"
                file.seek(0)
                sending.send(members(file, found, size, limits, path.name if kind else ""), limits, contents=contents)
            return None
    except FileNotFoundError as error:
        why, remedy = error.strerror, "run this again"
    except ArchiveLimitError as error:
        why, remedy = error.problem, error.remedy
    except (MemoryError, RecursionError):
        why, remedy = "needs too much memory to be read", USE_A_FOLDER
    except TimeOverError:
        why, remedy = f"takes more than {limits.time_for(size):,.0f} s of processor time", USE_A_FOLDER
    except BrokenPipeError:
        raise
    except Exception as error:
        # The libraries raise anything at hostile input.
        why, remedy = f"damaged, or not an archive: {(str(error) or type(error).__name__)[:500]}", "fetch it again"
    return CorpusError(f"{path}: {sending.place}{why}", remedy)


class _Sending:
    def __init__(self, answers: Connection) -> None:
        self._answers = answers
        self._waiting: list[ListedMember] = []
        self._size = 0
        # Where an error is, for its message.
        self.place = ""

    def send(self, found: Iterable[Member], limits: ArchiveLimits, *, contents: bool) -> None:
        for number, member in enumerate(found):
            self.place = f"at or after the member {member.name[:500]}: "
            wanted = contents and member.reason is None and member.size <= limits.member
            content = member.read() if wanted else None
            self._waiting.append(ListedMember(number, member.name, member.size, member.reason, content))
            self._size += len(content or b"")
            if len(self._waiting) >= _LISTED_AT_ONCE or self._size >= _SENT_AT_ONCE:
                self._flush()
        self._flush()

    def _flush(self) -> None:
        # An incomplete message could not be understood.
        with system.held_back("SIGPROF"):
            self._answers.send(self._waiting)
        self._waiting, self._size = [], 0


@contextlib.contextmanager
def ended_after(seconds: float) -> Iterator[None]:
    """End the block with ``TimeOverError`` after some seconds of processor time."""
    before, sys.unraisablehook = sys.unraisablehook, _reported_but_time
    try:
        with system.raised_after(seconds, TimeOverError):
            yield
    finally:
        sys.unraisablehook = before


def _reported_but_time(dropped: sys.UnraisableHookArgs) -> None:
    if dropped.exc_type is not TimeOverError:
        sys.__unraisablehook__(dropped)
