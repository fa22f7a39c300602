"""The pinned packages that real code comes from: downloaded when needed, checked, unpacked, never run."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from fcntl import LOCK_EX, flock
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple

from winnow_ci.fetching import Artifact, ResolvedSource, fetch

if TYPE_CHECKING:
    from collections.abc import Mapping

    from debian import Debian

HERE = Path(__file__).resolve().parent


class Package(NamedTuple):
    """A source archive of a registry.

    Attributes:
        ecosystem: "pypi", "npm", "go", "maven", "cargo", "debian" (source packages) or "deb" (packages of scripts).
        name: as the registry has it; for Maven, group:artifact.
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


def unpacked(name: str, cache: Path, among: Mapping[str, Package] = PACKAGES) -> Path:
    """The folder with a package's code; fetched and unpacked below ``cache`` the first time."""
    package = among[name]
    target = cache / "code" / re.sub(r"\.(tgz|tar\.[gx]z|zip|jar|crate|deb)$", "", package.file)
    target.parent.mkdir(parents=True, exist_ok=True)
    # Several processes may need a package at once.
    with target.with_name(target.name + ".lock").open("w") as lock:
        flock(lock, LOCK_EX)
        if not target.exists():
            archive = fetched(package, cache / "archives")
            unfinished = target.with_name(target.name + ".unfinished")
            shutil.rmtree(unfinished, ignore_errors=True)
            _unpack(archive, unfinished)
            unfinished.rename(target)
    tops = list(target.iterdir())
    return tops[0] if len(tops) == 1 else target


def _unpack(archive: Path, folder: Path) -> None:
    """Put an archive's content below a folder, in one folder as in most archives."""
    if archive.suffix in (".zip", ".jar"):
        with zipfile.ZipFile(archive) as packed:
            packed.extractall(folder / "sources")
    elif archive.suffix == ".deb":
        folder.mkdir(parents=True)
        subprocess.run(["dpkg-deb", "--extract", archive, folder / "sources"], check=True)
    else:
        with tarfile.open(archive) as tar:
            tar.extractall(folder, filter="data")


def fetched(package: Package, folder: Path) -> Path:
    """A package's archive in ``folder``; fetched the first time, and checked every time."""
    archive = folder / package.file
    if not archive.exists():
        print(f"fetching {package.file}", file=sys.stderr)
        folder.mkdir(parents=True, exist_ok=True)
        _FETCHING.get(package.ecosystem, _by_client)(package, folder)
    found = hashlib.sha256(archive.read_bytes()).hexdigest()
    if found != package.sha256:
        sys.exit(f"{archive}: its sha256 is {found}\nit should be {package.sha256}; remove it and try again")
    return archive


def _by_client(package: Package, folder: Path) -> None:
    subprocess.run(_command(package), cwd=folder, check=True, stdout=subprocess.DEVNULL)


def _command(package: Package) -> list[str]:
    if package.ecosystem == "npm":
        return ["npm", "pack", "--silent", "--ignore-scripts", f"{package.name}@{package.version}"]
    artifact = f"-Dartifact={package.name}:{package.version}:jar:sources"
    return ["mvn", "--quiet", "--batch-mode", "dependency:copy", artifact, "-DoutputDirectory=."]


def _by_winnow(package: Package, folder: Path) -> None:
    """As winnow-ci does: pip would run code of a source distribution, and Cargo has no command for an archive alone."""
    resolved = ResolvedSource(package.name, package.version, (Artifact(package.file, package.sha256),))
    (path,) = fetch(f"pkg:{package.ecosystem}/{package.name}@{package.version}", resolved)
    shutil.copyfile(path, folder / package.file)


def _debian(package: Package, folder: Path) -> None:
    """The upstream archive of a source package, as ``tools/tables`` gets it."""
    _apt(folder, "deb-src").fetch(package.name, folder)


def _deb(package: Package, folder: Path) -> None:
    """A package as it is installed: it has the scripts of a source package that is not served everywhere."""
    _apt(folder, "deb").download(package.name, package.version, folder)


def _apt(folder: Path, kind: Literal["deb", "deb-src"]) -> Debian:
    sys.path.append(str(HERE.parents[1] / "tools" / "tables"))
    from debian import Debian

    return Debian(folder.parent / {"deb": "apt-deb", "deb-src": "apt"}[kind], kind)


def _go(package: Package, folder: Path) -> None:
    """Keep the archive that the module cache has; the cache is one of our own."""
    with tempfile.TemporaryDirectory() as cache:
        command = ["go", "mod", "download", "-json", f"{package.name}@{package.version}"]
        environment = {**os.environ, "GOMODCACHE": cache, "GOFLAGS": "-modcacherw"}
        told = subprocess.run(command, cwd=cache, env=environment, check=True, capture_output=True).stdout
        shutil.move(json.loads(told)["Zip"], folder / package.file)


_FETCHING = {"pypi": _by_winnow, "cargo": _by_winnow, "go": _go, "debian": _debian, "deb": _deb}
