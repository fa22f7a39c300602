"""Find copied code in a change.

Look up a change in indexes of known code. By default, the change is your branch: everything since its merge base with
the default branch, uncommitted work included. In a job on GitHub or GitLab, it is what was added by the pull request,
push or other event that started the job.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from winnow_ci import ci, git, operations, report, run_log
from winnow_ci.cli import choices, messages, outputs
from winnow_ci.config import CONFIGURATION
from winnow_ci.errors import ExitStatus, UsageError
from winnow_ci.model import Place
from winnow_ci.model.changes import ChangeSet
from winnow_ci.model.findings import FIRST_LINES, Finding, ProvedCommit, ScanReport, ShownCode
from winnow_ci.report.printable import name
from winnow_ci.report.wording import range_of

_NAMED = 20


def add_to(parser: argparse.ArgumentParser) -> None:
    choices.add_mode(parser)
    add = parser.add_argument
    update = "write all findings except those that policy.deny names into the baseline, and drop entries without a copy"
    add("--update-baseline", action="store_true", help=update)
    denied = "with --update-baseline: also write findings that policy.deny names"
    add("--including-denied", action="store_true", help=denied)
    choices.add_rules(parser, of_a_change=True)
    choices.add_reports(parser)


def run(arguments: argparse.Namespace) -> int:
    if arguments.including_denied and not arguments.update_baseline:
        raise UsageError("--including-denied is for --update-baseline", "add --update-baseline, or leave it out")
    repository, plan = git.Repository.find(Path.cwd()), outputs.planned(arguments)
    with outputs.reporting(plan, repository.root):
        change = operations.scan.chosen_change(repository, choices.change_choice(arguments))
        return scan_and_report(repository, [change], arguments)


def scan_again(
    arguments: argparse.Namespace, code: ShownCode = FIRST_LINES, shows: Callable[[Finding], bool] = lambda _: False
) -> tuple[git.Repository, operations.scan.ChangeScan]:
    """Repeat a scan with the options that it had, for the commands about its findings."""
    repository = git.Repository.find(Path.cwd())
    change, options = operations.scan.chosen_change(repository, choices.change_choice(arguments)), _options(arguments)
    found = operations.scan.scan_change(repository, change, options, messages.counting, code, shows)
    say_coverage([found.report])
    return repository, found


def scan_and_report(repository: git.Repository, changes: Sequence[ChangeSet], arguments: argparse.Namespace) -> int:
    """Look changes up and write one report on all of them; return the exit status."""
    from winnow_ci.scanner import combined

    plan, options = outputs.planned(arguments), _options(arguments)
    proved = _proved(repository, changes) if any(one.format == report.PROOF for one in plan) else None
    code = report.shown_code(one.format for one in plan)
    reports = []
    for change in changes:
        found = operations.scan.scan_change(repository, change, options, messages.counting, code)
        finished, update = operations.scan.finished(repository, found, options)
        reports.append(finished)
        if update:
            _say_update(update)
    say_coverage(reports)
    if sys.stderr.isatty() and not os.path.lexists(operations.trust.configuration_path(repository, options.rules)):
        messages.note(f"no {CONFIGURATION} yet: winnow-ci init writes a first one")
    whole = combined(reports)._replace(proved=proved)
    if any(one.format in report.WITH_CHECKOUT for one in plan):
        whole = whole._replace(checkout=git.checked_out(repository))
    with run_log.stage("report"):
        outputs.write_reports(whole, plan, repository.root, arguments.group_by)
    outputs.say_written(whole, plan)
    _warn_of_reports(repository, plan)
    return status(whole, exit_zero=arguments.exit_zero)


def _proved(repository: git.Repository, changes: Sequence[ChangeSet]) -> ProvedCommit:
    from winnow_ci.operations.proof import commit_of

    if len(changes) > 1:
        problem = "a proof is about one change, and this push has several"
        raise UsageError(problem, "name it: winnow-ci scan --range A..B")
    return commit_of(repository, changes[0])


def _options(arguments: argparse.Namespace) -> operations.scan.ScanOptions:
    given = vars(arguments)
    denied, mode = given.get("including_denied", False), choices.change_choice(arguments).options
    is_elsewhere = given.get("pre_receive", False) or ci.is_ci(os.environ)
    return operations.scan.ScanOptions(choices.rule_choice(arguments), denied, mode, is_elsewhere)


def _warn_of_reports(repository: git.Repository, plan: Sequence[outputs.Output]) -> None:
    """Warn about reports that later scans will read as new code."""
    from winnow_ci.languages import may_have_language

    if repository.root is None or ci.is_ci(os.environ):
        return
    root = repository.root.resolve()
    written = [one.file.resolve() for one in plan if one.file and may_have_language(one.file.name)]
    paths = [str(file.relative_to(root)) for file in written if file.is_relative_to(root)]
    ignored = git.ignored(repository, paths)
    for path in paths:
        if path not in ignored:
            messages.note(f"{name(path)} is not ignored by git: the next scan will read this report too")


def say_coverage(reports: Sequence[ScanReport]) -> None:
    """Print what each scan covered; at once, if it could not read all files."""
    for one in reports:
        messages.say(report.coverage(one), at_once=not one.complete)


def status(scan_report: ScanReport, *, exit_zero: bool) -> int:
    """Return the exit status for a report."""
    if scan_report.failed and not exit_zero:
        return ExitStatus.FINDINGS
    return ExitStatus.CLEAN if scan_report.complete else ExitStatus.CANNOT_SCAN


def _say_update(update: operations.baseline.BaselineUpdate) -> None:
    path, added = place_name(update.place.path), sum(entries for *_, entries in update.added)
    summary = f"{path}: {added:,} added, {update.kept:,} kept, {update.removed:,} removed"
    sources = [f"{entries:,} from {source} ({licence})" for source, licence, entries in update.added]
    say_baseline(update.place, summary, sources, "sources", update.denied)
    if update.added or update.removed:
        say_how_to_stage(update.place)


def say_baseline(
    place: operations.baseline.BaselinePlace,
    summary: str,
    recorded: Sequence[str],
    kind: str,
    denied: Sequence[tuple[Finding, Place]],
) -> None:
    """Print which copies were recorded, and which the policy denies."""
    if place.edited is not None:
        messages.note(f"{place_name(place.configuration)}: now names the baseline")
    messages.note(summary)
    _say_some(recorded, kind)
    if denied:
        why = "because policy.deny names the licence (--including-denied records them too)"
        messages.note(f"{len(denied):,} not recorded, {why}:")
    _say_some([copy_in_words(*one) for one in denied], "findings")


def say_how_to_stage(place: operations.baseline.BaselinePlace) -> None:
    """Print what to stage: a commit hook sees nothing else."""
    files = [place.path, *([place.configuration] if place.edited is not None else [])]
    messages.note(f"a commit hook uses it once it is staged: git add {' '.join(map(place_name, files))}")


def place_name(path: Path) -> str:
    """Return the path of a file, relative to the current folder if it is below."""
    here = Path.cwd()
    return name((path.relative_to(here) if path.is_relative_to(here) else path).as_posix())


def copy_in_words(finding: Finding, place: Place) -> str:
    """Name a copy and a source as reports do."""
    source = place.file.source
    return f"{finding.id}  {finding.path}:{range_of(finding.lines)} from {source.name} ({source.license})"


def _say_some(said: Sequence[str], kind: str) -> None:
    for line in said[:_NAMED]:
        messages.say(f"  {name(line)}")
    if more := len(said[_NAMED:]):
        messages.say(f"  and {more:,} more {kind}")
