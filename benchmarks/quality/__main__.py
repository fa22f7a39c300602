"""How well copied code is found: pull requests with known truth, made from real code.

For each language and mutation a round is made: stretches of a donor project's code (6, 10, 20, 40 lines, whole
functions) are drawn at random, changed as a person would change them, and put into files of an unrelated host project,
one a file. As many host files get innocent code of a third, unknown project. A detector is given the known projects
and the files before and after, and is scored on what it reports: recall, line precision, innocent files hit,
attribution, fit of the lines. README.md has the method and its biases.

Further programs beside this one: noise.py, guarantee.py, launderings.py, applications.py, independence.py.
"""

from __future__ import annotations

import argparse
import json
import resource
import sys
import tempfile
import time
from collections import defaultdict
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import NamedTuple

from detectors import detector_named, names
from rounds import make, options
from scoring import Score, score
from sets import SETS, languages_of
from tables import Result, as_json, described, missed


class Part(NamedTuple):
    """A detector on one round."""

    detector: str
    score: Score
    seconds: float
    cpu_seconds: float  # of the processes that it ran


class Plan(NamedTuple):
    """What to run on each language."""

    mutations: tuple[str, ...]
    detectors: tuple[str, ...]
    each: int
    work: Path
    set: str


def main() -> None:
    arguments = _parser().parse_args()
    languages = languages_of(arguments.set, arguments.languages)
    with ExitStack() as stack:
        work = arguments.work or Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="winnow-quality-")))
        plan = Plan(arguments.mutations, arguments.detectors, arguments.each, work.resolve(), arguments.set)
        for detector in plan.detectors:
            detector_named(detector)
        with ProcessPoolExecutor(arguments.jobs) as pool:
            parts = [part for parts in pool.map(partial(_language, plan), languages) for part in parts]
    results = _together(parts)
    print("\n\n".join(map(described, results)))
    for file, content in ((arguments.json, as_json), (arguments.missed, missed)):
        if file:
            file.write_text(json.dumps([content(result) for result in results], indent=1, ensure_ascii=False))


def _language(plan: Plan, language: str) -> list[Part]:
    """Make all rounds of a language and run all detectors on them."""
    done = []
    for mutation in plan.mutations:
        made = make(language, mutation, plan.each, plan.work, SETS[plan.set][language], plan.set)
        for name in plan.detectors:
            scratch = plan.work / "detectors" / name.replace(" ", "-") / plan.set / language
            scratch.mkdir(parents=True, exist_ok=True)
            start, used = time.perf_counter(), _used()
            try:
                overlaps = detector_named(name)(made.folder, scratch)
            except Exception as error:  # a peer may fail as it likes; the others go on
                print(f"{language} {mutation} {name}: FAILED, round left out: {error}", file=sys.stderr)
                continue
            seconds = time.perf_counter() - start
            result = score(made, overlaps)
            done.append(Part(name, result, seconds, _used() - used))
            found = sum(outcome.found for outcome in result.outcomes)
            told = f"{found} of {len(result.outcomes)} found, {len(result.false)} false, {seconds:.1f} s"
            print(f"{language} {mutation} {name}: {told}", file=sys.stderr)
    return done


def _used() -> float:
    """The processor time of all processes that have ended and been waited for."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def _together(parts: list[Part]) -> list[Result]:
    grouped = defaultdict(list)
    for part in parts:
        grouped[part.detector].append(part)
    return [
        Result(
            name,
            tuple(part.score for part in group),
            sum(part.seconds for part in group),
            sum(part.cpu_seconds for part in group),
        )
        for name, group in grouped.items()
    ]


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser("python benchmarks/quality", description=__doc__, parents=[options()])
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.set_defaults(languages=None)  # all of the set
    option = parser.add_argument
    option("--set", choices=tuple(SETS), default="first", help="which projects; the others are to be opened once")
    option(
        "--detectors",
        type=names,
        default=("ours",),
        metavar="A,B",
        help="ours, ours-strong (without weak findings), and those in peers/ (default: ours)",
    )
    option("--jobs", type=int, default=2, metavar="N", help="languages at a time (default: 2)")
    option("--json", type=Path, metavar="FILE", help="write all scores and the outcome of every plant")
    option("--missed", type=Path, metavar="FILE", help="write the plants that were not found, as JSON")
    return parser


if __name__ == "__main__":
    main()
