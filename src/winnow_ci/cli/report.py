"""``winnow-ci report``: a JSON report, shown in any format."""

from __future__ import annotations

import argparse
import os
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from winnow_ci.cli import messages, named_index, outputs, scan
from winnow_ci.cli.progress import counting
from winnow_ci.errors import ExitStatus, GitError, UsageError
from winnow_ci.report.printable import name

if TYPE_CHECKING:
    from winnow_ci.git import Repository
    from winnow_ci.model.findings import ScanReport
    from winnow_ci.report.stored import StoredReport

DESCRIPTION = """\
Show a report that winnow-ci scan --format json:FILE has written, in any format. It carries no code: that of
the change is read in the repository here, at the commit that was scanned or, if what was scanned was not committed,
where it still is the same. The source's code comes from the index if that keeps it, else from the user's cache, as
.winnow/sources.lock pins it, else from a folder that --source names. Only what is as it was scanned is shown."""


def add_to(commands: Any) -> None:
    """Declare the command."""
    parser = commands.add_parser(
        "report",
        help="show a stored JSON report in any format",
        description=DESCRIPTION,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("report", type=Path, metavar="REPORT.json", help="what a scan has written")
    scan.add_formats(parser)
    parser.add_argument(
        "--index",
        action="append",
        type=named_index.reference,
        metavar="INDEX",
        help="index that the report was made with (repeatable; default: those that it names, in this repository)",
    )
    parser.add_argument(
        "--source",
        action="append",
        type=_source,
        metavar="NAME=DIR",
        help="folder with the code of a source; its files are shown if they are as they were indexed (repeatable)",
    )
    parser.add_argument(
        "--fetch",
        action="store_true",
        help="fetch the sources of findings again that .winnow/sources.lock pins and the user's cache lacks",
    )
    parser.set_defaults(run=run)


def _source(value: str) -> tuple[str, Path]:
    """Parse an argument: ``NAME=DIR``."""
    source, equals, folder = value.rpartition("=")
    if not (source and equals and folder):
        msg = f"{value!r} is not NAME=DIR, such as curl=../curl-8.1.0"
        raise argparse.ArgumentTypeError(msg)
    if not Path(folder).is_dir():
        msg = f"{value!r}: there is no folder {folder}"
        raise argparse.ArgumentTypeError(msg)
    return source, Path(folder)


def run(arguments: argparse.Namespace) -> int:
    """Show a stored report; returns the exit status."""
    from winnow_ci import report as formats
    from winnow_ci.operations.report import load

    plan = outputs.planned(arguments.format or [], os.environ)
    _check_kept(arguments.report, plan)
    stored, repository = load(arguments.report), _repository()
    _say_what_is_lacking(arguments.report, stored)
    root = repository.root if repository else None
    bare = [one for one in plan if one.format not in formats.WITH_CODE]
    others = [one for one in plan if one.format in formats.WITH_CODE]
    report = _with_code(stored.report, repository, arguments, others) if others else stored.report
    scan.say_coverage([report])
    # What a program reads stays as it was, whatever code is at hand.
    outputs.write(stored.report, bare, root, arguments.group_by)
    outputs.write(report, others, root, arguments.group_by)
    return ExitStatus.CLEAN


def _check_kept(stored: Path, plan: list[outputs.Output]) -> None:
    """Refuse to write over what is shown: it cannot be made again."""
    for one in plan:
        with suppress(OSError):
            if one.file and one.file.samefile(stored):
                raise UsageError(f"{one.file} is the report that is to be shown", "name another file")


def _with_code(
    report: ScanReport, repository: Repository | None, arguments: argparse.Namespace, plan: list[outputs.Output]
) -> ScanReport:
    from winnow_ci.operations.named_indexes import indexes_of
    from winnow_ci.operations.report import CodePlaces, with_code
    from winnow_ci.report import shown_code

    root = repository.root if repository else None
    indexes = tuple(index for entry in arguments.index or () for index in indexes_of(entry, root, counting))
    folders = tuple(arguments.source or ())
    places = CodePlaces(repository, indexes, folders, counting if arguments.fetch else None)
    return with_code(report, places, shown_code(one.format for one in plan))


def _repository() -> Repository | None:
    from winnow_ci import git

    try:
        return git.Repository.find(Path.cwd())
    except GitError:
        return None


def _say_what_is_lacking(path: Path, stored: StoredReport) -> None:
    if stored.lacking:
        messages.say(
            f"winnow-ci: {name(str(path))} was written by winnow-ci {name(stored.version)}, and lacks "
            f"{', '.join(stored.lacking)}: scan again to have them"
        )
