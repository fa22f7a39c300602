"""The bound of the cache: what was not used for the longest time goes, and nothing that somebody is about to read."""

from __future__ import annotations

import hashlib
import io
import os
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import pytest

from winnow_ci.errors import UsageError
from winnow_ci.fetching import cache_folder, file_cache
from winnow_ci.fetching.git_store import GitStore

if TYPE_CHECKING:
    from pathlib import Path

DAY = 24 * 3600


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("WINNOW_CI_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.delenv(cache_folder.LIMIT, raising=False)
    return tmp_path / "cache"


def _put(content: bytes, days: float) -> Path:
    """A file of the cache that was put there, and used last, so many days ago."""
    path = file_cache.put(io.BytesIO(content))
    _age(path, days)
    return path


def _age(path: Path, days: float) -> None:
    past = time.time() - days * DAY
    os.utime(path, (past, past))


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
    assert file_cache.get(older.name) == older
    removed = cache_folder.remove(1999)
    assert [one.place for one in removed] == [oldest, old]
    assert not old.exists()
    assert not oldest.exists()
    assert file_cache.get(older.name) == older


def test_no_more_goes_than_must() -> None:
    kept = [_put(bytes([number]) * 1000, 2 + number) for number in range(3)]
    assert cache_folder.remove(3000) == []
    assert [one.place for one in cache_folder.remove(2999)] == [kept[2]]


def test_what_was_used_in_the_last_day_stays() -> None:
    fresh, stale = _put(b"a" * 1000, 0.99), _put(b"b" * 1000, 1.01)
    assert [one.place for one in cache_folder.remove(0)] == [stale]
    assert fresh.exists()
    assert [one.place for one in cache_folder.remove(0, grace=float("-inf"))] == [fresh]


def test_adding_keeps_the_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(cache_folder.LIMIT, "1500")
    stale = _put(b"a" * 1000, 2)
    added = file_cache.put(io.BytesIO(b"b" * 1000))
    assert (stale.exists(), added.exists()) == (False, True)


def test_what_was_noted_of_a_file_goes_with_it(folder: Path) -> None:
    path = _put(b"a" * 1000, 3)
    assert file_cache.get(path.name)
    path.with_suffix(".seen").touch()
    assert {one.suffix for one in path.parent.iterdir()} == {"", ".seen", ".used"}
    _age(path.with_suffix(".used"), 2)
    cache_folder.remove(0)
    assert list(path.parent.iterdir()) == []


def test_repositories_of_a_url_go_as_a_whole_but_for_their_lock(folder: Path) -> None:
    store = _store(folder, 2)
    (entry,) = cache_folder.entries()
    # The second repository shares its pack with the first.
    assert (entry.kind, entry.size, entry.place) == ("git repositories", 1000, store.place)
    assert cache_folder.remove(0) == [entry]
    assert [path.name for path in store.place.iterdir()] == ["lock"]
    assert store.repository() is None


def test_a_repository_that_is_asked_for_was_used(folder: Path) -> None:
    store = _store(folder, 2)
    assert store.repository() == store.place / "00000002.git"
    assert cache_folder.remove(0) == []


def test_parts_of_builds_and_lists_of_apt_count(folder: Path) -> None:
    for path, size in (("parts/0a/x", 10), ("parts/0a/y", 20), ("parts/0b/x", 40), ("apt/lists/z", 80)):
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(bytes(size))
    assert sorted((one.kind, one.size) for one in cache_folder.entries()) == [
        ("lists of apt", 80),
        ("parts of builds", 30),
        ("parts of builds", 40),
    ]


@pytest.mark.parametrize(
    ("written", "size"),
    [("0", 0), ("1500", 1500), ("2k", 2000), ("500M", 500_000_000), ("10 G".replace(" ", ""), 10**10), ("1TB", 10**12)],
)
def test_sizes(written: str, size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(cache_folder.LIMIT, written)
    assert cache_folder.limit() == size


@pytest.mark.parametrize("written", ["", "much", "-1", "1.5G", "1P", "9" * 16])
def test_what_is_no_size_is_refused(written: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(cache_folder.LIMIT, written)
    with pytest.raises(UsageError, match=r"WINNOW_CI_CACHE_LIMIT: .* is no size"):
        cache_folder.limit()


def test_while_somebody_looks_something_up_nothing_is_removed() -> None:
    stale = _put(b"a" * 1000, 2)
    with cache_folder.using():
        with pytest.raises(BlockingIOError):
            cache_folder.remove(0, wait=False)
        cache_folder.shrink()
    assert stale.exists()


FINDING = """
import os, sys, time
from pathlib import Path
from winnow_ci.fetching import file_cache
content, digest = b"a" * 1000, sys.argv[1]
was_found, was_removed = map(Path, sys.argv[2:])
while not was_removed.exists():
    # Between two looks, the other process may have the folder to itself.
    time.sleep(0.001)
    path = file_cache.get(digest)
    if path is None:
        path = file_cache._place(digest)
        path.parent.mkdir(parents=True, exist_ok=True)
        with file_cache.incoming() as file:
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
import sys, time
from pathlib import Path
from winnow_ci.fetching import cache_folder
was_found, was_removed = map(Path, sys.argv[1:])
removed = 0
while removed < 200 or not was_found.exists():
    removed += len(cache_folder.remove(0))
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
