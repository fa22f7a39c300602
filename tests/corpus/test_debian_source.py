"""Source packages of Debian: their .dsc, and what lies beside it."""

from __future__ import annotations

import gzip
import os
import shutil
import subprocess
from typing import TYPE_CHECKING

import pytest

from support.debian import dsc, tarball
from winnow_ci.corpus import Corpus, collect, read_file
from winnow_ci.errors import CorpusError, UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

# Newer versions of Python warn of threads that belong to the runner of the tests.
pytestmark = pytest.mark.filterwarnings("ignore:.*multi-threaded:DeprecationWarning")

ORIG = tarball(
    {
        "hello-1.0/hello.c": b"hello",
        "hello-1.0/debian/rules": b"of upstream",
        "hello-1.0/debian/old.c": b"of upstream",
        "hello-1.0/docs/a.c": b"of upstream",
        "hello-1.0/src/debian/b.c": b"b",
    }
)
FORMAT = b"3.0 (quilt)\n"
DEBIAN = tarball({"debian/rules": b"of Debian", "debian/patches/a.diff": b"patch", "debian/source/format": FORMAT})
DOCS = tarball({"docs-7/a.c": b"component", "docs-7/deep/c.c": b"c"})
QUILT = {"hello_1.0.orig.tar.gz": ORIG, "hello_1.0.orig-docs.tar.gz": DOCS, "hello_1.0-1.debian.tar.gz": DEBIAN}


def _put(folder: Path, files: Mapping[str, bytes], description: bytes) -> Path:
    for name, content in files.items():
        (folder / name).write_bytes(content)
    path = folder / "hello_1.0-1.dsc"
    path.write_bytes(description)
    return path


def _read(corpus: Corpus) -> dict[str, bytes]:
    with corpus:
        return {file.path: read_file(file, 1 << 20) for file in corpus}


def test_every_tarball_is_where_dpkg_source_would_put_it(tmp_path: Path) -> None:
    corpus = collect([_put(tmp_path, QUILT, dsc(QUILT))])
    assert sorted(skip.path for skip in corpus.skipped) == ["debian/old.c", "debian/rules", "docs/a.c"]
    assert {skip.reason for skip in corpus.skipped} == {"replaced by another archive of the Debian source"}
    assert _read(corpus) == {
        "hello.c": b"hello",
        "src/debian/b.c": b"b",
        "docs/a.c": b"component",
        "docs/deep/c.c": b"c",
        "debian/rules": b"of Debian",
        "debian/patches/a.diff": b"patch",
        "debian/source/format": FORMAT,
    }


@pytest.mark.skipif(not shutil.which("dpkg-source"), reason="no dpkg-source")
def test_dpkg_source_itself_puts_them_there(tmp_path: Path) -> None:
    path, unpacked = _put(tmp_path, QUILT, dsc(QUILT)), tmp_path / "unpacked"
    command = ("dpkg-source", "--no-check", "--skip-patches", "-x", path, unpacked)
    subprocess.run(command, check=True, capture_output=True)
    assert _read(collect([unpacked])) == _read(collect([path]))


def test_a_native_source_keeps_its_own_debian_folder(tmp_path: Path) -> None:
    files = {"hello_1.0.tar.gz": ORIG}
    contents = _read(collect([_put(tmp_path, files, dsc(files, "3.0 (native)"))]))
    assert contents["debian/rules"] == b"of upstream"


def test_of_format_1_the_diff_is_left_out(tmp_path: Path) -> None:
    files = {"hello_1.0.orig.tar.gz": ORIG, "hello_1.0-1.diff.gz": gzip.compress(b"--- a\n+++ b\n")}
    corpus = collect([_put(tmp_path, files, dsc(files, "1.0"))])
    assert [(skip.path, skip.reason) for skip in corpus.skipped] == [
        ("hello_1.0-1.diff.gz", "Debian's changes as a diff (format 1.0)")
    ]
    assert _read(corpus)["debian/rules"] == b"of upstream"


def test_a_signed_description_and_signatures_that_are_not_there(tmp_path: Path) -> None:
    plain = dsc({**QUILT, "hello_1.0.orig.tar.gz.asc": b"signature"})
    before = b"-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA512\n\n"
    after = b"\n- -- \n-----BEGIN PGP SIGNATURE-----\n\nabc\n-----END PGP SIGNATURE-----\n"
    for ending in (b"\n", b"\r\n"):
        path = _put(tmp_path, QUILT, (before + plain + after).replace(b"\n", ending))
        assert "hello.c" in _read(collect([path]))


def test_a_folder_of_that_name_is_a_folder(tmp_path: Path) -> None:
    (tmp_path / "a.dsc").mkdir()
    (tmp_path / "a.dsc/a.c").write_bytes(b"a")
    assert _read(collect([tmp_path / "a.dsc"])) == {"a.c": b"a"}


@pytest.mark.parametrize("name", QUILT)
def test_a_file_that_is_missing_or_altered(tmp_path: Path, name: str) -> None:
    path = _put(tmp_path, QUILT, dsc(QUILT))
    for other in (QUILT[name][:-1], QUILT[name][:-1] + b"x", QUILT[name] + b"x"):
        (tmp_path / name).write_bytes(other)
        with pytest.raises(CorpusError, match=f"{name}: not the file that hello_1.0-1.dsc lists"):
            collect([path])
    (tmp_path / name).unlink()
    with pytest.raises(CorpusError, match=f"{name}: No such file"):
        collect([path])
    os.mkfifo(tmp_path / name)
    with pytest.raises(CorpusError, match=f"{name}: not a regular file"):
        collect([path])


@pytest.mark.parametrize(
    ("description", "problem"),
    [
        (b"", "it is empty"),
        (b"\x1f\x8b\0\0", "is not a field"),
        (b"Format: 3.0 (quilt)\nSource: hello\n", "lists no files with their sha256"),
        (b"Format: 1.0\nFormat: 1.0\n", "has 'format' more than once"),
        (dsc({"../hello_1.0.orig.tar.gz": ORIG}), "is not the name of a file next to it"),
        (dsc({"/etc/hello_1.0.orig.tar.gz": ORIG}), "is not the name of a file next to it"),
        (dsc({"..": ORIG}), "is not the name of a file next to it"),
        (dsc({"\x1b[31m.tar.gz": ORIG}), "is not the name of a file next to it"),
        (dsc({"hello 1.0.orig.tar.gz": ORIG}), "is not a sha256, size and file name"),
        (dsc(QUILT).replace(b"Checksums-Sha256", b"Checksums-Sha1"), "lists no files with their sha256"),
        (dsc(QUILT) + dsc(QUILT).partition(b"Sha256:\n")[2], "lists the same file twice"),
        (dsc(QUILT, "3.0 (git)"), r"cannot read Debian sources of format '3.0 \(git\)'"),
        (dsc({"hello_1.0.bundle": b"x"}), "lists files that do not belong to a source package"),
        (dsc({**QUILT, "hello_1.0.tar.gz": ORIG}), "lists files that do not belong to a source package"),
        (dsc({"hello_1.0-1.debian.tar.gz": DEBIAN}), "lists files that do not belong to a source package"),
    ],
    ids=range(15),
)
def test_a_description_that_is_not_as_it_must_be(tmp_path: Path, description: bytes, problem: str) -> None:
    files = {**QUILT, "hello_1.0.tar.gz": ORIG, "hello_1.0.bundle": b"x"}
    with pytest.raises(CorpusError, match=problem) as raised:
        collect([_put(tmp_path, files, description)])
    assert "\x1b" not in raised.value.problem


def test_the_longest_description(tmp_path: Path) -> None:
    plain = dsc(QUILT)
    path = _put(tmp_path, QUILT, plain + b"\n" * ((4 << 20) - len(plain)))
    assert _read(collect([path]))
    path.write_bytes(path.read_bytes() + b"\n")
    with pytest.raises(CorpusError, match="has more than 4 MiB"):
        collect([path])


def test_what_a_tarball_holds_besides_code_is_met_as_in_any_archive(tmp_path: Path) -> None:
    files = {"hello_1.0.tar.gz": gzip.compress(b"no tar" * 200)}
    with pytest.raises(CorpusError, match=r"hello_1\.0\.tar\.gz: damaged, or not an archive"):
        collect([_put(tmp_path, files, dsc(files, "3.0 (native)"))])
    files = {"hello_1.0.tar.lzma": b"\x5d\0\0\x80" + bytes(600)}
    with pytest.raises(UsageError, match=r"hello_1\.0\.tar\.lzma is not a folder or archive"):
        collect([_put(tmp_path, files, dsc(files, "3.0 (native)"))])
