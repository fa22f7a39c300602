"""Runs a process and measures it: seconds, and the most memory that it and its children had at one time."""

from __future__ import annotations

import resource
import subprocess
import tempfile
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

EVERY = 0.02
_KIB = 1024


class Cost(NamedTuple):
    """What a process and its children took: seconds, and megabytes; and how it ended."""

    wall: float
    cpu: float
    peak: float
    status: int
    errors: str


def cost(command: Sequence[str], cwd: Path) -> Cost:
    """Run a command to its end.

    Every 20 ms the resident sets of all processes are added up; pages that two of them share count twice. The result is
    at least the peak that the kernel recorded for the largest process.
    """
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    with tempfile.TemporaryFile() as errors:
        process = subprocess.Popen(command, cwd=cwd, stdout=subprocess.DEVNULL, stderr=errors)
        peak = _Peak(process.pid)
        peak.start()
        process.wait()
        wall, after = time.perf_counter() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
        peak.join()
        errors.seek(0)
        told = errors.read().decode(errors="replace")
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Cost(wall, cpu, peak.kilobytes * _KIB / 1e6, process.returncode, told)


class _Peak(threading.Thread):
    def __init__(self, leader: int) -> None:
        super().__init__()
        self.kilobytes = 0
        self._leader = leader

    def run(self) -> None:
        while Path(f"/proc/{self._leader}/status").exists():
            now = [_memory(process) for process in _tree(self._leader)]
            if not now or now[0] == (0, 0):
                return
            self.kilobytes = max(self.kilobytes, sum(resident for resident, _ in now), *(most for _, most in now))
            time.sleep(EVERY)


def _tree(leader: int) -> Iterator[int]:
    yield leader
    try:
        for task in Path(f"/proc/{leader}/task").iterdir():
            for child in (task / "children").read_text().split():
                yield from _tree(int(child))
    except OSError:
        return


def _memory(process: int) -> tuple[int, int]:
    """Kilobytes in memory, now and at most."""
    try:
        lines = Path(f"/proc/{process}/status").read_text().splitlines()
    except OSError:
        return 0, 0
    values = dict(line.split(":", 1) for line in lines)
    return tuple(int(values[key].split()[0]) if key in values else 0 for key in ("VmRSS", "VmHWM"))  # type: ignore[return-value]
