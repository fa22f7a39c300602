"""An archive: its kind, and its members one after the other, each read as a stream and never written to disk.

The bytes may be hostile, so this runs in a process of its own (``archive_process``): a library that loops for ever or
takes all memory harms nobody else.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from winnow_ci.corpus import tarball, zipped
from winnow_ci.corpus.archive_limits import ArchiveLimitError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import BinaryIO

    from winnow_ci.corpus.archive_limits import ArchiveLimits
    from winnow_ci.corpus.archive_members import Member

HEAD = 512
_TAR_MAGIC = slice(257, 262)
_PACKED = {b"\x1f\x8b": "gzip", b"BZh": "bzip2", b"\xfd7zXZ\0": "xz"}
_ZIP = (b"PK\x03\x04", b"PK\x05\x06")
_FOREIGN = {b"\x28\xb5\x2f\xfd": "zstd", b"7z\xbc\xaf\x27\x1c": "7z", b"Rar!\x1a\x07": "RAR", b"!<arch>\n": "ar"}
_ZIP_ENDINGS = (".zip", ".whl", ".jar")
_READ_FROM_THE_END = (*_ZIP_ENDINGS, *".aar .apk .conda .ear .egg .nupkg .pyz .vsix .war .xpi".split())
_END_OF_ZIP = b"PK\x05\x06"
# With the longest comment that may follow.
_LONGEST_END = 22 + (1 << 16)


def kind_of(head: bytes, name: str) -> str | None:
    """``tar``, ``zip``, or the packing of a tar: ``gzip``, ``bzip2``, ``xz``; None if it is no archive.

    The name of a format that winnow-ci does not read is returned, too.

    Args:
        head: the first ``HEAD`` bytes.
        name: of the file; it decides where the content does not.
    """
    for magic, kind in (_PACKED | _FOREIGN).items():
        if head.startswith(magic):
            return kind
    if head.startswith(_ZIP):
        return "zip"
    if head[_TAR_MAGIC] == b"ustar" or name.lower().endswith(".tar"):
        return "tar"
    return "zip" if name.lower().endswith(_ZIP_ENDINGS) else None


def kind_of_content(content: bytes, name: str) -> str | None:
    """The same for a whole content; what reads a zip looks for its end, whatever stands before it."""
    if name.lower().endswith(_READ_FROM_THE_END) and _END_OF_ZIP in content[-_LONGEST_END:]:
        return "zip"
    return kind_of(content[:HEAD], name) if content else None


def is_archive(content: bytes) -> bool:
    """Whether a content is that of an archive."""
    return kind_of(content[:HEAD], "") is not None


def is_read(kind: str | None) -> bool:
    """Whether archives of a kind can be read."""
    return kind not in {None, *_FOREIGN.values()}


def members(file: BinaryIO, kind: str, size: int, limits: ArchiveLimits, name: str = "") -> Iterator[Member]:
    """The members of an archive but for folders, in the order in which they are stored.

    ``name`` is that of the archive: what is packed and no tar, by its name and its content, is a file of that name
    without its ending.

    Raises:
        CorpusError: it is damaged, or exceeds a limit.
        Exception: the libraries raise anything at hostile input.
    """
    found = zipped.members(file, size, limits) if kind == "zip" else tarball.members(file, kind, size, limits, name)
    names = 0
    for number, member in enumerate(found, 1):
        if number > limits.members:
            raise ArchiveLimitError(f"has more than {limits.members:,} members")
        length = len(member.name.encode("utf-8", "surrogateescape"))
        names += length
        if length > limits.name:
            raise ArchiveLimitError(f"has a name of more than {limits.name:,} bytes")
        if names > limits.names:
            raise ArchiveLimitError(f"has names of more than {limits.names:,} bytes")
        if not member.name.endswith("/"):
            yield member
