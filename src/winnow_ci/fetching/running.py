"""The user's own clients of registries, run where the repository cannot speak to them, within bounds."""

from __future__ import annotations

import contextlib
import os
import re
import resource
import selectors
import shutil
import signal
import subprocess
import time
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from winnow_ci.errors import FetchError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

LARGEST_FILE = 8 << 30
_MOST_SAID = 8 << 20
_TICK, _TO_END = 0.5, 10.0  # seconds
_CREDENTIALS = re.compile(r"(?<=//)[^/@\s]+@")


class Said(NamedTuple):
    """What came of a client.

    Attributes:
        status: 0 if it did what it was asked for; negative if a signal ended it.
        output: its standard output.
        complaints: its standard error, without credentials in URLs.
    """

    status: int
    output: str
    complaints: str


def program(name: str) -> str | None:
    """Where a client is; None if there is none, or only in a relative folder of the PATH, which may be anybody's."""
    found = shutil.which(name)
    return found if found and Path(found).is_absolute() else None


def run(
    command: Sequence[str],
    folder: Path,
    environment: Mapping[str, str],
    seconds: float,
    tick: Callable[[], None] = lambda: None,
) -> Said:
    """Run a client to its end, without input.

    Args:
        command: a program, and its arguments.
        folder: where it runs; none that a repository can have put something into.
        environment: all of it.
        seconds: after which it is ended, and what it has started with it.
        tick: is called about twice a second.

    Raises:
        FetchError: it cannot be started, takes too long, or says too much.
    """
    what = Path(command[0]).name
    pipe, nothing = subprocess.PIPE, subprocess.DEVNULL
    try:
        process = subprocess.Popen(
            command, cwd=folder, env=environment, stdin=nothing, stdout=pipe, stderr=pipe, start_new_session=True
        )
    except OSError as error:
        raise FetchError(
            f"{what} cannot be started: {error.strerror}", f"look into the installation of {what}"
        ) from error
    with process:
        try:
            _limit_files(process.pid)
            output, complaints = _listen(process, what, time.monotonic() + seconds, tick)
            status = process.wait(_TO_END)
        except BaseException as error:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(process.pid, signal.SIGKILL)
            if isinstance(error, subprocess.TimeoutExpired):
                raise FetchError(f"{what} does not end", "run this again") from error
            raise
    return Said(status, output, without_credentials(complaints))


def without_credentials(text: str) -> str:
    """A text, and the URLs in it without what stands before ``@``."""
    return _CREDENTIALS.sub("", text)


def _limit_files(process: int) -> None:
    # Where the system cannot limit another process, the time limit is what holds.
    with contextlib.suppress(OSError, ValueError, AttributeError):
        resource.prlimit(process, resource.RLIMIT_FSIZE, (LARGEST_FILE, LARGEST_FILE))


def _listen(process: subprocess.Popen[bytes], what: str, end: float, tick: Callable[[], None]) -> tuple[str, str]:
    assert process.stdout is not None
    assert process.stderr is not None
    said = {process.stdout.fileno(): bytearray(), process.stderr.fileno(): bytearray()}
    with selectors.DefaultSelector() as selector:
        for descriptor in said:
            selector.register(descriptor, selectors.EVENT_READ)
        while selector.get_map():
            for key, _ in selector.select(_TICK):
                part = os.read(key.fd, 1 << 16)
                said[key.fd] += part
                if not part:
                    selector.unregister(key.fd)
            _check(sum(map(len, said.values())), what, end)
            tick()
    output, complaints = (bytes(one).decode("utf-8", "replace") for one in said.values())
    return output, complaints


def _check(size: int, what: str, end: float) -> None:
    if time.monotonic() > end:
        raise FetchError(
            f"{what} has not come to an end in its time", "see whether its registry answers, and run this again"
        )
    if size > _MOST_SAID:
        raise FetchError(f"{what} says more than {_MOST_SAID >> 20} MiB", f"see what {what} says of its registry")
