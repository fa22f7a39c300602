"""The process in which archives are read.

It is asked for one archive at a time: for a list of its members, then for their contents, which it sends in the order
in which they are stored, as fast as they are taken. Its memory is limited, where the system can do that, and so is its
processor time; a busy machine makes no difference to that.

It answers with some lists of members, and at the end ``None`` or an error.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
from multiprocessing import Pipe, Process
from pathlib import Path
from typing import TYPE_CHECKING

from winnow_ci import processes
from winnow_ci.corpus import archive
from winnow_ci.corpus.archive_limits import REMEDY, ArchiveLimitError
from winnow_ci.errors import CorpusError, WinnowError
from winnow_ci.named_tuples import NamedTuple
from winnow_ci.processes.workers import begin_worker, held_back
from winnow_ci.regular_file import open_regular

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from multiprocessing.connection import Connection
    from types import FrameType
    from typing import BinaryIO

    from winnow_ci.corpus.archive_limits import ArchiveLimits
    from winnow_ci.corpus.archive_members import Member

LISTED_AT_ONCE = 1000
SENT_AT_ONCE = 1 << 18
# Seconds of processor time until the error is raised again that Python has dropped.
RAISED_AGAIN = 0.05


class ListedMember(NamedTuple):
    """A member of an archive, as the process lists it.

    Attributes:
        number: among the members of the archive that are not folders.
        name: as in ``member.Member``.
        size: in bytes.
        reason: why it is not read, if so.
        content: if that was asked for, there is no reason against it, and it is not too large.
    """

    number: int
    name: str
    size: int
    reason: str | None
    content: bytes | None


class ArchiveProcess:
    """Reads archives; to be started before there are threads, which a fork does not take along."""

    def __init__(self, limits: ArchiveLimits) -> None:
        self._here, there = Pipe()
        self._process = Process(target=_serve, args=(there, self._here, limits), daemon=True)
        with held_back(signal.SIGINT):
            self._process.start()
        there.close()

    def members(self, path: Path, *, contents: bool, kind: str | None = None) -> Iterator[ListedMember]:
        """The members of an archive; all must be taken before the next archive is asked for.

        With a ``kind`` (``archive.kind_of``) it may also be a packed file that is no tar.

        Raises:
            CorpusError: it cannot be read, is damaged, or exceeds a limit.
        """
        try:
            self._here.send((path, contents, kind))
            while (answer := self._here.recv()) is not None:
                if isinstance(answer, WinnowError):
                    raise answer
                yield from answer
        except (EOFError, OSError) as error:
            problem = f"{path}: the process that reads it was ended: too much memory or time"
            raise CorpusError(problem, REMEDY) from error

    def end(self) -> None:
        """End the process."""
        self._process.kill()
        self._process.join()
        self._here.close()


def _serve(requests: Connection, parents: Connection, limits: ArchiveLimits) -> None:
    begin_worker()
    # With a copy of the parent's end open here, its death would not end what is read there.
    parents.close()
    _limit_memory(limits.memory)
    with contextlib.suppress(EOFError, OSError):
        while True:
            path, contents, kind = requests.recv()
            requests.send(_answer(requests, path, limits, kind, contents=contents))


def _limit_memory(most: int) -> None:
    with contextlib.suppress(OSError):
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
        processes.limit(0, "RLIMIT_AS", pages * os.sysconf("SC_PAGE_SIZE") + most)


class TimeOverError(BaseException):
    """The time of ``ended_after`` is over; not an ``Exception``, which the libraries would catch."""


def _answer(
    answers: Connection, path: Path, limits: ArchiveLimits, kind: str | None, *, contents: bool
) -> CorpusError | None:
    """Send the members; return what ends the answer."""
    sending = _Sending(answers)
    try:
        with _opened(path) as file:
            size = os.fstat(file.fileno()).st_size
            with ended_after(limits.time_for(size)):
                found = kind or archive.kind_of(os.pread(file.fileno(), archive.HEAD, 0), path.name) or "tar"
                members = archive.members(file, found, size, limits, path.name if kind else "")
                _send(sending, members, limits, contents=contents)
    except ArchiveLimitError as error:
        return CorpusError(f"{path}: {sending.place}{error.problem}", error.remedy)
    except CorpusError as error:
        return error
    except (MemoryError, RecursionError):
        return CorpusError(f"{path}: {sending.place}needs too much memory to be read", REMEDY)
    except TimeOverError:
        seconds = f"{limits.time_for(size):,.0f} s of processor time"
        return CorpusError(f"{path}: {sending.place}takes more than {seconds}", REMEDY)
    except BrokenPipeError:
        raise
    except Exception as error:
        # The libraries raise anything at hostile input.
        why = str(error) or type(error).__name__
        return CorpusError(f"{path}: {sending.place}damaged, or no archive: {why[:500]}", "fetch it again")
    return None


def _send(sending: _Sending, members: Iterable[Member], limits: ArchiveLimits, *, contents: bool) -> None:
    for number, member in enumerate(members):
        sending.last = member.name
        wanted = contents and member.reason is None and member.size <= limits.member
        content = member.read() if wanted else None
        sending.add(ListedMember(number, member.name, member.size, member.reason, content))
    sending.flush()


class _Sending:
    """Sends members, many in one message."""

    def __init__(self, answers: Connection) -> None:
        self._answers = answers
        self._waiting: list[ListedMember] = []
        self._size = 0
        self.last: str | None = None

    @property
    def place(self) -> str:
        """Where an error is, for its message."""
        return "" if self.last is None else f"at or after the member {self.last[:500]}: "

    def add(self, member: ListedMember) -> None:
        self._waiting.append(member)
        self._size += len(member.content or b"")
        if len(self._waiting) >= LISTED_AT_ONCE or self._size >= SENT_AT_ONCE:
            self.flush()

    def flush(self) -> None:
        # An incomplete message could not be understood.
        with held_back(signal.SIGPROF):
            self._answers.send(self._waiting)
        self._waiting, self._size = [], 0


@contextlib.contextmanager
def _opened(path: Path) -> Iterator[BinaryIO]:
    """Open a regular file, without waiting for a writer if it is a named pipe."""
    try:
        with open_regular(path) as file:
            yield file
    except FileNotFoundError as error:
        raise CorpusError(f"{path}: {error.strerror}", "run this again") from error


@contextlib.contextmanager
def ended_after(seconds: float) -> Iterator[None]:
    """End the block with ``TimeOverError`` after some seconds of processor time."""

    def end(_signal: int, _frame: FrameType | None) -> None:
        raise TimeOverError

    signal.signal(signal.SIGPROF, end)
    before, sys.unraisablehook = sys.unraisablehook, _reported_but_time
    # Python drops an error that is raised while it deletes an object, so this one is raised again and again.
    signal.setitimer(signal.ITIMER_PROF, seconds, RAISED_AGAIN)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        sys.unraisablehook = before


def _reported_but_time(dropped: sys.UnraisableHookArgs) -> None:
    if dropped.exc_type is not TimeOverError:
        sys.__unraisablehook__(dropped)
