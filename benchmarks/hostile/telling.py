"""The table of a campaign, and what reproduces each failure."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, NamedTuple

from trials import Verdict

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from trials import Part, Trial

FAILURES = (Verdict.MISSED, Verdict.TRACEBACK, Verdict.OVER)
# As many as anyone will look at; the counts are of all.
MOST_KEPT = 50
HEAD = "| part | tried | held | not held | documented limit | tracebacks | over bounds | worst CPU s | worst MiB |"


class Tally(NamedTuple):
    """How the trials of a part ended.

    Attributes:
        part: its name.
        counts: trials, by verdict.
        slowest: the trial that took the processor longest.
        largest: the first trial after which a process had had so much memory.
        failures: the first failed trials.
        limits: the ways that a documented limit lets through, with the limit.
        ways: how the trials that held did so.
    """

    part: str
    counts: Counter[Verdict]
    slowest: Trial | None
    largest: Trial | None
    failures: tuple[Trial, ...]
    limits: tuple[tuple[str, str], ...]
    ways: Counter[str]

    @property
    def cpu(self) -> float:
        """Seconds of the processor that the slowest trial took."""
        return self.slowest.cpu if self.slowest else 0.0

    @property
    def memory(self) -> int:
        """Bytes that the largest process had."""
        return self.largest.memory if self.largest else 0

    @property
    def failed(self) -> bool:
        return any(self.counts[verdict] for verdict in FAILURES)

    def row(self) -> str:
        """A row of the table."""
        numbers = [sum(self.counts.values()), *(self.counts[verdict] for verdict in Verdict)]
        cells = [f"{number:,}" for number in numbers]
        return f"| {self.part} | {' | '.join(cells)} | {self.cpu:.1f} | {self.memory >> 20:,} |"

    def record(self) -> dict[str, Any]:
        """The same for JSON."""
        return {
            "part": self.part,
            "tried": sum(self.counts.values()),
            **{verdict.value: self.counts[verdict] for verdict in Verdict},
            "cpu": round(self.cpu, 2),
            "slowest trial": self.slowest.number if self.slowest else None,
            "mebibytes": self.memory >> 20,
            "largest trial": self.largest.number if self.largest else None,
            "failures": [
                {"trial": trial.number, "what": trial.outcome.what, "says": trial.outcome.says}
                for trial in self.failures
            ],
            "ways": dict(self.ways),
            "limits": [{"what": what, "limit": limit} for what, limit in self.limits],
        }


def tally(part: Part, trials: Iterable[Trial], kept: Path, seed: int) -> Tally:
    """Count how trials end, and keep what reproduces the first failures."""
    counts: Counter[Verdict] = Counter()
    ways: Counter[str] = Counter()
    slowest: Trial | None = None
    largest: Trial | None = None
    failures: list[Trial] = []
    limits: dict[str, str] = {}
    for trial in trials:
        counts[trial.outcome.verdict] += 1
        slowest = trial if slowest is None or trial.cpu > slowest.cpu else slowest
        largest = trial if largest is None or trial.memory > largest.memory else largest
        if trial.outcome.verdict is Verdict.HELD:
            ways[trial.outcome.says] += 1
        elif trial.outcome.verdict is Verdict.LIMIT:
            limits[trial.outcome.what] = trial.outcome.says
        elif trial.outcome.verdict in FAILURES and len(failures) < MOST_KEPT:
            failures.append(trial)
            _keep(part, trial, kept, seed)
    return Tally(part.name, counts, slowest, largest, tuple(failures), tuple(limits.items()), ways)


def _keep(part: Part, trial: Trial, kept: Path, seed: int) -> None:
    folder = kept / f"{part.name}-{seed}-{trial.number}"
    folder.mkdir(parents=True, exist_ok=True)
    again = f"python benchmarks/hostile --only {part.name} --seed {seed} --first {trial.number} --trials 1"
    outcome = trial.outcome
    told = f"{again}\n{outcome.verdict.value}: {outcome.what}\n{outcome.says}\n"
    (folder / "how.txt").write_text(told, encoding="utf-8", errors="backslashreplace")
    for name, content in outcome.files.items():
        (folder / name.replace("/", "_")[-100:]).write_bytes(content)
