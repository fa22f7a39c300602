"""What is left out of a scan before it costs time and memory, and what the base had is read once."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.repository import Checkout
from winnow_ci import git, languages
from winnow_ci.config.settings import Settings
from winnow_ci.languages import Untokenizable, readings
from winnow_ci.model import LineRange, Skipped
from winnow_ci.scanner.files import PreparedFile, on_lines
from winnow_ci.scanner.read import LONGEST_EARLIER, earlier_readings, read_in_scope, skip_by_path

if TYPE_CHECKING:
    from pathlib import Path


def test_more_tokens_than_there_is_memory_for_are_not_scanned(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # To read a file of 20 million tokens takes minutes.
    assert languages.TOKEN_LIMIT == 20_000_000
    monkeypatch.setattr(languages, "TOKEN_LIMIT", 6)
    checkout = Checkout.create(tmp_path / "checkout")
    checkout.commit({"a.py": "a = 1\nb = 2\n", "b.py": "a = 1\nb = 2;\n"})
    repository = git.Repository.find(checkout.root)
    fits, exceeds = read_in_scope(partial(git.read_changes, repository), git.everything(repository).files, Settings())
    assert fits.path == "a.py"
    assert not isinstance(fits, Skipped)
    assert exceeds == Skipped("b.py", "more than 6 tokens", "not-scanned")


def test_a_language_that_a_name_says_is_left_out_unread() -> None:
    settings = Settings(languages=("python",))
    reason = "language javascript is not among the configured languages"
    assert skip_by_path("lib/a.js", settings) == Skipped("lib/a.js", reason, "out-of-scope")
    assert skip_by_path("lib/a.py", settings) is None


def test_where_the_content_has_a_say_it_is_read() -> None:
    """``#!`` of a file whose name says nothing, and endings of two languages."""
    settings = Settings(languages=("python", "xml"))
    assert skip_by_path("bin/tool", settings) is None
    assert skip_by_path("translation.ts", settings) is None


def test_files_of_64_mib_are_read(tmp_path: Path) -> None:
    checkout = Checkout.create(tmp_path / "checkout")
    checkout.commit({"README": "Nothing.\n"})
    for name, size in (("exceeds", (64 << 20) + 1), ("fits", 64 << 20)):
        # Only what it says tells that it is no code.
        with (checkout.root / name).open("wb") as file:
            file.truncate(size)
    repository = git.Repository.find(checkout.root)
    exceeds, fits = read_in_scope(
        partial(git.read_changes, repository), git.since(repository, "HEAD").files, Settings()
    )
    assert isinstance(exceeds, Skipped)
    assert (exceeds.path, exceeds.state) == ("exceeds", "not-scanned")
    assert fits == Skipped("fits", "unknown language", "out-of-scope")


@pytest.mark.parametrize(("comments", "read"), [(10_000, 10_000), (10_001, 10_000)])
def test_ten_thousand_comments_that_allow_a_copy_are_read_at_most(tmp_path: Path, comments: int, read: int) -> None:
    checkout = Checkout.create(tmp_path / "checkout")
    checkout.commit({"a.py": "a = 1  # winnow-ci: allow roads as we agreed\n" * comments})
    repository = git.Repository.find(checkout.root)
    (file,) = read_in_scope(partial(git.read_changes, repository), git.everything(repository).files, Settings())
    assert isinstance(file, PreparedFile)
    assert len(file.allows) == read


spans = st.lists(st.tuples(st.integers(1, 30), st.sampled_from([0, 0, 0, 1, 5])), max_size=12).map(sorted)
ranges = st.lists(st.tuples(st.integers(1, 3), st.integers(0, 4)), max_size=5)


@given(tokens=spans, steps=ranges)
def test_tokens_are_on_lines_that_they_touch(tokens: list[tuple[int, int]], steps: list[tuple[int, int]]) -> None:
    """Some strings span lines; ranges follow each other, with and without lines between them."""
    added, last = [], 0
    for step, more in steps:
        added.append(LineRange(last + step, last + step + more))
        last = added[-1].last
    first = np.array([line for line, _ in tokens], np.int32)
    end = np.maximum.accumulate(np.array([line + more for line, more in tokens], np.int32))
    expected = [any(one.first <= b and a <= one.last for one in added) for a, b in zip(first, end, strict=True)]
    assert on_lines(first, end, added).tolist() == expected


CODE = b"def level(depth):\n    return depth * 2\n"


def test_other_alphabets_of_the_batch_make_no_difference() -> None:
    (one,) = earlier_readings("python", CODE, {"python"})
    (other,) = earlier_readings("python", CODE, {"python", "c"})
    (new,) = readings("python", CODE, {"python"})
    assert one is other
    assert one.tokens.verbatim.tolist() == new.tokens.verbatim.tolist()


def test_what_is_asked_for_makes_a_difference() -> None:
    assert list(earlier_readings("python", CODE, {"c"})) == []
    (scanned,) = earlier_readings("python", CODE, {"python"})
    (as_c,) = earlier_readings("c", CODE, {"c"})
    assert (scanned.front_end.name, as_c.front_end.name) == ("python", "c")


@pytest.mark.parametrize(("size", "is_kept"), [(LONGEST_EARLIER, True), (LONGEST_EARLIER + 1, False)])
def test_long_contents_are_not_kept(size: int, is_kept: bool) -> None:
    content = CODE.ljust(size, b"\n")
    (one,), (other,) = (earlier_readings("python", content, {"python"}) for _ in range(2))
    assert (one is other) is is_kept


def test_what_cannot_be_read_is_told_each_time() -> None:
    for _ in range(2):
        with pytest.raises(Untokenizable):
            list(earlier_readings("python", b"\0binary", {"python"}))
