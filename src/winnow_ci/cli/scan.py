"""``winnow-ci scan``: look a change up in indexes of known code, and report."""

from __future__ import annotations

import argparse
import os
import shutil
import sys
from collections import Counter
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from winnow_ci.cli.progress import counting
from winnow_ci.errors import ExitStatus, IndexFileError, UsageError

if TYPE_CHECKING:
    from winnow_ci.config import Settings
    from winnow_ci.git import ChangeSet, Repository
    from winnow_ci.index import IndexReader
    from winnow_ci.model import ScanReport
    from winnow_ci.report import Style

CONFIGURATION = ".winnow.yml"

DESCRIPTION = """\
Look a change up in indexes of known code. Without a mode, the change is your branch: everything since its
merge base with the default branch, uncommitted work included."""


class Output(NamedTuple):
    """A report to write: its format, and a file or None for standard output."""

    format: str
    file: Path | None


def add_to(commands: Any) -> None:
    """Declare the command."""
    parser = commands.add_parser(
        "scan",
        help="find copied code in a change",
        description=DESCRIPTION,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    mode = parser.add_mutually_exclusive_group()
    mode.add_argument(
        "--since", metavar="REV", help="what came since the merge base with REV, uncommitted work included"
    )
    mode.add_argument("--staged", action="store_true", help="what the next commit would bring")
    mode.add_argument("--range", metavar="A..B", help="what B has and A has not (A...B: since their merge base)")
    mode.add_argument("--all", action="store_true", help="every file, as if all of it were new")
    parser.add_argument("paths", nargs="*", metavar="PATH", help="only these files and folders")
    parser.add_argument("--index", action="append", type=Path, metavar="INDEX", help="index of known code (repeatable)")
    parser.add_argument("--config", type=Path, metavar="FILE", help=f"configuration (default: {CONFIGURATION})")
    parser.add_argument(
        "--format",
        action="append",
        type=_output,
        metavar="FORMAT[:FILE]",
        help="text (default) or json, to standard output or to a file (repeatable)",
    )
    parser.add_argument("--exit-zero", action="store_true", help="report findings, but do not fail because of them")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Scan and report; returns the exit status."""
    from winnow_ci import git
    from winnow_ci.scanner import scan

    outputs = _outputs(arguments)
    repository = git.Repository.find(Path.cwd())
    settings = _settings(arguments, repository)
    with ExitStack() as stack:
        indexes = [stack.enter_context(index) for index in _indexes(arguments, settings)]
        changes = git.narrow(repository, _changes(arguments, repository), arguments.paths)
        progress = stack.enter_context(counting("scanning", " files"))
        report = scan(repository, changes, indexes, settings, progress)
    _write(report, outputs)
    return _status(report, exit_zero=arguments.exit_zero)


def _status(report: ScanReport, *, exit_zero: bool) -> int:
    if report.failed and not exit_zero:
        return ExitStatus.FINDINGS
    return ExitStatus.CLEAN if report.complete else ExitStatus.CANNOT_SCAN


def _output(value: str) -> Output:
    from winnow_ci.report import FORMATS

    name, _, file = value.partition(":")
    if name not in FORMATS or value.endswith(":"):
        msg = f"{value!r} is not one of {', '.join(FORMATS)}, nor one of these with :FILE"
        raise argparse.ArgumentTypeError(msg)
    return Output(name, Path(file) if file else None)


def _outputs(arguments: argparse.Namespace) -> list[Output]:
    outputs: list[Output] = arguments.format or [Output("text", None)]
    for file, count in Counter(output.file for output in outputs).items():
        if count > 1:
            problem = f"more than one report for {file or 'standard output'}"
            raise UsageError(problem, "give each report a file of its own: --format json:FILE")
    return outputs


def _settings(arguments: argparse.Namespace, repository: Repository) -> Settings:
    from winnow_ci import config

    if arguments.config:
        return config.load(arguments.config)
    default = (repository.root or Path.cwd()) / CONFIGURATION
    return config.load(default) if os.path.lexists(default) else config.Settings()


def _indexes(arguments: argparse.Namespace, settings: Settings) -> list[IndexReader]:
    from winnow_ci.config import index_files
    from winnow_ci.index import IndexReader

    paths = index_files(arguments.index or settings.index)
    if not paths:
        raise IndexFileError(
            "no index to look the change up in", f"name one with --index, or under index: in {CONFIGURATION}"
        )
    indexes = [IndexReader(path) for path in paths]
    for index in indexes:
        _check_parameters(index, settings)
    return indexes


def _check_parameters(index: IndexReader, settings: Settings) -> None:
    """The configuration may say which parameters it expects; those of the index are used."""
    p = index.parameters
    if settings.k not in (None, p.k) or settings.w not in (None, p.w):
        k, w = settings.k or p.k, settings.w or p.w
        msg = f"{index.path} was made with k = {p.k} and w = {p.w}, the configuration asks for k = {k} and w = {w}"
        raise IndexFileError(
            msg, f"build the index again: winnow-ci index build DIR --output INDEX --name NAME -k {k} -w {w}"
        )


def _changes(arguments: argparse.Namespace, repository: Repository) -> ChangeSet:
    from winnow_ci import git

    if arguments.staged:
        return git.staged(repository)
    if arguments.since is not None:
        return git.since(repository, arguments.since)
    if arguments.range is not None:
        return git.between(repository, arguments.range)
    return git.everything(repository) if arguments.all else git.branch(repository)


def _write(report: ScanReport, outputs: list[Output]) -> None:
    from winnow_ci.report import FORMATS, Style, coverage

    print(coverage(report), file=sys.stderr)
    for output in outputs:
        if output.file:
            output.file.write_text(FORMATS[output.format](report, Style()), encoding="utf-8")
        else:
            sys.stdout.write(FORMATS[output.format](report, _style()))


def _style() -> Style:
    """Colour where somebody can see it (https://no-color.org)."""
    from winnow_ci.report import Style

    terminal = sys.stdout.isatty()
    colour = terminal and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    return Style(colour=colour, width=shutil.get_terminal_size((100, 24)).columns if terminal else 100)
