"""Members of a zip: also wheels and jars.

Only stored and deflated members are unpacked, since the library unpacks other methods without a limit. Members that
share bytes are an error: a bomb that some versions of the library do not notice.
"""

from __future__ import annotations

import stat
import zipfile
from itertools import pairwise
from operator import attrgetter
from typing import TYPE_CHECKING

from winnow_ci.corpus.archive_members import Member

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import BinaryIO

    from winnow_ci.corpus.archive_limits import ArchiveLimits

_ENCRYPTED = 0x1
_UTF_8 = 0x800
_UNIX = 3
_LOCAL_HEADER = 30


def members(file: BinaryIO, size: int, limits: ArchiveLimits) -> Iterator[Member]:
    """The members of a zip of ``size`` bytes."""
    with zipfile.ZipFile(file) as archive:
        listed = sorted(archive.infolist(), key=attrgetter("header_offset"))
        limits.check_unpacked(sum(info.file_size for info in listed), size)
        _check_places(listed)
        for info in listed:
            yield _member(archive, info)


def _check_places(listed: Sequence[zipfile.ZipInfo]) -> None:
    for one, other in pairwise(listed):
        if one.header_offset + _LOCAL_HEADER + len(one.orig_filename) + one.compress_size > other.header_offset:
            raise zipfile.BadZipFile(f"{_name(one)!r} and {_name(other)!r} overlap")


def _member(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> Member:
    def read() -> bytes:
        with archive.open(info) as content:
            unpacked = content.read(info.file_size + 1)
        if len(unpacked) != info.file_size:
            raise zipfile.BadZipFile("its size is not what the archive says")
        return unpacked

    return Member(_name(info), info.file_size, _reason(info), read)


def _name(info: zipfile.ZipInfo) -> str:
    """The name as it is stored: the library cuts it at a NUL, and decodes it as CP 437 unless it is marked as UTF-8."""
    if info.flag_bits & _UTF_8:
        return info.orig_filename
    return info.orig_filename.encode("cp437").decode("utf-8", "surrogateescape")


def _reason(info: zipfile.ZipInfo) -> str | None:
    mode = info.external_attr >> 16 if info.create_system == _UNIX else 0
    if stat.S_ISLNK(mode):
        return "link"
    if stat.S_IFMT(mode) not in {0, stat.S_IFREG, stat.S_IFDIR}:
        return "no regular file"
    if info.flag_bits & _ENCRYPTED:
        return "encrypted"
    if info.compress_type not in {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}:
        return "packed in a way that winnow-ci does not unpack"
    return None
