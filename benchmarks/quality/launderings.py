"""How well whole functions are found whose copying somebody has taken pains to hide.

    python benchmarks/quality/launderings.py [--work DIR] [--languages python,java] [--detectors ours,jscpd]

Functions of at least 15 code lines are changed in nine ways (laundry.py) and put into files of another project, one a
file, as the pull requests of `python benchmarks/quality` are; as many files get a function of a third project as it
is. Scores are those of scoring.py. For a language these are 252 copies and 252 innocent functions by default.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections import defaultdict
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from detectors import detector_named, names, some_of
from laundry import LAUNDERINGS, UNCHANGED
from restructuring import RESTRUCTURINGS
from rounds import Recipe, made
from scoring import score
from sets import SETS
from tables import Result, as_json, by_language, in_innocent_code, in_words

if TYPE_CHECKING:
    from scoring import Score

LANGUAGES = ("python", "java")
KINDS = LAUNDERINGS | RESTRUCTURINGS
KNOWN_LANGUAGES = ("python", "java", "c", "cpp", "javascript", "typescript", "php")


class _Plan(NamedTuple):
    kinds: tuple[str, ...]
    detectors: tuple[str, ...]
    each: int
    set: str
    work: Path


def main() -> None:
    arguments = _parser().parse_args()
    with ExitStack() as stack:
        work = arguments.work or Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="winnow-quality-")))
        plan = _Plan(arguments.kinds, arguments.detectors, arguments.each, arguments.set, work.resolve())
        with ProcessPoolExecutor(arguments.jobs) as pool:
            parts = [part for parts in pool.map(partial(_language, plan), arguments.languages) for part in parts]
    grouped = defaultdict(list)
    for name, result, seconds in parts:
        grouped[name].append((result, seconds))
    results = [
        Result(name, tuple(result for result, _ in group), sum(seconds for _, seconds in group))
        for name, group in grouped.items()
    ]
    print("\n\n".join(map(_described, results)))
    if arguments.json:
        arguments.json.write_text(json.dumps([as_json(result) for result in results], indent=1, ensure_ascii=False))


def _language(plan: _Plan, language: str) -> list[tuple[str, Score, float]]:
    """All detectors on the rounds of a language."""
    done = []
    for kind in plan.kinds:
        cast, folder = SETS[plan.set][language], f"laundered-{plan.set}"
        recipe = Recipe(language, kind, cast, KINDS[kind], UNCHANGED, {"function": plan.each}, folder)
        there = made(recipe, plan.work)
        for name in plan.detectors:
            scratch = plan.work / "detectors" / name / folder / language
            scratch.mkdir(parents=True, exist_ok=True)
            start = time.perf_counter()
            result = score(there, detector_named(name)(there.folder, scratch))
            done.append((name, result, time.perf_counter() - start))
            found = sum(outcome.found for outcome in result.outcomes)
            print(f"{language} {kind} {name}: {found} of {len(result.outcomes)} found", file=sys.stderr)
    return done


def _described(result: Result) -> str:
    languages = list(dict.fromkeys(outcome.language for outcome in result.outcomes))
    tables = in_words(result), by_language(result.outcomes, languages), in_innocent_code(result)
    return "\n\n".join([f"## {result.detector}", *tables])


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    option = parser.add_argument
    option("--work", type=Path, metavar="DIR", help="keep packages, rounds and indexes here")
    option("--set", choices=tuple(SETS), default="first", help="which projects; the others are to be opened once")
    option("--each", type=int, default=28, metavar="N", help="copies of each kind and language (default: 28)")
    option(
        "--languages",
        type=some_of(KNOWN_LANGUAGES),
        default=LANGUAGES,
        metavar="A,B",
        help=f"of {', '.join(KNOWN_LANGUAGES)} (default: {', '.join(LANGUAGES)})",
    )
    option("--kinds", type=some_of(KINDS), default=tuple(LAUNDERINGS), metavar="A,B", help="default: all nine")
    option("--detectors", type=names, default=("ours",), metavar="A,B", help="as for the program beside this one")
    option("--jobs", type=int, default=2, metavar="N", help="languages at a time (default: 2)")
    option("--json", type=Path, metavar="FILE", help="write all scores and the outcome of every copy")
    return parser


if __name__ == "__main__":
    main()
