"""Archives as sources: which paths their members get, what is left out, and which bounds hold."""

from __future__ import annotations

import gzip
import io
import multiprocessing
import os
import shutil
import signal
import subprocess
import sys
import tarfile
import zipfile
from typing import TYPE_CHECKING

import pytest

from support.hostile_archives import END, OTHER, entry, header, pax, tar, zipped
from winnow_ci.corpus import ArchiveLimits, Corpus, collect, read_file
from winnow_ci.errors import CorpusError, UsageError

if TYPE_CHECKING:
    from pathlib import Path

# Newer versions of Python warn of threads that belong to the runner of the tests.
pytestmark = pytest.mark.filterwarnings("ignore:.*multi-threaded:DeprecationWarning")

MIB = 1 << 20


def _tar(*names: str) -> bytes:
    return b"".join(entry(name.encode(), name.encode()) for name in names) + END


def _zip(*names: str) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name in names:
            archive.writestr(name, name)
    return file.getvalue()


def _put(folder: Path, name: str, content: bytes) -> Path:
    (folder / name).write_bytes(content)
    return folder / name


def _read(corpus: Corpus) -> dict[str, bytes]:
    with corpus:
        return {file.path: read_file(file, MIB) for file in corpus}


@pytest.mark.parametrize(
    ("name", "stored", "paths"),
    [
        ("curl-8.1.0.tar", ["curl-8.1.0/a.c", "curl-8.1.0/lib/b.c"], ["a.c", "lib/b.c"]),
        ("npm.tgz", ["package/package.json", "package/lib/a.js"], ["lib/a.js", "package.json"]),
        ("dot.tar", ["./src/a.c", "./src/b.c"], ["src/a.c", "src/b.c"]),
        ("m.zip", ["go.dev/X/a@v1.0.0/a.go", "go.dev/X/a@v1.0.0/b/b.go"], ["a.go", "b/b.go"]),
        ("one.zip", ["go.dev/X/a@v1.0.0/b/a.go"], ["b/a.go"]),
        ("two.zip", ["go.dev/X/a@v1.0.0/a.go", "go.dev/X/b@v1.0.0/b.go"], ["X/a@v1.0.0/a.go", "X/b@v1.0.0/b.go"]),
        ("at.zip", ["src/a@b/a.c", "src/a@b/b.c"], ["a@b/a.c", "a@b/b.c"]),
        ("six.whl", ["six.py", "six-1.17.dist-info/RECORD"], ["six-1.17.dist-info/RECORD", "six.py"]),
        ("flask.whl", ["flask/a.py", "flask-3.0.dist-info/RECORD"], ["flask-3.0.dist-info/RECORD", "flask/a.py"]),
        ("debian.tar", ["debian/rules", "debian/patches/a.c"], ["debian/patches/a.c", "debian/rules"]),
        ("one-file.tar", ["a.c"], ["a.c"]),
        ("one-deep.tar", ["a/b/c.c"], ["b/c.c"]),
        ("mixed.tar", ["./x/a.c", "x/b.c"], ["x/a.c", "x/b.c"]),
    ],
)  # fmt: skip
def test_the_folder_that_all_members_share_is_no_part_of_their_paths(
    tmp_path: Path, name: str, stored: list[str], paths: list[str]
) -> None:
    content = _zip(*stored) if name.endswith((".whl", ".zip")) else _tar(*stored)
    archive = _put(tmp_path, name, gzip.compress(content) if name.endswith("gz") else content)
    contents = _read(collect([archive]))
    assert sorted(contents) == paths
    assert sorted(contents.values()) == sorted(name.encode() for name in stored)


def test_what_the_library_writes_is_read_in_every_packing(tmp_path: Path) -> None:
    for path in ("a.py", "lib/b.py", "lib/deep/" + "long" * 60 + ".py", "lib/\N{SNOWMAN}.py"):
        (tmp_path / "source" / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "source" / path).write_text(path)
    wanted = _read(collect([tmp_path / "source"]))
    for packing in ("tar", "gztar", "bztar", "xztar", "zip"):
        made = shutil.make_archive(str(tmp_path / packing), packing, tmp_path, "source")
        # The content says what it is.
        archive = (tmp_path / packing).with_suffix(".package")
        os.rename(made, archive)  # noqa: PTH104
        assert _read(collect([archive])) == wanted
    for style in (tarfile.USTAR_FORMAT, tarfile.GNU_FORMAT, tarfile.PAX_FORMAT):
        if style != tarfile.USTAR_FORMAT:
            with tarfile.open(tmp_path / "style.tar", "w", format=style) as archive:
                archive.add(tmp_path / "source", ".")
            assert _read(collect([tmp_path / "style.tar"])) == wanted


def test_folders_and_archives_are_one_corpus(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    folder = _put(tmp_path / "folder", "b.c", b"b").parent
    one, two = _put(tmp_path, "one.tar", _tar("x/a.c", "x/d.c")), _put(tmp_path, "two.zip", _zip("c.c"))
    with collect([one, folder, two]) as corpus:
        assert [file.path for file in corpus.files] == ["a.c", "b.c", "c.c", "d.c"]
        assert [file.path for file in corpus] == ["b.c", "a.c", "d.c", "c.c"]
    with pytest.raises(UsageError, match=r"one\.tar/a\.c and .*again\.tar/a\.c would both get the path a\.c"):
        collect([one, _put(tmp_path, "again.tar", _tar("a.c"))])


def test_of_members_with_one_path_the_last_counts(tmp_path: Path) -> None:
    parts = entry(b"a.c", b"first"), entry(b"b.c", b"b"), entry(b"./a.c", b"last"), entry(b"a.c", b"", b"2", b"b.c")
    corpus = collect([_put(tmp_path, "a.tar", b"".join(parts) + END)])
    assert [(skip.path, skip.reason) for skip in corpus.skipped] == [
        ("a.c", "replaced by a later member of the same name"),
        ("a.c", "link"),
    ]
    assert _read(corpus) == {"a.c": b"last", "b.c": b"b"}


def test_other_peoples_folders_are_left_out(tmp_path: Path) -> None:
    archive = _put(tmp_path, "a.tar", _tar("p/a.c", "p/.git/config", "p/node_modules/x/y.js", "p/vendor/b.c"))
    assert sorted(_read(collect([archive]))) == ["a.c", "vendor/b.c"]


@pytest.mark.parametrize(
    ("limits", "problem"),
    [
        (ArchiveLimits(members=50), "at or after the member 49.py: has more than 50 entries"),
        (ArchiveLimits(ratio=2, unsuspicious=10_000), "unpacks to more than 2 times its size and 10,000 bytes"),
        (ArchiveLimits(seconds=0.005, seconds_a_mebibyte=0), r"takes more than 0 s of processor time"),
    ],
)
@pytest.mark.parametrize("kind", ["tar", "zip"])
def test_an_archive_that_exceeds_a_limit_is_refused(
    tmp_path: Path, kind: str, limits: ArchiveLimits, problem: str
) -> None:
    count = 20_000 if limits.seconds < 1 else 100
    if kind == "tar":
        content = gzip.compress(b"".join(entry(b"%d.py" % n, bytes(600)) for n in range(count)) + END)
    else:
        file = io.BytesIO()
        with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
            for n in range(count):
                archive.writestr(f"{n}.py", bytes(600))
        content = file.getvalue()
    with pytest.raises(CorpusError, match=problem) as error:
        collect([_put(tmp_path, f"a.{kind}", content)], limits)
    assert str(tmp_path / f"a.{kind}") in error.value.problem


def test_a_time_limit_is_not_lost_where_python_drops_exceptions() -> None:
    code = """if True:
    from winnow_ci.corpus.archive_process import TimeOverError, ended_after

    class Endless:
        def __del__(self):
            while True:
                pass

    try:
        with ended_after(0.01):
            Endless()
            while True:
                pass
    except TimeOverError:
        print("ended")
    """
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    assert (ended.stdout, ended.stderr) == ("ended\n", "")


@pytest.mark.skipif(sys.platform != "linux", reason="no such limit")
def test_memory_has_a_limit(tmp_path: Path) -> None:
    archive = _put(tmp_path, "a.tar", entry(b"pax", b"a" * (100 * MIB), b"x") + END)
    with pytest.raises(CorpusError, match=r"a\.tar: needs too much memory to be read"):
        collect([archive], ArchiveLimits(memory=50 * MIB))


@pytest.mark.parametrize("swapped_for", ["other", "shorter", "nothing", "folder", "pipe", "damaged"])
def test_an_archive_that_changes_after_it_was_listed_is_an_error(tmp_path: Path, swapped_for: str) -> None:
    archive = _put(tmp_path, "a.tar", _tar("a.c", "b.c"))
    with collect([archive]) as corpus:
        archive.unlink()
        if swapped_for == "pipe":
            os.mkfifo(archive)
        elif swapped_for == "folder":
            archive.mkdir()
        elif swapped_for != "nothing":
            archive.write_bytes(
                {"other": _tar("a.c", "x.c"), "shorter": _tar("a.c"), "damaged": b"?" * 999}[swapped_for]
            )
        with pytest.raises(CorpusError, match=r"a\.tar"):
            list(corpus)


def test_a_process_that_is_killed_is_an_error(tmp_path: Path) -> None:
    archive = _put(tmp_path, "a.tar", _tar(*(f"{number}.c" for number in range(5000))))
    with collect([archive]) as corpus:
        assert corpus._process is not None
        process = corpus._process._process
        assert process.pid is not None
        os.kill(process.pid, signal.SIGKILL)
        with pytest.raises(CorpusError, match="was killed"):
            list(corpus)
    assert not process.is_alive()


def test_no_process_is_left_behind(tmp_path: Path) -> None:
    good, bad = _put(tmp_path, "a.tar", _tar("a.c")), _put(tmp_path, "b.tar", b"?" * 999)
    with collect([good]) as corpus:
        assert corpus._process is not None
        process = corpus._process._process
        assert process.is_alive()
    assert not process.is_alive()
    with pytest.raises(CorpusError):
        collect([good, bad])
    assert not multiprocessing.active_children()


@pytest.mark.parametrize(
    ("name", "content", "problem"),
    [
        ("a.tar.zst", b"\x28\xb5\x2f\xfd" + bytes(100), "reads no zstd archives"),
        ("a.7z", b"7z\xbc\xaf\x27\x1c" + bytes(100), "reads no 7z archives"),
        ("a.rar", b"Rar!\x1a\x07\x00" + bytes(100), "reads no RAR archives"),
        ("a.deb", b"!<arch>\n" + bytes(100), "reads no ar archives"),
        ("a.py", b"print()", "is not a folder or archive"),
    ],
)
def test_a_file_that_is_not_read_is_refused(tmp_path: Path, name: str, content: bytes, problem: str) -> None:
    with pytest.raises(UsageError, match=problem):
        collect([_put(tmp_path, name, content)])


def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "a.tar")
    with pytest.raises(UsageError, match="is not a folder or archive"):
        collect([tmp_path / "a.tar"])


def test_the_form_of_a_tar_does_not_matter(tmp_path: Path) -> None:
    """Extended headers that say nothing of a file, numbers in binary, and a name in two fields."""
    plain = header(b"n.c", raw_size=b"\x80" + (5).to_bytes(11, "big")) + b"12345".ljust(512, b"\0")
    archive = _put(tmp_path, "a.tar", entry(b"g", b"12 comment=\n", b"g") + pax(mtime=b"1.5") + plain + END)
    assert _read(collect([archive])) == {"n.c": b"12345"}
    assert sorted(_read(collect([_put(tmp_path, "b.tar", tar(entry(b"n.c", OTHER)))]))) == ["n.c", "ok.py"]
    assert sorted(_read(collect([_put(tmp_path, "c.jar", b"#!/bin/sh\n" + zipped())]))) == ["ok.py"]
