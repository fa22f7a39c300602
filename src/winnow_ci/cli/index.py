"""``winnow-ci index``: build an index of known code, list what is in it, check it."""

from __future__ import annotations

import os
import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from winnow_ci.cli import parameters
from winnow_ci.cli.progress import counting
from winnow_ci.errors import ExitStatus, UsageError
from winnow_ci.model import GUARANTEED, Parameters
from winnow_ci.report.coverage import fallback
from winnow_ci.report.printable import name
from winnow_ci.report.table import table

if TYPE_CHECKING:
    import argparse

    from winnow_ci.index import SourceSummary
    from winnow_ci.indexer import BuildReport
    from winnow_ci.model import Source


def add_to(commands: Any) -> None:
    """Declare the commands."""
    parser = commands.add_parser("index", help="build, list and check indexes of known code")
    actions = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    _add_build(actions)
    for action_name, help_text, run in (
        ("list", "list the sources in an index", list_sources),
        ("verify", "check everything in an index", verify_index),
    ):
        action = actions.add_parser(action_name, help=help_text, description=help_text.capitalize() + ".")
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
    parameters.add_to(build)
    build.add_argument(
        "--with-text",
        action="store_true",
        help="keep the source's text in the index, compressed, for reports that show it beside the copy; whoever has "
        "the index can read it (default: no text)",
    )
    build.set_defaults(run=build_index)


def build_index(arguments: argparse.Namespace) -> int:
    """Build; returns the exit status."""
    from winnow_ci.indexer import BuildProgress, build

    source, asked = _source(arguments), parameters.asked(arguments)
    with counting("fingerprinting", "B") as fingerprinting, counting("writing", " blocks") as writing:
        progress = BuildProgress(fingerprinting, writing)
        report = build(arguments.folders, arguments.output, source, asked, progress, with_text=arguments.with_text)
    _tell(report, arguments)
    _warn(Parameters(**asked))
    return ExitStatus.CLEAN


def list_sources(arguments: argparse.Namespace) -> int:
    """List; returns the exit status."""
    from winnow_ci.index import IndexReader

    with IndexReader(arguments.index) as index:
        rows = [_row(summary) for summary in index.summaries()]
        p = index.parameters
        print(table([("SOURCE", "VERSION", "LICENCE", "FILES", "FINGERPRINTS", "TEXT", "URL"), *rows]))
        print(f"{index.postings:,} fingerprints, k = {p.k}, w = {p.w}, {p.selection} selection, digest {index.digest}")
    return ExitStatus.CLEAN


def _row(summary: SourceSummary) -> tuple[str, ...]:
    source = summary.source
    described = source.name, source.version or "-", source.license
    counts = f"{summary.files:,}", f"{summary.fingerprints:,}"
    return *described, *counts, "kept" if summary.text else "-", source.url or "-"


def verify_index(arguments: argparse.Namespace) -> int:
    """Check; returns the exit status."""
    from winnow_ci.index import IndexReader, verify

    with IndexReader(arguments.index) as index:
        with counting("checking", " rows") as progress:
            verify(index, progress)
        texts = f" (text of {index.texts:,})" if index.texts else ""
        contents = f"{index.contents:,} contents{texts}"
        print(f"{name(str(arguments.index))} is sound: {contents}, {index.postings:,} fingerprints")
        print(f"digest {index.digest}")
    return ExitStatus.CLEAN


def _source(arguments: argparse.Namespace) -> Source:
    from winnow_ci.model import Source
    from winnow_ci.policy.licenses import normalise

    title, version, url = (_utf8(value) for value in (arguments.name, arguments.source_version, arguments.url))
    if not (title and title.strip()):
        raise UsageError("the source has an empty name", "say what the code is called: --name NAME")
    return Source(title, version, normalise(arguments.license), url)


def _utf8(argument: str | None) -> str | None:
    """An argument to keep in an index, which is UTF-8 whatever the locale is."""
    if argument is None:
        return None
    try:
        return os.fsencode(argument).decode()
    except UnicodeDecodeError as error:
        raise UsageError(f"not UTF-8: {argument}", "write --name, --version and --url in UTF-8") from error


def _warn(parameters: Parameters) -> None:
    """Say it if shared code may go unseen by choice."""
    if parameters.selection not in GUARANTEED:
        print(
            f"winnow-ci: with {parameters.selection} selection, a copied run of {parameters.guarantee} tokens need not "
            "have a fingerprint in the index: see docs/algorithms.md",
            file=sys.stderr,
        )


def _tell(report: BuildReport, arguments: argparse.Namespace) -> None:
    files = "1 file" if report.files == 1 else f"{report.files:,} files"
    reasons = Counter(skip.reason for skip in report.skipped)
    skipped = ", ".join(f"{count:,} {reason}" for reason, count in reasons.most_common())
    text = "; their text is kept" if arguments.with_text else ""
    before = f"; {report.continued:,} contents were there from a build that was interrupted" if report.continued else ""
    print(
        f"winnow-ci: {name(arguments.name)}: {files} indexed ({report.known:,} with contents known before), "
        f"{len(report.skipped):,} skipped{f' ({skipped})' if skipped else ''}{text}{before}",
        file=sys.stderr,
    )
    if report.fallback:
        print(f"winnow-ci: {fallback(report.fallback)}", file=sys.stderr)
    print(f"{name(str(arguments.output))}: digest {report.digest}")
