"""Vendetect: every k-gram of 25 characters that two files share, of the files that are alike by half."""

from __future__ import annotations

import csv
from functools import cache
from typing import TYPE_CHECKING

from rounds import Overlap

from .running import Detection, home_of, run, side_by_side

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path


def detect(round: Path, work: Path) -> Detection:  # noqa: A002
    program = home_of("vendetect") / "bin/vendetect"
    scratch = side_by_side(round, work, "vendetect")
    # Its JSON ends in an error with today's NumPy.
    options = ("--quiet", "--format", "csv", "--output", "report.csv", "--max-history-depth", "0")
    measured = run([program, *options, "new", "known"], scratch)
    with (scratch / "report.csv").open(newline="") as report:
        return Detection(sorted(set(_overlaps(csv.DictReader(report), scratch / "new"))), measured)


def _overlaps(rows: Iterable[dict[str, str]], tree: Path) -> Iterator[Overlap]:
    """A slice has the places of its first character and of the one after its last."""
    read = cache(lambda path: (tree / path).read_text(errors="replace"))
    for row in rows:
        path, start, end = row["Test File"], int(row["Test Slice Start"]), int(row["Test Slice End"])
        text = read(path)
        last = text.count("\n", 0, max(start, end - 1)) + 1
        yield Overlap(path, text.count("\n", 0, start) + 1, last, row["Source File"])
