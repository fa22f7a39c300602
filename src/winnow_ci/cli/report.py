"""Show a stored JSON report in any format.

Show a report that winnow-ci scan --format json:FILE has written, in any format. The report has no code: code of the
change is read from this repository, at the commit that was scanned or, if the work was not committed, from the work
tree. Code of a source comes from the index if that keeps text, else from your cache, as .winnow/sources.lock pins it,
else from a folder that you give with --source. Code that has changed since the scan is not shown.
"""

from __future__ import annotations

import argparse
from contextlib import suppress
from itertools import chain
from pathlib import Path

from winnow_ci import operations
from winnow_ci import report as formats
from winnow_ci.cli import choices, messages, outputs, scan
from winnow_ci.config.index_reference import parse_index_reference
from winnow_ci.errors import UsageError
from winnow_ci.report.printable import name


def add_to(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("report", type=Path, metavar="REPORT.json", help="written by a scan")
    choices.add_reports(parser, may_fail=False)
    index = "index that the report was made with (repeatable; default: those that it names, in this repository)"
    add("--index", action="append", type=parse_index_reference, metavar="INDEX", help=index)
    source = "folder with the code of a source; its files are shown if they still are as indexed (repeatable)"
    add("--source", action="append", type=_source, metavar="NAME=DIR", help=source)
    fetch = "download again sources of findings that .winnow/sources.lock pins and your cache lacks"
    add("--fetch", action="store_true", help=fetch)


def _source(value: str) -> tuple[str, Path]:
    source, equals, folder = value.rpartition("=")
    if not (source and equals and folder):
        msg = f"{value!r} is not NAME=DIR, such as curl=../curl-8.1.0"
        raise argparse.ArgumentTypeError(msg)
    if not Path(folder).is_dir():
        msg = f"{value!r}: there is no folder {folder}"
        raise argparse.ArgumentTypeError(msg)
    return source, Path(folder)


def run(arguments: argparse.Namespace) -> None:
    plan = outputs.planned(arguments)
    for one in plan:
        with suppress(OSError):
            if one.file and one.file.samefile(arguments.report):
                raise UsageError(f"{one.file} is the report to show, and would be overwritten", "name another file")
    stored, repository = operations.report.load_report(arguments.report), choices.here()
    if stored.lacking:
        written = f"{name(str(arguments.report))} was written by winnow-ci {name(stored.version)}"
        messages.note(f"{written}, and lacks {', '.join(stored.lacking)}: scan again to get them")
    bare = [one for one in plan if one.format not in formats.WITH_CODE]
    others = [one for one in plan if one.format in formats.WITH_CODE]
    report, root = stored.report, repository.root if repository else None
    if others:
        given = (operations.named_elsewhere.indexes_of(one, root, messages.counting) for one in arguments.index or ())
        folders, fetching = tuple(arguments.source or ()), messages.counting if arguments.fetch else None
        places = operations.report.CodePlaces(repository, tuple(chain.from_iterable(given)), folders, fetching)
        report = operations.report.with_found_code(report, places, formats.shown_code(one.format for one in others))
    scan.say_coverage([report])
    # Reports for programs stay unchanged, whatever code was found.
    outputs.write_reports(stored.report, bare, root, arguments.group_by)
    outputs.write_reports(report, others, root, arguments.group_by)
    outputs.say_written(report, plan)
