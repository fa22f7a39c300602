"""Winnowing by the book (Schleimer et al. 2003), as the baseline: see inside/in_book.py."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from .running import INSIDE, Detection, detected

if TYPE_CHECKING:
    from pathlib import Path


def detect(round: Path, work: Path) -> Detection:  # noqa: A002
    return detected("book", round, work, [sys.executable, INSIDE / "in_book.py"])
