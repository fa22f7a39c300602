"""The cache: files under their sha256, whole or not at all, what is damaged is noticed, and its bound."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import pytest

from winnow_ci.errors import FetchError, UsageError
from winnow_ci.fetching.cache import (
    CACHE_LIMIT,
    _entries,
    _identity,
    cache_folder,
    cache_limit,
    cached_file,
    incoming_file,
    put_file,
    shrink_cache,
    using_cache,
)
from winnow_ci.fetching.remote_git import GitStore

if TYPE_CHECKING:
    from pathlib import Path

CONTENT = b"int main(void) { return 0; }\n" * 100_000
DIGEST = hashlib.sha256(CONTENT).hexdigest()
DAY = 24 * 3600


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("WINNOW_CI_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.delenv(CACHE_LIMIT, raising=False)
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
    assert cache_folder() == folder
    monkeypatch.delenv("WINNOW_CI_CACHE_DIR")
    assert cache_folder().name == "winnow-ci"
    assert cache_folder().is_relative_to(os.environ["HOME"])


def test_a_file_is_found_by_its_sha256(tmp_path: Path) -> None:
    assert cached_file(DIGEST) is None
    (tmp_path / "a.c").write_bytes(CONTENT)
    put = put_file(tmp_path / "a.c", DIGEST)
    assert cached_file(DIGEST) == put == put_file(CONTENT)
    assert put.read_bytes() == CONTENT


def test_another_content_is_refused_and_not_kept(folder: Path) -> None:
    with pytest.raises(FetchError, match=f"its sha256 is {DIGEST}, not {'0' * 64}"):
        put_file(CONTENT, "0" * 64)
    assert _files(folder) == []


@pytest.mark.parametrize("name", ["", "../../etc/passwd", DIGEST.upper(), f"{DIGEST}\n", f"{DIGEST}0"])
def test_what_is_no_sha256_never_becomes_a_path(name: str) -> None:
    with pytest.raises(FetchError, match="is not a sha256"):
        cached_file(name)


def test_a_damaged_file_is_not_given_and_is_replaced() -> None:
    path = put_file(CONTENT)
    path.write_bytes(CONTENT[:-1] + b"\0")
    assert cached_file(DIGEST) is None
    assert put_file(CONTENT) == path
    assert path.read_bytes() == CONTENT


def test_what_was_compared_is_compared_again_after_any_change() -> None:
    path = put_file(CONTENT)
    _settle(path)
    assert cached_file(DIGEST, remember=True) == path
    assert path.with_suffix(".seen").exists()
    times = path.stat()
    path.write_bytes(CONTENT[:-1] + b"\0")
    os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))
    assert cached_file(DIGEST, remember=True) is None


def test_what_was_remembered_counts_for_nothing_where_nothing_is_to_be_remembered() -> None:
    path = put_file(CONTENT)
    path.write_bytes(CONTENT[:-1] + b"\0")
    with path.open("rb") as file:
        path.with_suffix(".seen").write_text(_identity(file), encoding="ascii")
    assert cached_file(DIGEST, remember=True) == path
    assert cached_file(DIGEST) is None


def test_a_file_that_has_just_changed_is_not_remembered() -> None:
    path = put_file(CONTENT)
    path.chmod(0o600)
    assert cached_file(DIGEST, remember=True) == path
    assert not path.with_suffix(".seen").exists()


def test_a_stamp_of_any_content_does_no_harm() -> None:
    path = put_file(CONTENT)
    path.with_suffix(".seen").write_bytes(b"\xff\0 1 2")
    assert cached_file(DIGEST, remember=True) == path


def test_what_was_not_kept_leaves_nothing(folder: Path) -> None:
    with pytest.raises(ZeroDivisionError), incoming_file() as file:
        file.write(CONTENT)
        raise ZeroDivisionError
    assert _files(folder) == []


def test_what_a_killed_run_has_left_goes_away_and_not_what_is_being_written(folder: Path) -> None:
    folder.mkdir()
    killed, begun, now = folder / "incoming-killed", folder / "incoming-begun", time.time()
    for path, age in ((killed, 61), (begun, 50)):
        path.write_bytes(b"half")
        os.utime(path, (now - age, now - age))
    with incoming_file() as slow:
        os.utime(next(path for path in folder.glob("incoming-*") if path not in {killed, begun}), (0, 0))
        slow.write(CONTENT)
        put_file(b"another")
        assert slow.keep().read_bytes() == CONTENT
    assert not killed.exists()
    assert begun.exists()


def test_many_processes_put_the_same_file_at_once(tmp_path: Path, folder: Path) -> None:
    (tmp_path / "a.c").write_bytes(CONTENT)
    program = (
        "import sys; from pathlib import Path; from winnow_ci.fetching.cache import *\n"
        "for _ in range(8):\n    put_file(Path(sys.argv[1])); assert cached_file(sys.argv[2])"
    )
    command = [sys.executable, "-c", program, str(tmp_path / "a.c"), DIGEST]
    runs = [subprocess.Popen(command) for _ in range(4)]
    assert [run.wait() for run in runs] == [0, 0, 0, 0]
    assert _files(folder) == [DIGEST]


def test_a_folder_that_cannot_be_written_is_an_error_that_names_it(folder: Path) -> None:
    folder.write_bytes(b"a file")
    with pytest.raises(FetchError, match=r"cannot write to the cache .*\n.*WINNOW_CI_CACHE_DIR"):
        put_file(CONTENT)


# ---- the bound --------------------------------------------------------------------------------------------------


def _put(content: bytes, days: float) -> Path:
    """A file of the cache that was put there, and used last, so many days ago."""
    path = put_file(content)
    _age(path, days)
    return path


def _age(path: Path, days: float) -> None:
    past = time.time() - days * DAY
    os.utime(path, (past, past))


def _shrunk(most: int) -> list[Path]:
    """What goes if the cache may have so many bytes."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(CACHE_LIMIT, str(most))
        return shrink_cache()


def _store(folder: Path, days: float) -> GitStore:
    """Repositories of 1,000 bytes that were used last so many days ago."""
    store = GitStore(folder / "git" / "0-sha1", "sha1")
    pack = store.place / "00000001.git" / "objects" / "pack" / "a.pack"
    pack.parent.mkdir(parents=True)
    pack.write_bytes(bytes(1000))
    (store.place / "00000002.git").mkdir()
    (store.place / "00000002.git" / "a.pack").hardlink_to(pack)
    (store.place / "lock").touch()
    for path in (pack, store.place / "lock"):
        _age(path, days)
    return store


def test_what_was_not_used_for_the_longest_time_goes_first() -> None:
    old, older, oldest = (_put(bytes([number]) * 1000, 2 + number) for number in range(3))
    assert cached_file(older.name) == older
    assert _shrunk(1999) == [oldest, old]
    assert not old.exists()
    assert not oldest.exists()
    assert cached_file(older.name) == older


def test_no_more_goes_than_must() -> None:
    kept = [_put(bytes([number]) * 1000, 2 + number) for number in range(3)]
    assert _shrunk(3000) == []
    assert _shrunk(2999) == [kept[2]]


def test_what_was_used_in_the_last_day_stays() -> None:
    fresh, stale = _put(b"a" * 1000, 0.99), _put(b"b" * 1000, 1.01)
    assert _shrunk(0) == [stale]
    assert fresh.exists()


def test_adding_keeps_the_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(CACHE_LIMIT, "1500")
    stale = _put(b"a" * 1000, 2)
    added = put_file(b"b" * 1000)
    assert (stale.exists(), added.exists()) == (False, True)


def test_what_was_noted_of_a_file_goes_with_it(folder: Path) -> None:
    path = _put(b"a" * 1000, 3)
    assert cached_file(path.name)
    path.with_suffix(".seen").touch()
    assert {one.suffix for one in path.parent.iterdir()} == {"", ".seen", ".used"}
    _age(path.with_suffix(".used"), 2)
    _shrunk(0)
    assert list(path.parent.iterdir()) == []


def test_repositories_of_a_url_go_as_a_whole_but_for_their_lock(folder: Path) -> None:
    store = _store(folder, 2)
    (entry,) = _entries()
    # The second repository shares its pack with the first.
    assert (entry.size, entry.place) == (1000, store.place)
    assert _shrunk(0) == [store.place]
    assert [path.name for path in store.place.iterdir()] == ["lock"]
    assert store.repository() is None


def test_a_repository_that_is_asked_for_was_used(folder: Path) -> None:
    store = _store(folder, 2)
    assert store.repository() == store.place / "00000002.git"
    assert _shrunk(0) == []


def test_parts_of_builds_and_lists_of_apt_count(folder: Path) -> None:
    for path, size in (("parts/0a/x", 10), ("parts/0a/y", 20), ("parts/0b/x", 40), ("apt/lists/z", 80)):
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(bytes(size))
    assert sorted(one.size for one in _entries()) == [30, 40, 80]


@pytest.mark.parametrize(
    ("written", "size"),
    [("0", 0), ("1500", 1500), ("2k", 2000), ("500M", 500_000_000), ("10 G".replace(" ", ""), 10**10), ("1TB", 10**12)],
)
def test_sizes(written: str, size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(CACHE_LIMIT, written)
    assert cache_limit() == size


@pytest.mark.parametrize("written", ["", "much", "-1", "1.5G", "1P", "9" * 16])
def test_what_is_no_size_is_refused(written: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(CACHE_LIMIT, written)
    with pytest.raises(UsageError, match=r"WINNOW_CI_CACHE_LIMIT: .* is not a size"):
        cache_limit()


def test_while_somebody_looks_something_up_nothing_is_removed() -> None:
    stale = _put(b"a" * 1000, 2)
    with using_cache():
        assert _shrunk(0) == []
    assert _shrunk(0) == [stale]


FINDING = """
import os, sys, time
from pathlib import Path
from winnow_ci.fetching import cache
content, digest = b"a" * 1000, sys.argv[1]
was_found, was_removed = map(Path, sys.argv[2:])
while not was_removed.exists():
    # Between two looks, the other process may have the folder to itself.
    time.sleep(0.001)
    path = cache.cached_file(digest)
    if path is None:
        path = cache._place(digest)
        path.parent.mkdir(parents=True, exist_ok=True)
        with cache.incoming_file() as file:
            file.write(content)
            os.utime(file._path, (0, 0))
            file.keep(path)
            os.utime(path, (0, 0))
    else:
        # Whatever the others remove: what was found can be read.
        assert path.read_bytes() == content
        path.with_suffix(".used").unlink(missing_ok=True)
        was_found.touch()
"""

REMOVING = """
import os, sys, time
from pathlib import Path
from winnow_ci.fetching.cache import shrink_cache
os.environ["WINNOW_CI_CACHE_LIMIT"] = "0"
was_found, was_removed = map(Path, sys.argv[1:])
removed = 0
while removed < 200 or not was_found.exists():
    removed += len(shrink_cache())
    time.sleep(0.001)
was_removed.touch()
"""


def test_what_a_process_has_found_is_not_removed_before_it_is_read(folder: Path) -> None:
    digest = hashlib.sha256(b"a" * 1000).hexdigest()
    folder.mkdir()
    # Each goes on until the other has done its work, too.
    done = [str(folder.parent / name) for name in ("found", "removed")]
    lines = ([sys.executable, "-c", FINDING, digest, *done], [sys.executable, "-c", REMOVING, *done])
    runs = [subprocess.Popen(line) for line in lines]
    try:
        assert [run.wait(timeout=60) for run in runs] == [0, 0]
    finally:
        for run in runs:
            run.kill()
