"""A very large index of real code: Debian's sources of some of the largest projects.

    python benchmarks/large_index.py FOLDER [--packages NAME ...] [--selection S] [--engine local|spark]

Has apt download the sources into FOLDER (it needs ``deb-src`` lines), writes a manifest of their upstream archives and
makes the index of them, FOLDER/.winnow/index.db. What is done stays: run it again to go on. The packages given by
default are 1.3 GB of archives, some 10^8 fingerprints; two cores take an hour. Nothing of a package is run.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path

PACKAGES = (
    *("llvm-toolchain-15", "qtwebengine-opensource-src", "libreoffice", "webkit2gtk", "mono", "blender", "boost1.81"),
    *("rustc", "golang-1.19", "ghc"),
)


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--packages", nargs="+", default=PACKAGES, metavar="NAME")
    parser.add_argument("--selection", default="mod-minimizer", metavar="S")
    parser.add_argument("--engine", default="local", choices=("local", "spark"))
    arguments = parser.parse_args()
    (arguments.folder / ".winnow").mkdir(parents=True, exist_ok=True)
    for package in arguments.packages:
        if not list(arguments.folder.glob(f"{package}_*.dsc")):
            subprocess.run(["apt-get", "source", "--download-only", package], cwd=arguments.folder, check=True)
    archives = sorted(arguments.folder.glob("*.orig*.tar.[!a]*[!c]"))
    entries = "".join(f"  - {{path: ../{archive.name}, name: {name_of(archive)}}}\n" for archive in archives)
    manifest = arguments.folder / ".winnow" / "sources.yml"
    manifest.write_text(f"index: index.db\nselection: {arguments.selection}\nsources:\n{entries}")
    sync = [sys.executable, "-m", "winnow_ci", "index", "sync", "--manifest", manifest, "--engine", arguments.engine]
    return subprocess.run(sync, check=False).returncode


def name_of(archive: Path) -> str:
    """The name of a package, and of the part if it has several archives."""
    package, _, rest = archive.name.partition("_")
    part = rest.partition(".orig")[2].partition(".tar")[0]
    return f"{package}{part}"


if __name__ == "__main__":
    sys.exit(main())
