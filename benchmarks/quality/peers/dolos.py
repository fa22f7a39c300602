"""Dolos: winnowing of syntax trees (k=23, w=17), every fragment of every pair of a changed and a known file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .running import INSIDE, Detection, detected, home_of

if TYPE_CHECKING:
    from pathlib import Path


def detect(round: Path, work: Path) -> Detection:  # noqa: A002
    library = home_of("dolos") / "node_modules/@dodona/dolos-lib/dist/index.js"
    return detected("dolos", round, work, ["node", INSIDE / "in_dolos.mjs", library])
