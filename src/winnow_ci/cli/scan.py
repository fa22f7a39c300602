"""``winnow-ci scan``: look a change up in indexes of known code, and report."""

from __future__ import annotations

import argparse
import os
import sys
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, NamedTuple

from winnow_ci.cli import baseline, outputs
from winnow_ci.cli.indexes import index_path
from winnow_ci.cli.parameters import one_of
from winnow_ci.cli.progress import counting
from winnow_ci.cli.rules import CONFIGURATION, Rules, rules
from winnow_ci.errors import ExitStatus, IndexFileError, UsageError
from winnow_ci.model import WINDOW_LENGTHS, Parameters

if TYPE_CHECKING:
    from collections.abc import Sequence

    from winnow_ci.config import Settings
    from winnow_ci.git import ChangeSet, Repository
    from winnow_ci.index import IndexReader
    from winnow_ci.model import ScanReport

DESCRIPTION = """\
Look a change up in indexes of known code. Without a mode, the change is your branch: everything since its
merge base with the default branch, uncommitted work included; on GitHub and GitLab it is what the pull request, the
push or whatever else the job runs for brings."""


def add_to(commands: Any) -> None:
    """Declare the command."""
    parser = commands.add_parser(
        "scan",
        help="find copied code in a change",
        description=DESCRIPTION,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add_change(parser)
    parser.add_argument(
        "--update-baseline",
        action="store_true",
        help="write what is found into the baseline that the configuration names, and drop what is gone from it",
    )
    parser.add_argument(
        "--no-cache",
        action="store_false",
        dest="cache",
        help="with --all: look at files again of which an earlier scan has found that nothing in them matches",
    )
    parser.add_argument(
        "--window",
        type=one_of(WINDOW_LENGTHS),
        metavar="W",
        help="look up one k-gram of each W, not all: less work, and copied runs of fewer than W + K - 1 tokens may go "
        "unseen; at least the W of the index, made with robust or winnowing selection",
    )
    add_options(parser)
    parser.set_defaults(run=run)


def add_change(parser: argparse.ArgumentParser) -> None:
    """Declare what says which change is meant."""
    mode = parser.add_mutually_exclusive_group()
    mode.add_argument(
        "--since", metavar="REV", help="what came since the merge base with REV, uncommitted work included"
    )
    mode.add_argument("--staged", action="store_true", help="what the next commit would bring")
    mode.add_argument("--range", metavar="A..B", help="what B has and A has not (A...B: since their merge base)")
    mode.add_argument("--all", action="store_true", help="every file, as if all of it were new")
    parser.add_argument("paths", nargs="*", metavar="PATH", help="only these files and folders")


def add_rules(parser: argparse.ArgumentParser) -> None:
    """Declare what says what a change is judged by."""
    parser.add_argument(
        "--index", action="append", type=index_path, metavar="INDEX", help="index of known code (repeatable)"
    )
    parser.add_argument("--config", type=Path, metavar="FILE", help=f"configuration (default: {CONFIGURATION})")
    parser.add_argument(
        "--policy-from",
        choices=("base", "head"),
        help="whose configuration, boilerplate and index count: those of the base that is compared with (default on a "
        "CI, where the change may be a stranger's), or those that are checked out (default elsewhere)",
    )


def add_options(parser: argparse.ArgumentParser) -> None:
    """Declare what every command that looks changes up and reports has: indexes, configuration, reports."""
    from winnow_ci.report import FORMATS

    add_rules(parser)
    parser.add_argument(
        "--format",
        action="append",
        type=outputs.output,
        metavar="FORMAT[:FILE]",
        help=f"{', '.join(FORMATS)}, to standard output or to a file (repeatable; default: text); "
        f"{outputs.AUTO}: what the place shows best, on a CI with a summary or a report file of its own",
    )
    parser.add_argument("--exit-zero", action="store_true", help="report findings, but do not fail because of them")


def run(arguments: argparse.Namespace) -> int:
    """Scan and report; returns the exit status."""
    if arguments.window is not None and arguments.update_baseline:
        raise UsageError("--update-baseline would drop copies that --window leaves unseen", "leave out --window")
    repository, changes = asked(arguments)
    return look_up(repository, [changes], arguments)


def asked(arguments: argparse.Namespace) -> tuple[Repository, ChangeSet]:
    """The repository that we are in, and the change that the arguments mean (``add_change``)."""
    from winnow_ci import git

    repository = git.Repository.find(Path.cwd())
    return repository, git.narrow(repository, _changes(arguments, repository), arguments.paths)


def look_up(repository: Repository, changes: Sequence[ChangeSet], arguments: argparse.Namespace) -> int:
    """Look changes up and write one report on all of them; returns the exit status.

    Args:
        repository: where the changes are.
        changes: at least one.
        arguments: what ``add_options`` has declared.
    """
    from winnow_ci.scanner import combined

    plan = outputs.planned(arguments.format or [], os.environ)
    reports = [
        _reported(repository, examine(repository, each, arguments, window=arguments.window), arguments)
        for each in changes
    ]
    tell(reports)
    report = combined(reports)
    outputs.write(report, plan)
    return _status(report, exit_zero=arguments.exit_zero)


class Examined(NamedTuple):
    """What a scan of a change has given: the report, and what it was judged by."""

    report: ScanReport
    by: Rules
    parameters: tuple[Parameters, ...]


def examine(repository: Repository, change: ChangeSet, arguments: argparse.Namespace, **how: Any) -> Examined:
    """Look a change up.

    Args:
        repository: where the change is.
        change: the change.
        arguments: what ``add_rules`` has declared.
        how: further arguments of ``scanner.scan``.
    """
    from winnow_ci.scanner import scan

    with ExitStack() as stack:
        scratch = Path(stack.enter_context(TemporaryDirectory(prefix="winnow-ci-")))
        progress = stack.enter_context(counting("scanning", " files"))
        by = rules(repository, change, arguments, scratch)
        indexes = [stack.enter_context(_index(path, by.settings)) for path in by.indexes]
        report = scan(
            repository,
            change,
            indexes,
            by.settings,
            by.boilerplate,
            suppressions=by.suppressions,
            progress=progress,
            kept=_kept(repository, change, arguments),
            **how,
        )
    return Examined(report, by, tuple(index.parameters for index in indexes))


def _kept(repository: Repository, change: ChangeSet, arguments: argparse.Namespace) -> Path | None:
    """Where scans of everything keep what need not be looked at again; on a CI, what lies there may be anybody's."""
    from winnow_ci import ci

    if not arguments.cache or change.bases or ci.service(os.environ):
        return None
    return repository.shared_folder()


def _reported(repository: Repository, examined: Examined, arguments: argparse.Namespace) -> ScanReport:
    """The report on a change with all that a person should know; the baseline is written where that is asked for."""
    from winnow_ci.policy import notices

    report, by, parameters = examined
    if arguments.window is not None:
        # What was not found may be there all the same.
        report = report._replace(baseline=report.baseline._replace(stale=()))
    if arguments.update_baseline:
        configuration = arguments.config or (repository.root or repository.git_dir) / CONFIGURATION
        place = baseline.require_place(by.settings.baseline, configuration.parent)
        report = baseline.update(place, by.suppressions, report)
    coarser = _coarser(arguments.window, parameters)
    return report._replace(notices=(*by.notices, *coarser, *report.notices, *notices(report.baseline)))


def _coarser(window: int | None, parameters: Sequence[Parameters]) -> tuple[str, ...]:
    """What a person should know of a scan that did not look up everything."""
    if window is None:
        return ()
    tokens = max(window + each.k - 1 for each in parameters)
    return (
        f"one k-gram of each {window} was looked up (--window): copies of fewer than {tokens} tokens may go unseen",
    )


def _status(report: ScanReport, *, exit_zero: bool) -> int:
    if report.failed and not exit_zero:
        return ExitStatus.FINDINGS
    return ExitStatus.CLEAN if report.complete else ExitStatus.CANNOT_SCAN


def _index(path: Path, settings: Settings) -> IndexReader:
    """Open an index. The configuration may say which parameters it expects; those of the index are used."""
    from winnow_ci.index import IndexReader

    index = IndexReader(path)
    p = index.parameters
    asked = Parameters(settings.k or p.k, settings.w or p.w, settings.selection or p.selection)
    if asked != p:
        msg = f"{path} was made with {p.described()}, the configuration asks for {asked.described()}"
        options = f"-k {asked.k} -w {asked.w} --selection {asked.selection}"
        raise IndexFileError(
            msg, f"build the index again: winnow-ci index build DIR --output INDEX --name NAME {options}"
        )
    return index


def _changes(arguments: argparse.Namespace, repository: Repository) -> ChangeSet:
    from winnow_ci import git

    if arguments.staged:
        return git.staged(repository)
    if arguments.since is not None:
        return git.since(repository, arguments.since)
    if arguments.range is not None:
        return git.between(repository, arguments.range)
    return git.everything(repository) if arguments.all else _unasked(repository)


def _unasked(repository: Repository) -> ChangeSet:
    """What a person most likely means; on a CI, what its event asks for."""
    from winnow_ci import ci, git
    from winnow_ci.cli import event

    current = ci.current_event(os.environ)
    return event.changes(repository, current) if current else git.branch(repository)


def tell(reports: Sequence[ScanReport]) -> None:
    """Say what each scan covered."""
    from winnow_ci.report import coverage

    for report in reports:
        print(coverage(report), file=sys.stderr)
