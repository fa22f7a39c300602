"""Run the user's clients of registries where no repository configures them."""

from __future__ import annotations

import os
import shutil
import tempfile
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from winnow_ci import processes, run_log, system
from winnow_ci.errors import FetchError
from winnow_ci.fetching.cache import LARGEST_FETCHED
from winnow_ci.fetching.urls import hide_credentials
from winnow_ci.named_tuples import NamedTuple
from winnow_ci.processes import ProcessLimitError, ProcessLimits

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from packageurl import PackageURL

_MOST_SAID = 8 << 20
_LONGEST_LINE = 300
_TO_SHOW = 60.0  # seconds
ROOT = Path(os.sep)
"""The folder for clients that look for settings further up: in one for temporary files a stranger's may lie."""


class BrokenClientError(FetchError):
    """A client fails whatever it is asked for, so the error is about no single source."""


class ClientOutput(NamedTuple):
    """A client's exit status (negative for a signal) and output, without credentials."""

    status: int
    output: str
    complaints: str


class Client(NamedTuple):
    """A client of a registry, and its own folder, for one package."""

    program: str
    folder: Path
    purl: PackageURL

    def failed(self, problem: str, remedy: str) -> FetchError:
        """Return the error of a client that has failed; another one if it never works on this machine."""
        name = Path(self.program).name
        argument = "version" if name == "go" else "--version"
        if said := _why_broken(self.program, argument):
            problem = f"{name} does not work on this machine: {said}"
            return BrokenClientError(problem, f"see what it says: {name} {argument}")
        return FetchError(f"{self.purl}: {name}: {problem}"[:1000], remedy)


@contextmanager
def client(purl: PackageURL, name: str, file: str) -> Iterator[Client]:
    """Yield a client that fetches a kind of file, with a folder."""
    program = find_program(name)
    if program is None:
        remedy = f"install {name}, or name the {file} by its https URL and sha256"
        raise FetchError(f"{purl}: fetching it needs {name}, which is not on this machine", remedy)
    with tempfile.TemporaryDirectory(prefix=f"winnow-ci-{name}-", ignore_cleanup_errors=True) as folder:
        yield Client(program, Path(folder), purl)


@cache
def _why_broken(program: str, argument: str) -> str:
    """The first line of what a client says if it cannot even show its version; empty if it can."""
    said = run_client((program, argument), ROOT, os.environ, _TO_SHOW)
    lines = f"{said.complaints}\n{said.output}\nstatus {said.status}".split("\n")
    return next(line.strip() for line in lines if line.strip())[:_LONGEST_LINE] if said.status else ""


def find_program(name: str) -> str | None:
    """Return the path of a client; a relative folder of the PATH may be a stranger's."""
    with suppress(FileNotFoundError):
        found = shutil.which(system.program(name))
        return found if found and Path(found).is_absolute() else None
    return None


def run_client(
    command: Sequence[str],
    folder: Path,
    environment: Mapping[str, str],
    seconds: float,
    tick: Callable[[], None] = lambda: None,
) -> ClientOutput:
    """Run a client to its end, without input; ``environment`` is all of it.

    Nothing in the folder where it runs may be from a repository. After these ``seconds`` it is ended, with everything
    that it has started; ``tick`` is called about twice a second.
    """
    name = Path(command[0]).name
    run_log.tell(f"running {name}")
    try:
        process = processes.start(command, folder, environment)
    except OSError as error:
        raise FetchError(f"{name} cannot be started: {error.strerror}", f"check the installation of {name}") from error
    try:
        with process:
            # Where the system cannot limit another process, the time limit is what holds.
            system.limit_file_size(process.pid, LARGEST_FETCHED)
            result = process.collect(ProcessLimits(seconds, output=_MOST_SAID), tick)
    except ProcessLimitError as error:
        if error.limit == "output":
            problem = f"{name} printed more than {_MOST_SAID >> 20} MiB"
            raise FetchError(problem, f"check what {name} prints about its registry") from error
        remedy = "check that its registry answers, then run this again"
        raise FetchError(f"{name} did not finish in time", remedy) from error
    output, complaints = (text.decode("utf-8", "replace") for text in (result.output, result.errors))
    return ClientOutput(result.status, output, hide_credentials(complaints))


def in_one_line(text: str) -> str:
    """Return a client's message in one line, without credentials."""
    return " ".join(hide_credentials(text).split())
