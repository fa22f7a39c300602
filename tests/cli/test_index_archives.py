"""``winnow-ci index build`` from archives."""

from __future__ import annotations

import shutil
import tarfile
from typing import TYPE_CHECKING

import pytest

from support.command import build, winnow
from support.donor import ROUTES, write_known
from support.hostile_archives import END, entry, patched, zipped
from support.repository import Checkout

if TYPE_CHECKING:
    from pathlib import Path


def _digest(output: str) -> str:
    return output.rsplit(maxsplit=1)[-1]


@pytest.fixture
def large(tmp_path: Path) -> Path:
    """A folder with so much source that worker processes are used."""
    folder = write_known(tmp_path / "source")
    for number in range(200):
        text = ROUTES.replace("route", f"way{number}").replace("road", f"street{number}")
        (folder / "roads" / f"copy{number}.py").write_text(text * (1 + (1 << 22) // 200 // len(text)))
    return folder


@pytest.mark.parametrize("packing", ["tar", "gztar", "bztar", "xztar", "zip"])
def test_an_archive_gives_the_index_that_its_folder_gives(tmp_path: Path, packing: str) -> None:
    folder = write_known(tmp_path / "source")
    archive = shutil.make_archive(str(tmp_path / "packed"), packing, tmp_path, "source")
    wanted = build(folder, tmp_path / "i.db", "--with-text")
    found = build(tmp_path / archive, tmp_path / "j.db", "--with-text")
    assert _digest(found.output) == _digest(wanted.output)
    assert found.errors == wanted.errors


def test_workers_make_no_difference(tmp_path: Path, large: Path) -> None:
    with tarfile.open(tmp_path / "large.tar.gz", "w:gz", compresslevel=1) as archive:
        archive.add(large, "large-1.0")
    found = build(tmp_path / "large.tar.gz", tmp_path / "j.db")
    assert _digest(found.output) == _digest(build(large, tmp_path / "i.db").output)


def test_what_a_build_had_done_before_an_archive_failed_is_kept(tmp_path: Path, large: Path) -> None:
    index = tmp_path / "i.db"
    build(write_known(tmp_path / "before"), index, name="before")
    before = index.read_bytes()
    bad = patched(zipped(("n.py", b"x = 1\n" * 100)), 16, b"\0\0\0\0")
    (tmp_path / "bad.zip").write_bytes(bad)
    failed = winnow("index", "build", large, "bad.zip", "--output", index, "--name", "roads", cwd=tmp_path)
    problem, _ = failed.complaint(3)
    assert problem.startswith("bad.zip: at or after the member n.py: damaged, or not an archive: Bad CRC-32")
    assert index.read_bytes() == before
    assert "contents were kept from an interrupted build" in build(large, index).errors


def test_a_member_that_is_too_large_is_skipped_and_said(tmp_path: Path) -> None:
    content = entry(b"ok.py", ROUTES.encode()) + entry(b"big.py", bytes(65 << 20)) + END
    (tmp_path / "a.tar").write_bytes(content)
    built = build(tmp_path / "a.tar", tmp_path / "i.db")
    assert "1 file indexed" in built.errors
    assert "1 skipped (1 larger than 64 MiB)" in built.errors


def test_a_copy_from_an_archive_is_found_under_the_path_within(tmp_path: Path) -> None:
    content = entry(b"roads-1.0/lib/routes.py", ROUTES.encode()) + END
    (tmp_path / "roads-1.0.tar").write_bytes(content)
    build(tmp_path / "roads-1.0.tar", tmp_path / "i.db", "--license", "GPL-3.0-only")
    checkout = Checkout.create(tmp_path / "checkout")
    checkout.commit({"a.txt": "a\n"})
    checkout.write("mine.py", ROUTES)
    scanned = winnow("scan", "--all", "--index", tmp_path / "i.db", "--format", "json", cwd=checkout.root)
    assert scanned.status == 1, scanned
    assert "lib/routes.py" in scanned.output
