"""Does the processor time of a run grow in proportion to its input?

    python benchmarks/growth.py [--size BYTES] [--only WORDS] [--processes N]

For each input of ``growth_inputs.py`` there is a known file and a file with other numbers in the same rows. Each stage
is the program in a process of its own: ``index build`` of the known file, ``check`` of the other file against that
index, and ``compare`` of both. Inputs have 8, 4, 2 and 1 times BYTES (64 KB by default), and the kernel is on and off.
What a file of one line takes is subtracted. Sizes below one that takes hardly any time are left out. What grows too
fast is measured again.

Prints for each input the CPU seconds at each size, the greatest growth where the size doubles (the mean of two
doublings), what 2 MB take if it goes on so, and peak memory. Exits with 1 if twice the input takes more than 2.6 times
as long, or 2 MB take more than 10 s.

Takes about ten minutes. Needs psutil (`pip install --group bench`).
"""

from __future__ import annotations

import argparse
import math
import os
import sys
import tempfile
from functools import lru_cache
from multiprocessing.pool import ThreadPool
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from growth_inputs import CODE, Input, inputs
from measuring import Cost, FailedError, TooLongError, measure
from process import WINNOW

if TYPE_CHECKING:
    from collections.abc import Sequence

TIMES = (1, 2, 4, 8)
MOST_GROWTH, MOST_SECONDS, LIMIT = 2.6, 10.0, 2 << 20
# Less is noise, in seconds.
NOISE, SMALL = 0.08, 0.3
TOO_LONG = 300
STAGES = {"build": 1, "check": 1, "compare": 2}
"""Each with the number of texts that it reads."""
BUILD = ("index", "build", "known", "--name", "known", "--output", "known.db")
CHECK = ("check", "--index", "known.db", "--format")
COMPARE = ("compare", "known", "changed")
WAYS = {"kernel": "on", "python": "off"}
# Languages in which an index has all other text read.
OTHERS = ("a.py", "b.js", "c.c", "d.go", "e.java", "f.rb", "g.sh", "h.php")


class Sweep(NamedTuple):
    """What one stage costs at each size, the largest last; the memory is that of the largest, MiB.

    ``texts`` is the number of texts of that size that it reads.
    """

    seconds: Sequence[float]
    memory: float
    texts: int

    @property
    def growth(self) -> float:
        """The greatest growth where the size doubles, the mean of two doublings."""
        pairs = zip(self.seconds, self.seconds[2:], strict=False)
        return max((math.sqrt(more / max(less, NOISE)) for less, more in pairs if more > SMALL), default=0.0)

    def of_the_limit(self, size: int) -> float:
        """Seconds that 2 MB take, as the largest sizes grow, given the smallest of the sizes."""
        more = self.seconds[-1]
        added = more - (self.seconds[-2] if len(self.seconds) > 1 else more / 2)
        return more + 2 * added * (LIMIT / (size * TIMES[-1] * self.texts) - 1)

    def is_too_slow(self, size: int) -> bool:
        """Whether it exceeds one of the limits."""
        return self.growth > MOST_GROWTH or self.of_the_limit(size) > MOST_SECONDS


class Bench(NamedTuple):
    """Measures the stages, with or without the kernel."""

    folder: Path
    size: int
    way: str

    def sweeps(self, given: Input) -> dict[str, Sweep]:
        """Measure all stages with an input of all sizes; again if one seems too slow."""
        found = self._sweeps(given)
        if not any(sweep.is_too_slow(self.size) for sweep in found.values()):
            return found
        again = self._sweeps(given)
        return {
            stage: sweep._replace(seconds=_least(sweep.seconds, again[stage].seconds)) for stage, sweep in found.items()
        }

    def _sweeps(self, given: Input) -> dict[str, Sweep]:
        idle = _idle(self)
        costs: list[Sequence[Cost]] = []
        for times in reversed(TIMES):
            size = times * self.size
            costs.insert(0, self.costs(given, size))
            if all(cost.cpu - start < SMALL for cost, start in zip(costs[0], idle, strict=True)):
                break
        found = {}
        for (stage, texts), own, start in zip(STAGES.items(), zip(*costs, strict=True), idle, strict=True):
            seconds = [max(0.0, cost.cpu - start) for cost in own]
            found[stage] = Sweep(seconds, own[-1].largest, texts)
        return found

    def costs(self, given: Input, size: int) -> list[Cost]:
        """What the stages cost with an input of this size."""
        with tempfile.TemporaryDirectory(dir=self.folder) as scratch:
            folder = Path(scratch)
            for side, first in (("known", 0), ("changed", size)):
                (folder / side).mkdir()
                (folder / side / given.path).write_text(given.text(size, first))
                for other in OTHERS:
                    (folder / side / f"other-{other}").write_text(f"{CODE}\n" * 9)
            commands = (BUILD, (*CHECK, given.report, f"changed/{given.path}"), COMPARE)
            return [self._cost(folder, *command) for command in commands]

    def _cost(self, folder: Path, *command: str) -> Cost:
        environment = {"WINNOW_CI_KERNEL": WAYS[self.way]}
        return measure((*WINNOW, *command), folder, TOO_LONG, statuses=(0, 1), environment=environment)


@lru_cache
def _idle(bench: Bench) -> list[float]:
    """CPU seconds of each stage with hardly any input."""
    return [cost.cpu for cost in bench.costs(Input("", "line.py", "f(@)\n"), 1)]


def _least(one: Sequence[float], other: Sequence[float]) -> list[float]:
    """The smaller time at each size, the largest size last."""
    return [min(pair) for pair in zip(one[::-1], other[::-1], strict=False)][::-1]


def main() -> int:
    asked = _asked()
    chosen = [given for given in inputs() if asked.only in f"{given.title} {given.path}"]
    print(f"| input | stage | way | CPU s of {asked.size * TIMES[-1]:,} bytes and less | growth | 2 MB | MiB |")
    print("|---|---|---|---:|---:|---:|---:|", flush=True)
    failed = 0
    with tempfile.TemporaryDirectory(prefix="winnow-growth-") as name, ThreadPool(asked.processes) as pool:
        benches = [Bench(Path(name), asked.size, way) for way in WAYS]
        for rows, slow in pool.imap(_rows, [(given, bench) for given in chosen for bench in benches]):
            print(rows, flush=True)
            failed |= slow
    return failed


def _asked() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--size", type=int, default=64_000, metavar="BYTES")
    parser.add_argument("--only", default="", metavar="WORDS", help="inputs with these words in title or name")
    parser.add_argument("--processes", type=int, default=os.cpu_count(), metavar="N")
    return parser.parse_args()


def _rows(asked: tuple[Input, Bench]) -> tuple[str, bool]:
    """What an input costs in each stage, for the table, and whether one of them is too slow."""
    given, bench = asked
    try:
        found = bench.sweeps(given)
    except (FailedError, TooLongError) as error:
        return f"| {given.title} | | {bench.way} | | | | | **{error}**", True
    rows = [f"| {given.title} | {stage} | {bench.way} | {_row(sweep, bench.size)}" for stage, sweep in found.items()]
    return "\n".join(rows), any(sweep.is_too_slow(bench.size) for sweep in found.values())


def _row(sweep: Sweep, size: int) -> str:
    seconds = ", ".join(f"{one:.2f}" for one in reversed(sweep.seconds))
    mark = " **too slow**" if sweep.is_too_slow(size) else ""
    return f"{seconds} | {sweep.growth:.1f} | {sweep.of_the_limit(size):.1f} | {sweep.memory:.0f} |{mark}"


if __name__ == "__main__":
    sys.exit(main())
