"""What it costs to scan very repetitive code, compared with as much code that is not.

    python benchmarks/repetition.py [--rows N]

The known code is a table of 400 rows of one shape. The change is one file of N rows (16,000 by default) or of 4 N: all
equal, of the same shape as the known ones, or of unknown shapes. Each is scanned in a process of its own. Prints
processor time and peak memory, and how both grow from N to 4 N. Exits with 1 if one grows more than sixfold.
Needs psutil (`pip install --group bench`).
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from measuring import Cost, measure
from process import WINNOW, run

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

KNOWN_ROWS, MORE, LIMIT, SECONDS = 400, 4, 6, 900


def row(name: str, number: int) -> str:
    return f"    handler.register({name}_{number}, compute({name}s[{number}], offset + 4), flags=[A, B], mode='x')\n"


def other(number: int) -> str:
    value = f"{'(' * (number % 9)}value_{number}{')' * (number % 9)}"
    return f"    if {value} {'+*-/%'[number % 5]} 3: yield {number}, value\n"


KINDS: dict[str, Callable[[int], str]] = {
    "all equal": lambda _: row("known", 1),
    "of a known shape": lambda number: row("own", number),
    "of no known shape": other,
}


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--rows", type=int, default=16_000, metavar="N")
    rows = parser.parse_args().rows
    with tempfile.TemporaryDirectory(prefix="winnow-repetition-") as name:
        folder = Path(name)
        write(folder / "known", (row("known", number) for number in range(KNOWN_ROWS)))
        run(*WINNOW, "index", "build", "known", "--name", "known", "--output", "known.db", cwd=folder)
        print(f"| rows | CPU s of {rows:,}, of {MORE} times as many | ratio | peak MiB | ratio |")
        print("|---|---:|---:|---:|---:|")
        return max(print_growth(folder, title, rows) for title in KINDS)


def print_growth(folder: Path, title: str, rows: int) -> int:
    """Print what a scan of some rows, and of more of them, costs; 1 if it grows too fast."""
    few, many = (scanned(folder, KINDS[title], count) for count in (rows, MORE * rows))
    cpu, memory = many.cpu / few.cpu, many.largest / few.largest
    print(f"| {title} | {few.cpu:.2f}, {many.cpu:.2f} | {cpu:.1f} ", end="")
    print(f"| {few.largest:.0f}, {many.largest:.0f} | {memory:.1f} |", flush=True)
    return int(max(cpu, memory) > LIMIT)


def scanned(folder: Path, kind: Callable[[int], str], count: int) -> Cost:
    changed = folder / "changed"
    write(changed, map(kind, range(count)))
    subprocess.run(["git", "init", "--quiet", changed], check=True)
    command = (*WINNOW, "scan", "--index", folder / "known.db")
    return measure(command, folder, SECONDS, cwd=changed, statuses=(0, 1))


def write(folder: Path, rows: Iterable[str]) -> None:
    folder.mkdir(exist_ok=True)
    (folder / "table.py").write_text("".join(["def table(handler):\n", *rows]))


if __name__ == "__main__":
    sys.exit(main())
