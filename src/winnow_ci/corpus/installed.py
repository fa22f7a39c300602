"""Packages that are installed below a folder: their names, versions and files, without asking a registry.

====================  ==========================================================================================
npm                   each folder of ``node_modules`` with a ``package.json``
Python                each ``*.dist-info`` beside the code, with the files that its ``RECORD`` lists
Cargo                 a crate in the cache or in ``vendor``: ``Cargo.toml`` beside a mark of Cargo's
Go                    ``MODULE@VERSION`` in the cache, and the modules that ``vendor/modules.txt`` lists
Composer              the packages that ``vendor/composer/installed.json`` lists
Maven                 ``*-sources.jar`` in the local repository
====================  ==========================================================================================

Symbolic links are not followed: pnpm keeps each package once, and links to it. What a package says of itself may be
anybody's, so its name is only a name, and a file belongs to it only below the folder where it was found.
"""

from __future__ import annotations

import csv
import json
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any

from winnow_ci.corpus.archive import ArchiveLimits
from winnow_ci.corpus.collecting import Corpus, CorpusFile, collect, files_below
from winnow_ci.errors import CorpusError
from winnow_ci.model import Skipped
from winnow_ci.named_tuples import NamedTuple
from winnow_ci.regular_file import open_regular
from winnow_ci.start_up import record

_LARGEST_DESCRIPTION = 16 << 20
_DIST_INFO = ".dist-info"
_MARKS = ("pyvenv.cfg", "modules.txt", "composer/installed.json", "cache/download")
_JAR = "-sources.jar"
_ELEMENT = r"<{0}>([A-Za-z0-9_.-]*[A-Za-z0-9_-])</{0}>"
_MOST_PARENTS = 8
_LONGEST_NAME = 200
_OF_INSTALLER = ("RECORD", "INSTALLER", "REQUESTED", "direct_url.json", "uv_cache.json")
_FIELD = r"^{} = \"([^\"\n]*)\""
_HEADER = r"^{}:[ \t]*([^\n]*)$"
_MODULE = re.compile(r"^# (\S+)(?: (v\S+))?(?: => (\S+)(?: (v\S+))?)?$")
_CACHED = re.compile(r"@v\d")
_CAPITAL = re.compile(r"!([a-z])")


class InstalledPackage(NamedTuple):
    """A package, and where it is."""

    type: str  # of its package URL
    name: str  # with its namespace
    version: str | None
    place: Path  # its folder, its archive, or its ``*.dist-info``


def installed_packages(*tops: Path) -> list[InstalledPackage]:
    """Find the packages below some folders; the first of those with the same name and version.

    A folder that cannot be listed is a ``CorpusError``.
    """
    found: dict[tuple[str, str, str | None], InstalledPackage] = {}
    for top in tops:
        for here, folders, files in os.walk(top, onerror=_refuse):
            folders[:] = sorted(name for name in folders if name != ".git")
            for package in _found_in(Path(here), folders, frozenset(files), top):
                if package.name.isprintable() and 0 < len(package.name) <= _LONGEST_NAME:
                    found.setdefault(package[:3], package)
    return list(found.values())


@record(slots=True)
class InstalledFiles:
    """The files of some packages, each path relative to the root of its package, or to the folder of its archive."""

    files: tuple[CorpusFile, ...]
    skipped: tuple[Skipped, ...]
    _owners: Mapping[tuple[Path, str], Sequence[InstalledPackage]]
    _archives: Sequence[Corpus]

    def __iter__(self) -> Iterator[CorpusFile]:
        """Give files of folders, then members of archives with their contents."""
        archived = {file.root for archive in self._archives for file in archive.files}
        yield from (file for file in self.files if file.root not in archived or file.content is not None)
        for archive in self._archives:
            yield from archive

    def packages_of(self, file: CorpusFile) -> Sequence[InstalledPackage]:
        """Return the packages that a file belongs to."""
        return self._owners[file.root, file.path]


@contextmanager
def files_of_packages(packages: Sequence[InstalledPackage], limits: ArchiveLimits) -> Iterator[InstalledFiles]:
    """List the files of packages; a package within the folder of another one is no part of that.

    A folder that cannot be listed, or an archive that cannot be read, is a ``CorpusError``.
    """
    places = frozenset(str(one.place) for one in packages)
    owners: dict[tuple[Path, str], list[InstalledPackage]] = {}
    files: dict[tuple[Path, str], CorpusFile] = {}
    archives: list[Corpus] = []
    with ExitStack() as stack:
        for one in packages:
            if one.place.suffix == ".jar":
                archives.append(stack.enter_context(collect([one.place], limits)))
                listed = [*archives[-1].files, *_licence_of_jar(one.place)]
            else:
                listed = _files_of(one.place, places)
            for file in listed:
                owners.setdefault((file.root, file.path), []).append(one)
                files[file.root, file.path] = file
        skipped = tuple(skip for archive in archives for skip in archive.skipped)
        yield InstalledFiles(tuple(files.values()), skipped, owners, archives)


def _files_of(place: Path, places: frozenset[str]) -> list[CorpusFile]:
    if place.name.endswith(_DIST_INFO):
        rows = csv.reader(_text(place / "RECORD").splitlines())
        # But for what the installer says of itself.
        recorded = {row[0] for row in rows if row} - {f"{place.name}/{name}" for name in _OF_INSTALLER}
        tops = frozenset(path.partition("/")[0] for path in recorded)
        found = [file for file in files_below(place.parent, tops) if file.path in recorded]
    else:
        found = list(files_below(place, without=places))
    return sorted(found, key=CorpusFile.by_bytes)


def _licence_of_jar(jar: Path) -> Iterator[CorpusFile]:
    """The description beside an archive of Maven's, or that of a parent, if it states a licence."""
    pom = jar.with_name(f"{jar.name.removesuffix(_JAR)}.pom")
    root = next((one for one in jar.parents if one.name == "repository"), jar.parent)
    for _ in range(_MOST_PARENTS):
        text = _text(pom)
        if "<licenses>" in text:
            content = text.encode()
            yield CorpusFile("pom.xml", jar, len(content), content)
            return
        parent = text.partition("<parent>")[2].partition("</parent>")[0]
        names = ("groupId", "artifactId", "version")
        group, artifact, version = (_first(_ELEMENT.format(name), parent) or "" for name in names)
        if not (group and artifact and version):
            return
        pom = root.joinpath(*group.split("."), artifact, version, f"{artifact}-{version}.pom")


def is_installation(folder: Path) -> bool:
    """Tell whether a folder is one that a package manager fills."""
    marked = any((folder / mark).exists() for mark in _MARKS)
    return folder.name == "node_modules" or marked or any(folder.glob(f"*{_DIST_INFO}"))


def _refuse(error: OSError) -> None:
    raise CorpusError(f"{error.filename}: {error.strerror}", "make it readable, or name another folder") from error


def _found_in(here: Path, folders: Sequence[str], files: frozenset[str], top: Path) -> Iterator[InstalledPackage]:
    above = here.parent.parent if here.parent.name.startswith("@") else here.parent
    if "package.json" in files and above.name == "node_modules":
        yield from _npm(here)
    if "Cargo.toml" in files and not files.isdisjoint({".cargo-ok", ".cargo-checksum.json"}):
        yield from _crate(here)
    if _CACHED.search(here.name):
        yield _cached_module(here, top)
    if "modules.txt" in files and here.name == "vendor":
        yield from _vendored_modules(here)
    if "installed.json" in files and here.name == "composer":
        yield from _composer(here)
    for name in folders:
        if name.endswith(_DIST_INFO):
            yield from _distribution(here / name)
    for name in sorted(files):
        if name.endswith(_JAR):
            yield _sources_jar(here / name, top)


# ---- one kind of package each ----------------------------------------------------------------------------------------


def _npm(folder: Path) -> Iterator[InstalledPackage]:
    described = _json(folder / "package.json")
    if isinstance(described, dict) and isinstance(name := described.get("name"), str):
        yield InstalledPackage("npm", name, _string(described.get("version")), folder)


def _crate(folder: Path) -> Iterator[InstalledPackage]:
    # Cargo rewrites the file when it publishes a crate: one key a line.
    _, _, package = _text(folder / "Cargo.toml").partition("[package]\n")
    name, version = (_first(_FIELD.format(key), package.partition("\n[")[0]) for key in ("name", "version"))
    if name:
        yield InstalledPackage("cargo", name, version, folder)


def _cached_module(folder: Path, top: Path) -> InstalledPackage:
    root = next((one for one in folder.parents if (one / "cache" / "download").is_dir()), top)
    # The cache writes capital letters as in !burnt!sushi.
    path = _CAPITAL.sub(lambda found: found[1].upper(), folder.relative_to(root).as_posix())
    name, _, version = path.rpartition("@")
    return InstalledPackage("golang", name, version, folder)


def _vendored_modules(vendor: Path) -> Iterator[InstalledPackage]:
    for line in _text(vendor / "modules.txt").splitlines():
        if found := _MODULE.match(line):
            name, version, _, replaced = found.groups()
            folder = vendor / name
            if _is_below(folder, vendor) and folder.is_dir():
                yield InstalledPackage("golang", name, replaced or version, folder)


def _composer(folder: Path) -> Iterator[InstalledPackage]:
    described = _json(folder / "installed.json")
    listed = described.get("packages") if isinstance(described, dict) else described
    for one in listed if isinstance(listed, list) else ():
        about = one if isinstance(one, dict) else {}
        name, version, place = (_string(about.get(key)) for key in ("name", "version", "install-path"))
        path = Path(os.path.normpath(folder / (place or f"../{name}")))
        if name and _is_below(path, folder.parent) and path.is_dir():
            yield InstalledPackage("composer", name, version, path)


def _distribution(folder: Path) -> Iterator[InstalledPackage]:
    head = _text(folder / "METADATA").partition("\n\n")[0]
    name, version = (_first(_HEADER.format(key), head) for key in ("Name", "Version"))
    if name and (folder / "RECORD").is_file():
        yield InstalledPackage("pypi", name, version, folder)


def _sources_jar(jar: Path, top: Path) -> InstalledPackage:
    version, artifact = jar.parent, jar.parent.parent
    root = next((one for one in jar.parents if one.name == "repository"), top)
    group = ".".join(artifact.parent.relative_to(root).parts) if artifact.parent.is_relative_to(root) else ""
    name = f"{group}/{artifact.name}" if group else jar.name.removesuffix(_JAR)
    return InstalledPackage("maven", name, version.name, jar)


def _is_below(path: Path, folder: Path) -> bool:
    return ".." not in path.parts[len(folder.parts) :] and path.is_relative_to(folder) and path != folder


def _first(pattern: str, text: str) -> str | None:
    found = re.search(pattern, text, re.MULTILINE)
    return found[1].strip() if found else None


def _string(value: Any) -> str | None:
    return value if isinstance(value, str) and value.strip() and value.isprintable() else None


def _json(path: Path) -> Any:
    with suppress(ValueError, RecursionError):
        return json.loads(_text(path))
    return None


def _text(path: Path) -> str:
    with suppress(OSError), open_regular(path) as file:
        return file.read(_LARGEST_DESCRIPTION).decode("utf-8", "replace").replace("\r\n", "\n")
    return ""
