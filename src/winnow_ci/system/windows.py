"""What winnow-ci asks of Windows; ``posix`` has the same names, and says what they do.

A file is opened so that others may rename or delete it meanwhile, as on other systems. Its lock is a range of bytes far
beyond its end: Windows keeps everybody from locked bytes. A program that leads a group is put into a job object, which
ends all that it has started.
"""

from __future__ import annotations

import _thread
import _winapi
import ctypes
import msvcrt
import os
import re
import shutil
import signal
import stat
import struct
import sys
import threading
import time
from contextlib import contextmanager, suppress
from errno import ELOOP, ENOENT
from typing import IO, TYPE_CHECKING, Any, Literal

from winnow_ci.system import windows_access as access

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path
    from subprocess import Popen
    from types import FrameType

    from typing_extensions import Self

assert sys.platform == "win32"

# From the headers of Windows: winnt.h, winbase.h, winerror.h, aclapi.h.
_READ, _WRITE, _PRIVATE = 0x8000_0000, 0x4000_0000, 0o600
_SHARED, _OPEN_LINK, _OPEN_FOLDER = 1 | 2 | 4, 0x0020_0000, 0x0200_0000
_CREATE_NEW, _OPEN_EXISTING, _OPEN_ALWAYS = 1, 3, 4
_ATTRIBUTES_AND_TAG, _LEADS_ELSEWHERE, _LITERAL = 9, 0x2000_0000, "\\\\?\\"
_NOT_IN_NAMES, _NO_NAME = re.compile(r"[\\:]"), "|"
_LOCK_NOW, _LOCK_ALONE = 1, 2
_LOCK_VIOLATION = 33
_TERMINATE, _SET_QUOTA = 0x1, 0x100
_LIMITS, _LIMIT_OF_PROCESS = 9, 0x100
_COLOURS, _OUTPUT = 4, -11
_OFFSET_OF_LOCK = struct.pack("QQIIQ", 0, 0, 0, 0x4000_0000, 0)
_RENAME_PATIENCE = 5.0  # seconds to wait for a scanner of viruses, or a reader, that has a file open
_LOOK_SECONDS = 0.01

LEADING: dict[str, Any] = {"creationflags": 0x200}
"""Options of ``Popen`` for a program that leads a group of its own: ^C does not reach it."""

belongs_to_us, others_may = access.belongs_to_us, access.others_may
_kernel = ctypes.WinDLL("kernel32", use_last_error=True)


# ---- files -----------------------------------------------------------------------------------------------------


def open_file(path: str | Path, flags: int, mode: int = 0o666, *, follow: bool = False) -> int:
    """Open a file as ``posix`` does; 0o600 makes it private."""
    how = _OPEN_FOLDER if follow else _OPEN_FOLDER | _OPEN_LINK
    with access.security_of_new(private=mode == _PRIVATE) as security:
        handle = _winapi.CreateFile(str(path), _access(flags), _SHARED, security, _disposition(flags), how, 0)
    descriptor = msvcrt.open_osfhandle(handle, flags | os.O_NOINHERIT)
    try:
        if not follow:
            _refuse_link(handle, path)
        if flags & os.O_TRUNC:
            os.ftruncate(descriptor, 0)
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor


def _refuse_link(handle: int, path: str | Path) -> None:
    found = ctypes.create_string_buffer(8)
    _kernel.GetFileInformationByHandleEx(ctypes.c_void_p(handle), _ATTRIBUTES_AND_TAG, found, len(found))
    attributes, tag = struct.unpack("II", found)
    if attributes & stat.FILE_ATTRIBUTE_REPARSE_POINT and tag & _LEADS_ELSEWHERE:
        raise _link(path)


def _link(path: str | Path) -> OSError:
    return OSError(ELOOP, "a link", str(path))


def _access(flags: int) -> int:
    return _READ | _WRITE if flags & (os.O_WRONLY | os.O_RDWR) else _READ


def _disposition(flags: int) -> int:
    if flags & os.O_EXCL:
        return _CREATE_NEW
    return _OPEN_ALWAYS if flags & os.O_CREAT else _OPEN_EXISTING


class OpenFolder:
    """A folder that stays the same one: nobody can rename what is on its path while it is open."""

    def __init__(self, path: Path) -> None:
        self._path, self._held = str(path), [_hold(str(path))]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        while self._held:
            _winapi.CloseHandle(self._held.pop())

    def enter(self, name: str) -> None:
        inner = os.path.join(self._path, name)  # noqa: PTH118 - a text is what Windows takes
        self._held.append(_hold(inner))
        if is_link(os.lstat(inner)):
            raise _link(inner)
        self._path = inner

    def open(self, name: str, flags: int, mode: int = 0o666) -> int:
        return open_file(os.path.join(self._path, name), flags, mode)  # noqa: PTH118

    def remove(self, name: str) -> None:
        os.unlink(os.path.join(self._path, name))  # noqa: PTH108, PTH118

    def is_link(self, name: str) -> bool:
        with suppress(OSError):
            return is_link(os.lstat(os.path.join(self._path, name)))  # noqa: PTH118
        return False


def _hold(path: str) -> int:
    """Open a folder so that nobody can rename or delete it."""
    if not stat.S_ISDIR(os.stat(path).st_mode):  # noqa: PTH116
        raise NotADirectoryError(path)
    return _winapi.CreateFile(path, _READ, 1 | 2, 0, _OPEN_EXISTING, _OPEN_LINK | _OPEN_FOLDER, 0)


def is_link(found: os.stat_result) -> bool:
    return bool(found.st_reparse_tag & _LEADS_ELSEWHERE)


def lock(descriptor: int, *, shared: bool = False, wait: bool = False) -> bool:
    flags = (0 if shared else _LOCK_ALONE) | (0 if wait else _LOCK_NOW)
    handle, place = ctypes.c_void_p(msvcrt.get_osfhandle(descriptor)), ctypes.create_string_buffer(_OFFSET_OF_LOCK)
    if _kernel.LockFileEx(handle, flags, 0, 1, 0, place):
        return True
    if ctypes.get_last_error() == _LOCK_VIOLATION:
        return False
    raise ctypes.WinError(ctypes.get_last_error())


def rename_over(written: Path, path: Path) -> None:
    """Raise ``PermissionError`` if another program has one of the files open for seconds."""
    given_up = time.monotonic() + _RENAME_PATIENCE
    while time.monotonic() < given_up:
        with suppress(PermissionError):
            written.replace(path)
            return
        time.sleep(_LOOK_SECONDS)
    written.replace(path)


def sync_folder(folder: Path) -> None:
    """Do nothing: Windows writes names with the files."""


def place_below(folder: str | Path, path: str) -> str:
    """Return a place behind a prefix: so Windows takes long paths, and names such as ``aux.c`` or ``a.`` as they are.

    What would lead out of the folder, or to another stream of a file, is no name here: such a place does not exist.
    """
    name = path.encode("utf-8", "surrogateescape").decode("utf-8", "surrogatepass")
    parts = [_NO_NAME if part in {".", ".."} else _NOT_IN_NAMES.sub(_NO_NAME, part) for part in name.split("/") if part]
    full = os.path.join(os.path.abspath(folder), *parts)  # noqa: PTH100, PTH118
    if full.startswith("\\\\"):
        return full if full.startswith(_LITERAL) else f"{_LITERAL}UNC{full[1:]}"
    return f"{_LITERAL}{full}"


def link_file(name: Path, file: Path) -> None:
    """Give a file another name, or copy it: links that lead to other drives are for administrators."""
    try:
        name.hardlink_to(file)
    except OSError:
        with file.open("rb") as content, name.open("xb") as copy:
            shutil.copyfileobj(content, copy)


def path_of_name(name: str) -> str:
    """Half of a surrogate pair, which Windows permits, is three bytes outside UTF-8."""
    return name.encode("utf-8", "surrogatepass").decode("utf-8", "surrogateescape")


# ---- processes -------------------------------------------------------------------------------------------------


def program(name: str) -> str:
    """Return a path from an absolute folder of the PATH: Windows would look into the current folder first."""
    if os.path.dirname(name):  # noqa: PTH120
        return name
    for folder in filter(os.path.isabs, os.environ.get("PATH", "").split(os.pathsep)):
        for ending in ("", ".exe", ".cmd", ".bat") if "." in name else (".exe", ".cmd", ".bat"):
            if os.path.isfile(path := os.path.join(folder, name + ending)):  # noqa: PTH113, PTH118
                return path
    raise FileNotFoundError(ENOENT, os.strerror(ENOENT), name)


class ProcessGroup:
    """A program that was started with ``LEADING``, and all that it has started."""

    def __init__(self, leader: Popen[bytes]) -> None:
        self._job = _new_job()
        _join(self._job, leader.pid)

    def ask_to_end(self) -> bool:
        """Return False: Windows asks no program without a window."""
        return False

    def kill(self) -> None:
        _kernel.TerminateJobObject(ctypes.c_void_p(self._job), 1)

    def __del__(self) -> None:
        _winapi.CloseHandle(self._job)


def _new_job() -> int:
    _kernel.CreateJobObjectW.restype = ctypes.c_void_p
    return access.checked(_kernel.CreateJobObjectW(None, None))


def _join(job: int, pid: int) -> None:
    """Put a process (0: this one) into a job, unless it has ended."""
    with suppress(OSError):
        process = _winapi.OpenProcess(_TERMINATE | _SET_QUOTA, False, pid or os.getpid())
        try:
            _kernel.AssignProcessToJobObject(ctypes.c_void_p(job), ctypes.c_void_p(process))
        finally:
            _winapi.CloseHandle(process)


def await_end(_pid: int, _seconds: float) -> None:
    """Raise AttributeError: ``Popen.wait`` with a limit does that well."""
    raise AttributeError


def ready_pipes(pipes: Sequence[IO[bytes]], seconds: float) -> list[IO[bytes]]:
    given_up, pause = time.monotonic() + seconds, _LOOK_SECONDS / 64
    while not (found := [pipe for pipe in pipes if _is_readable(pipe)]) and time.monotonic() < given_up:
        time.sleep(pause)
        pause = min(2 * pause, _LOOK_SECONDS)
    return found


def _is_readable(pipe: IO[bytes]) -> bool:
    try:
        return bool(_winapi.PeekNamedPipe(msvcrt.get_osfhandle(pipe.fileno()), 0)[0])
    except BrokenPipeError:
        return True


def limit_memory(process: int, most: int) -> None:
    """Limit the memory of a process (0: this one) and of each of its children."""
    limits = struct.pack("=qqI4xQQI4xQII6Q4Q", 0, 0, _LIMIT_OF_PROCESS, *[0] * 12, most, 0, 0, 0)
    job = _new_job()
    _kernel.SetInformationJobObject(ctypes.c_void_p(job), _LIMITS, limits, len(limits))
    _join(job, process)
    # The limit stays as long as the process.
    _winapi.CloseHandle(job)


def limit_file_size(_process: int, _most: int) -> None:
    """Do nothing: Windows has no such limit."""


def memory_in_use() -> int:
    """Return 0: a job counts what a process has reserved, which is little at its start."""
    return 0


def waiting_bytes(socket: int) -> int:
    count = ctypes.c_ulong()
    ctypes.WinDLL("ws2_32").ioctlsocket(ctypes.c_void_p(socket), 0x4004667F, ctypes.byref(count))
    return count.value


# ---- signals ---------------------------------------------------------------------------------------------------


@contextmanager
def held_back(name: Literal["SIGINT", "SIGPROF"]) -> Iterator[None]:
    """Let ^C wait until the block ends; Windows has no other signal that comes by itself."""
    if name != "SIGINT" or threading.current_thread() is not threading.main_thread():
        yield
        return
    came: list[int] = []
    before = signal.signal(signal.SIGINT, lambda number, _frame: came.append(number))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
        if came:
            signal.raise_signal(signal.SIGINT)


@contextmanager
def starting_workers() -> Iterator[None]:
    """Let ^C wait until the block ends; processes that are started in it never get ^C.

    A worker would get it before it can ignore it, since it starts as a new program. This process loses a ^C that comes
    in the moment of the start: a child inherits nothing but that it is ignored.
    """
    with held_back("SIGINT"):
        _kernel.SetConsoleCtrlHandler(None, 1)
        try:
            yield
        finally:
            _kernel.SetConsoleCtrlHandler(None, 0)


@contextmanager
def raised_after(seconds: float, error: type[BaseException]) -> Iterator[None]:
    def end(_signal: int, _frame: FrameType | None) -> None:
        raise error

    before, has_ended, given_up = signal.signal(signal.SIGTERM, end), threading.Event(), time.process_time() + seconds

    def watch() -> None:
        while not has_ended.wait(_LOOK_SECONDS):
            if time.process_time() > given_up:
                _thread.interrupt_main(signal.SIGTERM)

    watching = threading.Thread(target=watch, daemon=True)
    watching.start()
    try:
        yield
    finally:
        has_ended.set()
        watching.join()
        signal.signal(signal.SIGTERM, before)


def interrupt_main_thread() -> None:
    _thread.interrupt_main()


def reset_what_is_inherited() -> None:
    """Keep programs of the current folder from being found, by us or by those that we start."""
    os.environ["NODEFAULTCURRENTDIRECTORYINEXEPATH"] = "1"
    folders = filter(os.path.isabs, os.environ.get("PATH", "").split(os.pathsep))
    os.environ["PATH"] = os.pathsep.join(folders)


def exit_with(_status: int, _words: bytes) -> None:
    """Do nothing: the C library ends an ``abort`` with status 3."""


def show_colours() -> bool:
    handle, mode = ctypes.c_void_p(_winapi.GetStdHandle(_OUTPUT)), ctypes.c_ulong()
    if not _kernel.GetConsoleMode(handle, ctypes.byref(mode)):
        return False
    return bool(_kernel.SetConsoleMode(handle, mode.value | _COLOURS))
