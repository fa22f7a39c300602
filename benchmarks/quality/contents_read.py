"""What a scan asks an index for and reads of it, as the index grows, and whether copies are still found.

    python benchmarks/quality/contents_read.py --more CODE --more CODE… [--work DIR] [--whole] [--selection S]

The plants of `python benchmarks/quality` are looked up in an index of their own known projects, then in one that also
has the first CODE (a folder or archive of any code, or an index), and so on. For each index there are two rows: with
the bounds on the contents that a file is compared with (matching/regions.py), and without. A file is one with added
code, or what it quotes; with ``--whole`` all files of a repository are looked up, as in its first scan. Without
``--languages`` and ``--mutations`` it takes C and Go, verbatim, renamed and edited.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sys
import tempfile
import time
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from ours import WINNOW, made_repository, overlap, run
from rounds import make, options
from scoring import score
from tables import table

from winnow_ci.cli import main as winnow
from winnow_ci.index import WholeIndex
from winnow_ci.matching import regions
from winnow_ci.model import Parameters
from winnow_ci.scanner import look_up, match

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from contract import Round

SOME = ("verbatim", "renamed", "edited")
NO_BOUND = 1 << 40


class Row(NamedTuple):
    """What the scans of all rounds cost with one index, and found.

    Attributes:
        fingerprints: of the index.
        bound: the most doubtful contents for each stretch of added tokens.
        asked: k-grams asked for, of each file.
        had: contents that may have a copy, of each file that has any.
        read: contents that it was compared with.
        found: plants found.
        plants: all plants.
        innocent: innocent files with a finding.
        cpu: seconds of the processor.
    """

    fingerprints: int
    bound: int
    asked: list[int]
    had: list[int]
    read: list[int]
    found: int
    plants: int
    innocent: int
    cpu: float


def main() -> None:
    arguments = _parser().parse_args()
    with ExitStack() as stack:
        work = arguments.work or Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="winnow-quality-")))
        work = work.resolve()
        rounds = [make(one, each, arguments.each, work) for one in arguments.languages for each in arguments.mutations]
        repositories = [made_repository(one.folder, work / "repositories" / one.folder.name) for one in rounds]
        known = {project.name: project for one in rounds for project in sorted((one.folder / "known").iterdir())}
        rows: list[Row] = []
        index, place = None, work / f"contents-{arguments.selection}-{'-'.join(arguments.languages)}"
        for code in [[*known.values()], *([one.resolve()] for one in arguments.more)]:
            place = place if index is None else place.with_name(f"{place.name}-{code[0].name}")
            index = _index(index, code, arguments.selection, place.with_name(f"{place.name}.db"))
            for bound in (regions.MOST_DOUBTFUL, NO_BOUND):
                rows.append(_row(index, bound, list(zip(rounds, repositories, strict=True)), arguments.whole))
                print(f"{rows[-1].fingerprints:,} fingerprints, bound {bound:,}: done", file=sys.stderr)
    print(_described(rows))


def _parser() -> argparse.ArgumentParser:
    kind = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=kind, parents=[options()])
    # All of them would take hours.
    parser.set_defaults(languages=("c", "go"), mutations=SOME)
    option = parser.add_argument
    option(
        "--more",
        type=Path,
        action="append",
        default=[],
        metavar="CODE",
        help="folder, archive or index, added to the index",
    )
    option("--selection", default=Parameters().selection, metavar="S", help="of the index")
    option("--whole", action="store_true", help="look all files up, not only what a change adds")
    return parser


def _index(before: Path | None, code: Sequence[Path], selection: str, place: Path) -> Path:
    """An index of what another one has, and of more code; made once."""
    if not place.exists():
        unfinished = place.with_suffix(".unfinished")
        unfinished.unlink(missing_ok=True)
        if before:
            shutil.copyfile(before, unfinished)
        for path in code:
            source = "--output", str(unfinished), "--name", path.name, "--selection", selection
            if path.suffix == ".db":
                run(*WINNOW, "index", "merge", str(unfinished), str(path), "--output", str(unfinished))
            else:
                run(*WINNOW, "index", "build", str(path), *source)
        unfinished.rename(place)
    return place


def _row(index: Path, bound: int, rounds: Sequence[tuple[Round, Path]], whole: bool) -> Row:
    with WholeIndex(index) as opened:
        row = Row(opened.postings, bound, [], [], [], 0, 0, 0, 0.0)
    scope = ("--all",) if whole else ("--range", "HEAD~1..HEAD")
    report = index.with_suffix(".json")
    with _counted(row):
        for one, repository in rounds:
            before = time.process_time()
            os.chdir(repository)
            winnow(["scan", *scope, "--format", f"json:{report}", "--index", str(index)])
            result = score(one, [overlap(finding) for finding in json.loads(report.read_text())["findings"]])
            row = row._replace(
                found=row.found + sum(outcome.found for outcome in result.outcomes),
                plants=row.plants + len(result.outcomes),
                innocent=row.innocent + len({overlap.path for _, _, overlap in result.false}),
                cpu=row.cpu + time.process_time() - before,
            )
    return row


@contextmanager
def _counted(row: Row) -> Iterator[None]:
    """Count what scans ask for and read, with the row's bound."""
    kept = regions.MOST_CONTENTS, regions.MOST_DOUBTFUL, look_up.asked_kgrams, match.most_telling

    def asked_kgrams(*given: Any, **named: Any) -> Any:
        asked = kept[2](*given, **named)
        row.asked.append(int(asked.sum()))
        return asked

    def most_telling(shared: Any, *given: Any) -> Any:
        chosen, left = kept[3](shared, *given)
        if len(shared.contents):
            row.had.append(len(shared.contents))
            row.read.append(len(chosen.contents))
        return chosen, left

    try:
        regions.MOST_CONTENTS, regions.MOST_DOUBTFUL = max(row.bound, kept[0]), row.bound
        look_up.asked_kgrams, match.most_telling = asked_kgrams, most_telling
        yield
    finally:
        regions.MOST_CONTENTS, regions.MOST_DOUBTFUL, look_up.asked_kgrams, match.most_telling = kept


def _described(rows: Sequence[Row]) -> str:
    def cell(name: str, column: str) -> str:
        return COLUMNS[column](rows[int(name) - 1])

    return table([str(number) for number in range(1, len(rows) + 1)], [*COLUMNS], cell, "row")


def _mean_and_most(numbers: Sequence[int]) -> str:
    return f"{sum(numbers) / max(1, len(numbers)):.1f}, {max(numbers, default=0):,}"


COLUMNS = {
    "fingerprints": lambda row: f"{row.fingerprints:,}",
    "bound": lambda row: "none" if row.bound == NO_BOUND else str(row.bound),
    "k-grams asked": lambda row: f"{sum(row.asked):,}",
    "contents (mean, most)": lambda row: _mean_and_most(row.had),
    "read": lambda row: _mean_and_most(row.read),
    "recall": lambda row: f"{100 * row.found / row.plants:.1f} %",
    "innocent": lambda row: str(row.innocent),
    "CPU s": lambda row: f"{row.cpu:.1f}",
}


if __name__ == "__main__":
    main()
