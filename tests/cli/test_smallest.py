"""``scan --smallest``: the smallest fingerprints of a file are looked up first, the others only if one is known."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.command import build, winnow
from support.donor import ROUTES, write_known
from winnow_ci.scanner.kgrams import smallest_of

if TYPE_CHECKING:
    from pathlib import Path

    from support.repository import Checkout

OWN = "".join(f"def f{n}(a, *b):\n    return {'[' * (n % 7)}a{']' * (n % 7)} {'+*-/%'[n % 5]} b\n" for n in range(300))


@given(st.lists(st.tuples(st.integers(0, 20), st.booleans()), min_size=1, max_size=80), st.integers(1, 12))
def test_the_smallest_of_what_is_asked_for_are_asked_for_wherever_they_stand(kgrams, count):
    hashes, asked = np.array([value for value, _ in kgrams], np.uint64), np.array([own for _, own in kgrams])

    found = smallest_of(asked, hashes, count)

    first = sorted({value for value, own in kgrams if own})[:count]
    assert found.tolist() == [own and value in first for value, own in kgrams]


@pytest.mark.parametrize("selection", ["robust", "mod-minimizer"])
def test_of_a_file_that_is_a_copy_everything_is_found(copied: Checkout, tmp_path: Path, selection: str) -> None:
    build(write_known(tmp_path / "source"), tmp_path / "i.db", "--selection", selection, "-w", "12")
    options = "scan", "--index", tmp_path / "i.db", "--format", "json"

    full, narrowed = (winnow(*options, *less, cwd=copied.root) for less in ((), ("--smallest", "16")))

    assert full.status == narrowed.status == 1
    assert narrowed.findings() == full.findings() != []
    assert "the 16 smallest fingerprints were looked up first (--smallest), and nothing more of" in narrowed.errors


def test_a_small_copy_in_a_large_file_is_found_if_enough_is_looked_up(checkout: Checkout, tmp_path: Path) -> None:
    build(write_known(tmp_path / "source"), tmp_path / "i.db", "--selection", "robust", "-w", "12")
    cut = "".join(ROUTES.splitlines(keepends=True)[18:44])
    checkout.commit({"cut.py": OWN + re.sub(r'f?("+)[^"]{20,}"+', r"\1\1", cut), "own.py": OWN})
    options = "scan", "--all", "--index", tmp_path / "i.db", "--format", "json"

    few, enough = (winnow(*options, "--smallest", count, cwd=checkout.root) for count in ("1", "5000"))

    assert (few.status, few.findings()) == (0, [])
    assert "1 smallest fingerprint was looked up first (--smallest), and nothing more of 3 files" in few.errors
    assert "nothing more of 2 files: " in enough.errors
    assert winnow(*options, cwd=checkout.root).findings() == enough.findings() != []


def test_what_cannot_be_answered_is_refused(copied: Checkout, known: Path, tmp_path: Path) -> None:
    def refused(*options: str) -> str:
        return winnow("scan", "--index", known, "--smallest", *options, cwd=copied.root).complaint(2)[0]

    assert "anchored selection, and need not have the smallest" in refused("5")
    assert "--update-baseline would drop copies that --smallest leaves unseen" in refused("5", "--update-baseline")
    assert "not allowed with" in refused("5", "--window", "20")
    assert "1 to 1000000" in refused("0")
