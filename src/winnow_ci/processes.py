"""Start other programs, limit them, and end them in time; also set up our own workers.

A program is either listened to until it ends (``listen``), or it answers questions through its pipes, each within some
time (``killed_after``). Either way it ends with the context, whatever happens in it, ^C included. A program that leads
a group is first asked to end, so that it can remove its locks and temporary files; then the whole group is killed.
"""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from math import inf
from pathlib import Path
from subprocess import DEVNULL, PIPE, Popen, TimeoutExpired
from threading import Thread, Timer
from typing import IO, TYPE_CHECKING, BinaryIO, cast

from winnow_ci import system
from winnow_ci.named_tuples import NamedTuple

if TYPE_CHECKING:
    from typing_extensions import Self

# Seconds between two looks at the limits, if the program writes nothing.
_TICK = 0.5
# Seconds that the leader of a group has to end itself.
_GRACE = 5.0
_READ = 1 << 16
# Bytes that every pipe holds; Linux gives that little to whoever has many.
_ANY_PIPE = 1 << 12


class ProcessLimits(NamedTuple):
    """What a program may take: seconds until it ends, seconds of silence, and bytes of output and errors together."""

    seconds: float = inf
    silence: float = inf
    output: float = inf


_UNLIMITED = ProcessLimits()


class ProcessLimitError(Exception):
    """A program exceeds a limit of ``ProcessLimits``; ``size`` is for whoever counts something else."""

    def __init__(self, limit: str) -> None:
        super().__init__(limit)
        self.limit = limit


class ProcessResult(NamedTuple):
    """The result of a program; its exit status is negative if a signal ended it."""

    status: int
    output: bytes
    errors: bytes

    @property
    def complaint(self) -> str:
        """Its standard error as text."""
        return self.errors.decode(errors="replace")


class ChildProcess:
    """A program that has been started, to be used as a context, with its group if it leads one.

    Its standard input, output and error are there only where they are pipes; ``listen`` needs the output.
    """

    def __init__(self, started: Popen[bytes], *, leads: bool) -> None:
        self._process, self._group = started, system.ProcessGroup(started) if leads else None
        self.pid = started.pid
        pipes = started.stdin, started.stdout, started.stderr
        self.input, self.output, self.errors = cast("tuple[IO[bytes], IO[bytes], IO[bytes]]", pipes)
        self._pipes = [pipe for pipe in pipes if pipe is not None]
        self._errors = b""
        self.has_expired = False  # whether ``killed_after`` has killed it

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        # What a program that has ended by itself leaves running, such as a connection that ssh shares, is the user's.
        if kind is not None or self.status is None:
            self.kill()
        self.close()

    @property
    def status(self) -> int | None:
        """Its exit status, negative if a signal ended it; None while it runs."""
        return self._process.poll()

    def next_output(self, seconds: float) -> bytes:
        """Return what it writes to standard output next, which must not be buffered; nothing if it has closed that.

        If it writes nothing for that long, that is a ``ProcessLimitError``.
        """
        pipes = [self.output, self.errors]
        while ready := system.ready_pipes(pipes, seconds):
            # Left alone, a pipe that is full would make it wait for ever.
            if self.errors in ready and not self._hear_errors():
                pipes.remove(self.errors)
            if self.output in ready:
                return os.read(self.output.fileno(), _READ)
        raise ProcessLimitError("silence")

    def last_errors(self) -> bytes:
        """The end of all that it has written to standard error, which it must have closed."""
        while self._hear_errors():
            pass
        return self._errors

    def _hear_errors(self) -> bytes:
        more = os.read(self.errors.fileno(), _READ)
        self._errors = (self._errors + more)[-_READ:]
        return more

    def listen(self, limits: ProcessLimits) -> Iterator[tuple[bytes, bytes]]:
        """Yield its standard output and standard error until it ends; both empty after half a second of silence.

        If it exceeds a limit, that is a ``ProcessLimitError``; leaving the context kills it.
        """
        began = last_heard = time.monotonic()
        size = 0
        for heard in self._heard():
            yield heard
            now = time.monotonic()
            last_heard = now if any(heard) else last_heard
            size += sum(map(len, heard))
            used = ProcessLimits(now - began, now - last_heard, size)
            for name, amount, most in zip(ProcessLimits._fields, used, limits, strict=True):
                if amount > most:
                    raise ProcessLimitError(name)

    def collect(self, limits: ProcessLimits = _UNLIMITED, tick: Callable[[], None] = lambda: None) -> ProcessResult:
        """Listen until it ends; call ``tick`` whenever it writes, and at least twice a second."""
        output, errors = bytearray(), bytearray()
        for more_output, more_errors in self.listen(limits):
            output += more_output
            errors += more_errors
            tick()
        return ProcessResult(self.wait(), bytes(output), bytes(errors))

    @contextmanager
    def killed_after(self, seconds: float) -> Iterator[None]:
        """Kill it if the block takes longer: what waits for its answer then gets the end of the pipe instead."""
        timer = Timer(seconds, self._expire)
        timer.daemon = True
        timer.start()
        try:
            yield
        finally:
            timer.cancel()
            # It may be about to kill the process, which must not get another question then.
            timer.join()

    def _expire(self) -> None:
        self.has_expired = True
        self.kill()

    def wait(self) -> int:
        """Wait until it ends by itself; return its status."""
        return self._process.wait()

    def kill(self) -> int:
        """End it, with its group if it leads one; return its status."""
        try:
            if self._group and self._group.ask_to_end():
                self._ends_within(_GRACE)
        finally:
            if self._group:
                self._group.kill()
            self._process.kill()
        return self.wait()

    def disown(self) -> None:
        """Forget it in a process that was forked from its parent."""
        self._process.returncode = 0
        self.close()

    def close(self) -> None:
        """Close our ends of its pipes."""
        for pipe in self._pipes:
            with suppress(OSError):
                pipe.close()

    def _heard(self) -> Iterator[tuple[bytes, bytes]]:
        pipes = [pipe for pipe in self._pipes if pipe is not self.input]
        while pipes:
            has_ended = self.status is not None
            heard = {self.output: b"", self.errors: b""}
            for pipe in system.ready_pipes(pipes, _TICK):
                heard[pipe] = os.read(pipe.fileno(), _READ)
                if not heard[pipe]:
                    pipes.remove(pipe)
            if has_ended and not any(heard.values()):
                # What it has left running holds its pipes open.
                break
            yield heard[self.output], heard[self.errors]
        while not self._ends_within(_TICK):
            yield b"", b""

    def _ends_within(self, seconds: float) -> bool:
        if self.status is None:
            try:
                system.await_end(self.pid, seconds)
            except (AttributeError, OSError):
                with suppress(TimeoutExpired):
                    self._process.wait(seconds)
        return self.status is not None


def start(
    command: Sequence[str],
    folder: Path,
    environment: Mapping[str, str] | None = None,
    *,
    given: bytes | None = b"",
    has_errors: bool = True,
    leads: bool = True,
) -> ChildProcess:
    """Start a program in a folder; if it cannot be started, that is an ``OSError``.

    ``environment`` is all of its variables; None for those of this process. ``given`` is all of its standard input;
    None for a pipe. Without ``has_errors`` its standard error is dropped. If it ``leads``, it has a session of its own,
    without a terminal, and a group that ends with it.
    """
    with standard_input(given) as stdin:
        process = Popen(
            [system.program(command[0]), *command[1:]],
            cwd=folder,
            env=environment,
            stdin=stdin,
            stdout=PIPE,
            stderr=PIPE if has_errors else DEVNULL,
            **(system.LEADING if leads else {}),
        )
    return ChildProcess(process, leads=leads)


@contextmanager
def standard_input(given: bytes | None) -> Iterator[BinaryIO | int]:
    """Yield what ``Popen`` wants for a standard input of these bytes: a file, if a pipe could block both sides."""
    if not given:
        yield PIPE if given is None else DEVNULL
    elif len(given) <= _ANY_PIPE:
        readable, writable = os.pipe()
        with os.fdopen(readable, "rb") as here:
            with os.fdopen(writable, "wb") as there:
                there.write(given)
            yield here
    else:
        from tempfile import TemporaryFile  # noqa: PLC0415 - a commit hook has little to give

        with TemporaryFile() as file:
            file.write(given)
            file.seek(0)
            yield cast("BinaryIO", file)


# ---- worker processes of our own, which ``multiprocessing`` starts -------------------------------------------------


def begin_worker() -> None:
    """Ignore ^C, and end when the parent does, however that is killed.

    The parent gets the same ^C and stops its workers; their tracebacks would hide its message. A worker that outlived
    it would wait for work for ever, and hold the locks that it has inherited.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # A signal that this thread took would be raised in the main one, even while that holds it back.
    with system.held_back("SIGPROF"):
        Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    from multiprocessing import connection, parent_process  # noqa: PLC0415 - a commit hook has no workers

    parent = parent_process()
    assert parent is not None
    connection.wait([parent.sentinel])
    os._exit(1)
