"""What winnow-ci asks of Linux and macOS; ``windows`` has the same names."""

from __future__ import annotations

import fcntl
import os
import select
import signal
import stat
import sys
from contextlib import contextmanager, suppress
from typing import IO, TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from contextlib import AbstractContextManager
    from pathlib import Path
    from subprocess import Popen
    from types import FrameType

    from typing_extensions import Self

LEADING: dict[str, Any] = {"start_new_session": True}
"""Options of ``Popen`` for a program that leads a group of its own, without a terminal."""

_ALONE = os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
_FOLDERS = ("PATH", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "GIT_EXEC_PATH")
"""Variables with folders of programs and libraries. An empty or relative one is in the checkout."""
_RAISED_AGAIN = 0.05  # seconds of processor time until an error is raised again that Python has dropped
_OF_OTHERS = 0o077


# ---- files -----------------------------------------------------------------------------------------------------


def open_file(path: str | Path, flags: int, mode: int = 0o666, *, follow: bool = False) -> int:
    """Open a file for us alone: no named pipe is awaited, no child gets it, and a link is not followed unless wanted.

    Raises ``OSError`` if it cannot be opened, with ``ELOOP`` for a link.
    """
    return os.open(path, flags | _ALONE & ~(os.O_NOFOLLOW if follow else 0), mode)


class OpenFolder:
    """A folder that stays the same one, whoever renames or replaces what is on its path."""

    def __init__(self, path: Path) -> None:
        self._descriptor = os.open(path, _FOLDER)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self._descriptor)

    def enter(self, name: str) -> None:
        """Go into a folder in it, which must not be a link."""
        outer, self._descriptor = self._descriptor, os.open(name, _FOLDER | os.O_NOFOLLOW, dir_fd=self._descriptor)
        os.close(outer)

    def open(self, name: str, flags: int, mode: int = 0o666) -> int:
        """Open a file in it (``open_file``)."""
        return os.open(name, flags | _ALONE, mode, dir_fd=self._descriptor)

    def remove(self, name: str) -> None:
        """Remove a file or a link in it."""
        os.unlink(name, dir_fd=self._descriptor)

    def is_link(self, name: str) -> bool:
        """Return whether a name in it is a link."""
        with suppress(OSError):
            return bool(os.readlink(name, dir_fd=self._descriptor))
        return False


def lock(descriptor: int, *, shared: bool = False, wait: bool = False) -> bool:
    """Lock a file until it is closed; return False if somebody else has the lock, and we do not ``wait``.

    Raises ``OSError`` if its file system has no locks.
    """
    try:
        fcntl.flock(descriptor, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | (0 if wait else fcntl.LOCK_NB))
    except BlockingIOError:
        return False
    return True


def rename_over(written: Path, path: Path) -> None:
    """Rename a file to a path, in place of what is there."""
    written.replace(path)


def sync_folder(folder: Path) -> None:
    """Write the names in a folder to the disk."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def belongs_to_us(path: Path) -> bool:
    """Return whether a file, or the link that it is, belongs to this user or to the administrator."""
    return path.lstat().st_uid in {os.geteuid(), 0}


def others_may(descriptor: int, *, group_of_root: bool) -> bool:
    """Return whether others may read or change a file; ``group_of_root``: a file of root may be read by its group."""
    status = os.fstat(descriptor)
    allowed = 0o040 if group_of_root and status.st_uid == 0 else 0
    return bool(status.st_mode & _OF_OTHERS & ~allowed)


def place_below(folder: str | Path, path: str) -> str:
    """Return the place of a path below a folder: text with ``/``, bytes outside UTF-8 are surrogates (PEP 383)."""
    return os.path.join(folder, os.fsdecode(path.encode("utf-8", "surrogateescape")))  # noqa: PTH118 - a Path is slow


def link_file(name: Path, file: Path) -> None:
    """Give a file another name."""
    name.symlink_to(file)


def path_of_name(name: str) -> str:
    """Return the name of a file as part of a path that is the same on every system (``place_below``)."""
    return os.fsencode(name).decode("utf-8", "surrogateescape")


def is_link(found: os.stat_result) -> bool:
    """Return whether something leads elsewhere, by its own status."""
    return stat.S_ISLNK(found.st_mode)


# ---- processes -------------------------------------------------------------------------------------------------


def program(name: str) -> str:
    """Return how to start a program of the PATH."""
    return name


class ProcessGroup:
    """A process that was started with ``LEADING``, and all that it has started."""

    def __init__(self, leader: Popen[bytes]) -> None:
        self._pid = leader.pid

    def ask_to_end(self) -> bool:
        """Ask all to end; return whether that is possible."""
        return self._signal(signal.SIGTERM)

    def kill(self) -> None:
        """Kill all."""
        self._signal(signal.SIGKILL)

    def _signal(self, number: signal.Signals) -> bool:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self._pid, number)
        return True


def await_end(pid: int, seconds: float) -> None:
    """Wait until a child ends, but not longer than given; ``AttributeError`` or ``OSError`` where the system cannot.

    ``Popen.wait`` with a limit sleeps a millisecond or more between two looks, and a hook runs many short commands.
    """
    descriptor = os.pidfd_open(pid)
    try:
        waiting = select.poll()
        waiting.register(descriptor, select.POLLIN)
        waiting.poll(seconds * 1000)
    finally:
        os.close(descriptor)


def ready_pipes(pipes: Sequence[IO[bytes]], seconds: float) -> list[IO[bytes]]:
    """Return those of some pipes that have something to read, or have ended; wait at most these seconds for one."""
    waiting = select.poll()
    numbers = {pipe.fileno(): pipe for pipe in pipes}
    for number in numbers:
        waiting.register(number, select.POLLIN)
    return [numbers[number] for number, _ in waiting.poll(seconds * 1000)]


def limit_memory(process: int, most: int) -> None:
    """Limit the address space of a process (0: this one) and its children, where the system can do that."""
    _limit("RLIMIT_AS", process, most)


def limit_file_size(process: int, most: int) -> None:
    """Limit the files that a process (0: this one) and its children write, where the system can do that."""
    _limit("RLIMIT_FSIZE", process, most)


def _limit(name: Literal["RLIMIT_AS", "RLIMIT_FSIZE"], process: int, most: int) -> None:
    with suppress(ImportError, AttributeError, ValueError, OSError):
        import resource  # noqa: PLC0415 - a commit hook needs none

        kind = getattr(resource, name)
        _, hard = resource.getrlimit(kind) if process == 0 else resource.prlimit(process, kind)
        # The hard limit too: what a process could raise again would not hold it.
        bound = most if hard == resource.RLIM_INFINITY else min(most, hard)
        if process == 0:
            resource.setrlimit(kind, (bound, bound))
        else:
            resource.prlimit(process, kind, (bound, bound))


def memory_in_use() -> int:
    """Return the bytes of address space that this process has; ``OSError`` where the system does not say."""
    with open("/proc/self/statm", encoding="ascii") as file:  # noqa: PTH123 - nothing else here needs pathlib
        return int(file.read().split()[0]) * os.sysconf("SC_PAGE_SIZE")


def waiting_bytes(socket: int) -> int:
    """Count the bytes of a socket that have come and that nobody has read."""
    import termios  # noqa: PLC0415 - only an index on a server needs it

    return int.from_bytes(fcntl.ioctl(socket, termios.FIONREAD, bytes(4)), sys.byteorder)


# ---- signals ---------------------------------------------------------------------------------------------------


@contextmanager
def held_back(name: Literal["SIGINT", "SIGPROF"]) -> Iterator[None]:
    """Let a signal wait until the block ends, such as ^C."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, [getattr(signal, name)])
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def starting_workers() -> AbstractContextManager[None]:
    """Let ^C wait until the block ends: a worker that is started in it must not get it before it ignores it."""
    return held_back("SIGINT")


@contextmanager
def raised_after(seconds: float, error: type[BaseException]) -> Iterator[None]:
    """Raise an error in the block, again and again, after some seconds of processor time; in the main thread only."""

    def end(_signal: int, _frame: FrameType | None) -> None:
        raise error

    signal.signal(signal.SIGPROF, end)
    # Python drops an error that is raised while it deletes an object.
    signal.setitimer(signal.ITIMER_PROF, seconds, _RAISED_AGAIN)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


def interrupt_main_thread() -> None:
    """Send ^C to this process's main thread."""
    from threading import main_thread  # noqa: PLC0415 - rarely needed

    identity = main_thread().ident
    assert identity is not None
    signal.pthread_kill(identity, signal.SIGINT)


def reset_what_is_inherited() -> None:
    """Undo the caller's settings that could hide a failure or run a stranger's file."""
    # If SIGCHLD is ignored, the system forgets how a child ended, and Python assumes status 0.
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    # A blocked signal could not end a child, or a lexer whose time is up.
    signal.pthread_sigmask(signal.SIG_SETMASK, ())
    # If the caller has closed a stream, the next file gets its number, such as an index that is written.
    while (descriptor := os.open(os.devnull, os.O_RDWR)) <= 2:
        pass
    os.close(descriptor)
    for name in _FOLDERS:
        if name in os.environ:
            folders = filter(os.path.isabs, os.environ[name].split(os.pathsep))
            # An empty variable would mean the current folder.
            os.environ[name] = os.pathsep.join(folders) or os.devnull


def exit_with(status: int, words: bytes) -> None:
    """End with this status and a message if native code calls ``exit`` or ``abort``.

    The C library then calls the functions below, the last one first, and the status of ``exit`` no longer counts.
    Whoever calls ``_exit`` goes past them, and so do forked processes. NumPy imports ctypes in any case.
    """
    # A Python without ctypes, or a C library without these functions.
    with suppress(ImportError, OSError, AttributeError):
        import ctypes  # noqa: PLC0415 - it may be missing

        library = ctypes.CDLL(None)
        library["__cxa_atexit"](library["_exit"], ctypes.c_void_p(status), None)
        library["__cxa_atexit"](library["perror"], ctypes.c_char_p(words), None)
        # The kernel aborts when memory runs out.
        library["signal"](signal.SIGABRT, library["exit"])


def show_colours() -> bool:
    """Prepare the terminal for colours; return whether it can show them."""
    return os.environ.get("TERM") != "dumb"
