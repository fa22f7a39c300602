"""``scan --window``: fewer k-grams are looked up, of which the index has nearly all."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.command import build, winnow
from support.donor import ROUTES, write_known
from winnow_ci.winnowing import select

if TYPE_CHECKING:
    from pathlib import Path

    from support.repository import Checkout


@given(
    hashes=st.lists(st.integers(0, 20), min_size=1, max_size=80) | st.lists(st.integers(0, 2**64 - 1), min_size=1),
    w=st.integers(1, 12),
    more=st.integers(0, 12),
)
def test_what_a_wider_window_selects_a_narrower_one_selects_too(hashes: list[int], w: int, more: int) -> None:
    values = np.array(hashes, np.uint64)
    if len(values) >= w + more:
        assert set(select(values, w + more, "winnowing").tolist()) <= set(select(values, w, "winnowing").tolist())


@pytest.fixture
def local(tmp_path: Path) -> Path:
    """An index of which a wider window has a part."""
    build(write_known(tmp_path / "source"), tmp_path / "local.db", "--selection", "robust", "-w", "12")
    return tmp_path / "local.db"


def test_what_was_copied_whole_is_found_with_a_wider_window(copied: Checkout, local: Path) -> None:
    scans = [
        winnow("scan", "--index", local, "--format", "json", *window, cwd=copied.root)
        for window in ((), ("--window", "12"), ("--window", "30"))
    ]
    everything, same, coarse = ({finding["path"] for finding in scan.findings()} for scan in scans)
    assert everything == same == coarse
    assert [scan.status for scan in scans] == [1, 1, 1]
    assert (
        "copies of fewer than 45 tokens may go unseen"
        in winnow("scan", "--index", local, "--window", "30", cwd=copied.root).errors
    )


def test_a_wide_window_leaves_a_small_copy_unseen(checkout: Checkout, local: Path) -> None:
    own = "".join(
        f"def f{n}(a, *b):\n    return {'[' * (n % 7)}a{']' * (n % 7)} {'+*-/%'[n % 5]} b\n" for n in range(60)
    )
    cut = "".join(ROUTES.splitlines(keepends=True)[18:44])
    checkout.commit({"cut.py": own + re.sub(r'f?("+)[^"]{20,}"+', r"\1\1", cut)})
    options = "scan", "--all", "--index", local, "--format", "json"
    assert winnow(*options, "--window", "500", cwd=checkout.root).findings() == []
    assert winnow(*options, cwd=checkout.root).findings() != []
    # What it says is looked up however wide the windows are.
    checkout.commit({"cut.py": own + cut})
    assert winnow(*options, "--window", "500", cwd=checkout.root).findings() != []


@pytest.mark.parametrize(
    ("selection", "window", "said"),
    [
        ("robust", "8", "w = 9, and lacks"),
        ("anchored", "20", "anchored selection"),
        ("mod-minimizer", "20", "mod-minimizer selection"),
        ("robust", "0", "1 to 500"),
    ],
)
def test_what_the_index_cannot_answer_is_refused(
    copied: Checkout, tmp_path: Path, selection: str, window: str, said: str
) -> None:
    build(write_known(tmp_path / "source"), tmp_path / "i.db", "--selection", selection)
    ended = winnow("scan", "--index", tmp_path / "i.db", "--window", window, cwd=copied.root)
    problem, remedy = ended.complaint(2)
    assert said in problem
    assert remedy


def test_the_baseline_is_not_updated_by_a_scan_that_does_not_look_at_all(copied: Checkout, known: Path) -> None:
    ended = winnow("scan", "--index", known, "--window", "30", "--update-baseline", cwd=copied.root)
    assert "--update-baseline" in ended.complaint(2)[0]
