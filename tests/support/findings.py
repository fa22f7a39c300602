"""What the command found, each time that a hook ran it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

Found = tuple[str, str, int, int, str]


@dataclass(frozen=True)
class Findings:
    """The JSON reports in a folder, one for each time; they are taken out when they are looked at."""

    folder: Path

    def reports(self) -> list[dict[str, Any]]:
        """The reports, oldest first."""
        files = sorted(self.folder.iterdir(), key=lambda file: file.stat().st_mtime_ns)
        found = [json.loads(file.read_text()) for file in files]
        for file in files:
            file.unlink()
        return found

    def all(self) -> list[Found]:
        """The findings of all of them."""
        return [found for report in self.reports() for found in summary(report)]

    def lines(self) -> set[tuple[str, int, int]]:
        """Where they are."""
        return {(path, first, last) for _, path, first, last, _ in self.all()}


def summary(report: dict[str, Any]) -> list[Found]:
    """What every way of looking at a change must agree on: ids, places and levels."""
    keys = ("id", "path", "start_line", "end_line", "level")
    return [tuple(finding[key] for key in keys) for finding in report["findings"]]
