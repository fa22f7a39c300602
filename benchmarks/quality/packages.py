"""The pinned packages that real code comes from: downloaded when needed, checked, unpacked, never run."""

from __future__ import annotations

import hashlib
import json
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path
from typing import NamedTuple

HERE = Path(__file__).resolve().parent


class Package(NamedTuple):
    """A source archive of a registry.

    Attributes:
        ecosystem: "pypi" or "npm"; "debian" for archives that ``tools/tables`` gets.
        name: as the registry has it.
        version: exactly this one.
        file: name of the archive.
        sha256: of the archive, in hexadecimal.
    """

    ecosystem: str
    name: str
    version: str
    file: str
    sha256: str


def table(file: Path) -> dict[str, Package]:
    """The packages that a JSON file pins, by name."""
    rows = json.loads(file.read_text())
    return {name: Package(name=name, **row) for name, row in rows.items()}


PACKAGES = table(HERE / "packages.json")


def unpacked(name: str, cache: Path) -> Path:
    """The folder with a package's code; fetched and unpacked below ``cache`` the first time."""
    package = PACKAGES[name]
    target = cache / "code" / package.file.removesuffix(".tgz").removesuffix(".tar.gz")
    if not target.exists():
        archive = fetched(package, cache / "archives")
        unfinished = target.with_name(target.name + ".unfinished")
        shutil.rmtree(unfinished, ignore_errors=True)
        with tarfile.open(archive) as tar:
            tar.extractall(unfinished, filter="data")
        unfinished.rename(target)
    (top,) = target.iterdir()
    return top


def fetched(package: Package, folder: Path) -> Path:
    """A package's archive in ``folder``; fetched the first time, and checked every time."""
    archive = folder / package.file
    if not archive.exists():
        print(f"fetching {package.file}", file=sys.stderr)
        folder.mkdir(parents=True, exist_ok=True)
        subprocess.run(_command(package), cwd=folder, check=True, stdout=subprocess.DEVNULL)
    found = hashlib.sha256(archive.read_bytes()).hexdigest()
    if found != package.sha256:
        sys.exit(f"{archive}: its sha256 is {found}\nit should be {package.sha256}; remove it and try again")
    return archive


def _command(package: Package) -> list[str]:
    if package.ecosystem == "npm":
        return ["npm", "pack", "--silent", "--ignore-scripts", f"{package.name}@{package.version}"]
    return [sys.executable, str(HERE / "pypi.py"), "--quiet", package.name, package.file, "."]
