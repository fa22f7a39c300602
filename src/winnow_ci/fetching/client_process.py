"""Runs the user's own clients of registries, within limits, in folders where a repository cannot configure them."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

from winnow_ci import processes, run_log
from winnow_ci.errors import FetchError
from winnow_ci.fetching.file_cache import LARGEST_FILE
from winnow_ci.named_tuples import NamedTuple
from winnow_ci.processes import ProcessLimitError, ProcessLimits

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

_MOST_SAID = 8 << 20
_CREDENTIALS = re.compile(r"(?<=//)[^/@\s]+@")


class ClientOutput(NamedTuple):
    """What a client leaves behind.

    Attributes:
        status: 0 if it did what it was asked for; negative if a signal ended it.
        output: its standard output.
        complaints: its standard error, without credentials in URLs.
    """

    status: int
    output: str
    complaints: str


def program(name: str) -> str | None:
    """Where a client is; None if it is nowhere, or in a relative folder of the PATH, which may be a stranger's."""
    found = shutil.which(name)
    return found if found and Path(found).is_absolute() else None


def run(
    command: Sequence[str],
    folder: Path,
    environment: Mapping[str, str],
    seconds: float,
    tick: Callable[[], None] = lambda: None,
) -> ClientOutput:
    """Run a client to its end, without input.

    Args:
        command: a program, and its arguments.
        folder: where it runs; nothing in it may be from a repository.
        environment: all of it.
        seconds: after which it is ended, with all that it has started.
        tick: is called about twice a second.

    Raises:
        FetchError: it cannot be started, takes too long, or says too much.
    """
    what = Path(command[0]).name
    run_log.tell(f"running {what}")
    try:
        process = processes.start(command, folder, environment)
    except OSError as error:
        problem = f"{what} cannot be started: {error.strerror}"
        raise FetchError(problem, f"look into the installation of {what}") from error
    try:
        with process:
            # Where the system cannot limit another process, the time limit is what holds.
            processes.limit(process.pid, "RLIMIT_FSIZE", LARGEST_FILE)
            result = process.collect(ProcessLimits(seconds, output=_MOST_SAID), tick)
    except ProcessLimitError as error:
        if error.limit == "output":
            problem, remedy = f"says more than {_MOST_SAID >> 20} MiB", f"see what {what} says of its registry"
        else:
            problem = "has not come to an end in its time"
            remedy = "see whether its registry answers, and run this again"
        raise FetchError(f"{what} {problem}", remedy) from error
    output, complaints = (text.decode("utf-8", "replace") for text in (result.output, result.errors))
    return ClientOutput(result.status, output, hide_credentials(complaints))


def hide_credentials(text: str) -> str:
    """Remove what stands before ``@`` in the URLs of a text."""
    return _CREDENTIALS.sub("", text)
