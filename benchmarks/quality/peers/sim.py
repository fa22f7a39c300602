"""sim, as Debian has it: runs of 24 tokens and more, names and numbers of one kind each, against known files only."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import contract
from rounds import Overlap

from .running import Detection, FailedError, home_of, run, side_by_side

if TYPE_CHECKING:
    from pathlib import Path

PROGRAMS = {"c": "sim_c", "cpp": "sim_c++", "java": "sim_java"}
WIDTH = 2000  # of a line of the report: room for two long paths
RUN = re.compile(r"^new/(.+): line (\d+)-(\d+) *\|known/(.+): line (\d+)-(\d+) *\[\d+\]$", re.MULTILINE)


def detect(round: Path, work: Path) -> Detection:  # noqa: A002
    language = contract.read(round).language
    if language not in PROGRAMS:
        raise FailedError(f"sim does not know {language}")
    program = home_of("sim") / "usr/bin" / PROGRAMS[language]
    scratch = side_by_side(round, work, "sim")
    measured = run([program, "-n", "-S", "-T", "-R", "-w", str(WIDTH), "new", "/", "known"], scratch)
    rows = RUN.findall((scratch / "output.txt").read_text(errors="replace"))
    found = {Overlap(path, int(start), int(end), known, int(a), int(b)) for path, start, end, known, a, b in rows}
    return Detection(sorted(found), measured)
