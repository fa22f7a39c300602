"""The cache: files under their sha256, whole or not at all, and what is damaged is noticed."""

from __future__ import annotations

import hashlib
import io
import os
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import pytest

from winnow_ci.errors import FetchError
from winnow_ci.fetching import cache_folder, file_cache

if TYPE_CHECKING:
    from pathlib import Path

CONTENT = b"int main(void) { return 0; }\n" * 100_000
DIGEST = hashlib.sha256(CONTENT).hexdigest()


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("WINNOW_CI_CACHE_DIR", str(tmp_path / "cache"))
    return tmp_path / "cache"


def _files(folder: Path) -> list[str]:
    """Names of the files, without what says when they were used."""
    return sorted(
        path.name for path in folder.rglob("*") if path.is_file() and path.suffix != ".used" and path.stem != "lock"
    )


def _settle(path: Path) -> None:
    """Wait until a change of the file would give it another time."""
    while time.time() - path.stat().st_ctime < 2.1:
        time.sleep(0.1)


def test_it_is_in_the_folder_of_the_user_or_where_the_user_says(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    assert cache_folder.folder() == folder
    monkeypatch.delenv("WINNOW_CI_CACHE_DIR")
    assert cache_folder.folder().name == "winnow-ci"
    assert cache_folder.folder().is_relative_to(os.environ["HOME"])


def test_a_file_is_found_by_its_sha256(tmp_path: Path) -> None:
    assert file_cache.get(DIGEST) is None
    (tmp_path / "a.c").write_bytes(CONTENT)
    put = file_cache.put(tmp_path / "a.c", DIGEST)
    assert file_cache.get(DIGEST) == put == file_cache.put(io.BytesIO(CONTENT))
    assert put.read_bytes() == CONTENT


def test_another_content_is_refused_and_not_kept(folder: Path) -> None:
    with pytest.raises(FetchError, match=f"its sha256 is {DIGEST}, not {'0' * 64}"):
        file_cache.put(io.BytesIO(CONTENT), "0" * 64)
    assert _files(folder) == []


@pytest.mark.parametrize("name", ["", "../../etc/passwd", DIGEST.upper(), f"{DIGEST}\n", f"{DIGEST}0"])
def test_what_is_no_sha256_never_becomes_a_path(name: str) -> None:
    with pytest.raises(FetchError, match="is no sha256"):
        file_cache.get(name)


def test_a_damaged_file_is_not_given_and_is_replaced() -> None:
    path = file_cache.put(io.BytesIO(CONTENT))
    path.write_bytes(CONTENT[:-1] + b"\0")
    assert file_cache.get(DIGEST) is None
    assert file_cache.put(io.BytesIO(CONTENT)) == path
    assert path.read_bytes() == CONTENT


def test_what_was_compared_is_compared_again_after_any_change() -> None:
    path = file_cache.put(io.BytesIO(CONTENT))
    _settle(path)
    assert file_cache.get(DIGEST, remember=True) == path
    assert path.with_suffix(".seen").exists()
    times = path.stat()
    path.write_bytes(CONTENT[:-1] + b"\0")
    os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))
    assert file_cache.get(DIGEST, remember=True) is None


def test_what_was_remembered_counts_for_nothing_where_nothing_is_to_be_remembered() -> None:
    path = file_cache.put(io.BytesIO(CONTENT))
    path.write_bytes(CONTENT[:-1] + b"\0")
    with path.open("rb") as file:
        path.with_suffix(".seen").write_text(file_cache._identity(file), encoding="ascii")
    assert file_cache.get(DIGEST, remember=True) == path
    assert file_cache.get(DIGEST) is None


def test_a_file_that_has_just_changed_is_not_remembered() -> None:
    path = file_cache.put(io.BytesIO(CONTENT))
    path.chmod(0o600)
    assert file_cache.get(DIGEST, remember=True) == path
    assert not path.with_suffix(".seen").exists()


def test_a_stamp_of_any_content_does_no_harm() -> None:
    path = file_cache.put(io.BytesIO(CONTENT))
    path.with_suffix(".seen").write_bytes(b"\xff\0 1 2")
    assert file_cache.get(DIGEST, remember=True) == path


def test_what_was_not_kept_leaves_nothing(folder: Path) -> None:
    with pytest.raises(ZeroDivisionError), file_cache.incoming() as file:
        file.write(CONTENT)
        raise ZeroDivisionError
    assert _files(folder) == []


def test_what_a_killed_run_has_left_goes_away_and_not_what_is_being_written(folder: Path) -> None:
    folder.mkdir()
    killed, begun = folder / "incoming-killed", folder / "incoming-begun"
    for path in (killed, begun):
        path.write_bytes(b"half")
    os.utime(killed, (0, 0))
    with file_cache.incoming() as slow:
        os.utime(next(path for path in folder.glob("incoming-*") if path not in {killed, begun}), (0, 0))
        slow.write(CONTENT)
        file_cache.put(io.BytesIO(b"another"))
        assert slow.keep().read_bytes() == CONTENT
    assert not killed.exists()
    assert begun.exists()


def test_many_processes_put_the_same_file_at_once(tmp_path: Path, folder: Path) -> None:
    (tmp_path / "a.c").write_bytes(CONTENT)
    program = (
        "import sys; from pathlib import Path; from winnow_ci.fetching import file_cache\n"
        "for _ in range(8):\n    file_cache.put(Path(sys.argv[1])); assert file_cache.get(sys.argv[2])"
    )
    command = [sys.executable, "-c", program, str(tmp_path / "a.c"), DIGEST]
    runs = [subprocess.Popen(command) for _ in range(4)]
    assert [run.wait() for run in runs] == [0, 0, 0, 0]
    assert _files(folder) == [DIGEST]


def test_a_folder_that_cannot_be_written_is_an_error_that_names_it(folder: Path) -> None:
    folder.write_bytes(b"a file")
    with pytest.raises(FetchError, match=r"cannot write to the cache .*\n.*WINNOW_CI_CACHE_DIR"):
        file_cache.put(io.BytesIO(CONTENT))


def test_what_a_killed_run_has_left_goes_away_after_a_minute(folder: Path) -> None:
    folder.mkdir()
    now = time.time()
    for name, age in (("incoming-young", 50), ("incoming-old", 61)):
        (folder / name).write_bytes(b"half")
        os.utime(folder / name, (now - age, now - age))
    file_cache.put(io.BytesIO(CONTENT))
    assert [path.name for path in folder.glob("incoming-*")] == ["incoming-young"]
