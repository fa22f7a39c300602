"""The archives of a Debian source package, and the folder that each one's files belong in.

The ``.dsc`` file names the archives beside it, with their hashes. As with ``dpkg-source``, an additional tarball
replaces the upstream folder of its name, and Debian's tarball the upstream folder ``debian``. Patches are not applied,
and signatures are not checked: whoever has the ``.dsc`` knows where it is from.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections import Counter
from contextlib import contextmanager
from typing import TYPE_CHECKING, BinaryIO

from winnow_ci import deb822
from winnow_ci.errors import CorpusError
from winnow_ci.model import Skipped
from winnow_ci.named_tuples import NamedTuple
from winnow_ci.regular_file import open_regular

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_LARGEST_DSC = 4 << 20
_FORMATS = {"1.0", "3.0 (native)", "3.0 (quilt)"}
_PACKING = r"\.tar\.(?:gz|bz2|xz|lzma)"
_COMPONENT = re.compile(rf".+\.orig-([A-Za-z0-9][A-Za-z0-9-]*){_PACKING}")
_KINDS = {
    "orig": re.compile(rf".+\.orig{_PACKING}"),
    "component": _COMPONENT,
    "debian": re.compile(rf".+\.debian{_PACKING}"),
    "diff": re.compile(r".+\.diff\.gz"),
    "signature": re.compile(r".+\.asc"),
    "native": re.compile(rf".+{_PACKING}"),
}
_FETCH = "fetch the source again: apt-get source --download-only"


class SourceArchive(NamedTuple):
    """An archive of a source.

    Attributes:
        path: of the archive.
        prefix: of the paths of its files in the source: empty, or a folder with ``/``.
        replaced: folders at the top of the archive that other archives replace.
    """

    path: Path
    prefix: str = ""
    replaced: frozenset[str] = frozenset()


def source_archives(dsc: Path) -> tuple[list[SourceArchive], list[Skipped]]:
    """Check the hashes of a source package; return its archives, and what is not read.

    Raises:
        CorpusError: the ``.dsc`` or a file beside it cannot be read, or is not what it should be.
    """
    kinds = {listed.filename: _kind(listed.filename) for listed in _listed(dsc)}
    count = Counter(kinds.values())
    if count["orig"] + count["native"] != 1 or count["debian"] + count["diff"] > 1 or count[None]:
        raise CorpusError(f"{dsc}: lists other files than a source package has: {', '.join(kinds)[:500]}", _FETCH)
    components = {name: found[1] for name in kinds if (found := _COMPONENT.fullmatch(name))}
    replaced = frozenset([*components.values(), *(["debian"] if count["debian"] else [])])
    archives, skipped = [], []
    for name, kind in kinds.items():
        if kind == "diff":
            skipped.append(Skipped(name, "Debian's changes as a diff (format 1.0)", "not-scanned"))
        elif kind == "orig":
            # Only the upstream tarball has folders that other tarballs replace.
            archives.append(SourceArchive(dsc.parent / name, "", replaced))
        elif kind != "signature":
            archives.append(SourceArchive(dsc.parent / name, f"{components[name]}/" if name in components else ""))
    return archives, skipped


def _listed(dsc: Path) -> tuple[deb822.ListedFile, ...]:
    with _opened(dsc) as file:
        content = file.read(_LARGEST_DSC + 1)
    if len(content) > _LARGEST_DSC:
        raise CorpusError(f"{dsc}: has more than {_LARGEST_DSC >> 20} MiB", _FETCH)
    try:
        fields = deb822.paragraph(content)
        listed = deb822.listed_files(fields)
    except ValueError as error:
        raise CorpusError(f"{dsc}: no description of a Debian source: {error}", _FETCH) from error
    if fields.get("format") not in _FORMATS:
        problem = f"{dsc}: a Debian source of format {fields.get('format', '')[:80]!r} is not read"
        raise CorpusError(problem, "unpack it with dpkg-source, and name the folder")
    for one in listed:
        if _kind(one.filename) != "signature":
            _check(dsc, one)
    return listed


def _check(dsc: Path, listed: deb822.ListedFile) -> None:
    path, digest = dsc.parent / listed.filename, hashlib.sha256()
    with _opened(path) as file:
        size = os.fstat(file.fileno()).st_size
        while size == listed.size and (chunk := file.read(1 << 20)):
            digest.update(chunk)
    if size != listed.size or digest.hexdigest() != listed.sha256:
        raise CorpusError(f"{path}: not the file that {dsc.name} lists: its size or sha256 is another", _FETCH)


@contextmanager
def _opened(path: Path) -> Iterator[BinaryIO]:
    try:
        with open_regular(path) as file:
            yield file
    except OSError as error:
        raise CorpusError(f"{path}: {error.strerror}", _FETCH) from error


def _kind(filename: str) -> str | None:
    return next((kind for kind, pattern in _KINDS.items() if pattern.fullmatch(filename)), None)
