"""Folders and archives, as one corpus."""

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING

from winnow_ci.corpus import archive, archive_members, debian_source
from winnow_ci.corpus.archive_limits import ArchiveLimits
from winnow_ci.corpus.archive_process import ArchiveProcess
from winnow_ci.corpus.debian_source import SourceArchive
from winnow_ci.corpus.directory import LEFT_OUT, CorpusFile, documents
from winnow_ci.errors import CorpusError, UsageError
from winnow_ci.model import Skipped
from winnow_ci.named_tuples import NamedTuple
from winnow_ci.records import field, record, replace

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from typing_extensions import Self

    from winnow_ci.corpus.archive_process import ListedMember

_REMEDY = (
    "name a folder with the source's code, an archive of one (tar, tar.gz, tar.bz2, tar.xz, zip, wheel), or a .dsc"
)
_AGAIN = "replaced by a later member of the same name"
_REPLACED = "replaced by another archive of the Debian source"


class _Wanted(NamedTuple):
    """The files of an archive by the number of their member, and the prefix that their paths have in the corpus."""

    prefix: str
    files: dict[int, CorpusFile]


@record(slots=True)
class Corpus:
    """The files of some roots; as a context, it ends the process that reads archives.

    Attributes:
        files: all files, by path, without content.
        skipped: members of archives that are no files or are not read.
    """

    files: tuple[CorpusFile, ...]
    skipped: tuple[Skipped, ...]
    _archives: dict[Path, _Wanted]
    _process: ArchiveProcess | None = field(repr=False)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._process is not None:
            self._process.end()

    def __iter__(self) -> Iterator[CorpusFile]:
        """All files: those of folders by path, then those of archives as they are stored, with their contents.

        Raises:
            CorpusError: an archive has changed since it was listed, is damaged, or exceeds a limit.
        """
        yield from (file for file in self.files if file.root not in self._archives)
        for root, wanted in self._archives.items():
            yield from self._read(root, wanted)

    def _read(self, root: Path, wanted: _Wanted) -> Iterator[CorpusFile]:
        assert self._process is not None
        found = 0
        for member in self._process.members(root, contents=True):
            file = wanted.files.get(member.number)
            if file is None:
                continue
            stored = file.path.removeprefix(wanted.prefix)
            if member.size != file.size or not "/".join(archive_members.components(member.name)).endswith(stored):
                break
            found += 1
            yield replace(file, content=member.content)
        if found != len(wanted.files):
            raise CorpusError(f"{root}: has changed while it was read", "run this again")


def collect(roots: Iterable[Path], limits: ArchiveLimits | None = None) -> Corpus:
    """The files in several folders and archives; each path is relative to its own root.

    Of the members of an archive with one path, the last counts. A folder that all members are in is no part of their
    paths (``archive_members``).

    Raises:
        UsageError: a root is neither a folder nor an archive, or two roots have a file of the same path.
        CorpusError: a folder cannot be listed or an archive cannot be read, has no files, or exceeds a limit.
    """
    collecting = _Collecting(limits or ArchiveLimits())
    try:
        for root in roots:
            collecting.add(root)
    except BaseException:
        collecting.end()
        raise
    return collecting.corpus()


class _Collecting:
    def __init__(self, limits: ArchiveLimits) -> None:
        self._limits = limits
        self._process: ArchiveProcess | None = None
        self._files: dict[str, CorpusFile] = {}
        self._archives: dict[Path, _Wanted] = {}
        self._skipped: list[Skipped] = []

    def add(self, root: Path) -> None:
        if debian_source.is_source(root):
            self._add_source(root)
        elif _is_archive(root):
            self._add_archive(SourceArchive(root))
        else:
            self._add(documents(root))

    def corpus(self) -> Corpus:
        files = tuple(sorted(self._files.values(), key=lambda file: os.fsencode(file.path)))
        return Corpus(files, tuple(self._skipped), self._archives, self._process)

    def end(self) -> None:
        if self._process is not None:
            self._process.end()

    def _add_source(self, dsc: Path) -> None:
        parts, skipped = debian_source.parts(dsc)
        for part in parts:
            if not _is_archive(part.path):
                raise CorpusError(f"{part.path} is no archive", _REMEDY)
            self._add_archive(part)
        self._skipped += skipped

    def _add_archive(self, part: SourceArchive) -> None:
        if self._process is None:
            self._process = ArchiveProcess(self._limits)
        listed = [one for one in self._process.members(part.path, contents=False) if not _is_left_out(one)]
        files, skipped = _chosen(part, listed)
        if not files:
            raise CorpusError(f"{part.path} has no files", _REMEDY)
        self._add(files.values())
        self._archives[part.path] = _Wanted(part.prefix, files)
        self._skipped += skipped

    def _add(self, files: Iterable[CorpusFile]) -> None:
        for file in files:
            known = self._files.setdefault(file.path, file)
            if known is not file:
                problem = f"{known.location} and {file.location} would both be called {file.path}"
                raise UsageError(problem, "name the folder that holds both, or build two sources")


def _is_archive(root: Path) -> bool:
    """Whether a root is an archive and not a folder."""
    try:
        descriptor = os.open(root, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        try:
            mode = os.fstat(descriptor).st_mode
            head = os.read(descriptor, archive.HEAD) if stat.S_ISREG(mode) else b""
        finally:
            os.close(descriptor)
    except OSError as error:
        raise UsageError(f"{root}: {error.strerror}", _REMEDY) from error
    if stat.S_ISDIR(mode):
        return False
    kind = archive.kind_of(head, root.name) if stat.S_ISREG(mode) else None
    if kind is None:
        raise UsageError(f"{root} is neither a folder nor an archive", _REMEDY)
    if not archive.is_read(kind):
        raise UsageError(f"{root}: winnow-ci reads no {kind} archives", "unpack it, and name the folder")
    return True


def _is_left_out(member: ListedMember) -> bool:
    return not LEFT_OUT.isdisjoint(member.name.split("/")[:-1])


def _chosen(part: SourceArchive, listed: Sequence[ListedMember]) -> tuple[dict[int, CorpusFile], list[Skipped]]:
    """The files of an archive by the number of the member, and the members that are skipped."""
    leading = archive_members.leading_folder(archive_members.components(one.name) for one in listed)
    paths = [archive_members.path_of(archive_members.components(one.name), leading) for one in listed]
    last = {path: one.number for path, one in zip(paths, listed, strict=True) if path and not one.reason}
    files, skipped = {}, []
    for path, one in zip(paths, listed, strict=True):
        replaced = part.replaced and "/" in path and path.split("/", 1)[0] in part.replaced
        if last.get(path) == one.number and not replaced:
            files[one.number] = CorpusFile(f"{part.prefix}{path}", part.path, one.size)
        else:
            reason = one.reason or (_REPLACED if replaced else _AGAIN if path else "without a name")
            skipped.append(Skipped(path or one.name, reason, "out-of-scope" if one.reason == "link" else "not-scanned"))
    return files, skipped
