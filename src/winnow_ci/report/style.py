"""How a report is asked for."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeAlias

from winnow_ci.model import ScanReport


@dataclass(frozen=True, slots=True)
class ReportStyle:
    """What the reader's screen can show; formats for programs ignore it.

    ``guard`` is a word that the author of a change cannot foresee. It fences off text in the log of a CI runner.
    """

    colour: bool = False
    width: int = 100
    guard: str = field(default_factory=lambda: os.urandom(16).hex())


ReportFormat: TypeAlias = Callable[[ScanReport, ReportStyle], str]
