"""Members of a tar, packed or not.

The library reads one header after the other from a stream that cannot go back, and so cannot loop for ever over a
member of negative size (CVE-2025-8194). It takes a damaged header for the end. Here that is an error, as is a file
without two blocks of zeros at its end: otherwise, what was cut off would silently be missing from the index.
"""

from __future__ import annotations

import bz2
import gzip
import lzma
import tarfile
from typing import TYPE_CHECKING, cast

from winnow_ci.corpus.archive_members import Member

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import IO, BinaryIO

    from typing_extensions import Self

    from winnow_ci.corpus.archive_limits import ArchiveLimits

_BLOCK = 512
_MAGIC = slice(257, 262)
_PACKED_FILES = frozenset({"gz", "bz2", "xz"})
_READS_PAST_THE_END = 100


def members(file: BinaryIO, kind: str, size: int, limits: ArchiveLimits, name: str = "") -> Iterator[Member]:
    """The members of a tar; ``size`` is that of the file, packed as it is."""
    if single := _single(file, kind, size, limits, name):
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
            yield _member(tar, header)
        _see_to_the_end(tar)


def _single(file: BinaryIO, kind: str, size: int, limits: ArchiveLimits, name: str) -> Member | None:
    """The file that is packed, if that is no tar by its name and its content."""
    stem, _, ending = name.rpartition(".")
    if kind == "tar" or ending.lower() not in _PACKED_FILES or stem.lower().endswith(".tar"):
        return None
    unpacked = _Unpacked(file, kind, size, limits)
    content = unpacked.read(_BLOCK)
    if content[_MAGIC] == b"ustar":
        return None
    while len(content) <= limits.member and (part := unpacked.read(limits.member + 1 - len(content))):
        content += part
    return Member(stem, len(content), None, lambda: content)


def _member(tar: tarfile.TarFile, header: tarfile.TarInfo) -> Member:
    def read() -> bytes:
        content = tar.extractfile(header)
        assert content is not None
        return content.read()

    name = header.name.rstrip("/") + "/" * header.isdir()
    return Member(name, header.size, _reason(header), read)


def _reason(header: tarfile.TarInfo) -> str | None:
    if header.issym() or header.islnk():
        return "link"
    if header.issparse():
        return "sparse file"
    return None if header.isreg() or header.isdir() else "no regular file"


def _see_to_the_end(tar: tarfile.TarFile) -> None:
    """Read to the end of the file, where the packing has its checksum."""
    stream = tar.fileobj
    assert stream is not None
    while rest := stream.read(1 << 20):
        if rest.count(0) != len(rest):
            raise tarfile.ReadError("it goes on after its end")


class _Header(tarfile.TarInfo):
    """A header; one that is damaged or missing is an error."""

    @classmethod
    def fromtarfile(cls, tarfile_: tarfile.TarFile) -> Self:
        try:
            header = super().fromtarfile(tarfile_)
        except tarfile.EOFHeaderError:  # type: ignore[attr-defined]
            raise
        except tarfile.EmptyHeaderError as error:  # type: ignore[attr-defined]
            raise tarfile.ReadError("it ends without a mark of its end") from error
        except tarfile.HeaderError as error:
            raise tarfile.ReadError(str(error)) from error
        if header.size < 0:
            raise tarfile.ReadError("a size is negative")
        return header


class _Unpacked:
    """The bytes of a tar, counted."""

    def __init__(self, file: BinaryIO, kind: str, size: int, limits: ArchiveLimits) -> None:
        self._stream = _unpacking(file, kind)
        self._size, self._limits = size, limits
        self._unpacked = 0
        self._patience = _READS_PAST_THE_END

    def read(self, size: int) -> bytes:
        """Up to ``size`` bytes."""
        part = self._stream.read(size)
        self._unpacked += len(part)
        self._limits.check_unpacked(self._unpacked, self._size)
        if not part:
            # To skip a member, the library reads on after the end, as often as the member's size demands.
            self._patience -= 1
            if not self._patience:
                raise tarfile.ReadError("it ends amid a member")
        return part


def _unpacking(file: BinaryIO, kind: str) -> BinaryIO | gzip.GzipFile | bz2.BZ2File | lzma.LZMAFile:
    if kind == "gzip":
        return gzip.GzipFile(fileobj=file)
    if kind == "bzip2":
        return bz2.BZ2File(file)
    return lzma.LZMAFile(file) if kind == "xz" else file
