"""What scans cost as their work grows: seconds and memory of whole processes, at several sizes.

    python benchmarks/scale [--work DIR] [--most N] [--plot FILE] [--only NAME]...

Makes its data in DIR (kept for the next run; 4 GB at full size), which takes some five minutes and is not measured:
repositories of 1,000 to 100,000 files of real Python functions, histories of 100 to 10,000 commits, files of one line
of minified code, a file of 1 GB, and indexes of one and of ten million fingerprints. ``--most N`` leaves out what is
larger than N files, commits or kilobytes. Prints a table, and writes a plot of the processor time.

Seconds of the processor say more than wall time where others use the machine. Linux only: memory is read from /proc.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from measuring import Cost, cost
from plotting import plot
from repositories import edit, git, repository, single
from sources import Random, Real

if TYPE_CHECKING:
    from collections.abc import Iterator

WINNOW = (sys.executable, "-m", "winnow_ci")
FILES = (1_000, 10_000, 100_000)
COMMITS = (100, 1_000, 10_000)
MINIFIED = (5_000, 20_000, 50_000)
HUGE = 1_000_000
# Files of known code, and what they come to in fingerprints.
KNOWN = {4_500: "1 M", 45_000: "10 M"}
GROUPS = ("files", "commits", "minified", "huge", "index")


class Case(NamedTuple):
    """One scan to measure."""

    series: str
    size: int
    unit: str
    root: Path
    arguments: tuple[str, ...]
    index: Path


class Row(NamedTuple):
    """A case and its cost."""

    case: Case
    cost: Cost


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--work", type=Path, metavar="DIR")
    parser.add_argument("--most", type=int, default=HUGE, metavar="N")
    parser.add_argument("--plot", type=Path, metavar="FILE")
    parser.add_argument("--only", action="append", choices=GROUPS)
    arguments = parser.parse_args()
    with nullcontext(arguments.work) if arguments.work else tempfile.TemporaryDirectory(prefix="winnow-scale-") as name:
        work = Path(name).resolve()
        work.mkdir(parents=True, exist_ok=True)
        rows = list(measured(work, arguments.most, arguments.only or GROUPS))
    if arguments.plot:
        series: dict[str, list[tuple[int, float]]] = {}
        for case, taken in rows:
            if case.unit in {"files", "commits"} and "by the index" not in case.series:
                series.setdefault(f"{case.series}, by {case.unit}", []).append((case.size, taken.cpu))
        arguments.plot.write_text(plot(series, "files or commits", "seconds of the processor"))
    return 0


def measured(work: Path, most: int, groups: tuple[str, ...]) -> Iterator[Row]:
    print("| scan | size | index | wall s | CPU s | peak MB | status |\n|---|" + "---:|" * 6, flush=True)
    for case in (case for group in groups for case in _CASES[group](work, most)):
        taken = cost((*WINNOW, "scan", *case.arguments, "--index", str(case.index)), case.root)
        known = f"{case.index.stat().st_size / 1e6:.0f} MB"
        print(f"| {case.series} | {case.size:,} {case.unit} | {known} | {taken.wall:.1f} | {taken.cpu:.1f} ", end="")
        print(f"| {taken.peak:.0f} | {taken.status} |", flush=True)
        yield Row(case, taken)


# ---- what is scanned -------------------------------------------------------------------------------------------


def files(work: Path, most: int) -> Iterator[Case]:
    known = index(work, max(KNOWN))
    for size in (size for size in FILES if size <= most):
        root = repository(work / f"files-{size}", Real(), size)
        yield Case("`--all`", size, "files", root, ("--all",), known)
        with edit(root, Real(), size):
            yield Case("`--since`, 10 files changed", size, "files", root, ("--since", "base"), known)
            git(root, "add", "--all")
            yield Case("`--staged`, 10 files changed", size, "files", root, ("--staged",), known)


def commits(work: Path, most: int) -> Iterator[Case]:
    for size in (size for size in COMMITS if size <= most):
        root = repository(work / f"commits-{size}", Real(), 1_000, size)
        yield Case("`--range`, 1,000 files", size, "commits", root, ("--range", "base..main"), index(work, max(KNOWN)))


def minified(work: Path, most: int) -> Iterator[Case]:
    for size in (size for size in MINIFIED if size <= most):
        root = single(work / f"minified-{size}", "app.min.js", Random(3).minified(size * 1_000))
        yield Case("`--staged`, one line of code", size, "kB", root, ("--staged",), index(work, min(KNOWN)))


def huge(work: Path, most: int) -> Iterator[Case]:
    if most >= HUGE:
        part = b"".join(Random(3).minified(1_000_000)) + b"\n"
        root = single(work / "huge", "dump.c", (part for _ in range(HUGE // 1_000)))
        yield Case("`--staged`, one file", HUGE, "kB", root, ("--staged",), index(work, min(KNOWN)))
        staged = root / ".git" / "index"
        before = staged.read_bytes()
        staged.unlink()
        yield Case("`--all`, one file that is not tracked", HUGE, "kB", root, ("--all",), index(work, min(KNOWN)))
        staged.write_bytes(before)


def known(work: Path, most: int) -> Iterator[Case]:
    size = FILES[0]
    root = repository(work / f"files-{size}", Real(), size)
    for number in (number for number in KNOWN if number <= most):
        yield Case("`--all`, by the index", size, "files", root, ("--all",), index(work, number))


_CASES = dict(zip(GROUPS, (files, commits, minified, huge, known), strict=True))


def index(work: Path, size: int) -> Path:
    """An index of so many files of known code."""
    place = work / f"known-{size}.db"
    if not place.exists():
        folder, code = work / f"known-{size}", Random(2)
        for number in range(size):
            path = folder / f"d{number // 100}" / f"k{number}.py"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(code.file(number))
        command = (*WINNOW, "index", "build", str(folder), "--output", str(place), "--name", "known")
        taken = cost(command, work)
        print(f"index of {KNOWN[size]} fingerprints: {taken.cpu:.0f} s, {taken.peak:.0f} MB", file=sys.stderr)
    return place


if __name__ == "__main__":
    sys.exit(main())
