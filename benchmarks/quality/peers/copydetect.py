"""copydetect: every k-gram of 25 characters of the filtered code that two files share, without a display threshold."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .running import INSIDE, Detection, detected, home_of

if TYPE_CHECKING:
    from pathlib import Path


def detect(round: Path, work: Path) -> Detection:  # noqa: A002
    python = home_of("copydetect") / "bin/python"
    return detected("copydetect", round, work, [python, INSIDE / "in_copydetect.py"])
