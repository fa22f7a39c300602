"""What it costs to scan a large pull request: many files, many lines, one huge file.

    python benchmarks/large_change.py [--files N] [--lines N]

The pull request adds N files of some 150 lines (5,000 by default), or N lines (500,000 by default) in a hundred files
or in one. They are functions of Python's own library, and the known code is Python's package ``json``, so some match.
Each is scanned as ``scan --range main..head`` in a process of its own, with git's processes beside it. Prints wall
time, processor time, and the peak of memory. Needs psutil (`pip install --group bench`).
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.append(str(Path(__file__).parent / "scale"))

from measuring import measure
from process import WINNOW, run
from sources import Real

SECONDS = 3600


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--files", type=int, default=5_000, metavar="N")
    parser.add_argument("--lines", type=int, default=500_000, metavar="N")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="winnow-large-change-") as name:
        folder = Path(name)
        known = Path(json.__file__).parent
        run(*WINNOW, "index", "build", str(known), "--name", "json", "--output", "known.db", cwd=folder)
        print("| change | lines | MB | wall s | CPU s | peak MB of the scan, of all |")
        print("|---|---:|---:|---:|---:|---:|", flush=True)
        real = Real()
        for title, files, lines in (
            (f"{asked.files:,} files", asked.files, 0),
            ("100 files", 100, asked.lines),
            ("one file", 1, asked.lines),
        ):
            print_row(folder, title, contents(real, files, lines))
    return 0


def contents(real: Real, files: int, lines: int) -> list[bytes]:
    """So many files of so many lines together; of their usual length if ``lines`` is 0."""
    if not lines:
        return [real.file(number) for number in range(files)]
    found, number = [], 0
    for _ in range(files):
        parts, missing = [], lines // files
        while missing > 0:
            number += 1
            parts += real.file(number).splitlines(keepends=True)[:missing]
            missing = lines // files - len(parts)
        found.append(b"".join(parts))
    return found


def print_row(folder: Path, title: str, texts: list[bytes]) -> None:
    """Scan a change that adds these files, and print what that took."""
    root = Path(tempfile.mkdtemp(dir=folder))
    git = ("git", "-C", str(root), "-c", "user.name=A", "-c", "user.email=a@example.org")
    subprocess.run([*git, "init", "--quiet", "--initial-branch=main"], check=True)
    subprocess.run([*git, "commit", "--quiet", "--allow-empty", "--message", "base"], check=True)
    for number, text in enumerate(texts):
        path = root / f"{number // 100}" / f"{number}.py"
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(text)
    subprocess.run([*git, "checkout", "--quiet", "-b", "head"], check=True)
    subprocess.run([*git, "add", "--all"], check=True)
    subprocess.run([*git, "commit", "--quiet", "--message", "change"], check=True)
    command = (*WINNOW, "scan", "--range", "main..head", "--index", folder / "known.db")
    cost = measure(command, folder, SECONDS, cwd=root, statuses=(0, 1))
    lines, size = sum(text.count(b"\n") for text in texts), sum(map(len, texts)) / 1e6
    memory = f"{cost.largest * 1.048576:.0f}, {cost.together * 1.048576:.0f}"
    print(f"| {title} | {lines:,} | {size:.1f} | {cost.wall:.0f} | {cost.cpu:.0f} | {memory} |", flush=True)


if __name__ == "__main__":
    sys.exit(main())
