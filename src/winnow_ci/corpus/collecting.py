"""Join folders, archives and Debian source packages in one corpus.

Only regular files of folders are read, and symbolic links are not followed: a link or a named pipe in somebody's source
tree must neither lead out of it nor block. A file or folder that cannot be read is an error, since an index that
silently lacks files makes scans that are silently clean.

Left out are the folders of version control, and those that tools fill with other people's code or with compiled code,
which would be reported under this source's name and licence. A ``vendor`` folder stays: the source distributes it.

Nothing is ever written under a member's name, so a name cannot lead anywhere; but reports show paths, the language of a
file depends on its path, and no two files may have the same path.

The ``.dsc`` file of a Debian source package names the archives beside it, with their hashes. As with ``dpkg-source``,
an additional tarball replaces the upstream folder of its name, and Debian's tarball the upstream folder ``debian``.
Patches are not applied, and signatures are not checked: whoever has the ``.dsc`` knows where it is from.
"""

from __future__ import annotations

import hashlib
import os
import re
import stat
from collections import Counter
from contextlib import ExitStack, contextmanager
from itertools import pairwise, takewhile
from typing import TYPE_CHECKING, BinaryIO

from winnow_ci import deb822, system
from winnow_ci.corpus.archive import HEAD_SIZE, ArchiveLimits, is_readable_kind, kind_of
from winnow_ci.corpus.archive_process import ArchiveProcess
from winnow_ci.errors import CorpusError, UsageError
from winnow_ci.model import Skipped
from winnow_ci.named_tuples import NamedTuple
from winnow_ci.regular_file import NOT_REGULAR, open_regular
from winnow_ci.start_up import field, record, replace

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence
    from pathlib import Path

    from typing_extensions import Self

    from winnow_ci.corpus.archive_process import ListedMember

LEFT_OUT_FOLDERS = frozenset({".git", ".hg", ".svn", ".venv", "__pycache__", "node_modules"})
_READABLE = "make it readable, or build from a copy without it"
_REMEDY = "name a folder with the source's code, an archive of it (tar, tar.gz, tar.bz2, tar.xz, zip, wheel), or a .dsc"
_AGAIN = "replaced by a later member of the same name"
_REPLACED = "replaced by another archive of the Debian source"
_VERSIONED = re.compile(r"@v\d")

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


@record(frozen=True, slots=True)
class CorpusFile:
    """A file of reference code."""

    path: str  # relative to the root, with ``/``; bytes that are not UTF-8 are surrogates (PEP 383)
    root: Path  # the folder that it is relative to, or the archive that it is in
    size: int  # in bytes, when it was listed
    # of a member of an archive, since that cannot be read later
    content: bytes | None = field(default=None, repr=False)
    reason: str | None = None  # why it is not to be read, if so

    def by_bytes(self) -> bytes:
        """Return its path in bytes, by which files are ordered whatever the system or its locale."""
        return self.path.encode("utf-8", "surrogateescape")

    @property
    def location(self) -> Path:
        """Where to read it."""
        return self.root / self.path


class _SourceArchive(NamedTuple):
    path: Path  # of the archive
    prefix: str = ""  # of the paths of its files in the source: empty, or a folder with ``/``
    replaced: frozenset[str] = frozenset()  # folders at the top of the archive that other archives replace


class Corpus:
    """The files of some roots, by path, and what is skipped; as a context, it ends the process that reads archives."""

    def __init__(self, limits: ArchiveLimits) -> None:
        self.files: tuple[CorpusFile, ...] = ()
        self.skipped: tuple[Skipped, ...] = ()
        self._limits = limits
        self._process: ArchiveProcess | None = None
        # Archives, each with the files that are wanted of it, by the numbers of their members.
        self._archives: dict[_SourceArchive, dict[int, CorpusFile]] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._process is not None:
            self._process.end()

    def __iter__(self) -> Iterator[CorpusFile]:
        """Yield files of folders by path, then members with their contents."""
        archived = {archive.path for archive in self._archives}
        yield from (file for file in self.files if file.root not in archived)
        for archive, wanted in self._archives.items():
            yield from self._read(archive, wanted)

    def _read(self, archive: _SourceArchive, wanted: dict[int, CorpusFile]) -> Iterator[CorpusFile]:
        assert self._process is not None
        found = 0
        for member in self._process.members(archive.path, contents=True):
            file = wanted.get(member.number)
            if file is None:
                continue
            stored = file.path.removeprefix(archive.prefix)
            if member.size != file.size or not "/".join(components(member.name)).endswith(stored):
                break
            found += 1
            yield replace(file, content=member.content)
        if found != len(wanted):
            raise CorpusError(f"{archive.path}: changed while it was being read", "run this again")

    def add(self, root: Path) -> None:
        """Add a folder, an archive or a Debian source package; ``collect`` then sorts the files."""
        if root.suffix == ".dsc" and root.is_file():
            archives, skipped = _source_archives(root)
            for archive in archives:
                _is_archive(archive.path)
                self._add_archive(archive)
            self.skipped += (*skipped,)
        elif _is_archive(root):
            self._add_archive(_SourceArchive(root))
        else:
            self._add_files(root, files_below(root))

    def _add_archive(self, archive: _SourceArchive) -> None:
        self._process = self._process or ArchiveProcess(self._limits)
        listed = self._process.members(archive.path, contents=False)
        within = [one for one in listed if LEFT_OUT_FOLDERS.isdisjoint(one.name.split("/")[:-1])]
        files, skipped = _chosen(archive, within)
        self._add_files(archive.path, files.values())
        self._archives[archive] = files
        self.skipped += (*skipped,)

    def _add_files(self, root: Path, files: Iterable[CorpusFile]) -> None:
        before = self.files
        self.files += (*files,)
        if self.files == before:
            raise CorpusError(f"{root} has no files", _REMEDY)


def collect(roots: Iterable[Path], limits: ArchiveLimits | None = None) -> Corpus:
    """Collect the files of several folders and archives.

    Each path is relative to its own root. Of members with the same path, the last counts. A folder that holds all
    members is no part of their paths.

    Raises:
        UsageError: a root is neither a folder nor an archive, or two roots have a file of the same path.
        CorpusError: a folder cannot be listed or an archive cannot be read, has no files, or exceeds a limit.
    """
    with ExitStack() as stack:
        corpus = stack.enter_context(Corpus(limits or ArchiveLimits()))
        for root in roots:
            corpus.add(root)
        corpus.files = tuple(sorted(corpus.files, key=CorpusFile.by_bytes))
        for known, file in pairwise(corpus.files):
            if known.path == file.path:
                problem = f"{known.location} and {file.location} would both get the path {file.path}"
                raise UsageError(problem, "name the folder that holds both, or build two sources")
        stack.pop_all()
    return corpus


def _is_archive(root: Path) -> bool:
    """Whether it is an archive; refuse what is no folder either, or no archive that can be read."""
    try:
        if root.is_dir():
            return False
        with open_regular(root) as file:
            kind = kind_of(file.read(HEAD_SIZE), root.name)
    except OSError as error:
        if error.errno not in NOT_REGULAR:
            raise UsageError(f"{root}: {error.strerror}", _REMEDY) from error
        kind = None
    if kind is None:
        raise UsageError(f"{root} is not a folder or archive", _REMEDY)
    if not is_readable_kind(kind):
        raise UsageError(f"{root}: winnow-ci reads no {kind} archives", "unpack it, and name the folder")
    return True


def _chosen(archive: _SourceArchive, listed: Sequence[ListedMember]) -> tuple[dict[int, CorpusFile], list[Skipped]]:
    """The files of an archive by member number, and what is skipped."""
    names = [components(one.name) for one in listed]
    leading = _leading_folder(names)
    below = (name[len(leading) :] if name[: len(leading)] == leading else name for name in names)
    paths = ["/".join(name[1:] if name[:1] == (".",) else name) for name in below]
    last = {path: one.number for path, one in zip(paths, listed, strict=True) if path and not one.reason}
    files, skipped = {}, []
    for path, one in zip(paths, listed, strict=True):
        replaced = archive.replaced and "/" in path and path.split("/", 1)[0] in archive.replaced
        if last.get(path) == one.number and not replaced:
            files[one.number] = CorpusFile(f"{archive.prefix}{path}", archive.path, one.size)
        else:
            reason = one.reason or (_REPLACED if replaced else _AGAIN if path else "without a name")
            skipped.append(Skipped(path or one.name, reason, "out-of-scope" if one.reason == "link" else "not-scanned"))
    return files, skipped


# ---- folders ----------------------------------------------------------------------------------------------------


def files_below(root: Path, tops: frozenset[str] | None = None, without: Collection[str] = ()) -> Iterator[CorpusFile]:
    """Give the files below a folder, in any order.

    ``tops`` are the only entries of it to look at, if not None; ``without`` has paths of folders to leave out.
    """
    folders = [""]
    while folders:
        prefix = folders.pop()
        try:
            with os.scandir(system.place_below(root, prefix)) as entries:
                for entry in entries:
                    path = f"{prefix}{system.path_of_name(entry.name)}"
                    if not (prefix or tops is None or entry.name in tops) or (without and str(root / path) in without):
                        continue
                    found = entry.stat(follow_symlinks=False)
                    if stat.S_ISREG(found.st_mode):
                        yield CorpusFile(path, root, found.st_size)
                    elif stat.S_ISDIR(found.st_mode) and not (entry.name in LEFT_OUT_FOLDERS or system.is_link(found)):
                        folders.append(f"{path}/")
        except OSError as error:
            raise CorpusError(f"{root / prefix}: {error.strerror}", _READABLE) from error


def read_file(file: CorpusFile, limit: int) -> bytes:
    """Read a file of at most ``limit`` bytes."""
    if file.content is not None:
        return file.content
    try:
        # Since it was listed, a file may have become a link, or a named pipe, whose opening would wait for a writer.
        descriptor = system.open_file(system.place_below(file.root, file.path), os.O_RDONLY)
        try:
            found = os.fstat(descriptor)
            if not stat.S_ISREG(found.st_mode):
                raise CorpusError(f"{file.location}: no longer a regular file", "run this again")
            content = os.read(descriptor, min(found.st_size, limit) + 1)
            # It may have grown, and some file systems give less than they could.
            while len(content) not in {found.st_size, limit + 1} and (
                part := os.read(descriptor, min(limit + 1 - len(content), 1 << 16))
            ):
                content += part
        finally:
            os.close(descriptor)
    except OSError as error:
        raise CorpusError(f"{file.location}: {error.strerror}", _READABLE) from error
    if len(content) > limit:
        raise CorpusError(f"{file.location}: larger than {limit:,} bytes", "build from a copy without it")
    return content


# ---- the paths of members ---------------------------------------------------------------------------------------


def components(name: str) -> tuple[str, ...]:
    """Split a name at ``/``, without ``..``, ``.`` and empty parts.

    A ``.`` at its beginning stays; a backslash is a character like others, and NUL is replaced.
    """
    parts = name.replace("\0", "\N{REPLACEMENT CHARACTER}").split("/")
    inner = tuple(part for part in parts if part not in {"", ".", ".."})
    return (".", *inner) if parts[0] == "." else inner


def _leading_folder(names: list[tuple[str, ...]]) -> tuple[str, ...]:
    """The folder that holds all members: ``curl-8.1.0`` or ``.``.

    That of a Go module has several parts, and the last has the version: ``example.org/a@v1.0.0``. Debian keeps its own
    files of a source in a tar of the folder ``debian``, beside the tar of the source.
    """
    folders = [name[:-1] for name in names]
    # What the least and the greatest share, all share.
    pairs = zip(min(folders, default=()), max(folders, default=()), strict=False)
    shared = tuple(part for part, _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
    if shared[:1] in {(), ("debian",)}:
        return ()
    return shared[: next((number for number, part in enumerate(shared, 1) if _VERSIONED.search(part)), 1)]


# ---- Debian source packages -------------------------------------------------------------------------------------


def _source_archives(dsc: Path) -> tuple[list[_SourceArchive], list[Skipped]]:
    """Check a source package; return its archives, and what is skipped."""
    kinds = {listed.filename: _kind(listed.filename) for listed in _listed(dsc)}
    count = Counter(kinds.values())
    if count["orig"] + count["native"] != 1 or count["debian"] + count["diff"] > 1 or count[None]:
        problem = f"{dsc}: lists files that do not belong to a source package: {', '.join(kinds)[:500]}"
        raise CorpusError(problem, _FETCH)
    components = {name: found[1] for name in kinds if (found := _COMPONENT.fullmatch(name))}
    replaced = frozenset([*components.values(), *(["debian"] if count["debian"] else [])])
    archives, skipped = [], []
    for name, kind in kinds.items():
        if kind == "diff":
            skipped.append(Skipped(name, "Debian's changes as a diff (format 1.0)", "not-scanned"))
        elif kind == "orig":
            # Only the upstream tarball has folders that other tarballs replace.
            archives.append(_SourceArchive(dsc.parent / name, "", replaced))
        elif kind != "signature":
            archives.append(_SourceArchive(dsc.parent / name, f"{components[name]}/" if name in components else ""))
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
        raise CorpusError(f"{dsc}: not a description of a Debian source: {error}", _FETCH) from error
    if fields.get("format") not in _FORMATS:
        problem = f"{dsc}: winnow-ci cannot read Debian sources of format {fields.get('format', '')[:80]!r}"
        raise CorpusError(problem, "unpack it with dpkg-source, and name the folder")
    for one in listed:
        path, digest = dsc.parent / one.filename, hashlib.sha256()
        if _kind(one.filename) == "signature":
            continue
        with _opened(path) as file:
            size = os.fstat(file.fileno()).st_size
            while size == one.size and (chunk := file.read(1 << 20)):
                digest.update(chunk)
        if size != one.size or digest.hexdigest() != one.sha256:
            raise CorpusError(f"{path}: not the file that {dsc.name} lists: its size or sha256 differs", _FETCH)
    return listed


@contextmanager
def _opened(path: Path) -> Iterator[BinaryIO]:
    try:
        with open_regular(path) as file:
            yield file
    except OSError as error:
        raise CorpusError(f"{path}: {error.strerror}", _FETCH) from error


def _kind(filename: str) -> str | None:
    return next((kind for kind, pattern in _KINDS.items() if pattern.fullmatch(filename)), None)
