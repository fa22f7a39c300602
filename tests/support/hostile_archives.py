"""Archives that nobody should trust, and what is to become of each.

Each of them holds ``ok.py`` besides what is wrong with it, so that one that is taken is known by that file.
"""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import stat
import struct
import warnings
import zipfile
import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

from support.donor import LOGS, ROUTES

if TYPE_CHECKING:
    from collections.abc import Callable

OK, OTHER = ROUTES.encode(), LOGS.encode()
END = bytes(1024)


@dataclass(frozen=True)
class Hostile:
    """An archive.

    Attributes:
        name: of its file.
        make: makes its bytes.
        refused: what the error says; None if it is taken.
        paths: what the index holds then.
        skipped: what is said of the rest.
    """

    name: str
    make: Callable[[], bytes]
    refused: str | None = None
    paths: tuple[bytes, ...] = (b"ok.py",)
    skipped: str = "0 skipped"


def header(name: bytes, size: int = 0, kind: bytes = b"0", link: bytes = b"", raw_size: bytes = b"") -> bytes:
    """The header of a member of a tar."""
    fields = (
        name[:100].ljust(100, b"\0"),
        b"0000644\0",
        b"0000000\0" * 2,
        raw_size or b"%011o\0" % size,
        b"00000000000\0",
    )
    front, back = b"".join(fields), kind + link.ljust(100, b"\0") + b"ustar\x0000" + bytes(32 + 32 + 16 + 155 + 12)
    return front + b"%06o\0 " % (sum(front) + sum(back) + 8 * 32) + back


def entry(name: bytes, content: bytes = OTHER, kind: bytes = b"0", link: bytes = b"") -> bytes:
    """A member of a tar."""
    return header(name, len(content), kind, link) + content + bytes(-len(content) % 512)


def pax(**records: bytes) -> bytes:
    """The extended header of the member after it."""
    body = b""
    for key, value in records.items():
        rest = b" %s=%s\n" % (key.encode(), value)
        length = len(rest) + 1
        while length != len(b"%d" % length) + len(rest):
            length += 1
        body += b"%d" % length + rest
    return entry(b"pax", body, b"x")


def tar(*parts: bytes) -> bytes:
    """A tar with ``ok.py`` before those parts."""
    return entry(b"ok.py", OK) + b"".join(parts) + END


def zipped(*members: tuple[str | zipfile.ZipInfo, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    """A zip with ``ok.py`` before those members."""
    file = io.BytesIO()
    with warnings.catch_warnings(), zipfile.ZipFile(file, "w", method) as archive:
        warnings.simplefilter("ignore")
        archive.writestr("ok.py", OK)
        for name, content in members:
            archive.writestr(name, content)
    return file.getvalue()


def _zip_link() -> bytes:
    info = zipfile.ZipInfo("link.py")
    info.create_system, info.external_attr = 3, (stat.S_IFLNK | 0o777) << 16
    return zipped((info, b"/etc/passwd"))


def _zip_device() -> bytes:
    info = zipfile.ZipInfo("null.py")
    info.create_system, info.external_attr = 3, (stat.S_IFCHR | 0o666) << 16
    return zipped((info, OTHER))


def patched(archive: bytes, at: int, value: bytes, header_of: bytes = b"PK\x01\x02", number: int = 1) -> bytes:
    """An archive with other bytes in the header of a member: in the directory, or local."""
    place = -1
    for _ in range(number + 1):
        place = archive.index(header_of, place + 1)
    return archive[: place + at] + value + archive[place + at + len(value) :]


def _overlapping() -> bytes:
    """Many entries of the directory that share the bytes of one member."""
    whole = zipped(("big.py", OTHER * 100))
    start, tail = whole.index(b"PK\x01\x02"), whole.rindex(b"PK\x05\x06")
    directory = whole[start:tail]
    last = directory[directory.index(b"PK\x01\x02", 1) :]
    copies = b"".join(last.replace(b"big.py", b"%03d.py" % number) for number in range(500))
    end = struct.pack("<4s4H2LH", b"PK\x05\x06", 0, 0, 502, 502, len(directory + copies), start, 0)
    return whole[:start] + directory + copies + end


def _zip64_lie() -> bytes:
    """A member that says that it has 2**60 bytes."""
    info = zipfile.ZipInfo("big.py")
    info.extra = struct.pack("<HHQ", 1, 8, 1 << 60)
    return patched(zipped((info, OTHER)), 24, b"\xff\xff\xff\xff")


def _nested(depth: int) -> bytes:
    inner = OTHER
    for level in range(depth):
        inner = gzip.compress(entry(b"inner.bin" if level else b"inner.py", inner) + END)
    return inner


def _nested_zip() -> bytes:
    return zipped(("inner.bin", zipped(("deeper.bin", zipped()))))


def _bad_zip_name() -> bytes:
    return zipped(("caf\N{LATIN SMALL LETTER E WITH ACUTE}.py", OTHER)).replace(b"caf\xc3\xa9", b"caf\xe9\xe9")


def _raw_zip_name() -> bytes:
    return zipped(("cafxx.py", OTHER)).replace(b"cafxx", b"caf\xc3\xa9")


def _sparse() -> bytes:
    return entry(b"ok.py", OK) + pax(
        **{"GNU.sparse.major": b"1", "GNU.sparse.minor": b"0", "GNU.sparse.name": b"big.py"},
        **{"GNU.sparse.realsize": b"%d" % (1 << 40)},
    ) + entry(b"big.py", b"1\n0\n0\n".ljust(512, b"\0")) + END  # fmt: skip


def _huge_dictionary() -> bytes:
    """An xz whose header asks for 3 GiB of memory to unpack it."""
    whole = lzma.compress(tar(), filters=[{"id": lzma.FILTER_LZMA2, "preset": 0}])
    size = (whole[12] + 1) * 4
    block = bytearray(whole[12 : 12 + size])
    place = block.index(b"\x21\x01") + 2
    block[place] = 39
    block[-4:] = struct.pack("<L", zlib.crc32(bytes(block[:-4])))
    return whole[:12] + bytes(block) + whole[12 + size :]


_MIB = 1 << 20
_PAX_LOOP = entry(b"pax", b"0 path=a\n", b"x")

TARS = [
    Hostile("climbs.tar", lambda: tar(entry(b"../../evil.py")), paths=(b"evil.py", b"ok.py")),
    Hostile("climbs-within.tar", lambda: tar(entry(b"a/../../b/evil.py")), paths=(b"a/b/evil.py", b"ok.py")),
    Hostile("absolute.tar", lambda: tar(entry(b"//etc/evil.py")), paths=(b"etc/evil.py", b"ok.py")),
    Hostile("backslashes.tar", lambda: tar(entry(b"..\\..\\evil.py")), paths=(b"..\\..\\evil.py", b"ok.py")),
    Hostile("drive.tar", lambda: tar(entry(b"C:/evil.py")), paths=(b"C:/evil.py", b"ok.py")),
    Hostile("symbolic-link.tar", lambda: tar(entry(b"l.py", b"", b"2", b"/etc/passwd")), skipped="1 skipped (1 link)"),
    Hostile("hard-link.tar", lambda: tar(entry(b"l.py", b"", b"1", b"/etc/passwd")), skipped="1 skipped (1 link)"),
    Hostile("link-to-itself.tar", lambda: tar(entry(b"l.py", b"", b"1", b"l.py")), skipped="1 skipped (1 link)"),
    Hostile(
        "through-a-link.tar",
        lambda: tar(entry(b"d", b"", b"2", b"/tmp"), entry(b"d/evil.py")),
        paths=(b"d/evil.py", b"ok.py"),
        skipped="1 skipped (1 link)",
    ),
    Hostile(
        "link-over-a-file.tar",
        lambda: tar(entry(b"ok.py", b"", b"2", b"/etc/passwd")),
        skipped="1 skipped (1 link)",
    ),
    Hostile("character-device.tar", lambda: tar(entry(b"c.py", b"", b"3")), skipped="1 not a regular file"),
    Hostile("block-device.tar", lambda: tar(entry(b"b.py", b"", b"4")), skipped="1 not a regular file"),
    Hostile("pipe.tar", lambda: tar(entry(b"p.py", b"", b"6")), skipped="1 not a regular file"),
    Hostile("unknown-type.tar", lambda: tar(entry(b"z.py", OTHER, b"Z")), skipped="1 not a regular file"),
    Hostile("version-control.tar", lambda: tar(entry(b".git/hooks/evil.py"), entry(b"x/node_modules/y.js"))),
    Hostile("negative.tar", lambda: tar(header(b"n.py", raw_size=b"\xff" * 10 + b"\xfe\x00")), "a size is negative"),
    Hostile("negative-pax.tar", lambda: tar(pax(size=b"-512"), entry(b"n.py")), "a size is negative"),
    Hostile("negative-first.tar", lambda: header(b"n.py", raw_size=b"\xff" * 10 + b"\xfe\x00"), "a size is negative"),
    Hostile(
        "exbibytes.tar", lambda: tar(header(b"n.py", raw_size=b"\x80" + b"\x7f" * 11)), "unpacks to more than 16 GiB"
    ),
    Hostile("gibibyte-missing.tar", lambda: tar(header(b"n.py", 1 << 30)), "it ends in the middle of a member"),
    Hostile("mebibyte-missing.tar", lambda: tar(header(b"n.py", _MIB)), "it ends in the middle of a member"),
    Hostile("size-no-number.tar", lambda: tar(header(b"n.py", raw_size=b"zzzzzzzzzzz\0")), "damaged"),
    Hostile("pax-size-no-number.tar", lambda: tar(pax(size=b"1e999"), entry(b"n.py")), "invalid header"),
    Hostile("cut.tar", lambda: tar(entry(b"n.py"))[:-2000], "unexpected end of data"),
    Hostile("cut-in-header.tar", lambda: (entry(b"ok.py", OK) + header(b"n.py"))[:-100], "truncated header"),
    Hostile("no-end.tar", lambda: entry(b"ok.py", OK), "its end mark is missing"),
    Hostile("bad-checksum.tar", lambda: tar(b"x" + entry(b"n.py")[1:]), "bad checksum"),
    Hostile("after-the-end.tar", lambda: tar() + entry(b"n.py") + END, "it has data after its end"),
    Hostile("noise.tar", lambda: bytes(range(256)) * 64, "damaged, or not an archive"),
    Hostile("nothing.tar", lambda: b"", "its end mark is missing|empty file"),
    Hostile("zeros.tar", lambda: bytes(10240), "has no files|damaged"),
    Hostile("pax-loop.tar", lambda: tar(_PAX_LOOP, entry(b"n.py")), "invalid header"),
    Hostile("pax-chain.tar", lambda: tar(pax(comment=b"x") * 20_000, entry(b"n.py")), "needs too much memory"),
    Hostile(
        "long-name-chain.tar", lambda: tar(entry(b"l", b"n.py\0", b"L") * 20_000, entry(b"n.py")), "too much memory"
    ),
    Hostile("long-name.tar", lambda: tar(pax(path=b"a" * 10 * _MIB), entry(b"n.py")), "more than 4,096 bytes"),
    Hostile("pax-nul.tar", lambda: tar(pax(path=b"a\0b.py"), entry(b"n.py")), None, ("a\ufffdb.py".encode(), b"ok.py")),
    Hostile("pax-hidden-pad.tar.gz", lambda: gzip.compress(tar(header(b"pax", 1 << 33, b"x"))), "damaged|more than"),
    Hostile(
        "pax-gibibyte.tar.gz",
        lambda: gzip.compress(tar(header(b"pax", 1 << 30, b"x") + bytes(100 * _MIB)), 1),
        "more than 200 times its size",
    ),
    Hostile("sparse.tar", _sparse, skipped="1 sparse file"),
    Hostile("twice.tar", lambda: tar(entry(b"ok.py")), skipped="1 replaced by a later member of the same name"),
    Hostile(
        "twice-in-disguise.tar",
        lambda: tar(entry(b"/./ok.py")),
        skipped="1 replaced by a later member of the same name",
    ),
    Hostile("case-clash.tar", lambda: tar(entry(b"OK.py")), paths=(b"OK.py", b"ok.py")),
    Hostile("file-and-folder.tar", lambda: tar(entry(b"ok.py/n.py")), paths=(b"ok.py", b"ok.py/n.py")),
    Hostile("latin-1.tar", lambda: tar(entry(b"caf\xe9\xff.py")), paths=(b"caf\xe9\xff.py", b"ok.py")),
    Hostile("lines.tar", lambda: tar(entry(b"a\n::error::\x1b[2J.py")), None, (b"a\n::error::\x1b[2J.py", b"ok.py")),
    Hostile(
        "escape-refused.tar", lambda: tar(entry(b"\x1b[2J\n.py"), header(b"n.py", 1 << 30)), "it ends in the middle"
    ),
    Hostile("no-name.tar", lambda: tar(entry(b""), entry(b".."), entry(b"/")), skipped="3 without a name"),
    Hostile(
        "nested.tar.gz", lambda: gzip.compress(tar(entry(b"inner.bin", _nested(10)))), skipped="1 an archive inside it"
    ),
    Hostile("bomb.tar.gz", lambda: gzip.compress(tar(entry(b"n.py", bytes(100 * _MIB)))), "200 times its size"),
    Hostile("bomb.tar.bz2", lambda: bz2.compress(tar(entry(b"n.py", bytes(100 * _MIB)))), "200 times its size"),
    Hostile("bomb.tar.xz", lambda: lzma.compress(tar(entry(b"n.py", bytes(100 * _MIB)))), "200 times its size"),
    Hostile("bomb-at-the-end.tar.gz", lambda: gzip.compress(tar(bytes(100 * _MIB))), "200 times its size"),
    Hostile("many-empty.tar.gz", lambda: gzip.compress(tar(header(b"n.py") * 150_000)), "200 times its size"),
    Hostile("cut.tar.gz", lambda: gzip.compress(tar(entry(b"n.py")))[:-20], "ended before"),
    Hostile("bad-crc.tar.gz", lambda: gzip.compress(tar())[:-8] + bytes(8), "CRC check failed"),
    Hostile("flipped.tar.gz", lambda: gzip.compress(tar())[:200] + b"\xff" + gzip.compress(tar())[201:], "damaged"),
    Hostile("garbage-after.tar.gz", lambda: gzip.compress(tar()) + b"garbage", "damaged"),
    Hostile("two-tars.tar.gz", lambda: gzip.compress(tar()) + gzip.compress(tar(entry(b"n.py"))), "after its end"),
    Hostile(
        "two-parts.tar.gz",
        lambda: gzip.compress(tar(entry(b"n.py"))[:700]) + gzip.compress(tar(entry(b"n.py"))[700:]),
        paths=(b"n.py", b"ok.py"),
    ),
    Hostile("no-tar.gz", lambda: gzip.compress(OK * 100), "damaged, or not an archive"),
    Hostile("gzip-of-gzip.tar.gz", lambda: gzip.compress(gzip.compress(tar())), "damaged, or not an archive"),
    Hostile("cut.tar.xz", lambda: lzma.compress(tar())[:-30], "ended before"),
    Hostile("cut.tar.bz2", lambda: bz2.compress(tar())[:-30], "ended before"),
    Hostile(
        "huge-dictionary.tar.xz",
        _huge_dictionary,
        "needs too much memory|damaged",
    ),
]


ZIPS = [
    Hostile("climbs.zip", lambda: zipped(("../../evil.py", OTHER)), paths=(b"evil.py", b"ok.py")),
    Hostile("absolute.zip", lambda: zipped(("/etc/evil.py", OTHER)), paths=(b"etc/evil.py", b"ok.py")),
    Hostile("backslashes.zip", lambda: zipped(("..\\evil.py", OTHER)), paths=(b"..\\evil.py", b"ok.py")),
    Hostile("link.zip", _zip_link, skipped="1 skipped (1 link)"),
    Hostile("device.zip", _zip_device, skipped="1 not a regular file"),
    Hostile("encrypted.zip", lambda: patched(zipped(("n.py", OTHER)), 8, b"\x01"), skipped="1 encrypted"),
    Hostile(
        "method-99.zip", lambda: patched(zipped(("n.py", OTHER)), 10, b"\x63"), skipped="1 compressed with a method"
    ),
    Hostile(
        "bomb-bzip2.zip",
        lambda: zipped(("n.py", bytes(60 * _MIB)), method=zipfile.ZIP_BZIP2),
        "nothing to fingerprint|has no files",
    ),
    Hostile("bomb.zip", lambda: zipped(("n.py", bytes(100 * _MIB))), "200 times its size"),
    Hostile("overlapping.zip", _overlapping, "overlap"),
    Hostile("zip64-lie.zip", _zip64_lie, "unpacks to more than 16 GiB"),
    Hostile("other-local-name.zip", lambda: patched(zipped(("n.py", OTHER)), 30, b"m.py", b"PK\x03\x04"), "differ"),
    Hostile("smaller-than-it-is.zip", lambda: patched(zipped(("n.py", OTHER)), 24, b"\x10\0\0\0"), "Bad CRC-32"),
    Hostile("larger-than-it-is.zip", lambda: patched(zipped(("n.py", OTHER)), 24, b"\0\0\x10\0"), "damaged"),
    Hostile("bad-crc.zip", lambda: patched(zipped(("n.py", OTHER)), 16, b"\0\0\0\0"), "Bad CRC-32"),
    Hostile("beyond-the-file.zip", lambda: patched(zipped(("n.py", OTHER)), 42, b"\xff\xff\xff\x7f"), "damaged"),
    Hostile("into-another.zip", lambda: patched(zipped(("n.py", OTHER)), 42, b"\x20\0\0\0"), "overlap"),
    Hostile("cut.zip", lambda: zipped(("n.py", OTHER))[:-60], "not a zip file"),
    Hostile("noise.zip", lambda: bytes(range(256)) * 64, "not a zip file"),
    Hostile("empty.zip", lambda: b"PK\x05\x06" + bytes(18), "has no files"),
    Hostile(
        "count-lie.zip",
        lambda: patched(zipped(("n.py", OTHER)), 8, b"\xff\x7f\xff\x7f", b"PK\x05\x06", 0),
        paths=(b"n.py", b"ok.py"),
    ),
    Hostile("directory-size-lie.zip", lambda: patched(zipped(), 12, b"\xff\xff\xff\x7f", b"PK\x05\x06", 0), "damaged"),
    Hostile(
        "twice.zip",
        lambda: zipped(("ok.py", OTHER)),
        skipped="1 replaced by a later member of the same name",
    ),
    Hostile("case-clash.zip", lambda: zipped(("OK.py", OTHER)), paths=(b"OK.py", b"ok.py")),
    Hostile("bad-utf-8.zip", _bad_zip_name, "damaged"),
    Hostile("raw-utf-8.zip", _raw_zip_name, paths=("caf\N{LATIN SMALL LETTER E WITH ACUTE}.py".encode(), b"ok.py")),
    Hostile(
        "nul.zip",
        lambda: zipped(("n.pyX.txt", OTHER)).replace(b"n.pyX.txt", b"n.py\0.txt"),
        paths=("n.py\ufffd.txt".encode(), b"ok.py"),
    ),
    Hostile("nested.zip", _nested_zip, skipped="1 an archive inside it"),
]
HOSTILE = [*TARS, *ZIPS]
