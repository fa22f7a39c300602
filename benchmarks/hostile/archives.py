"""Archives made at random of what is hostile in one: names, links, sizes that lie, bombs, damage."""

from __future__ import annotations

import bz2
import gzip
import hashlib
import io
import lzma
import stat
import warnings
import zipfile
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from commands import WINNOW, environment, run
from known_code import SAMPLES
from mutations import mutated
from trials import Outcome, Part, Verdict

if TYPE_CHECKING:
    from collections.abc import Callable
    from random import Random

    from trials import Attempt

EVIL = "winnow-evil"
"""In the name of each member that would lie outside of the archive."""
NAMES = (
    *(
        f"../{EVIL}.py",
        f"../../../{EVIL}.py",
        f"/tmp/{EVIL}.py",
        f"a/../../{EVIL}.py",
        f"..\\{EVIL}.py",
        f"C:/{EVIL}.py",
    ),
    *(
        "a.py",
        "./a.py",
        "a//b.py",
        "A.py",
        "a.py/b.c",
        ".git/hooks/pre-commit",
        "node_modules/x.js",
        "",
        ".",
        "..",
        "/",
    ),
    *(
        "x" * 300 + ".py",
        "d/" * 200 + "a.py",
        "a\nb\x1b[2J.py",
        "caf\xe9.py",
        "\udcff.py",
        "a\0b.py",
        "LICENSE",
        "a.tar.gz",
    ),
)
TYPES = b"0000123456789xgLKSVZ\0"
SIZES = (b"\x80" + b"\x7f" * 11, b"\xff" * 12, b"zzzzzzzzzzz\0", b"77777777777\0", b"00000001000\0", b" 12\0")
PACKERS: tuple[Callable[[bytes], bytes], ...] = (bytes, gzip.compress, bz2.compress, lzma.compress)
ENDINGS = ("tar", "tar.gz", "tgz", "tar.bz2", "tar.xz", "zip", "whl", "jar", "deb", "dsc", "7z", "gem")
# A file that unpacks from next to nothing. Of code, it takes a second and 300 MB; larger ones are for other benchmarks.
BIG = 6 << 20
END = bytes(1024)
KNOWN = [sample.text.encode() for sample in SAMPLES.values()]


def _prepared(_: Path) -> Attempt:
    return _attempt


def _attempt(_: int, chance: Random) -> Outcome:
    place = Path("inner")
    place.mkdir()
    kind = chance.choice(("tar", "tar", "zip", "zip", "ar", "dsc"))
    archive = place / f"x.{chance.choice(ENDINGS) if chance.random() < 0.3 else kind}"
    content = {"tar": _packed_tar, "zip": _zip, "ar": _ar, "dsc": partial(_dsc, place)}[kind](chance)
    if chance.random() < 0.4:
        content = mutated(content, chance, other=chance.choice(KNOWN))
    archive.write_bytes(content)
    before = sorted(place.rglob("*"))
    command = [*WINNOW, "index", "build", str(archive), "--output", "out.db", "--name", "x"]
    ended = run(command, Path.cwd(), environment({}))
    files = {archive.name: content}
    if ended.is_bug or ended.status not in {0, 2, 3}:
        return Outcome(Verdict.TRACEBACK, kind, ended.told(), files, ended.cpu)
    if sorted(place.rglob("*")) != before or _escaped():
        return Outcome(Verdict.MISSED, kind, "it wrote where it should not", files, ended.cpu)
    if (ended.status == 0) != Path("out.db").exists():
        return Outcome(Verdict.MISSED, kind, f"an index and status {ended.status}", files, ended.cpu)
    return Outcome(Verdict.HELD, kind, "taken" if ended.status == 0 else "refused", cpu=ended.cpu)


def _escaped() -> list[Path]:
    """What a member has put outside."""
    here = Path.cwd()
    places = (here, *here.parents[:3], Path("/tmp"))
    return [path for place in places for path in place.glob(f"*{EVIL}*")]


def _content(chance: Random) -> bytes:
    kind = chance.random()
    if kind < 0.03:
        unit = chance.choice((b"\0", b"a = 1\n", b"{"))
        return unit * (BIG // len(unit))
    if kind < 0.15:
        return _packed_tar(chance) if kind < 0.1 else gzip.compress(END)
    return chance.choice(KNOWN) if kind < 0.7 else chance.randbytes(chance.randrange(3000))


def _packed_tar(chance: Random) -> bytes:
    parts = [_member(chance) for _ in range(chance.randrange(12))]
    # Inner archives are made of the same, so there must not be many.
    tar = b"".join(parts) + (END if chance.random() < 0.8 else b"")
    packed = chance.choice(PACKERS)(tar)
    return chance.choice(PACKERS)(packed) if chance.random() < 0.1 else packed


def _member(chance: Random) -> bytes:
    name, kind = chance.choice(NAMES).encode("utf-8", "surrogateescape"), bytes([chance.choice(TYPES)])
    content = b"" if kind in b"123456" else _content(chance) if chance.random() < 0.9 else b"30 path=a\n" * 9
    link = chance.choice((b"", b"/etc/passwd", b"a.py", b"..", name[:100]))
    header = _header(name, len(content), kind, link, chance.choice(SIZES) if chance.random() < 0.05 else b"")
    if kind == b"x" and chance.random() < 0.8:
        content = _pax(chance)
        header = _header(name, len(content), kind, link, b"")
    repeat = chance.randrange(2000) if chance.random() < 0.03 and len(content) < 5000 else 1
    return (header + content + bytes(-len(content) % 512)) * repeat


def _pax(chance: Random) -> bytes:
    keys = (
        b"path",
        b"linkpath",
        b"size",
        b"GNU.sparse.major",
        b"GNU.sparse.realsize",
        b"hdrcharset",
        b"uid",
        b"comment",
    )
    values = (b"../e.py", b"-512", b"1e999", b"1", str(1 << 62).encode(), b"BINARY", b"\0", b"a" * 5000)
    records = []
    for _ in range(chance.randint(1, 4)):
        rest = b" %b=%b\n" % (chance.choice(keys), chance.choice(values))
        length = len(rest) + len(str(len(rest) + 3))
        records.append((b"%d" % (length if chance.random() < 0.9 else chance.randrange(99))) + rest)
    return b"".join(records)


def _header(name: bytes, size: int, kind: bytes, link: bytes, raw_size: bytes) -> bytes:
    """The header of a member of a tar (POSIX.1-2001, ustar)."""
    front = name[:100].ljust(100, b"\0") + b"0000644\0" + b"0000000\0" * 2 + (raw_size or b"%011o\0" % size)
    front += b"00000000000\0"
    back = kind + link.ljust(100, b"\0")[:100] + b"ustar\x0000" + bytes(32 + 32 + 16) + name[100:255].ljust(155, b"\0")
    back += bytes(12)
    return front + b"%06o\0 " % (sum(front) + sum(back) + 8 * 32) + back


def _zip(chance: Random) -> bytes:
    file = io.BytesIO()
    methods = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA)
    with warnings.catch_warnings(), zipfile.ZipFile(file, "w", chance.choice(methods)) as archive:
        warnings.simplefilter("ignore")
        for _ in range(chance.randrange(12)):
            name = chance.choice(NAMES).encode("utf-8", "replace").decode()
            info = zipfile.ZipInfo(name)
            info.compress_type = chance.choice(methods)
            if chance.random() < 0.2:
                mode = chance.choice((stat.S_IFLNK, stat.S_IFCHR, stat.S_IFIFO, stat.S_IFDIR, stat.S_IFSOCK))
                info.create_system, info.external_attr = 3, (mode | 0o777) << 16
            if chance.random() < 0.1:
                info.extra = b"\x01\x00\x08\x00" + chance.randbytes(8)
            archive.writestr(info, _content(chance))
    return _with_lies(bytearray(file.getvalue()), chance)


def _with_lies(data: bytearray, chance: Random) -> bytes:
    """Other numbers in a header: sizes, methods, flags, offsets."""
    for magic, length in ((b"PK\x01\x02", 46), (b"PK\x03\x04", 30), (b"PK\x05\x06", 22)):
        if chance.random() < 0.3 and (at := data.rfind(magic)) >= 0:
            place = at + chance.randrange(4, length)
            data[place : place + 2] = chance.choice((b"\0\0", b"\xff\xff", b"\x01\x00", b"\x63\x00"))
    return bytes(data)


def _ar(chance: Random) -> bytes:
    """A Debian binary package, or another archive of Unix."""
    data = b"!<arch>\n"
    for name in (b"debian-binary", b"control.tar.gz", b"data.tar.xz"):
        content = _packed_tar(chance)
        data += (
            b"%-16b0           0     0     100644  %-10d`\n" % (name, len(content))
            + content
            + b"\n" * (len(content) % 2)
        )
    return data


def _dsc(place: Path, chance: Random) -> bytes:
    """The description of a Debian source beside its archive."""
    name = chance.choice(("x_1.orig.tar.gz", "x_1.tar.xz", "../x_1.tar.gz", "x_1.debian.tar.gz", "/etc/passwd"))
    content = gzip.compress(b"".join(_member(chance) for _ in range(3)) + END)
    if "/" not in name:
        (place / name).write_bytes(content)
    digest = hashlib.sha256(content).hexdigest() if chance.random() < 0.8 else "0" * 64
    listed = f" {digest} {len(content)} {name}\n" * chance.randint(1, 3)
    return f"Format: 3.0 (quilt)\nSource: x\nVersion: 1\nChecksums-Sha256:\n{listed}".encode()


PART = Part("archives", "hostile archives through index build", 60, 2_000, _prepared)
