"""Whether code that a model wrote "similar to" a package is recognised as coming from there.

    python benchmarks/assistants FOLDER --registry npm|pypi|golang [--beside A,B] [--detectors ours,scanoss,jscpd]
                                 [--control] [--work DIR] [--json FILE]

FOLDER has one file for each package that a model imitated, named after it as ``package_of`` says; the page beside this
program says where there are such sets. The packages come from their registry. All files are one change, looked up in
all packages, and in those that ``--beside`` names. A file is *right* if a finding names its package, first or also, and
*wrong* if its findings name others only. ``--control`` looks each file up once more, in an index without its package:
what is found then is wrong, or a copy that another package embeds.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

sys.path.insert(0, str(Path(__file__).parent.parent / "quality"))

import contract
from detectors import detector_named, names

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from contract import Detector, Overlap

BIGGEST = 600_000
SOURCES = {
    "npm": {".js", ".cjs", ".mjs", ".jsx", ".ts", ".tsx"},
    "pypi": {".py"},
    "golang": {".go"},
}
VERSION = re.compile(r"[-@]v?(\d+\.\d+\.\d+\S*)$")


class Imitation(NamedTuple):
    """A file that a model wrote.

    Attributes:
        path: of the file.
        package: what it imitates, with a version if that is known.
    """

    path: Path
    package: str

    @property
    def name(self) -> str:
        return VERSION.sub("", self.package)


def package_of(file: Path) -> str:
    """The package that a file is named after: ``pkg-npm__-scope__name-1.2.3.js``, or ``host__owner__name.go``."""
    name = re.sub(r"^pkg-[a-z]+__", "", file.stem).replace("__", "/")
    name = re.sub(r"^-(?=[a-z]+/)", "@", name)
    found = VERSION.search(name)
    return name if found is None else f"{name[: found.start()]}@{found[1]}"


# ---- packages --------------------------------------------------------------------------------------------------


def from_npm(package: str, folder: Path) -> None:
    packed = _output("npm", "pack", "--silent", package, cwd=folder).split()[-1]
    shutil.unpack_archive(folder / packed, folder / "code", "gztar")


def from_pypi(package: str, folder: Path) -> None:
    wanted = package.replace("@", "==")
    _output(sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--dest", str(folder), wanted, cwd=folder)
    (packed,) = [file for file in folder.iterdir() if file.is_file()]
    shutil.unpack_archive(packed, folder / "code", "zip" if packed.suffix in (".whl", ".zip") else "gztar")


def from_golang(package: str, folder: Path) -> None:
    version = "" if VERSION.search(package) else "@latest"
    found = json.loads(_output("go", "mod", "download", "-json", package + version, cwd=folder))
    shutil.copytree(found["Dir"], folder / "code")


REGISTRIES: dict[str, Callable[[str, Path], None]] = {"npm": from_npm, "pypi": from_pypi, "golang": from_golang}


def _output(*command: str, cwd: Path) -> str:
    environment = {**os.environ, "GOFLAGS": "-modcacherw"}
    return subprocess.run(command, cwd=cwd, check=True, capture_output=True, text=True, env=environment).stdout


def fetched(package: str, registry: str, cache: Path) -> Path | None:
    """The folder with a package's code; None if the registry does not give it."""
    folder = cache / registry / package.replace("/", "__")
    if not folder.exists():
        unfinished = folder.with_name(folder.name + ".unfinished")
        shutil.rmtree(unfinished, ignore_errors=True)
        unfinished.mkdir(parents=True)
        try:
            REGISTRIES[registry](package, unfinished)
        except (subprocess.CalledProcessError, shutil.ReadError) as error:
            print(f"{package}: not fetched: {error}", file=sys.stderr)
            return None
        unfinished.rename(folder)
    return folder / "code"


# ---- the trial -------------------------------------------------------------------------------------------------


class Outcome(NamedTuple):
    """What a detector says of the imitations; names of packages that it finds, by file."""

    found: dict[str, set[str]]
    wanted: dict[str, str]

    @property
    def right(self) -> int:
        return sum(self.wanted[file] in names for file, names in self.found.items())

    def __str__(self) -> str:
        return f"{len(self.found)} matched, {self.right} right, {len(self.found) - self.right} wrong"


def laid_out(folder: Path, imitations: Sequence[Imitation], packages: dict[str, Path], suffixes: set[str]) -> Path:
    """A round as ``benchmarks/quality`` has them: known packages, and files that a change adds."""
    shutil.rmtree(folder, ignore_errors=True)
    for name, code in packages.items():
        for file in sorted(code.rglob("*")):
            if file.is_file() and file.suffix in suffixes and file.stat().st_size <= BIGGEST:
                target = folder / "known" / name.replace("/", "__") / file.relative_to(code)
                target.parent.mkdir(parents=True, exist_ok=True)
                os.link(file, target)
    (folder / "base").mkdir()
    (folder / "base/README").write_text("nothing yet\n")
    (folder / "changed").mkdir()
    added = {}
    for one in imitations:
        shutil.copy(one.path, folder / "changed" / one.path.name)
        added[one.path.name] = [[1, one.path.read_bytes().count(b"\n") + 1]]
    contract.write(contract.Round(folder, "", "imitated", (), tuple(added), added))
    return folder


def judged(overlaps: Iterable[Overlap], imitations: Sequence[Imitation]) -> Outcome:
    found: dict[str, set[str]] = {}
    for one in overlaps:
        sources = {path.split("/")[0] for path in (one.known, *one.also)}
        found.setdefault(one.path, set()).update(sources)
    return Outcome(found, {one.path.name: one.name.replace("/", "__") for one in imitations})


def control(
    imitations: Sequence[Imitation], packages: dict[str, Path], suffixes: set[str], detect: Detector, work: Path
) -> Outcome:
    """Look each file up without its package."""
    overlaps: list[Overlap] = []
    for name in sorted({one.name for one in imitations}):
        own = [one for one in imitations if one.name == name]
        others = {other: code for other, code in packages.items() if other != name}
        overlaps += detect(laid_out(work / "control", own, others, suffixes), work)
    return judged(overlaps, imitations)


def main() -> None:
    arguments = _parser().parse_args()
    imitations = [Imitation(file, package_of(file)) for file in sorted(arguments.folder.iterdir()) if file.is_file()]
    with ExitStack() as stack:
        work = arguments.work or Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="winnow-assistants-")))
        work = work.resolve()
        wanted = [*(one.package for one in imitations), *arguments.beside]
        codes = {VERSION.sub("", one): fetched(one, arguments.registry, work / "packages") for one in wanted}
        packages = {name: code for name, code in codes.items() if code is not None}
        suffixes = SOURCES[arguments.registry]
        there = sum(one.name in packages for one in imitations)
        print(f"{len(imitations)} files, the packages of {there} of them, {len(packages)} packages in all")
        for name in arguments.detectors:
            scratch = work / "detectors" / name
            scratch.mkdir(parents=True, exist_ok=True)
            round_ = laid_out(work / "round", imitations, packages, suffixes)
            outcome = judged(detector_named(name)(round_, scratch), imitations)
            print(f"{name}: {outcome}", flush=True)
            if arguments.control:
                without = control(imitations, packages, suffixes, detector_named(name), scratch)
                print(f"{name}, without the right package: {len(without.found)} matched", flush=True)
            if arguments.json:
                found = {file: sorted(names_) for file, names_ in outcome.found.items()}
                arguments.json.write_text(json.dumps({"wanted": outcome.wanted, "found": found}, indent=1))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    option = parser.add_argument
    option("folder", type=Path, metavar="FOLDER", help="has the files")
    option("--registry", choices=tuple(REGISTRIES), required=True, help="where the packages are")
    option("--beside", type=names, default=(), metavar="A,B", help="further packages to index")
    option("--detectors", type=names, default=("ours",), metavar="A,B", help="as for benchmarks/quality")
    option("--control", action="store_true", help="look each file up without its package, too")
    option("--work", type=Path, metavar="DIR", help="keep packages and indexes here")
    option("--json", type=Path, metavar="FILE", help="write what the last detector finds")
    return parser


if __name__ == "__main__":
    main()
