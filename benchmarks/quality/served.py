"""Whether a scan says the same with an index on a server as with its file.

    python benchmarks/quality/served.py [--work DIR] [--languages A,B] [--mutations A,B] [--each N] [--applications A,B]

Publishes the indexes of `python benchmarks/quality`, one a language, and that of ``applications.py`` (forty packages)
to a PostgreSQL server of its own. Scans each round's pull request, and each whole application, with the file and with
the server, and compares the reports finding for finding: the whole of each, as JSON has it. Exits with 1 if one
differs. Needs PostgreSQL.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

sys.path.insert(0, str(Path(__file__).parents[2] / "tests"))

from applications import APPLICATIONS, index_of_packages, repository_of
from detectors import some_of
from ours import WINNOW, index_of, made_repository, run
from rounds import make, options

from support.postgresql import running
from support.served import ServedDatabase

if TYPE_CHECKING:
    from collections.abc import Iterator

# What an index for a server is made with (docs/organisation.md).
SELECTION = ("--selection", "mod-minimizer")


class Case(NamedTuple):
    """Something to scan: its repository, the options that say what of it, and the index."""

    name: str
    repository: Path
    scope: tuple[str, ...]
    index: Path


def main() -> int:
    arguments = _parser().parse_args()
    with ExitStack() as stack:
        work = arguments.work or Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="winnow-quality-")))
        server = stack.enter_context(running())
        database = stack.enter_context(server.database("organisation"))
        keys = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="winnow-served-")))
        served = ServedDatabase.prepared(server, database, keys)
        os.environ.update(served.settings())
        compared = [_compared(case, served) for case in _cases(arguments, work.resolve())]
    findings, others = (sum(counts) for counts in zip(*compared, strict=True))
    print(f"{len(compared)} scans, {findings:,} findings with the file; {others} are others with the server")
    return int(others > 0)


def _parser() -> argparse.ArgumentParser:
    kind = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=kind, parents=[options()])
    read, named = some_of(APPLICATIONS), "default: all six"
    parser.add_argument("--applications", type=read, default=APPLICATIONS, metavar="A,B", help=named)
    return parser


def _cases(arguments: argparse.Namespace, work: Path) -> Iterator[Case]:
    for language in arguments.languages:
        for mutation in arguments.mutations:
            made = make(language, mutation, arguments.each, work)
            repository = made_repository(made.folder, work / "served" / made.folder.name)
            index = index_of(made.folder / "known", work, *SELECTION)
            yield Case(f"{language} {mutation}", repository, ("--range", "HEAD~1..HEAD"), index)
    for name in arguments.applications:
        yield Case(name, repository_of(name, work), ("--all",), index_of_packages(work))


def _compared(case: Case, served: ServedDatabase) -> tuple[int, int]:
    """How many findings there are with the file, and how many only one of the two has; the repository goes."""
    root = served.publish(case.index, case.index.stem)
    places = str(case.index), f"{served.uri()}#{case.index.stem}@{root}"
    with_file, with_server = (_findings(case, place) for place in places)
    others = len(with_file ^ with_server)
    print(f"{case.name}: {len(with_file)} findings, {others} others", file=sys.stderr)
    shutil.rmtree(case.repository)
    return len(with_file), others


def _findings(case: Case, index: str) -> set[str]:
    report = json.loads(run(*WINNOW, "scan", *case.scope, "--format", "json", "--index", index, cwd=case.repository))
    return {json.dumps(finding, sort_keys=True) for finding in report["findings"]}


if __name__ == "__main__":
    sys.exit(main())
