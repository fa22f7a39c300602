"""What a process and all the processes that it starts cost: wall time, processor time, peak memory.

    cost = measure(command, scratch, limit=900)

Processor time and the largest process come from the kernel (wait4), which counts the process and those that it waited
for. The kernel records no peak of several processes together, so their resident sizes are added up every 10 ms. Shared
memory counts once per process, which can make the sum too large; peaks shorter than 10 ms are missed.
Needs psutil (`pip install --group bench`).
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import psutil

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

# A small process of its own: Linux counts the memory of the process that starts a command as the command's.
LAUNCHER = (sys.executable, "-I", "-S", str(Path(__file__).parent / "quality/peers/inside/measure.py"))
EVERY_SECONDS = 0.01


class Cost(NamedTuple):
    """What a command cost.

    Attributes:
        wall: seconds that passed.
        cpu: seconds of all processors, user and system, over all processes.
        largest: peak resident memory of the largest process, MiB.
        together: peak resident memory of all processes at one time, MiB.
    """

    wall: float
    cpu: float
    largest: float
    together: float


class FailedError(Exception):
    """A command ended with an unexpected status."""


class TooLongError(Exception):
    """A command was stopped."""


def measure(
    command: Sequence[str | Path],
    scratch: Path,
    limit: float,
    *,
    cwd: Path | None = None,
    statuses: Sequence[int] = (0,),
    environment: Mapping[str, str] | None = None,
) -> Cost:
    """Run a command; its output goes to output.txt and errors.txt in ``scratch``.

    Args:
        command: program and arguments.
        scratch: a folder for what it prints.
        limit: seconds on the wall, after which it is stopped with all that it started.
        cwd: the folder that it runs in, ``scratch`` unless given.
        statuses: exit statuses that count as success.
        environment: variables beside those of this process.

    Raises:
        FailedError: if it ends with another status.
        TooLongError: if it was stopped.
    """
    with (
        tempfile.TemporaryDirectory(prefix="winnow-measuring-") as name,
        (scratch / "output.txt").open("wb") as output,
        (scratch / "errors.txt").open("wb") as errors,
    ):
        account = Path(name, "account.json")
        process = psutil.Popen(
            [*LAUNCHER, account, *command],
            cwd=cwd or scratch,
            env={**os.environ, **(environment or {})},
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=errors,
        )
        together = _watched(process, limit)
        used = json.loads(account.read_text()) if account.exists() else {"status": "unknown", "measured": (0, 0, 0)}
    if used["status"] not in statuses:
        last = (scratch / "errors.txt").read_text(errors="replace")[-2000:]
        raise FailedError(f"{command[0]}: status {used['status']}\n{last}")
    wall, cpu, largest = used["measured"]
    return Cost(wall, cpu, largest, max(largest, together))


def _watched(process: psutil.Popen, limit: float) -> float:
    """Wait for a launcher's command; the most MiB that its processes had at one time."""
    most, end = 0, time.monotonic() + limit
    try:
        while process.poll() is None:
            if time.monotonic() > end:
                raise TooLongError(f"stopped after {limit:.0f} s")
            most = max(most, _resident(process))
            time.sleep(EVERY_SECONDS)
    finally:
        _end(process)
    return most / 2**20


def _resident(launcher: psutil.Popen) -> int:
    """Bytes of all processes below the launcher."""
    total = 0
    with suppress(psutil.NoSuchProcess):
        for child in launcher.children(recursive=True):
            with suppress(psutil.NoSuchProcess):
                total += child.memory_info().rss
    return total


def _end(launcher: psutil.Popen) -> None:
    with suppress(psutil.NoSuchProcess):
        for process in [*launcher.children(recursive=True), launcher]:
            with suppress(psutil.NoSuchProcess):
                process.kill()
    launcher.wait()
