"""Runs → tables in Markdown."""

from __future__ import annotations

import statistics
from collections import defaultdict
from typing import TYPE_CHECKING, NamedTuple

from inputs import size
from measuring import Cost
from subjects import BOTH, BUILD, KNOWN_ONLY, OURS, PEERS, SUMS, Ran, version

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from inputs import Input

BEGIN, END = "<!-- figures: python benchmarks/speed -->", "<!-- end of figures -->"
MEGA = 1e6
MISSED = "(missed)"


class Aim(NamedTuple):
    """How many times ours a peer's value shall be at least."""

    title: str
    least: float
    peer: str
    ours: str
    value: Callable[[Ran], float]


def _cpu(ran: Ran) -> float:
    return ran.cost.cpu


def _memory(ran: Ran) -> float:
    return ran.cost.together


SLOW = ("copydetect", "Dolos", "Dolos-lines", "compare50")
AIMS = (
    Aim("jscpd on known code : build, CPU, at least 3", 3, KNOWN_ONLY, BUILD, _cpu),
    Aim("jscpd : both, CPU, at least 2", 2, "jscpd", BOTH, _cpu),
    *(Aim(f"{peer} : both, CPU, at least 20", 20, peer, BOTH, _cpu) for peer in SLOW),
    *(Aim(f"{peer} : both, peak memory, more than 1", 1, peer, BOTH, _memory) for peer in ("jscpd", *SLOW)),
)
COLUMNS = ("runs", "wall s", "CPU s", "CPU, ratio", "MB/s of CPU", "peak MiB", "largest process", "stored MB")
COLUMNS += ("files read", "found in")
HEAD = f"| | {' | '.join(COLUMNS)} |\n|---|{'---:|' * len(COLUMNS)}"


class Results:
    """What was run on an input, and why something was not."""

    def __init__(self, code: Input) -> None:
        self.code = code
        self.runs: dict[str, list[Ran]] = defaultdict(list)
        self.reasons: dict[str, str] = {}
        self.stages: list[dict[str, float]] = []

    def medians(self) -> dict[str, Ran]:
        """Of each subject that was run, and of our two commands one after the other."""
        runs = {name: ran for name, ran in self.runs.items() if ran}
        for both, (build, scan) in SUMS.items():
            if {build, scan} <= runs.keys():
                runs[both] = [_together(*pair) for pair in zip(runs[build], runs[scan], strict=False)]
        return {name: _median(ran) for name, ran in runs.items()}


def aims(results: list[Results]) -> str:
    """A table of what winnow-ci shall reach; an input without one of the tools says nothing about it."""
    columns = [(each.code.name, each.medians()) for each in results]
    lines = ["| aim | " + " | ".join(name for name, _ in columns) + " |", "|---|" + "---:|" * len(columns)]
    for title, least, peer, ours, value in AIMS:
        cells = [
            _reached(value(of[peer]) / value(of[ours]), least) if {peer, ours} <= of.keys() else "" for _, of in columns
        ]
        lines.append(f"| {title} | {' | '.join(cells)} |")
    return "\n".join(lines)


def _reached(ratio: float, least: float) -> str:
    return f"{ratio:.1f}" if ratio >= least else f"{ratio:.1f} {MISSED}"


def markdown(results: Results) -> str:
    """A heading, what the input is, and a table with a row a subject."""
    sides = {"known": size(results.code.known), "new": size(results.code.changed)}
    (known, known_bytes), (new, new_bytes) = sides.values()
    medians = results.medians()
    rows = [
        f"### {results.code.name[0].upper()}{results.code.name[1:]}\n",
        f"Known: {known} files, {known_bytes / MEGA:.1f} MB. Changed: {new} files, {new_bytes / MEGA:.1f} MB.\n",
        HEAD,
    ]
    for name in (*OURS, *SUMS, *PEERS):
        reads = tuple(sides) if name in SUMS else {**OURS, **PEERS}[name].reads
        read = (sum(sides[side][0] for side in reads), sum(sides[side][1] for side in reads) / MEGA)
        if name in medians:
            rows.append(_row(name, len(results.runs[SUMS[name][1] if name in SUMS else name]), medians, read))
        elif name in results.reasons:
            rows.append(f"| {_title(name)} | {results.reasons[name]} |" + " |" * (len(COLUMNS) - 1))
    return "\n".join(rows)


def _row(name: str, runs: int, medians: dict[str, Ran], read: tuple[int, float]) -> str:
    ran, both = medians[name], medians.get(BOTH)
    cost, (files, megabytes) = ran.cost, read
    cells = (
        _title(name),
        f"{runs}",
        f"{cost.wall:.2f}",
        f"{cost.cpu:.2f}",
        f"{cost.cpu / both.cost.cpu:.2f}" if both else "",
        f"{megabytes / cost.cpu:.2f}",
        f"{cost.together:.0f}",
        f"{cost.largest:.0f}",
        "" if ran.stored is None else f"{ran.stored / MEGA:.2f}",
        f"{ran.files} of {files}",
        "" if ran.found is None else f"{ran.found}",
    )
    return f"| {' | '.join(cells)} |"


def _title(name: str) -> str:
    return f"{name} {version(name)}".strip() if name in PEERS else name


def _median(runs: list[Ran]) -> Ran:
    cost = Cost(*(statistics.median(values) for values in zip(*(ran.cost for ran in runs), strict=True)))
    return runs[-1]._replace(cost=cost)


def _together(build: Ran, scan: Ran) -> Ran:
    one, other = build.cost, scan.cost
    most = (max(one.largest, other.largest), max(one.together, other.together))
    cost = Cost(one.wall + other.wall, one.cpu + other.cpu, *most)
    return Ran(cost, build.files + scan.files, scan.found, build.stored)


def stages(results: list[Results]) -> str:
    """Where the processor time of our scans goes."""
    columns = {each.code.name: each.stages for each in results if each.stages}
    names = list(dict.fromkeys(name for runs in columns.values() for name in runs[0]))
    lines = ["| CPU s of `scan --all` | " + " | ".join(columns) + " |", "|---|" + "---:|" * len(columns)]
    for name in names:
        seconds = [statistics.median(run.get(name, 0.0) for run in runs) for runs in columns.values()]
        lines.append(f"| {name} | " + " | ".join(f"{value:.2f}" for value in seconds) + " |")
    return "\n".join(["### Where a scan's processor time goes\n", *lines])


def put_into(file: Path, text: str) -> None:
    """Replace what stands between the two marks of a file; without them, the whole file."""
    old = file.read_text() if file.exists() else ""
    before, begin, rest = old.partition(BEGIN)
    _, end, after = rest.partition(END)
    file.write_text(f"{before}{BEGIN}\n\n{text}\n\n{END}{after}" if begin and end else f"{BEGIN}\n\n{text}\n\n{END}\n")
