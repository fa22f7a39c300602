"""Runs a tool on a round in a process of its own, within a time, and measures it."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import time
from pathlib import Path
from typing import NamedTuple

from rounds import Overlap

from .install import cache, installed

LIMIT_SECONDS = 600.0
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
    """A fresh folder with only changed/ and known/ of the round in it."""
    scratch = work / tool
    shutil.rmtree(scratch, ignore_errors=True)
    for folder in ("changed", "known"):
        shutil.copytree(round_ / folder, scratch / folder)
    return scratch


def run(command: list[str | Path], scratch: Path, limit: float | None = None) -> Measured:
    """Runs a command in `scratch`; its output goes to output.txt and errors.txt there."""
    limit = LIMIT_SECONDS if limit is None else limit
    start = time.perf_counter()
    with (scratch / "output.txt").open("wb") as output, (scratch / "errors.txt").open("wb") as errors:
        process = subprocess.Popen(
            command, cwd=scratch, stdin=subprocess.DEVNULL, stdout=output, stderr=errors, start_new_session=True
        )
        status, usage = _waited(process, start + limit)
    if status is None:
        raise TimedOutError(f"{command[0]} was stopped after {limit:.0f} s.")
    if status != 0:
        last = (scratch / "errors.txt").read_text(errors="replace")[-2000:]
        raise FailedError(f"{command[0]} ended with status {status}.\n{last}")
    return Measured(time.perf_counter() - start, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024)


def _waited(process: subprocess.Popen, deadline: float) -> tuple[int | None, object]:
    """The exit status and resource usage; the status is None if the time was over before."""
    while True:
        pid, status, usage = os.wait4(process.pid, os.WNOHANG)
        if pid:
            process.returncode = os.waitstatus_to_exitcode(status)
            return process.returncode, usage
        if time.perf_counter() > deadline:
            os.killpg(process.pid, signal.SIGKILL)
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            return None, usage
        time.sleep(0.01)


def overlaps_in(file: Path) -> list[Overlap]:
    """The overlaps that a script of `inside` wrote: [changed path, first line, last line, known path] each."""
    return sorted({Overlap(*row) for row in json.loads(file.read_text())})


def detected(tool: str, round_: Path, work: Path, command: list[str | Path]) -> Detection:
    """Runs a script of `inside`; it is given changed/, known/, and where to write the overlaps."""
    scratch = side_by_side(round_, work, tool)
    result = scratch / "overlaps.json"
    measured = run([*command, scratch / "changed", scratch / "known", result], scratch)
    return Detection(overlaps_in(result), measured)
