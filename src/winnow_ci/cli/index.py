"""``winnow-ci index``: build an index of known code, list what is in it, check it."""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from winnow_ci.cli.progress import counting
from winnow_ci.cli.scan import CONFIGURATION
from winnow_ci.errors import ExitStatus, UsageError

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from winnow_ci.index import SourceSummary
    from winnow_ci.indexer import BuildReport
    from winnow_ci.model import Parameters, Source


def add_to(commands: Any) -> None:
    """Declare the commands."""
    parser = commands.add_parser("index", help="build, list and check indexes of known code")
    actions = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    _add_build(actions)
    for name, help_text, run in (
        ("list", "list the sources in an index", list_sources),
        ("verify", "check everything in an index", verify_index),
    ):
        action = actions.add_parser(name, help=help_text, description=help_text.capitalize() + ".")
        action.add_argument("index", type=Path, metavar="INDEX")
        action.set_defaults(run=run)


def _add_build(actions: Any) -> None:
    build = actions.add_parser(
        "build",
        help="add a source to an index, or replace it",
        description="Fingerprint all code below folders, and add it to an index as one source. A source of that name "
        "that is there already is replaced. The index is made if there is none.",
    )
    build.add_argument("folders", nargs="+", type=Path, metavar="DIR", help="folder with the source's code")
    build.add_argument("--output", required=True, type=Path, metavar="INDEX", help="the index to write")
    build.add_argument("--name", required=True, help="name of the source")
    build.add_argument("--version", dest="source_version", metavar="V", help="version of the source")
    build.add_argument("--license", default="unknown", metavar="SPDX", help="its licence, as an SPDX expression")
    build.add_argument("--url", help="where the source comes from")
    build.add_argument("-k", type=int, metavar="K", help="length of a k-gram in tokens (default: 16)")
    build.add_argument("-w", type=int, metavar="W", help="length of a window in k-grams (default: 12)")
    build.add_argument("--selection", choices=("winnowing", "robust"), help="selection scheme (default: robust)")
    build.set_defaults(run=build_index)


def build_index(arguments: argparse.Namespace) -> int:
    """Build; returns the exit status."""
    from winnow_ci.indexer import build

    source, parameters = _source(arguments), _parameters(arguments)
    with counting("fingerprinting", "B") as progress:
        report = build(arguments.folders, arguments.output, source, parameters, progress)
    _tell(report, arguments)
    return ExitStatus.CLEAN


def list_sources(arguments: argparse.Namespace) -> int:
    """List; returns the exit status."""
    from winnow_ci.index import IndexReader

    with IndexReader(arguments.index) as index:
        rows = [_row(summary) for summary in index.summaries()]
        p = index.parameters
        print(_table([("SOURCE", "VERSION", "LICENCE", "FILES", "FINGERPRINTS", "URL"), *rows]))
        print(f"{index.postings:,} fingerprints, k = {p.k}, w = {p.w}, {p.selection} selection, digest {index.digest}")
    return ExitStatus.CLEAN


def _row(summary: SourceSummary) -> tuple[str, ...]:
    source = summary.source
    names = source.name, source.version or "-", source.license
    return *names, f"{summary.files:,}", f"{summary.fingerprints:,}", source.url or "-"


def _table(rows: Sequence[Sequence[str]]) -> str:
    from winnow_ci.report.printable import name

    safe = [[name(cell) for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(*safe, strict=True)]
    lines = ("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) for row in safe)
    return "\n".join(line.rstrip() for line in lines)


def verify_index(arguments: argparse.Namespace) -> int:
    """Check; returns the exit status."""
    from winnow_ci.index import IndexReader, verify

    with IndexReader(arguments.index) as index:
        with counting("checking", " rows") as progress:
            verify(index, progress)
        print(f"{arguments.index} is sound: {index.contents:,} contents, {index.postings:,} fingerprints")
        print(f"digest {index.digest}")
    return ExitStatus.CLEAN


def _source(arguments: argparse.Namespace) -> Source:
    from winnow_ci.model import Source
    from winnow_ci.policy.licenses import normalise

    if not arguments.name.strip():
        raise UsageError("the source has an empty name", "say what the code is called: --name NAME")
    return Source(arguments.name, arguments.source_version, normalise(arguments.license), arguments.url)


def _parameters(arguments: argparse.Namespace) -> Parameters | None:
    """What the command line and a configuration in this folder ask for; None leaves it to an existing index."""
    from winnow_ci import config
    from winnow_ci.model import Parameters

    here = Path(CONFIGURATION)
    settings = config.load(here) if here.exists() else config.Settings()
    asked = {"k": arguments.k or settings.k, "w": arguments.w or settings.w, "selection": arguments.selection}
    given = {name: value for name, value in asked.items() if value is not None}
    return Parameters(**given) if given else None


def _tell(report: BuildReport, arguments: argparse.Namespace) -> None:
    reasons = Counter(skip.reason for skip in report.skipped)
    skipped = ", ".join(f"{count} {reason}" for reason, count in reasons.most_common())
    print(
        f"winnow-ci: {arguments.name}: {report.files} files indexed ({report.known} with contents known before), "
        f"{len(report.skipped)} skipped{f' ({skipped})' if skipped else ''}",
        file=sys.stderr,
    )
    print(f"{arguments.output}: digest {report.digest}")
