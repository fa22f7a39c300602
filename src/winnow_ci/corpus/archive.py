"""Archives: their kinds, their limits, and their members as streams.

The bytes may be hostile, so members are read in a process of their own (``archive_process``), and nothing is written to
disk. A tar is read from a stream that cannot go back, so a member of negative size causes no endless loop
(CVE-2025-8194). The library takes a damaged header for the end; here that is an error, as is a missing end mark, since
the index would silently lack what was cut off. Of a zip, only stored and deflated members are unpacked, because the
library unpacks other methods without a limit. Members that share bytes are a bomb, and an error.
"""

from __future__ import annotations

import bz2
import gzip
import lzma
import stat
import tarfile
import zipfile
from itertools import pairwise
from operator import attrgetter
from typing import TYPE_CHECKING, Any, TypeVar, cast

from winnow_ci.errors import CorpusError
from winnow_ci.named_tuples import NamedTuple
from winnow_ci.start_up import record

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import IO, BinaryIO

    from typing_extensions import Self

_T = TypeVar("_T")

HEAD_SIZE = 512
"""Bytes at the start of a file that show what kind of archive it is."""

USE_A_FOLDER = "if you trust it, unpack it and build from that folder; the index is unchanged"
"""The remedy for an archive that takes too much."""

_TAR_MAGIC = slice(257, 262)
_PACKED = {b"\x1f\x8b": "gzip", b"BZh": "bzip2", b"\xfd7zXZ\0": "xz"}
_UNPACKING: dict[str, Callable[[BinaryIO], Any]] = {
    "gzip": lambda file: gzip.GzipFile(fileobj=file),
    "bzip2": bz2.BZ2File,
    "xz": lzma.LZMAFile,
}
_PACKED_FILES = frozenset({"gz", "bz2", "xz"})
_END_OF_ZIP = b"PK\x05\x06"
_FOREIGN = {b"\x28\xb5\x2f\xfd": "zstd", b"7z\xbc\xaf\x27\x1c": "7z", b"Rar!\x1a\x07": "RAR", b"!<arch>\n": "ar"}
_ZIP_ENDINGS = (".zip", ".whl", ".jar")
_READ_FROM_THE_END = (*_ZIP_ENDINGS, *".aar .apk .conda .ear .egg .nupkg .pyz .vsix .war .xpi".split())
# With the longest comment that may follow.
_LONGEST_END = 22 + (1 << 16)
_READS_PAST_THE_END = 100
# Bits of a member's flags.
_ZIP_ENCRYPTED, _ZIP_UTF_8 = 0x1, 0x800
_ZIP_UNIX = 3
_ZIP_LOCAL_HEADER = 30


# ---- kinds ------------------------------------------------------------------------------------------------------


def kind_of(head: bytes, name: str) -> str | None:
    """Return ``tar``, ``zip``, ``gzip``, ``bzip2``, ``xz``, or another format's name.

    The name of the file decides where its first ``HEAD_SIZE`` bytes do not; None is no archive.
    """
    for magic, kind in (_PACKED | _FOREIGN).items():
        if head.startswith(magic):
            return kind
    if head.startswith((b"PK\x03\x04", _END_OF_ZIP)):
        return "zip"
    if head[_TAR_MAGIC] == b"ustar" or name.lower().endswith(".tar"):
        return "tar"
    return "zip" if name.lower().endswith(_ZIP_ENDINGS) else None


def kind_of_content(content: bytes, name: str) -> str | None:
    """Return the kind of a content; anything may precede a zip."""
    if name.lower().endswith(_READ_FROM_THE_END) and _END_OF_ZIP in content[-_LONGEST_END:]:
        return "zip"
    return kind_of(content[:HEAD_SIZE], name) if content else None


def is_archive_content(content: bytes) -> bool:
    """Whether a content is that of an archive, whatever its name."""
    return kind_of(content[:HEAD_SIZE], "") is not None


def is_readable_kind(kind: str | None) -> bool:
    """Whether archives of a kind can be read."""
    return kind not in {None, *_FOREIGN.values()}


# ---- limits -----------------------------------------------------------------------------------------------------


class ArchiveLimitError(CorpusError):
    """An archive exceeds a limit; the caller names it."""

    def __init__(self, problem: str, remedy: str = USE_A_FOLDER) -> None:
        super().__init__(problem, remedy)


@record(frozen=True, slots=True)
class ArchiveLimits:
    """Limits of one archive; a member that is too large is left out.

    Real archives are far from them: source code packs to a fifth of its size, and Linux has 90,000 files and 1.5 GB.
    """

    member: int = 64 << 20  # bytes of a member
    members: int = 1_000_000  # their number, links and folders counted
    name: int = 4096  # bytes of a member's name
    names: int = 256 << 20  # bytes of all names
    total: int = 16 << 30  # bytes of everything that it unpacks to
    ratio: int = 200  # of what it unpacks to and its own size, beyond ``unsuspicious`` bytes
    unsuspicious: int = 64 << 20
    seconds: float = 60.0  # of processor time to list it, and again to read it
    seconds_a_mebibyte: float = 1.0  # what each MiB of the archive adds to them
    # bytes that the reading process may take besides what it starts with, where the system can limit that
    memory: int = 1 << 30

    def time_for(self, size: int) -> float:
        """Return the seconds of processor time for an archive of ``size`` bytes."""
        return self.seconds + self.seconds_a_mebibyte * size / (1 << 20)

    def check_unpacked(self, unpacked: int, packed: int) -> None:
        """Refuse what has unpacked to too much for its size (``ArchiveLimitError``)."""
        self.check_total(unpacked)
        if unpacked > max(self.unsuspicious, self.ratio * packed):
            much = f"{self.ratio} times its size and {_binary(self.unsuspicious)}"
            raise ArchiveLimitError(f"unpacks to more than {much}")

    def checked(
        self, items: Iterable[_T], name: Callable[[_T], str], refused: Callable[[str], CorpusError]
    ) -> Iterator[_T]:
        """Yield the same items, but raise what ``refused`` makes of a problem with their number or names."""
        names = 0
        for number, item in enumerate(items, 1):
            length = len(name(item).encode("utf-8", "surrogateescape"))
            names += length
            if number > self.members:
                raise refused(f"has more than {self.members:,} entries")
            if length > self.name:
                raise refused(f"has a name of more than {self.name:,} bytes")
            if names > self.names:
                raise refused(f"has names of more than {self.names:,} bytes")
            yield item

    def check_total(self, unpacked: int) -> None:
        """Refuse more bytes than any archive may hold (``ArchiveLimitError``)."""
        if unpacked > self.total:
            raise ArchiveLimitError(f"unpacks to more than {_binary(self.total)}")


def _binary(size: int) -> str:
    for unit, shift in (("GiB", 30), ("MiB", 20), ("KiB", 10)):
        if size >= 1 << shift and size % (1 << shift) == 0:
            return f"{size >> shift:,} {unit}"
    return f"{size:,} bytes"


# ---- members ----------------------------------------------------------------------------------------------------


class Member(NamedTuple):
    """A member of an archive."""

    name: str  # as it is stored; bytes that are not UTF-8 are surrogates (PEP 383)
    size: int  # in bytes, as the archive says
    reason: str | None  # why it is not to be read, if so
    read: Callable[[], bytes]  # gives its content; only before the next member is asked for


def members(file: BinaryIO, kind: str, size: int, limits: ArchiveLimits, name: str = "") -> Iterator[Member]:
    """Give the members of an archive of ``size`` bytes without folders, in their order.

    What is packed but no tar, by the archive's name and content, is a file of that name without its ending. The
    libraries raise anything at hostile input.
    """
    found = _zip_members(file, size, limits) if kind == "zip" else _tar_members(file, kind, size, limits, name)
    checked = limits.checked(found, lambda member: member.name, ArchiveLimitError)
    return (member for member in checked if not member.name.endswith("/"))


# ---- tar --------------------------------------------------------------------------------------------------------


def _tar_members(file: BinaryIO, kind: str, size: int, limits: ArchiveLimits, name: str) -> Iterator[Member]:
    if single := _single_file(file, kind, size, limits, name):
        yield single
        return
    file.seek(0)
    unpacked = cast("IO[bytes]", _Unpacked(file, kind, size, limits))
    declared = 0
    with tarfile.open(fileobj=unpacked, mode="r|", tarinfo=_Header, encoding="utf-8", errors="surrogateescape") as tar:
        while (header := tar.next()) is not None:
            # It would keep all of them.
            tar.members.clear()  # type: ignore[attr-defined]
            # Most of the size that a sparse file declares is not stored, and it is not read.
            declared += 0 if header.issparse() else header.size
            limits.check_total(declared)
            yield _tar_member(tar, header)
        # The checksum of what is packed is at its end.
        while rest := cast("IO[bytes]", tar.fileobj).read(1 << 20):
            if rest.count(0) != len(rest):
                raise tarfile.ReadError("it has data after its end")


def _single_file(file: BinaryIO, kind: str, size: int, limits: ArchiveLimits, name: str) -> Member | None:
    """The packed file, if it is no tar by name and content."""
    stem, _, ending = name.rpartition(".")
    if kind == "tar" or ending.lower() not in _PACKED_FILES or stem.lower().endswith(".tar"):
        return None
    unpacked = _Unpacked(file, kind, size, limits)
    content = unpacked.read(HEAD_SIZE)
    if content[_TAR_MAGIC] == b"ustar":
        return None
    while len(content) <= limits.member and (part := unpacked.read(limits.member + 1 - len(content))):
        content += part
    return Member(stem, len(content), None, lambda: content)


def _tar_member(tar: tarfile.TarFile, header: tarfile.TarInfo) -> Member:
    def read() -> bytes:
        content = tar.extractfile(header)
        assert content is not None
        return content.read()

    reason: str | None = None
    if header.issym() or header.islnk():
        reason = "link"
    elif header.issparse():
        reason = "sparse file"
    elif not (header.isreg() or header.isdir()):
        reason = "not a regular file"
    return Member(header.name.rstrip("/") + "/" * header.isdir(), header.size, reason, read)


class _Header(tarfile.TarInfo):
    """A header; one that is damaged or missing is an error."""

    @classmethod
    def fromtarfile(cls, tarfile_: tarfile.TarFile) -> Self:
        try:
            header = super().fromtarfile(tarfile_)
        except tarfile.EOFHeaderError:  # type: ignore[attr-defined]
            raise
        except tarfile.EmptyHeaderError as error:  # type: ignore[attr-defined]
            raise tarfile.ReadError("its end mark is missing") from error
        except tarfile.HeaderError as error:
            raise tarfile.ReadError(str(error)) from error
        if header.size < 0:
            raise tarfile.ReadError("a size is negative")
        return header


class _Unpacked:
    def __init__(self, file: BinaryIO, kind: str, size: int, limits: ArchiveLimits) -> None:
        self._stream = _UNPACKING[kind](file) if kind in _UNPACKING else file
        self._size, self._limits = size, limits
        self._unpacked = 0
        self._patience = _READS_PAST_THE_END

    def read(self, size: int) -> bytes:
        part = self._stream.read(size)
        self._unpacked += len(part)
        self._limits.check_unpacked(self._unpacked, self._size)
        if not part:
            # To skip a member, the library reads on after the end, as often as the member's size demands.
            self._patience -= 1
            if not self._patience:
                raise tarfile.ReadError("it ends in the middle of a member")
        return part


# ---- zip --------------------------------------------------------------------------------------------------------


def _zip_members(file: BinaryIO, size: int, limits: ArchiveLimits) -> Iterator[Member]:
    with zipfile.ZipFile(file) as archive:
        listed = sorted(archive.infolist(), key=attrgetter("header_offset"))
        limits.check_unpacked(sum(info.file_size for info in listed), size)
        for one, other in pairwise(listed):
            if one.header_offset + _ZIP_LOCAL_HEADER + len(one.orig_filename) + one.compress_size > other.header_offset:
                raise zipfile.BadZipFile(f"{_zip_name(one)!r} and {_zip_name(other)!r} overlap")
        for info in listed:
            yield _zip_member(archive, info)


def _zip_member(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> Member:
    def read() -> bytes:
        with archive.open(info) as content:
            unpacked = content.read(info.file_size + 1)
        if len(unpacked) != info.file_size:
            raise zipfile.BadZipFile("its size differs from the one in the archive")
        return unpacked

    return Member(_zip_name(info), info.file_size, _zip_reason(info), read)


def _zip_name(info: zipfile.ZipInfo) -> str:
    """The name as stored; the library cuts it at a NUL, and decodes it as CP 437 unless it is marked as UTF-8."""
    if info.flag_bits & _ZIP_UTF_8:
        return info.orig_filename
    return info.orig_filename.encode("cp437").decode("utf-8", "surrogateescape")


def _zip_reason(info: zipfile.ZipInfo) -> str | None:
    mode = info.external_attr >> 16 if info.create_system == _ZIP_UNIX else 0
    if stat.S_ISLNK(mode):
        return "link"
    if stat.S_IFMT(mode) not in {0, stat.S_IFREG, stat.S_IFDIR}:
        return "not a regular file"
    if info.flag_bits & _ZIP_ENCRYPTED:
        return "encrypted"
    if info.compress_type not in {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}:
        return "compressed with a method that winnow-ci does not support"
    return None
