"""The campaign of benchmarks/hostile: each part runs, and what goes wrong in a trial is seen and named."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest
from parts import PARTS
from supervising import made
from telling import Tally, tally
from trials import MOST_MEMORY, Outcome, Part, Verdict, numbers_of

if TYPE_CHECKING:
    from collections.abc import Iterable

CAMPAIGN = Path(__file__).parents[2] / "benchmarks" / "hostile"
QUICK = {"front-ends", "configurations", "indexes"}
"""Parts whose trials start no command."""
TRIALS = {name: 20 if name in QUICK else 1 for name in PARTS}


class Campaign(NamedTuple):
    """The exit status of a campaign, its records by part, and the folders of what failed."""

    status: int
    records: dict[str, dict[str, Any]]
    kept: list[Path]


def run(folder: Path, names: Iterable[str], trials: int) -> Campaign:
    """Make some trials of each part."""
    options = ("--only", ",".join(names), "--trials", str(trials), "--format", "json:report.json", "--keep", "kept")
    command = (sys.executable, str(CAMPAIGN), *options)
    done = subprocess.run(command, cwd=folder, capture_output=True, timeout=300, check=False, text=True)
    assert done.returncode in {0, 1}, done.stderr
    records = {record["part"]: record for record in json.loads((folder / "report.json").read_text())}
    return Campaign(done.returncode, records, list((folder / "kept").glob("*")))


@pytest.mark.parametrize("trials", sorted(set(TRIALS.values())))
def test_each_part_runs(tmp_path: Path, trials: int) -> None:
    names = [name for name in PARTS if TRIALS[name] == trials]
    campaign = run(tmp_path, names, trials)
    assert list(campaign.records) == names
    for record in campaign.records.values():
        assert record["tried"] == trials
        assert [record[verdict] for verdict in ("traceback", "over bounds")] == [0, 0], record
    failed = sum(record["not held"] for record in campaign.records.values())
    assert campaign.status == (1 if failed else 0)
    assert len(campaign.kept) == failed


def attempted(tmp_path: Path, attempt: Any, trials: int = 3, cpu: float = 10.0) -> Tally:
    part = Part("made-up", "", trials, trials, lambda _: attempt, cpu=cpu)
    work = tmp_path / "work"
    work.mkdir()
    return tally(part, made(part, attempt, range(trials), 1, work), tmp_path / "kept", 1)


def held(*_: object) -> Outcome:
    return Outcome(Verdict.HELD, "nothing")


def test_trials_are_counted_by_their_verdict(tmp_path: Path) -> None:
    verdicts = (Verdict.HELD, Verdict.MISSED, Verdict.LIMIT)
    done = attempted(tmp_path, lambda number, _: Outcome(verdicts[number], "a way", "why"))
    assert dict(done.counts) == dict.fromkeys(verdicts, 1)
    assert done.failed
    assert done.row().startswith("| made-up | 3 | 1 | 1 | 1 | 0 | 0 |")
    assert done.limits == (("a way", "why"),)
    assert "--only made-up --seed 1 --first 1 --trials 1" in (tmp_path / "kept" / "made-up-1-1" / "how.txt").read_text()


def test_a_campaign_without_failures_has_not_failed(tmp_path: Path) -> None:
    done = attempted(tmp_path, held)
    assert not done.failed
    assert not (tmp_path / "kept").exists()


def test_an_exception_is_a_traceback_and_the_others_go_on(tmp_path: Path) -> None:
    def attempt(number: int, _: object) -> Outcome:
        return held() if number != 1 else Outcome(Verdict(number), "no verdict")

    done = attempted(tmp_path, attempt)
    assert (done.counts[Verdict.HELD], done.counts[Verdict.TRACEBACK]) == (2, 1)
    assert "ValueError" in done.failures[0].outcome.says


def test_a_worker_that_dies_is_seen_and_the_others_go_on(tmp_path: Path) -> None:
    def attempt(number: int, _: object) -> Outcome:
        if number == 1:
            os.kill(os.getpid(), signal.SIGTERM)
        return held()

    done = attempted(tmp_path, attempt)
    assert (done.counts[Verdict.HELD], done.counts[Verdict.TRACEBACK]) == (2, 1)
    assert done.failures[0].number == 1


def test_a_trial_that_never_ends_is_over_its_bound(tmp_path: Path) -> None:
    def attempt(number: int, _: object) -> Outcome:
        while number == 0:
            pass
        return held()

    done = attempted(tmp_path, attempt, trials=2, cpu=0.1)
    assert (done.counts[Verdict.HELD], done.counts[Verdict.OVER]) == (1, 1)


def test_a_trial_that_takes_too_much_memory_is_over_its_bound(tmp_path: Path) -> None:
    def attempt(number: int, _: object) -> Outcome:
        taken = bytearray(b"x") * (MOST_MEMORY + (50 << 20)) if number == 0 else b""
        return Outcome(Verdict.HELD, str(len(taken)))

    done = attempted(tmp_path, attempt)
    assert (done.counts[Verdict.HELD], done.counts[Verdict.OVER]) == (2, 1)
    assert done.memory > MOST_MEMORY


def test_what_the_process_had_that_makes_a_trial_is_not_the_trials(tmp_path: Path) -> None:
    ours = bytearray(b"x") * (300 << 20)

    def attempt(*_: object) -> Outcome:
        subprocess.run([sys.executable, "-c", "bytearray(20 << 20)"], check=True)
        return Outcome(Verdict.HELD, str(len(ours)))

    assert attempted(tmp_path, attempt, trials=1).memory < 100 << 20


def test_a_trial_depends_on_the_seed_and_its_number_alone(tmp_path: Path) -> None:
    drawn: dict[bool, list[str]] = {}
    for backwards in (False, True):
        work = tmp_path / str(backwards)
        work.mkdir()
        part = Part("made-up", "", 5, 5, lambda _: held)
        numbers = sorted(range(5), reverse=backwards)
        trials = made(part, lambda _, chance: Outcome(Verdict.HELD, str(chance.random())), numbers, 7, work)
        drawn[backwards] = [trial.outcome.what for trial in trials]
    assert drawn[True] == drawn[False][::-1]
    assert len(set(drawn[True])) == 5


def test_of_a_table_each_row_is_tried_once() -> None:
    table = Part("made-up", "", 10, 10, lambda _: held, is_table=True)
    assert numbers_of(table, 100, 0, 1) == list(range(10))
    assert len(set(numbers_of(table, 4, 0, 1))) == 4
    assert numbers_of(table, 1, 7, 1) == [7]
    assert numbers_of(table._replace(is_table=False), 12, 3, 1) == list(range(3, 15))
