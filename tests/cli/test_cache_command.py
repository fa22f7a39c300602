"""``winnow-ci cache``: where the cache is, what is in it, and making it smaller."""

from __future__ import annotations

import os
import re
import time
from typing import TYPE_CHECKING

from support.command import winnow

if TYPE_CHECKING:
    from pathlib import Path


def test_a_cache_that_is_not_there_yet(tmp_path: Path, cache: Path) -> None:
    ended = winnow("cache", cwd=tmp_path)
    assert (ended.status, ended.errors) == (0, "")
    assert ended.output == f"{cache}\n0.0 MB of at most 10.00 GB (WINNOW_CI_CACHE_LIMIT)\n"
    for words in (("cache", "prune"), ("cache", "clear")):
        assert winnow(*words, cwd=tmp_path).output == "0 entries removed (0.0 MB), 0.0 MB left\n"
    assert not cache.exists()


def test_what_is_in_it_and_how_it_goes(tmp_path: Path, cache: Path) -> None:
    for number, (start, size) in enumerate(((b"SQLite format 3\0", 3_000_000), (b"PK", 2_000_000), (b"PK", 1_000_000))):
        path = cache / "files" / f"{number}a" / (f"{number}a" * 32)
        path.parent.mkdir(parents=True)
        path.write_bytes(start.ljust(size, b"\0"))
        past = time.time() - (number + 2) * 86400
        os.utime(path, (past, past))
    limited = {"WINNOW_CI_CACHE_LIMIT": "5500K"}
    shown = winnow("cache", cwd=tmp_path, **limited).output
    assert re.fullmatch(
        rf"{cache}\n"
        r"WHAT +NUMBER +SIZE +LAST USED\n"
        r"indexes +1 +3\.0 MB +20\d\d-\d\d-\d\d \d\d:\d\d\n"
        r"packages and other files +2 +3\.0 MB +20\d\d-\d\d-\d\d \d\d:\d\d\n"
        r"6\.0 MB of at most 5\.5 MB \(WINNOW_CI_CACHE_LIMIT\)\n",
        shown,
    )
    assert winnow("cache", "prune", cwd=tmp_path, **limited).output == "1 entry removed (1.0 MB), 5.0 MB left\n"
    assert winnow("cache", "prune", "--to", "3M", cwd=tmp_path).output == "1 entry removed (2.0 MB), 3.0 MB left\n"
    assert winnow("cache", "clear", cwd=tmp_path).output == "1 entry removed (3.0 MB), 0.0 MB left\n"


def test_a_size_that_is_none(tmp_path: Path, cache: Path) -> None:
    problem, remedy = winnow("cache", "prune", "--to", "some", cwd=tmp_path).complaint(2)
    assert problem == "--to: 'some' is not a size"
    assert "10G" in remedy
    problem, _ = winnow("cache", cwd=tmp_path, WINNOW_CI_CACHE_LIMIT="some").complaint(2)
    assert problem == "WINNOW_CI_CACHE_LIMIT: 'some' is not a size"
