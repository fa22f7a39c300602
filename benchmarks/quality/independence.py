"""Which code the projects of a language share: truth is only as good as their independence.

    python benchmarks/quality/independence.py [--set first|held-out] [--work DIR]

For every pair of projects that play different parts, counts the runs of five code lines (without indentation, at least
80 characters in all) that stand in both, and names the files with the most of them.
"""

from __future__ import annotations

import argparse
import itertools
import tempfile
from collections import Counter, defaultdict
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

from projects import text_of
from sets import SETS

if TYPE_CHECKING:
    from projects import Project

RUN = 5
LEAST_TEXT = 80


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--set", choices=tuple(SETS), default="first", help="which projects (default: first)")
    parser.add_argument("--work", type=Path, metavar="DIR", help="keep packages here")
    arguments = parser.parse_args()
    with ExitStack() as stack:
        work = arguments.work or Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="winnow-quality-")))
        for language, cast in SETS[arguments.set].items():
            projects = [project for part in cast for project in part]
            runs = {project.name: _runs(project, work.resolve()) for project in projects}
            for one, other in itertools.combinations(runs, 2):
                _tell(language, (one, runs[one]), (other, runs[other]))


def _runs(project: Project, work: Path) -> dict[str, str]:
    """Path of a file by the runs in it."""
    found = {}
    for path, file in project.files(work).items():
        text = text_of(file)
        lines = [line.strip() for line in (text or "").split("\n") if any(char.isalnum() for char in line)]
        lines = [line for line in lines if not line.startswith(("#", "//", "*", "/*", '"""', "import ", "from "))]
        for start in range(len(lines) - RUN + 1):
            run = "\n".join(lines[start : start + RUN])
            if len(run) >= LEAST_TEXT:
                found[run] = path
    return found


def _tell(language: str, one: tuple[str, dict[str, str]], other: tuple[str, dict[str, str]]) -> None:
    shared = one[1].keys() & other[1].keys()
    print(f"{language}: {one[0]}, {other[0]}: {len(shared)} shared runs of {RUN} lines")
    files = Counter((one[1][run], other[1][run]) for run in shared)
    examples = defaultdict(list)
    for run in sorted(shared):
        examples[one[1][run], other[1][run]].append(run.split("\n")[0])
    for (here, there), count in files.most_common(5):
        print(f"    {count} in {here} and {there}: {examples[here, there][0]}")


if __name__ == "__main__":
    main()
