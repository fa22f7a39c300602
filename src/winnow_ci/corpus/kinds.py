"""What kind of archive a file is, by its content and, where that does not say, by its name."""

from __future__ import annotations

HEAD = 512
_TAR_MAGIC = slice(257, 262)
_PACKED = {b"\x1f\x8b": "gzip", b"BZh": "bzip2", b"\xfd7zXZ\0": "xz"}
_ZIP = (b"PK\x03\x04", b"PK\x05\x06")
_FOREIGN = {b"\x28\xb5\x2f\xfd": "zstd", b"7z\xbc\xaf\x27\x1c": "7z", b"Rar!\x1a\x07": "RAR", b"!<arch>\n": "ar"}
_TAR_ENDINGS = (".tar",)
_ZIP_ENDINGS = (".zip", ".whl", ".jar")


def kind_of(head: bytes, name: str) -> str | None:
    """``tar``, ``zip``, or what packs a tar: ``gzip``, ``bzip2``, ``xz``; None if it is no archive.

    A format that winnow-ci does not read is given by its name, too.

    Args:
        head: the first ``HEAD`` bytes.
        name: of the file; it counts where the content does not say.
    """
    for magic, kind in (_PACKED | _FOREIGN).items():
        if head.startswith(magic):
            return kind
    if head.startswith(_ZIP):
        return "zip"
    if head[_TAR_MAGIC] == b"ustar" or name.lower().endswith(_TAR_ENDINGS):
        return "tar"
    return "zip" if name.lower().endswith(_ZIP_ENDINGS) else None


def is_archive(content: bytes) -> bool:
    """Whether a content is that of an archive."""
    return kind_of(content[:HEAD], "") is not None


def is_read(kind: str | None) -> bool:
    """Whether archives of a kind can be read."""
    return kind not in {None, *_FOREIGN.values()}
