"""jscpd 5, the native core: Rabin-Karp over at least 50 tokens and 5 lines, by default of exactly the same tokens."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

from rounds import Overlap

from .running import Detection, home_of, run, side_by_side

if TYPE_CHECKING:
    from collections.abc import Iterator


def detect(round: Path, work: Path) -> Detection:  # noqa: A002
    return _detected(round, work, "jscpd")


def detect_ignoring_identifiers(round: Path, work: Path) -> Detection:  # noqa: A002
    return _detected(round, work, "jscpd-identifiers", "--ignore-identifiers")


def detect_near_miss(round: Path, work: Path) -> Detection:  # noqa: A002
    """Clones of type 1 to 3: other names and values, gaps of up to five lines, functions of a similar structure."""
    types = ("--ignore-identifiers", "--ignore-literals", "--max-gap-lines", "5", "--similarity")
    return _detected(round, work, "jscpd-near-miss", *types)


def _detected(round_: Path, work: Path, name: str, *options: str) -> Detection:
    program = home_of("jscpd") / "bin/jscpd"
    scratch = side_by_side(round_, work, name)
    # Without the first, a .gitignore in a folder above would count; without the second, names do not tell the tree.
    always = ("--no-gitignore", "--absolute", "--silent", "--no-tips", "--reporters", "json", "--output", "report")
    measured = run([program, *always, *options, scratch / "new", scratch / "known"], scratch)
    clones = json.loads((scratch / "report/jscpd-report.json").read_text())["duplicates"]
    return Detection(sorted({overlap for clone in clones for overlap in _overlaps(clone, scratch)}), measured)


def _overlaps(clone: dict, scratch: Path) -> Iterator[Overlap]:
    sides = (clone["firstFile"], clone["secondFile"])
    for here, there in (sides, sides[::-1]):
        path, known = _below(scratch / "new", here), _below(scratch / "known", there)
        if path and known:
            yield Overlap(path, here["start"], here["end"], known)


def _below(tree: Path, side: dict) -> str | None:
    file = Path(side["name"])
    return file.relative_to(tree).as_posix() if file.is_relative_to(tree) else None
