"""compare50: its first pass (structure: k=25, t=35), the 50 best pairs; known files are given as archives."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .running import INSIDE, Detection, detected, home_of

if TYPE_CHECKING:
    from pathlib import Path


def detect(round: Path, work: Path) -> Detection:  # noqa: A002
    python = home_of("compare50") / "bin/python"
    return detected("compare50", round, work, [python, INSIDE / "in_compare50.py"])
