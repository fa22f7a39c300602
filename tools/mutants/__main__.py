"""Do the tests notice? Breaks lines on purpose, one at a time, and tells which breaks no test notices.

    python tools/mutants [--count 100] [--seed 1] [--jobs 2] [PATH...]

Mutants are drawn at random, by a seed, from all of the packages whose numbers and conditions decide what is found. Each
is tried in a copy of the checkout: with the tests of its module, then those of its package, and, if these pass, with
the whole suite. A run that takes several times as long as without the mutant counts as noticed.

It needs what ``make test`` needs. With ``--nearest``, a hundred mutants take a quarter of an hour on two cores; without
it, each mutant that the nearest tests do not notice costs a run of the whole suite in one process. Exits with 1 if
fewer than 95 of 100 are noticed.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import SimpleQueue

from mutating import Mutant, mutants

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = Path("src", "winnow_ci")
DECISIVE = ("winnowing", "evidence", "matching", "policy", "index", "operations/trust.py")
COPIED = shutil.ignore_patterns(".git", ".venv", "__pycache__", ".*_cache", ".hypothesis", ".demo", ".figures")
LONGEST = 3600.0
SLOWER = 4
ENOUGH = 0.95


def main() -> int:
    """Try the mutants; returns the exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=100, help="how many mutants are tried")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--nearest", action="store_true", help="leave the whole suite out: quicker, and more survive")
    parser.add_argument("paths", nargs="*", metavar="PATH", help=f"in {PACKAGE}; default: {' '.join(DECISIVE)}")
    asked = parser.parse_args()
    every = [mutant for path in asked.paths or DECISIVE for mutant in _mutants(PACKAGE / path)]
    drawn = random.Random(asked.seed).sample(every, min(asked.count, len(every)))
    print(f"{len(every):,} mutants, of which {len(drawn)} are tried", flush=True)
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder:
        desks: SimpleQueue[Desk] = SimpleQueue()
        for number in range(asked.jobs):
            desks.put(Desk(Path(folder, str(number)), everything=not asked.nearest))
        with ThreadPoolExecutor(asked.jobs) as threads:
            survivors = [mutant for mutant in threads.map(lambda one: _survivor(one, desks), drawn) if mutant]
    noticed = len(drawn) - len(survivors)
    print(f"{noticed} of {len(drawn)} noticed; not noticed:", *map(str, survivors), sep="\n  ")
    return int(noticed < ENOUGH * len(drawn))


def _mutants(path: Path) -> list[Mutant]:
    modules = sorted((ROOT / path).rglob("*.py")) if (ROOT / path).is_dir() else [ROOT / path]
    return [mutant for module in modules for mutant in mutants(module.relative_to(ROOT), module.read_bytes())]


def _survivor(mutant: Mutant, desks: SimpleQueue[Desk]) -> Mutant | None:
    desk = desks.get()
    try:
        began, by = time.monotonic(), desk.noticed_by(mutant)
    finally:
        desks.put(desk)
    print(f"{time.monotonic() - began:6.0f} s  {by or 'NOT NOTICED':<20} {mutant}", flush=True)
    return None if by else mutant


class Desk:
    """A copy of the checkout in which one mutant at a time is tried."""

    def __init__(self, folder: Path, *, everything: bool) -> None:
        self._folder = folder
        self._everything = everything
        self._seconds: dict[str, float] = {}
        shutil.copytree(ROOT, folder, ignore=COPIED)
        # Tests of hooks clone the checkout.
        for command in (
            ["init", "-q"],
            ["add", "-A"],
            ["-c", "user.name=m", "-c", "user.email=m@m", "commit", "-qm", "m"],
        ):
            subprocess.run(["git", *command], cwd=folder, check=True)

    def noticed_by(self, mutant: Mutant) -> str | None:
        """The tests that fail with a mutant, or None."""
        stages = _nearest(mutant.path)
        for tests in stages:
            self._measure(tests)
        place = self._folder / mutant.path
        source = place.read_bytes()
        place.write_bytes(mutant.applied(source))
        try:
            for tests in stages:
                if self._fails(tests, SLOWER * self._seconds[tests] + 10):
                    return tests
            return "tests" if self._everything and self._fails("tests", LONGEST) else None
        finally:
            place.write_bytes(source)

    def _measure(self, tests: str) -> None:
        """Find out how long tests take without a mutant."""
        if tests not in self._seconds:
            began = time.monotonic()
            if self._fails(tests, LONGEST):
                sys.exit(f"{tests} fails without any mutant")
            self._seconds[tests] = time.monotonic() - began

    def _fails(self, tests: str, seconds: float) -> bool:
        environment = os.environ | {"PYTHONPATH": f"{self._folder / 'src'}{os.pathsep}{self._folder / 'tests'}"}
        command = [
            sys.executable,
            "-m",
            "pytest",
            "-qx",
            "-p",
            "no:cacheprovider",
            "--numprocesses=0",
            "--hypothesis-profile=mutants",
            tests,
        ]
        try:
            ended = subprocess.run(
                command, cwd=self._folder, env=environment, capture_output=True, check=False, timeout=seconds
            )
        except subprocess.TimeoutExpired:
            return True
        return ended.returncode != 0


def _nearest(path: Path) -> list[str]:
    """The tests of a module, if a file of tests is named after it, and those of its package."""
    package = Path("tests", path.relative_to(PACKAGE).parts[0])
    own = package / f"test_{path.name}"
    return [str(own), str(package)] if (ROOT / own).is_file() else [str(package)]


if __name__ == "__main__":
    sys.exit(main())
