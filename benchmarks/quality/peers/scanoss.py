"""scanoss: the fingerprints that it would send to its service, joined here, since there is no service to ask.

A hash stands for some 30 letters and digits before the line that it is written at, so neighbours join over a few lines.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, NamedTuple

from rounds import Overlap

from .running import Detection, Measured, home_of, run, side_by_side

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    Lines = dict[str, list[int]]  # hash → the lines it is at

GAP = 10  # lines between two hashes of one overlap, on either side
FEWEST = 2  # a single shared hash is mostly chance, and shows one line


class Hit(NamedTuple):
    line: int
    known_line: int


def detect(round: Path, work: Path) -> Detection:  # noqa: A002
    program = home_of("scanoss") / "bin/scanoss-py"
    scratch = side_by_side(round, work, "scanoss")
    costs = []
    for tree in ("new", "known"):
        options = ("--skip-settings-file", "--all-folders", "--all-extensions", "--output", f"{tree}.wfp")
        costs.append(run([program, "fingerprint", *options, tree], scratch))
    files = {tree: dict(fingerprints((scratch / f"{tree}.wfp").read_text())) for tree in ("new", "known")}
    return Detection(sorted(overlaps(files["new"], files["known"])), total(costs))


def total(costs: list[Measured]) -> Measured:
    return Measured(sum(c.seconds for c in costs), sum(c.cpu_seconds for c in costs), max(c.peak_mb for c in costs))


def fingerprints(text: str) -> Iterator[tuple[str, Lines]]:
    """The path and the hashes of each file, from scanoss' text."""
    for block in text.split("file=")[1:]:
        head, *rows = block.splitlines()
        lines = defaultdict(list)
        for number, _, hashes in (row.partition("=") for row in rows):
            for value in hashes.split(",") if number.isdigit() else ():
                lines[value].append(int(number))
        yield head.split(",", 2)[2], lines


def overlaps(changed: dict[str, Lines], known: dict[str, Lines]) -> Iterator[Overlap]:
    places = defaultdict(list)
    for name, hashes in known.items():
        for value, lines in hashes.items():
            places[value] += [(name, line) for line in lines]
    for path, hashes in changed.items():
        hits = defaultdict(set)
        for value, lines in hashes.items():
            for name, known_line in places.get(value, ()):
                hits[name].update(Hit(line, known_line) for line in lines)
        for name, found in hits.items():
            runs = (run for run in joined(sorted(found)) if len(run) >= FEWEST)
            yield from (Overlap(path, run[0].line, run[-1].line, name) for run in runs)


def joined(hits: list[Hit]) -> list[list[Hit]]:
    """Runs of hits that go forward in both files by at most a gap."""
    runs: list[list[Hit]] = []
    for hit in hits:
        for other in reversed(runs):
            last = other[-1]
            if hit.line - last.line <= GAP and 0 <= hit.known_line - last.known_line <= GAP:
                other.append(hit)
                break
        else:
            runs.append([hit])
    return runs
