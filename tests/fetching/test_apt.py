"""apt's state: how long lists count as fresh. What is done with apt: ``test_debian_packages``."""

from __future__ import annotations

import os
import shutil
import time
from typing import TYPE_CHECKING

import pytest

from winnow_ci.fetching.apt import Apt

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(("age", "digest", "is_fresh"), [(590, "a", True), (601, "a", False), (0, "b", False)])
def test_lists_are_fresh_for_ten_minutes_and_for_the_same_mirrors(
    age: int, digest: str, is_fresh: bool, tmp_path: Path
) -> None:
    stamp = tmp_path / "updated"
    stamp.write_text("a", encoding="ascii")
    os.utime(stamp, (time.time() - age, time.time() - age))
    # A program that fails: an update that is not made cannot fail.
    failing = shutil.which("false") or "/bin/false"
    complaint = Apt(failing, tmp_path, tmp_path, digest).update()
    assert (complaint, stamp.exists()) == ((None, True) if is_fresh else ("ended with status 1", False))
