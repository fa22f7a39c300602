"""What an installation of winnow-ci takes: megabytes of each distribution, and processor time of its import.

``python benchmarks/installation.py`` in an environment that has nothing but winnow-ci:
``python -m venv v && v/bin/pip install . && v/bin/python benchmarks/installation.py``.
Bytes are those of all files that a distribution has installed, with what pip has compiled. Times are the least of five
runs of ``import NAME`` in a process of its own, less those of an empty process.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from importlib import metadata
from pathlib import Path

RUNS = 5
ROOT = "winnow-ci"


def needed(name: str) -> set[str]:
    """A distribution and all that it needs, without extras, by normalised names."""
    found: set[str] = set()
    waiting = [name]
    while waiting:
        one = re.sub(r"[-_.]+", "-", waiting.pop()).lower()
        if one in found:
            continue
        try:
            requirements = metadata.requires(one) or []
        except metadata.PackageNotFoundError:
            continue  # for another system or an older Python
        found.add(one)
        waiting += [re.match(r"[\w.-]+", line)[0] for line in requirements if "extra ==" not in line]
    return found


def size(name: str) -> int:
    """Bytes of the installed files."""
    paths = {Path(path.locate()) for path in metadata.files(name) or []}
    return sum(path.stat().st_size for path in paths if path.is_file())


def module(name: str) -> str | None:
    """The module that is imported for a distribution: its package, or the first of its modules."""
    packages = [
        one for one, names in metadata.packages_distributions().items() if name in map(str.lower, map(normal, names))
    ]
    public = sorted(one for one in packages if not one.startswith("_") and one.isidentifier())
    return public[0] if public else None


def normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name)


def seconds(code: str) -> float:
    """Processor time of a process that runs some code: the least of several."""
    times = []
    for _ in range(RUNS):
        before = os.times()
        subprocess.run([sys.executable, "-c", code], check=True)
        after = os.times()
        times.append(after.children_user + after.children_system - before.children_user - before.children_system)
    return min(times)


def main() -> None:
    empty, total = seconds("pass"), 0
    rows = sorted(((size(name), name) for name in needed(ROOT)), reverse=True)
    print("| distribution | MB | `import`, ms |\n|---|---|---|")
    for count, name in rows:
        total += count
        imported = module(name)
        shown = "" if imported is None else f"{max(0.0, seconds(f'import {imported}') - empty) * 1000:.0f}"
        print(f"| {name} | {count / 1e6:.1f} | {shown} |")
    print(f"| **all** | {total / 1e6:.1f} | |")


if __name__ == "__main__":
    main()
