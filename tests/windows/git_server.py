"""The host's side of `git.exe`: run the real git for programs under wine.

`git.rs` describes the frames. For each connection, one git runs, in a session of its own, with the folder, arguments
and variables of the caller. Paths are translated on the way in (``Z:\\x`` and ``C:\\x`` become paths of the host) and,
for commands whose output names folders, on the way out (``/x`` becomes ``Z:/x``, as Git for Windows prints it).

Two habits of Git for Windows are copied. A new repository says that its file system has neither mode bits nor links.
A hook needs no mode bit, so hooks get theirs before a git runs that may start one.

A hook runs in the host's shell. There, ``winnow-ci`` and ``python`` are launchers that lead back into wine
(``from_hook.py``), also under the name ``Z:\\...\\python.exe``, which a shell looks up on its path.
"""

from __future__ import annotations

import json
import os
import re
import secrets
import shlex
import signal
import socket
import socketserver
import struct
import subprocess
import threading
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import IO, TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

CALLER = "WINNOW_TEST_CALLER"
"""The variable with what ``from_hook.py`` needs to know of the program that has called git."""

_DRIVE = re.compile(r"(?:file://+)?(?<![A-Za-z0-9])([A-Za-z]):[\\/]")
_PATH_LISTS = {"GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_CEILING_DIRECTORIES"}
_OF_WINDOWS = re.compile(
    r"PATH|PATHEXT|COMSPEC|SYSTEM\w*|WINDIR|TE?MP|OS|PYTHON\w*|APPDATA|LOCALAPPDATA|PROGRAM\w*|COMMON\w*|ALLUSERSPROFILE"
    r"|PUBLIC|HOMEDRIVE|HOMEPATH|USER\w*|COMPUTERNAME|NUMBER_OF_PROCESSORS|PROCESSOR_\w*|WINE\w*|.*[()=].*",
    re.IGNORECASE,
)
_GLOBAL_WITH_VALUE = {"-c", "-C", "--git-dir", "--work-tree", "--namespace", "--exec-path", "--config-env"}
_NAME_FOLDERS = set("clone commit config fetch init pull push remote rev-parse submodule var worktree".split())
_START_HOOKS = set(
    "am checkout cherry-pick clone commit hook merge pull push rebase receive-pack revert switch worktree".split()
)
_SECONDS_TO_END = 10.0
_LIKE_WINDOWS = {"core.fileMode": "false", "core.symlinks": "false"}


class Place(NamedTuple):
    """Where things are on the host: drive C, folders whose paths are translated, and the launchers for hooks."""

    drive_c: Path
    known: Sequence[Path]
    launchers: Path


class _Request(NamedTuple):
    folder: str
    arguments: list[str]
    variables: dict[str, str]


@contextmanager
def serving(place: Place, address: Path) -> Iterator[None]:
    """Serve on a port of the loopback device that is written to a file, with a word that a caller must know."""
    word = secrets.token_hex(16)

    class Handler(socketserver.BaseRequestHandler):
        def handle(self) -> None:
            self.request.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            with suppress(EOFError):  # ended by its caller, before it asked
                if secrets.compare_digest(_exactly(self.request, len(word)), word.encode()):
                    _answer(self.request, place)

    class Server(socketserver.ThreadingTCPServer):
        daemon_threads = True
        block_on_close = False
        request_queue_size = 64

    with Server(("127.0.0.1", 0), Handler) as server:
        address.touch(mode=0o600)
        address.write_text(f"{server.server_address[1]} {word}")
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield
        finally:
            server.shutdown()
            address.unlink(missing_ok=True)


def write_launchers(folder: Path, python: str, entry: str) -> None:
    """Write the programs that a hook finds on its path."""
    folder.mkdir(parents=True, exist_ok=True)
    start = f"exec wine {shlex.quote(python)} {shlex.quote(entry)}"
    for name, words in {"winnow-ci": "-m winnow_ci ", "python": "", "python3": "", python: ""}.items():
        (folder / name).write_text(f'#!/bin/sh\n{start} {words}"$@"\n')
        (folder / name).chmod(0o755)


# ---- paths -----------------------------------------------------------------------------------------------------


def to_host(text: str, place: Place) -> str:
    """Translate the first path of Windows in a text, from there to the end."""
    if text.casefold() == "nul" or text.casefold().endswith("=nul"):
        return f"{text[:-3]}/dev/null"
    found = _DRIVE.search(text)
    root = {"z": "", "c": str(place.drive_c)}.get(found[1].casefold()) if found else None
    if found is None or root is None:
        return text
    before = text[: found.start()] + ("file://" if found[0].startswith("file:") else "")
    return before + root + "/" + text[found.end() :].replace("\\", "/")


def to_windows(content: bytes, place: Place) -> bytes:
    """Translate the known paths of the host in the output of git."""
    for folder in place.known:
        path = re.escape(os.fsencode(folder))
        content = re.sub(rb"(?<![\w./-])(?=" + path + rb"(?![\w.-]))", b"Z:", content)
    return content


def _host_environment(variables: dict[str, str], place: Place) -> dict[str, str]:
    ours = {name: value for name, value in variables.items() if not _OF_WINDOWS.fullmatch(name)}
    for name, value in ours.items():
        lists = value.split(";") if name in _PATH_LISTS else [value]
        ours[name] = os.pathsep.join(to_host(each, place) for each in lists)
    kept = {name: value for name, value in os.environ.items() if name not in {"HOME", "XDG_CONFIG_HOME"}}
    environment = {**kept, **ours, "PATH": _host_path(variables.get("PATH", ""), place)}
    return {**environment, CALLER: json.dumps({"variables": variables, "given": ours})}


def _host_path(windows: str, place: Place) -> str:
    """The folders of the caller's path that the tests have made, then the launchers, then the host's own."""
    folders = [to_host(folder, place) for folder in windows.split(";") if folder]
    made = [folder for folder in folders if any(Path(folder).is_relative_to(known) for known in place.known[:1])]
    for folder in made:
        _make_executable(Path(folder))
    return os.pathsep.join([*made, str(place.launchers), os.environ["PATH"]])


# ---- one git ---------------------------------------------------------------------------------------------------


def _answer(connection: socket.socket, place: Place) -> None:
    with suppress(OSError, EOFError):
        request = _read_request(connection, place)
        lock = threading.Lock()

        def send(kind: bytes, content: bytes) -> None:
            with lock, suppress(OSError):
                connection.sendall(kind + struct.pack(">I", len(content)) + content)

        status, feeder = _run(connection, request, place, send)
        send(b"X", bytes([status % 256]))
        # To close with something unread would take back what was sent.
        feeder.join(_SECONDS_TO_END)


def _run(
    connection: socket.socket, request: _Request, place: Place, send: Callable[[bytes, bytes], None]
) -> tuple[int, threading.Thread]:
    before, command = _split(request.arguments)
    environment = _host_environment(request.variables, place)
    if command in _START_HOOKS:
        _allow_hooks(request.folder, before, environment)
    git = _started(request.folder, request.arguments, environment)
    translate = place if command in _NAME_FOLDERS else None
    pumps = [
        threading.Thread(target=_pump, args=(git.stdout, partial(send, b"O"), translate)),
        threading.Thread(target=_pump, args=(git.stderr, partial(send, b"E"), place)),
    ]
    feeder = threading.Thread(target=_feed, args=(connection, git), daemon=True)
    for thread in (feeder, *pumps):
        thread.start()
    for pump in pumps:
        pump.join()
    status = git.wait()
    for stream in (git.stdin, git.stdout, git.stderr):
        with suppress(OSError):
            stream.close()
    if command in {"init", "clone"} and status == 0:
        _adapt(request, environment)
    return (status if status >= 0 else 128 - status), feeder


def _started(folder: str, arguments: Sequence[str], environment: dict[str, str]) -> subprocess.Popen[bytes]:
    pipe = subprocess.PIPE
    return subprocess.Popen(
        ["git", *arguments],
        cwd=folder,
        env=environment,
        stdin=pipe,
        stdout=pipe,
        stderr=pipe,
        bufsize=0,
        start_new_session=True,
    )


def _pump(stream: IO[bytes], send: Callable[[bytes], None], place: Place | None) -> None:
    """Pass on what a stream says: at once, or, where paths are translated, line by line."""
    rest = b""
    while content := stream.read(1 << 16):
        if place is not None:
            lines, separator, rest = (rest + content).rpartition(b"\n")
            content = to_windows(lines, place) + separator
        if content:
            send(content)
    if rest and place is not None:
        send(to_windows(rest, place))


def _feed(connection: socket.socket, git: subprocess.Popen[bytes]) -> None:
    """Give git what its caller reads; end it when the caller has ended."""
    assert git.stdin is not None
    try:
        while True:
            _, content = _frame(connection)
            with suppress(BrokenPipeError, ValueError):
                git.stdin.write(content) if content else git.stdin.close()
    except (OSError, EOFError):
        if git.poll() is None:
            with suppress(ProcessLookupError):
                os.killpg(git.pid, signal.SIGKILL)


def _split(arguments: Sequence[str]) -> tuple[list[str], str]:
    """Return what stands before the command of git, and the command."""
    words = iter(arguments)
    before: list[str] = []
    for word in words:
        if not word.startswith("-"):
            return before, word
        before.append(word)
        if word in _GLOBAL_WITH_VALUE:
            before.append(next(words, ""))
    return before, ""


# ---- as Git for Windows does -----------------------------------------------------------------------------------


def _adapt(request: _Request, environment: dict[str, str]) -> None:
    last = Path(request.folder, request.arguments[-1])
    folder = str(last if last.is_dir() else request.folder)
    for name, value in _LIKE_WINDOWS.items():
        _asked(folder, ["config", name, value], environment)


def _allow_hooks(folder: str, before: list[str], environment: dict[str, str]) -> None:
    places = [_asked(folder, [*before, "rev-parse", "--git-path", "hooks"], environment)]
    remotes = _asked(folder, [*before, "config", "--get-regexp", r"^remote\..*url$"], environment)
    for line in remotes.splitlines():
        remote = line.partition(" ")[2].removeprefix("file://")
        places += [f"{remote}/hooks", f"{remote}/.git/hooks"]
    for place in places:
        _make_executable(Path(folder, place))


def _make_executable(folder: Path) -> None:
    for path in folder.glob("*"):
        if path.is_file():
            path.chmod(path.stat().st_mode | 0o111)


def _asked(folder: str, arguments: list[str], environment: dict[str, str]) -> str:
    done = subprocess.run(["git", *arguments], cwd=folder, env=environment, capture_output=True, check=False)
    return done.stdout.decode(errors="replace").removesuffix("\n")


# ---- frames ----------------------------------------------------------------------------------------------------


def _read_request(connection: socket.socket, place: Place) -> _Request:
    folder, *texts = _frame(connection)[1].decode(errors="surrogatepass").split("\0")
    end = texts.index("")
    arguments = [to_host(text[1:], place) for text in texts[:end]]
    variables = dict(text.split("=", 1) for text in texts[end + 1 :] if text.rfind("=") > 0)
    return _Request(to_host(folder, place), arguments, variables)


def _frame(connection: socket.socket) -> tuple[bytes, bytes]:
    kind, length = struct.unpack(">cI", _exactly(connection, 5))
    return kind, _exactly(connection, length)


def _exactly(connection: socket.socket, count: int) -> bytes:
    parts = bytearray()
    while len(parts) < count:
        part = connection.recv(count - len(parts))
        if not part:
            raise EOFError
        parts += part
    return bytes(parts)
