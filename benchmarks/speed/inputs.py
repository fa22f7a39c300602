"""The code that the tools run on: known and changed projects, whole and in part."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path
from typing import NamedTuple

from debian import Debian
from packages import PACKAGES, table, unpacked

HERE = Path(__file__).resolve().parent
GIT = ("git", "-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "core.autocrlf=false", "-c", "gc.auto=0")
PACKAGES |= table(HERE / "packages.json")


class Side(NamedTuple):
    """A part of a package."""

    package: str
    folders: tuple[str, ...]
    suffixes: tuple[str, ...]


class Pair(NamedTuple):
    """What is known, and what is changed.

    Attributes:
        known: parts of packages.
        changed: parts of packages.
        is_wide: whether it is too large for the slow tools, and not run in part.
    """

    known: tuple[Side, ...]
    changed: tuple[Side, ...]
    is_wide: bool = False


class Input(NamedTuple):
    """Code, laid out for the tools, which only read it.

    Attributes:
        name: the language, and how many files a side if not all.
        code: a folder with known/ and new/.
        repository: a git repository with the files of new/ committed.
        is_whole: whether all files of the projects are there.
        is_wide: whether it is too large for the slow tools.
    """

    name: str
    code: Path
    repository: Path
    is_whole: bool
    is_wide: bool

    @property
    def known(self) -> Path:
        return self.code / "known"

    @property
    def changed(self) -> Path:
        return self.code / "new"


C, CPP, PY = (".c", ".h"), (".c", ".cc", ".cpp", ".h", ".hh", ".hpp"), (".py",)
KNOWN_C = (Side("curl", (".",), C), Side("git", (".",), C))
DJANGO = tuple(f"django/{part}" for part in ("core", "db", "forms", "template", "utils"))
PAIRS = {
    "c": Pair(KNOWN_C, (Side("redis", ("src",), C),)),
    "python": Pair((Side("sympy", ("sympy",), PY),), (Side("django", DJANGO, PY),)),
    "wide": Pair(KNOWN_C, (Side("blender", ("source", "intern"), CPP),), is_wide=True),
}


def made(language: str, files: int | None, work: Path) -> Input:
    """Lay out an input afresh: all files, or so many a side, spread evenly over the sorted paths."""
    name = language if files is None else f"{language}, {files} files a side"
    folder = work / "inputs" / (language if files is None else f"{language}-{files}")
    shutil.rmtree(folder, ignore_errors=True)
    pair = PAIRS[language]
    made_input = Input(name, folder / "code", folder / "repository", files is None, pair.is_wide)
    for sides, target in ((pair.known, made_input.known), (pair.changed, made_input.changed)):
        _copied(sides, files, target, work)
    shutil.copytree(made_input.changed, made_input.repository)
    for command in (("init", "--quiet"), ("add", "--all", "--force"), ("commit", "--quiet", "--message", "all")):
        environment = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
        subprocess.run([*GIT, *command], cwd=made_input.repository, check=True, env=environment)
    return made_input


def _copied(sides: tuple[Side, ...], files: int | None, target: Path, work: Path) -> None:
    found = [(file, place) for side in sides for file, place in _found(side, work)]
    for file, place in found if files is None else _spread(found, files):
        copy = target / place
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(file, copy)


def _found(side: Side, work: Path) -> list[tuple[Path, Path]]:
    """The files of a part of a package, each with its path below the package's name."""
    _fetched(side.package, work)
    top = unpacked(side.package, work)
    files = {file for folder in side.folders for file in (top / folder).rglob("*") if _is_wanted(file, side)}
    return [(file, Path(side.package, file.relative_to(top))) for file in sorted(files)]


def _fetched(name: str, work: Path) -> None:
    package, archives = PACKAGES[name], work / "archives"
    if package.ecosystem == "debian" and not (archives / package.file).exists():
        Debian(work / "apt").fetch(name, archives)


def _is_wanted(file: Path, side: Side) -> bool:
    return file.suffix in side.suffixes and file.is_file() and not file.is_symlink() and file.stat().st_size > 0


def _spread(found: list[tuple[Path, Path]], files: int) -> list[tuple[Path, Path]]:
    return [found[number * len(found) // files] for number in range(min(files, len(found)))]


def size(folder: Path) -> tuple[int, int]:
    """Files and bytes below a folder."""
    sizes = [file.stat().st_size for file in folder.rglob("*") if file.is_file()]
    return len(sizes), sum(sizes)
