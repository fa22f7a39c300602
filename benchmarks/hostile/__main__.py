"""Attacks on everything that reads what strangers write, counted: what held, what did not, and what it cost.

    python benchmarks/hostile [--only PART,PART] [--trials N | --full] [--seed S] [--first N]
                              [--format json:FILE] [--keep DIR] [--list]

Parts that are tables (evasions, rules, launderings) try each row once, or a sample of ``--trials N``. The others
make as many random trials as ``--trials`` says: a few minutes' worth by default, hours' worth with ``--full``. A
trial depends on nothing but the seed and its number. A failure is kept in a folder (``--keep``, by default
``hostile-failures`` here) with what reproduces it. Each trial runs in a process that is watched: 10 s of the
processor and 1 GiB a process are its bounds.

A trial is *held* if it ends in the right finding, the right error, or status 3. It is a *documented limit* if
docs/security.md says why it passes. Anything else, an exception, exit status 4 or a bound that was passed ends the
campaign with status 1.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1]))

from parts import PARTS
from supervising import made
from telling import HEAD, Tally, tally
from tqdm import tqdm
from trials import Part, numbers_of


def main() -> int:
    arguments = _parser().parse_args()
    if arguments.list:
        for part in PARTS.values():
            print(f"{part.name:14}{part.some:>8,}{part.full:>10,}  {part.about}")
        return 0
    print(HEAD, "\n|---|", "---:|" * 8, sep="", flush=True)
    tallies = [_run(PARTS[name], arguments) for name in arguments.only or PARTS]
    for done in tallies:
        for failure in done.failures:
            outcome = failure.outcome
            told = outcome.says.strip().splitlines() or [""]
            print(f"{done.part} {failure.number}: {outcome.verdict.value}: {outcome.what}: {told[-1][:200]}")
    for file in arguments.json:
        file.write_text(json.dumps([done.record() for done in tallies], indent=1) + "\n")
    return int(any(done.failed for done in tallies))


def _absolute(name: str) -> Path:
    """A path that stays the same when a part goes to another folder."""
    return Path(name).absolute()


def _run(part: Part, arguments: argparse.Namespace) -> Tally:
    trials = part.full if arguments.full else part.some if arguments.trials is None else arguments.trials
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix=f"winnow-{part.name}-") as name:
        work = Path(name).resolve()
        attempt = part.prepare(work)
        numbers = numbers_of(part, trials, arguments.first, arguments.seed)
        with tqdm(made(part, attempt, numbers, arguments.seed, work), part.name, len(numbers), disable=None) as trying:
            done = tally(part, trying, arguments.keep, arguments.seed)
    print(done.row(), flush=True)
    ways = ", ".join(f"{count:,} {way}" for way, count in sorted(done.ways.items()) if way)
    print(f"{part.name}: {time.monotonic() - began:.0f} s; held: {ways}", file=sys.stderr)
    return done


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--only", type=_names, metavar="PART,PART")
    size = parser.add_mutually_exclusive_group()
    size.add_argument("--trials", type=int, metavar="N")
    size.add_argument("--full", action="store_true")
    parser.add_argument("--seed", type=int, default=1, metavar="S")
    parser.add_argument("--first", type=int, default=0, metavar="N")
    parser.add_argument("--format", dest="json", action="append", default=[], type=_json, metavar="json:FILE")
    parser.add_argument("--keep", type=_absolute, default=_absolute("hostile-failures"), metavar="DIR")
    parser.add_argument("--list", action="store_true", help="the parts, with their numbers of trials")
    return parser


def _names(text: str) -> list[str]:
    names = text.split(",")
    if unknown := set(names) - PARTS.keys():
        raise argparse.ArgumentTypeError(f"no such part: {', '.join(sorted(unknown))}")
    return names


def _json(text: str) -> Path:
    if not text.startswith("json:"):
        raise argparse.ArgumentTypeError("json:FILE is the only format besides the table")
    return Path(text.removeprefix("json:")).resolve()


if __name__ == "__main__":
    sys.exit(main())
