"""Files in two versions of a project, years apart: certainly related, but never the same."""

from __future__ import annotations

import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

HERE = Path(__file__).parent
LEAST_BYTES, MOST_BYTES = 3_000, 80_000


def versions(folder: Path, work: Path) -> dict[frozenset[str], str]:
    """Copy each file that has two versions, and return the pairs."""
    known = {}
    olds, news = (_unpacked(age, work) for age in ("old", "new"))
    for old in sorted(olds.rglob("*.py")):
        path = old.relative_to(olds)
        new = news / path
        if new.is_file() and _fits(old) and _fits(new) and old.read_bytes() != new.read_bytes():
            names = ["+".join((age, *path.parts)) for age in ("old", "new")]
            for file, name in zip((old, new), names, strict=True):
                shutil.copy(file, folder / name)
            known[frozenset(names)] = "two versions"
    return known


def _fits(file: Path) -> bool:
    return LEAST_BYTES < file.stat().st_size < MOST_BYTES


def _unpacked(age: str, work: Path) -> Path:
    """The code of the wheels that ``old.txt`` or ``new.txt`` pins; pip checks their hashes, nothing is installed."""
    wheels, code = work / age, work / f"{age}-code"
    options = ["--quiet", "--no-deps", "--only-binary", ":all:", "--require-hashes"]
    command = [sys.executable, "-m", "pip", "download", *options, "-r", str(HERE / f"{age}.txt"), "-d", str(wheels)]
    subprocess.run(command, check=True)
    for wheel in sorted(wheels.glob("*.whl")):
        with zipfile.ZipFile(wheel) as archive:
            archive.extractall(code)
    return code
