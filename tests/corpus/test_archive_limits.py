"""The limits of one archive, exactly: what reaches one is read, and one more is refused."""

from __future__ import annotations

import io
import struct
import sys
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from support.hostile_archives import END, entry, header, pax
from winnow_ci.corpus import ArchiveLimits, archive, collect
from winnow_ci.corpus.archive import Member
from winnow_ci.errors import CorpusError

if TYPE_CHECKING:
    from collections.abc import Iterator

# Newer versions of Python warn of threads that belong to the runner of the tests.
pytestmark = pytest.mark.filterwarnings("ignore:.*multi-threaded:DeprecationWarning")

KIB, MIB, GIB = 1 << 10, 1 << 20, 1 << 30
LIMITS = ArchiveLimits()


def sizes(tmp_path: Path, content: bytes, limits: ArchiveLimits | None = None) -> list[tuple[int, bool]]:
    """The size of each file of an archive, and whether its content is there."""
    path = tmp_path / "archive.zip"
    path.write_bytes(content)
    with collect([path], limits) as corpus:
        return [(file.size, file.content is not None) for file in corpus]


def packed(content: bytes = b"", declared: int | None = None, size: int = 0) -> bytes:
    """A zip of one member, which declares another size if asked to, and is itself of ``size`` bytes if that is more."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as made:
        made.writestr("a.c", content)
    made_of = bytearray(file.getvalue())
    if declared is not None:
        struct.pack_into("<I", made_of, made_of.index(b"PK\1\2") + 24, declared)
    return bytes(max(0, size - len(made_of))) + bytes(made_of)


def listed(monkeypatch: pytest.MonkeyPatch, count: int, name: str) -> tuple[int, str]:
    """How many of so many members of one name are taken, and what is said of the others."""

    def members(*_: object) -> Iterator[Member]:
        return (Member(name, 0, None, bytes) for _ in range(count))

    monkeypatch.setattr(archive, "_tar_members", members)
    taken = 0
    try:
        for _ in archive.members(io.BytesIO(), "tar", 0, LIMITS):
            taken += 1
    except CorpusError as error:
        return taken, error.problem
    return taken, ""


def test_number_of_members(monkeypatch: pytest.MonkeyPatch) -> None:
    assert listed(monkeypatch, 1_000_001, "a") == (1_000_000, "has more than 1,000,000 entries")


def test_folders_are_members_too(tmp_path: Path) -> None:
    content = entry(b"d/", b"", b"5") + entry(b"d/a.c", b"a") + END
    assert sizes(tmp_path, content, ArchiveLimits(members=2)) == [(1, True)]
    with pytest.raises(CorpusError, match="more than 1 entries"):
        sizes(tmp_path, content, ArchiveLimits(members=1))


def test_length_of_a_name(tmp_path: Path) -> None:
    assert sizes(tmp_path, pax(path=b"n" * 4096) + entry(b"x", b"a") + END) == [(1, True)]
    with pytest.raises(CorpusError, match="a name of more than 4,096 bytes"):
        sizes(tmp_path, pax(path=b"n" * 4097) + entry(b"x", b"a") + END)


def test_length_of_all_names(monkeypatch: pytest.MonkeyPatch) -> None:
    longest = 256 * MIB // 4096
    assert listed(monkeypatch, longest + 1, "n" * 4096) == (longest, "has names of more than 268,435,456 bytes")


def test_size_of_a_member_with_content(tmp_path: Path) -> None:
    two = entry(b"a.c", b"a" * 101) + entry(b"b.c", b"b" * 100) + END
    assert sizes(tmp_path, two, ArchiveLimits(member=100)) == [(101, False), (100, True)]
    assert sizes(tmp_path, packed(bytes(64 * MIB))) == [(64 * MIB, True)]
    assert sizes(tmp_path, packed(declared=64 * MIB + 1, size=MIB)) == [(64 * MIB + 1, False)]


def test_ratio_counts_from_64_mebibytes(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match="unpacks to more than 200 times its size and 64 MiB"):
        sizes(tmp_path, packed(declared=64 * MIB + 1))


def test_ratio(tmp_path: Path) -> None:
    size = 400_000
    assert sizes(tmp_path, packed(declared=200 * size, size=size)) == [(200 * size, False)]
    with pytest.raises(CorpusError, match="unpacks to more than 200 times its size"):
        sizes(tmp_path, packed(declared=200 * size + 1, size=size))


@pytest.mark.parametrize(("size", "problem"), [(16 * GIB, "damaged"), (16 * GIB + 1, "unpacks to more than 16 GiB")])
def test_declared_size_in_all(tmp_path: Path, size: int, problem: str) -> None:
    with pytest.raises(CorpusError, match=problem):
        sizes(tmp_path, header(b"a.c", raw_size=b"\x80" + size.to_bytes(11, "big")) + END)


def test_processor_time() -> None:
    assert [LIMITS.time_for(size) for size in (0, MIB, 100 * MIB)] == [60, 61, 160]


@pytest.mark.skipif(sys.platform != "linux", reason="no such limit")
def test_memory_besides_what_the_process_starts_with(tmp_path: Path) -> None:
    def limit(memory: int) -> int:
        (tmp_path / "a.tar").write_bytes(entry(b"a.c", b"a") + END)
        with collect([tmp_path / "a.tar"], ArchiveLimits(memory=memory)) as corpus:
            assert corpus._process is not None
            lines = Path(f"/proc/{corpus._process._process.pid}/limits").read_text().splitlines()
            return int(next(line for line in lines if "address space" in line).split()[3])

    # The processes start with the memory of this one, which hardly changes meanwhile.
    assert abs(limit(LIMITS.memory) - limit(GIB)) < 64 * MIB
    assert abs(limit(LIMITS.memory) - limit(GIB // 2) - GIB // 2) < 64 * MIB
