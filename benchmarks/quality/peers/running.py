"""Runs a tool on a round in a process of its own, within a time, and measures it."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

from rounds import Overlap

from .install import cache, installed

LIMIT_SECONDS = 600.0
# jscpd goes by the order of paths and pairs a block with where it first saw it, which is to be a known file.
FOLDERS = {"known": "known", "changed": "new"}
INSIDE = Path(__file__).parent / "inside"  # scripts that run in a tool's own environment


class Measured(NamedTuple):
    """What a run cost."""

    seconds: float  # on the wall
    cpu_seconds: float  # user and system, with the processes that the tool waited for
    peak_mb: float  # MiB, of the largest process


class Detection(NamedTuple):
    overlaps: list[Overlap]
    measured: Measured


class PeerError(Exception):
    """A tool could not look."""


class NotInstalledError(PeerError):
    pass


class TimedOutError(PeerError):
    pass


class FailedError(PeerError):
    pass


def home_of(tool: str) -> Path:
    """The folder that a tool is installed in."""
    home = cache() / tool
    if not installed(home):
        raise NotInstalledError(f"{tool} is not installed in {home}.\nRun: python benchmarks/quality/peers/install.py")
    return home


def side_by_side(round_: Path, work: Path, tool: str) -> Path:
    """A fresh folder with only the known (known/) and the changed files (new/) of the round in it."""
    scratch = work / tool
    shutil.rmtree(scratch, ignore_errors=True)
    for folder, name in FOLDERS.items():
        shutil.copytree(round_ / folder, scratch / name)
    return scratch


def run(command: list[str | Path], scratch: Path, limit: float | None = None) -> Measured:
    """Runs a command in `scratch`; its output goes to output.txt and errors.txt there."""
    limit = LIMIT_SECONDS if limit is None else limit
    usage = scratch / "usage.json"
    environment = {**os.environ, "PYTHONHASHSEED": "0"}  # two tools select by Python's own hashes
    launcher = [sys.executable, "-I", "-S", INSIDE / "measure.py", usage, *command]
    with (scratch / "output.txt").open("wb") as output, (scratch / "errors.txt").open("wb") as errors:
        process = subprocess.Popen(
            launcher,
            cwd=scratch,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=errors,
            start_new_session=True,
        )
        try:
            process.wait(limit)
        except subprocess.TimeoutExpired:
            raise TimedOutError(f"{command[0]} was stopped after {limit:.0f} s.") from None
        finally:
            _stop(process)
    used = json.loads(usage.read_text()) if process.returncode == 0 else {"status": None}
    if used["status"] != 0:
        last = (scratch / "errors.txt").read_text(errors="replace")[-2000:]
        raise FailedError(f"{command[0]} ended with status {used['status']}.\n{last}")
    return Measured(*used["measured"])


def _stop(process: subprocess.Popen) -> None:
    """Ends the command with all that it started."""
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def overlaps_in(file: Path) -> list[Overlap]:
    """The overlaps that a script of `inside` wrote: [changed path, first line, last line, known path] each."""
    return sorted({Overlap(*row) for row in json.loads(file.read_text())})


def detected(tool: str, round_: Path, work: Path, command: list[str | Path]) -> Detection:
    """Runs a script of `inside`; it is given new/, known/, and where to write the overlaps."""
    scratch = side_by_side(round_, work, tool)
    result = scratch / "overlaps.json"
    measured = run([*command, scratch / "new", scratch / "known", result], scratch)
    return Detection(overlaps_in(result), measured)
