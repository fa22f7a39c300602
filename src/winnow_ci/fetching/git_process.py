"""Runs the git commands that ask a server, as the user would: with the user's own configuration, ssh and credentials.

The folder that git runs in is ours, so no repository configures anything. Nothing is asked of anybody: there is no
terminal. A command that says nothing for ``SILENCE`` seconds, takes more than ``LONGEST``, or gets more than
``MOST_BYTES``, is stopped.
"""

from __future__ import annotations

import os
import re
import selectors
import signal
import subprocess
import tempfile
import time
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from winnow_ci.errors import FetchError
from winnow_ci.fetching.git_address import shown

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path
    from typing import IO

    Progress: TypeAlias = Callable[[int, int | None], None]

SILENCE = 300.0
# A server can talk for ever.
LONGEST = 6 * 3600.0
MOST_BYTES = 16 << 30
_POLL = 1.0
_GRACE = 5.0
_LAST_WORDS = 1 << 14
_SETTINGS = (
    *("core.hooksPath=/dev/null", "core.fsmonitor=false", "core.alternateRefsCommand=true"),
    *(
        "fetch.recurseSubmodules=false",
        "fetch.unpackLimit=1",
        "transfer.bundleURI=false",
        "fetch.writeCommitGraph=false",
    ),
    *("gc.auto=0", "maintenance.auto=false", "protocol.version=2", "http.lowSpeedLimit=1", "http.lowSpeedTime=120"),
)
_COMMAND = ("git", "--no-pager", "--no-replace-objects", *(part for one in _SETTINGS for part in ("-c", one)))
# A hook that git has started has variables that would make git work in its repository, and not in ours.
_OF_THE_CALLER = re.compile(
    r"GIT_(?:DIR|WORK_TREE|INDEX_FILE|PREFIX|COMMON_DIR|NAMESPACE|OBJECT_DIRECTORY|ALTERNATE_OBJECT_DIRECTORIES|"
    r"QUARANTINE_PATH|SHALLOW_FILE|GRAFT_FILE|REPLACE_REF_BASE|IMPLICIT_WORK_TREE|CEILING_DIRECTORIES|TEMPLATE_DIR|"
    r"DEFAULT_HASH|ALLOW_PROTOCOL|PROTOCOL_FROM_USER)"
)
_SSH = "ssh -o BatchMode=yes -o ClearAllForwardings=yes -o ForwardAgent=no -o PermitLocalCommand=no"
_COMPLAINT = re.compile(r"^(?:fatal|error): (.*)$", re.MULTILINE)
_DONE = re.compile(rb"Receiving objects: +\d+% \((\d+)/(\d+)\)")


class Ended(NamedTuple):
    """What a command leaves behind: its status, its output, and what it says is wrong, fit to be shown."""

    status: int
    output: bytes
    complaint: str


def run(
    arguments: Sequence[str],
    folder: Path,
    protocol: str,
    *,
    questions: bytes = b"",
    progress: Progress | None = None,
) -> Ended:
    """Run a git command to its end, or to that of its time.

    Args:
        arguments: the subcommand and its arguments.
        folder: the bare repository that it is run in.
        protocol: which one it may use: ``https``, ``ssh`` or ``file``.
        questions: its standard input.
        progress: is told how many objects are here, and how many there are.

    Raises:
        FetchError: git cannot be started.
    """
    with tempfile.TemporaryFile() as given, tempfile.TemporaryFile() as output:
        given.write(questions)
        given.seek(0)
        try:
            process = subprocess.Popen(
                [*_COMMAND, *arguments],
                cwd=folder,
                env=_environment(folder, protocol),
                stdin=given,
                stdout=output,
                stderr=subprocess.PIPE,
                start_new_session=True,
            )
        except OSError as error:
            raise FetchError(
                f"git cannot be started: {error.strerror}", "see that `git --version` works here"
            ) from error
        with process:
            try:
                said, stopped = _listen(process, folder, progress)
            except BaseException:
                _stop(process)
                raise
        output.seek(0)
        return Ended(process.returncode, output.read(), stopped or _complaint(said))


def _environment(folder: Path, protocol: str) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if _OF_THE_CALLER.fullmatch(name) is None}
    ours = {
        **kept,
        "GIT_DIR": str(folder),
        "GIT_ALLOW_PROTOCOL": protocol,
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_NO_LAZY_FETCH": "1",
        "SSH_ASKPASS_REQUIRE": "never",
        "LC_ALL": "C",
    }
    if protocol == "ssh" and not (kept.keys() & {"GIT_SSH", "GIT_SSH_COMMAND"} or _has_ssh_command(folder, ours)):
        ours["GIT_SSH_COMMAND"] = _SSH
    return ours


def _has_ssh_command(folder: Path, environment: dict[str, str]) -> bool:
    """Whether the user's configuration has an ssh command, which the variable would take the place of."""
    command = ["git", "config", "--get", "core.sshCommand"]
    with suppress(OSError):
        return subprocess.run(command, cwd=folder, env=environment, capture_output=True, check=False).returncode == 0
    return False


def _listen(process: subprocess.Popen[bytes], folder: Path, progress: Progress | None) -> tuple[bytes, str]:
    """The end of what a process says until it ends, and why it was stopped, if it was."""
    assert process.stderr is not None
    said, began = b"", time.monotonic()
    heard = began
    for part in _parts(process.stderr):
        if part:
            said, heard = (said + part)[-_LAST_WORDS:], time.monotonic()
            if progress and (counts := _DONE.findall(part)):
                progress(*map(int, counts[-1]))
        elif process.poll() is not None:
            # What it has left running, such as a connection of ssh that is kept, holds the pipe open.
            break
        elif time.monotonic() - heard > SILENCE:
            _stop(process)
            return said, f"nothing came for {SILENCE:,.0f} seconds"
        if time.monotonic() - began > LONGEST or _size(folder) > MOST_BYTES:
            _stop(process)
            return said, f"it takes more than {LONGEST / 3600:g} hours or {MOST_BYTES >> 30} GiB"
    process.wait()
    return said, ""


def _parts(stream: IO[bytes]) -> Iterator[bytes]:
    """What comes, as it comes, and nothing after each second in which nothing does."""
    with selectors.DefaultSelector() as selector:
        selector.register(stream, selectors.EVENT_READ)
        while True:
            if not selector.select(_POLL):
                yield b""
            elif part := os.read(stream.fileno(), 1 << 16):
                yield part
            else:
                return


def _size(folder: Path) -> int:
    """Bytes of what is on its way."""
    sizes = 0
    with suppress(OSError):
        for entry in os.scandir(folder / "objects" / "pack"):
            if entry.name.startswith("tmp_"):
                sizes += entry.stat(follow_symlinks=False).st_size
    return sizes


def _stop(process: subprocess.Popen[bytes]) -> None:
    """Stop the leader of a session and all that it has started; git takes its locks away if it is asked to end."""
    for number, seconds in ((signal.SIGTERM, _GRACE), (signal.SIGKILL, None)):
        with suppress(ProcessLookupError):
            os.killpg(process.pid, number)
        with suppress(subprocess.TimeoutExpired):
            process.wait(seconds)


def _complaint(said: bytes) -> str:
    text = said.decode(errors="replace").replace("\r", "\n")
    found = _COMPLAINT.search(text)
    lines = [line for line in text.splitlines() if line.strip()]
    return shown(found[1] if found else lines[-1] if lines else "")[:500]
