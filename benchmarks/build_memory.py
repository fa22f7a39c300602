"""How much memory building a large index takes, and adding a little to it.

    python benchmarks/build_memory.py [--megabytes N] [--folder DIR]

Writes N megabytes (1000 by default) below DIR or the temporary folder: half C, half Python, found as ``throughput.py``
does; where there is not enough, files are repeated with other names inside. Builds an index of them with one process
per core, then adds a source a thousandth of that size. Exits with 1 if the parent and its largest child together ever
used more than 250 MB of memory.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from throughput import ALL_CORES, Build, build_apart, corpus

ALLOWED = 250


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--megabytes", type=float, default=1000, metavar="N")
    parser.add_argument("--folder", type=Path, metavar="DIR")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="winnow-memory-", dir=arguments.folder) as folder:
        index, size = Path(folder, "known.db"), 0
        builds = []
        for name, megabytes in (("large", arguments.megabytes), ("little", arguments.megabytes / 1000)):
            Path(folder, name).mkdir()
            for language in ("c", "python"):
                size += sum(map(len, corpus(language, Path(folder, name, language), megabytes * 5e5)))
            builds.append(build_apart(Path(folder, name), index, ALL_CORES, name))
        print_builds(builds, size, index.stat().st_size)
    return int(max(map(together, builds)) > ALLOWED)


def print_builds(builds: list[Build], size: int, written: int) -> None:
    print(f"{size / 1e6:,.0f} MB of source, an index of {written / 1e6:,.0f} MB\n")
    print("| build | wall s | CPU s | parent, peak MB | largest child, peak MB | together |\n|---|" + "---:|" * 5)
    for name, build in zip(("all", "a thousandth more"), builds, strict=True):
        print(f"| {name} | {build.wall:.1f} | {build.cpu:.1f} ", end="")
        print(f"| {build.parent / 1024:.0f} | {build.child / 1024:.0f} | {together(build):.0f} |")


def together(build: Build) -> float:
    """Megabytes."""
    return (build.parent + build.child) / 1024


if __name__ == "__main__":
    sys.exit(main())
