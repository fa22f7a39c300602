"""``winnow-ci scan``: look a change up in indexes of known code, and report."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from winnow_ci import run_log
from winnow_ci.cli import messages, named_index, outputs
from winnow_ci.cli.parameters import one_of
from winnow_ci.cli.progress import counting
from winnow_ci.errors import ExitStatus, ReportFileError, UsageError, WinnowError
from winnow_ci.model import WINDOW_LENGTHS
from winnow_ci.operations import CONFIGURATION
from winnow_ci.report.printable import name

if TYPE_CHECKING:
    from collections.abc import Sequence

    from winnow_ci.git import Repository
    from winnow_ci.model.changes import ChangeSet
    from winnow_ci.model.findings import ScanReport
    from winnow_ci.operations.scan import ScanOptions

_SMALLEST = range(1, 1_000_001)
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
        help="write what is found into the baseline that the configuration names, and drop what is gone from it; what "
        "policy.deny names is not written, and stays a finding",
    )
    parser.add_argument(
        "--including-denied",
        action="store_true",
        help="with --update-baseline: write what policy.deny names, too",
    )
    parser.add_argument(
        "--no-cache",
        action="store_true",
        # Scripts may still give it. There is no cache to leave out any more.
        help=argparse.SUPPRESS,
    )
    less = parser.add_mutually_exclusive_group()
    less.add_argument(
        "--window",
        type=one_of(WINDOW_LENGTHS),
        metavar="W",
        help="look up one k-gram of each W: a large W is less work, and copied runs of fewer than W + K - 1 tokens may "
        "go unseen; at least the W of the index, made with robust or winnowing selection",
    )
    less.add_argument(
        "--smallest",
        type=one_of(_SMALLEST),
        metavar="N",
        help="look up the N smallest fingerprints of each file first, and the others only if an index has one of "
        "these: for a first look at much code; the index made with robust, winnowing, mod-minimizer or mod-p selection",
    )
    add_options(parser)
    parser.set_defaults(run=run)


def add_change(parser: argparse.ArgumentParser) -> None:
    """Declare what says which change is meant, and which of its files."""
    add_mode(parser)
    parser.add_argument("paths", nargs="*", metavar="PATH", help="only these files and folders")


def add_mode(parser: argparse.ArgumentParser) -> None:
    """Declare what says which change is meant."""
    mode = parser.add_mutually_exclusive_group()
    mode.add_argument(
        "--since", metavar="REV", help="what came since the merge base with REV, uncommitted work included"
    )
    mode.add_argument("--staged", action="store_true", help="what the next commit would bring")
    mode.add_argument("--range", metavar="A..B", help="what B has and A has not (A...B: since their merge base)")
    mode.add_argument("--all", action="store_true", help="every file, as if all of it were new")


def add_rules(parser: argparse.ArgumentParser) -> None:
    """Declare what says what a change is judged by."""
    named_index.add_rules_to(parser, f"configuration (default: {CONFIGURATION})")
    parser.add_argument(
        "--policy-from",
        choices=("base", "head"),
        help="whose configuration, boilerplate and index count: those of the base that is compared with (default on a "
        "CI, where the change may be a stranger's), or those that are checked out (default elsewhere)",
    )


def add_options(parser: argparse.ArgumentParser) -> None:
    """Declare what every command that looks changes up and reports has: indexes, configuration, reports."""
    add_rules(parser)
    add_formats(parser)
    parser.add_argument("--exit-zero", action="store_true", help="report findings, but do not fail because of them")


def add_formats(parser: argparse.ArgumentParser) -> None:
    """Declare what says which reports are written."""
    from winnow_ci.report import FORMATS
    from winnow_ci.report.shown import GROUPINGS

    parser.add_argument(
        "--format",
        action="append",
        type=outputs.output,
        metavar="FORMAT[:FILE]",
        help=f"{', '.join(FORMATS)}, to standard output or to a file (repeatable; default: text); "
        f"{outputs.AUTO}: what the place shows best, on a CI with a summary or a report file of its own",
    )
    parser.add_argument(
        "--group-by",
        choices=GROUPINGS,
        help="in text and markdown: a table of these first, then a line for each finding",
    )


def run(arguments: argparse.Namespace) -> int:
    """Scan and report; returns the exit status."""
    narrowed = next((option for option in ("window", "smallest") if vars(arguments)[option] is not None), None)
    if narrowed and arguments.update_baseline:
        raise UsageError(
            f"--update-baseline would drop copies that --{narrowed} leaves unseen", f"leave out --{narrowed}"
        )
    if arguments.including_denied and not arguments.update_baseline:
        raise UsageError("--including-denied is for --update-baseline", "add --update-baseline, or leave it out")
    from winnow_ci import git

    repository, plan = git.Repository.find(Path.cwd()), planned(arguments)
    outputs.clear(plan, repository.root)
    try:
        return look_up(repository, [_asked(arguments, repository)], arguments)
    except ReportFileError:
        raise
    except Exception as error:
        outputs.write_failure(told(error), plan, repository.root)
        raise


def told(error: Exception) -> Sequence[str]:
    """What a report says in the place of findings; standard error has more."""
    return error.lines if isinstance(error, WinnowError) else [f"{type(error).__name__}: the log says more"]


def asked(arguments: argparse.Namespace) -> tuple[Repository, ChangeSet]:
    """The repository that we are in, and the change that the arguments mean (``add_change``)."""
    from winnow_ci import git

    repository = git.Repository.find(Path.cwd())
    return repository, _asked(arguments, repository)


def _asked(arguments: argparse.Namespace, repository: Repository) -> ChangeSet:
    from winnow_ci import git

    with run_log.stage("change"):
        return git.narrow(repository, _change(arguments, repository), arguments.paths)


def planned(arguments: argparse.Namespace) -> list[outputs.Output]:
    """The reports that the arguments ask for (``add_formats``)."""
    return outputs.planned(arguments.format or [], os.environ)


def _change(arguments: argparse.Namespace, repository: Repository) -> ChangeSet:
    from winnow_ci import git
    from winnow_ci.operations.scan import default_change

    if arguments.staged:
        return git.staged(repository)
    if arguments.since is not None:
        return git.since(repository, arguments.since)
    if arguments.range is not None:
        return git.between(repository, arguments.range)
    return git.everything(repository) if arguments.all else default_change(repository)


def look_up(repository: Repository, changes: Sequence[ChangeSet], arguments: argparse.Namespace) -> int:
    """Look changes up and write one report on all of them; returns the exit status."""
    from winnow_ci.operations.scan import finished, scan_change
    from winnow_ci.report import shown_code
    from winnow_ci.scanner import combined

    plan, options = planned(arguments), scan_options(arguments)
    code = shown_code(one.format for one in plan)
    reports = []
    for change in changes:
        found = scan_change(repository, change, options, counting, shown_code=code)
        report, update = finished(repository, found, options)
        reports.append(report)
        if update:
            from winnow_ci.cli import recorded_copies

            recorded_copies.say(update)
    say_coverage(reports)
    _say_how_to_begin(repository, options)
    report = combined(reports)
    with run_log.stage("report"):
        outputs.write(report, plan, repository.root, arguments.group_by)
    _say_what_is_scanned_next(repository, plan)
    return status(report, exit_zero=arguments.exit_zero)


def scan_options(arguments: argparse.Namespace) -> ScanOptions:
    """How the arguments want a change to be scanned."""
    from winnow_ci.operations.scan import ScanOptions
    from winnow_ci.operations.trust import RuleChoice
    from winnow_ci.scanner.questions import Narrowing

    indexes = tuple(arguments.index or ())
    choice = RuleChoice(arguments.config, indexes, arguments.policy_from, arguments.update_baseline)
    return ScanOptions(
        choice,
        Narrowing(arguments.window, arguments.smallest),
        arguments.including_denied,
        _mode(arguments),
        is_read_elsewhere=_is_read_elsewhere(arguments),
    )


def _mode(arguments: argparse.Namespace) -> tuple[str, ...]:
    """The options that name the change; a hook has none of them."""
    given = vars(arguments)
    for option in ("since", "range"):
        if given.get(option) is not None:
            return f"--{option}", given[option]
    return next(((f"--{option}",) for option in ("staged", "all") if given.get(option)), ())


def _is_read_elsewhere(arguments: argparse.Namespace) -> bool:
    from winnow_ci import ci

    return vars(arguments).get("pre_receive", False) or ci.is_ci(os.environ)


def _say_how_to_begin(repository: Repository, options: ScanOptions) -> None:
    """Tell a person at a terminal about the configuration, while there is none."""
    from winnow_ci.operations.trust import configuration_path

    if sys.stderr.isatty() and not os.path.lexists(configuration_path(repository, options.rules)):
        messages.say(f"winnow-ci: no {CONFIGURATION} yet: winnow-ci init writes a first one")


def _say_what_is_scanned_next(repository: Repository, plan: Sequence[outputs.Output]) -> None:
    """Tell a person which of the reports will count as new code, with what they quote."""
    from winnow_ci import ci, git
    from winnow_ci.languages import may_have_language

    if repository.root is None or ci.is_ci(os.environ):
        return
    root = repository.root.resolve()
    written = [one.file.resolve() for one in plan if one.file and may_have_language(one.file.name)]
    paths = [str(file.relative_to(root)) for file in written if file.is_relative_to(root)]
    ignored = git.ignored(repository, paths)
    for path in paths:
        if path not in ignored:
            messages.say(f"winnow-ci: {name(path)} is not ignored by git: the next scan looks at this report, too")


def say_coverage(reports: Sequence[ScanReport]) -> None:
    """Say what each scan covered; at once, if that is not all that it should have looked at."""
    from winnow_ci.report import coverage

    for report in reports:
        messages.say(coverage(report), at_once=not report.complete)


def status(report: ScanReport, *, exit_zero: bool) -> int:
    """The exit status for a report."""
    if report.failed and not exit_zero:
        return ExitStatus.FINDINGS
    return ExitStatus.CLEAN if report.complete else ExitStatus.CANNOT_SCAN
