"""``winnow-ci approve``: record in the baseline that copies may stay, and why."""

from __future__ import annotations

import argparse
import datetime as dt
import re
from typing import TYPE_CHECKING, Any

from winnow_ci.cli import finding_ids, parameters, recorded_copies, scan
from winnow_ci.cli.progress import counting
from winnow_ci.errors import ExitStatus, UsageError
from winnow_ci.model.findings import REASON_HERE

if TYPE_CHECKING:
    from winnow_ci.model import Place
    from winnow_ci.model.findings import Finding
    from winnow_ci.operations.approval import Approval
    from winnow_ci.operations.scan import ChangeScan

DESCRIPTION = """\
Scan once more, with the options that the scan had, and record findings in the baseline: copies that may stay, with
the reason. The configuration gets the key baseline: if it lacks it. For a pull request an approval counts once the
baseline is merged (docs/ci.md)."""
LONGEST_REASON = 500
_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")


def add_to(commands: Any) -> None:
    """Declare the command."""
    parser = commands.add_parser(
        "approve",
        help="record in the baseline that copies may stay",
        description=DESCRIPTION,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("ids", nargs="*", metavar="ID", help="id of a finding, or its beginning")
    parser.add_argument(
        "--source", action="append", default=[], metavar="NAME", help="all findings from this source (repeatable)"
    )
    parser.add_argument(
        "--license", action="append", default=[], metavar="SPDX", help="all under this licence (repeatable)"
    )
    parser.add_argument("--reason", required=True, metavar=REASON_HERE, help="why they may stay, and who may be asked")
    parser.add_argument("--expires", metavar="DATE", help="the last day on which they may stay, such as 2027-01-31")
    parser.add_argument("--including-denied", action="store_true", help="also what policy.deny names")
    scan.add_mode(parser)
    scan.add_rules(parser)
    parser.set_defaults(run=run, paths=(), update_baseline=True, cache=True, window=None, smallest=None)


def run(arguments: argparse.Namespace) -> int:
    """Scan and record; returns the exit status."""
    from winnow_ci.operations.approval import approve
    from winnow_ci.operations.scan import scan_change
    from winnow_ci.operations.trust import configuration_path

    _check_named(arguments)
    approval = _approval(arguments)
    repository, change = scan.asked(arguments)
    options = scan.scan_options(arguments)
    found = scan_change(repository, change, options, counting, shows=lambda _: False)
    scan.say_coverage([found.report])
    findings, denied = _named(found, arguments)
    place = approve(found.report, found.rules, configuration_path(repository, options.rules), findings, approval)
    recorded_copies.say_approved(place, findings, denied)
    return ExitStatus.CLEAN


def _check_named(arguments: argparse.Namespace) -> None:
    if bool(arguments.ids) == bool(arguments.source or arguments.license):
        problem = "approve takes either ids or --source and --license"
        raise UsageError(problem, "name what may stay: winnow-ci approve ID… --reason TEXT")


def _named(found: ChangeScan, arguments: argparse.Namespace) -> tuple[list[Finding], list[tuple[Finding, Place]]]:
    """The findings to approve, and those of a source or licence that the policy denies, which nobody has named."""
    from winnow_ci.policy.license_policy import denied_place

    findings, policy = found.report.findings, found.rules.settings.policy
    if arguments.ids:
        named = (finding_ids.finding_of(findings, wanted) for wanted in arguments.ids)
        return list({finding.id: finding for finding in named}.values()), []
    chosen = [
        (one, denied_place(one, policy))
        for one in finding_ids.findings_from(findings, arguments.source, arguments.license)
    ]
    if arguments.including_denied:
        return [one for one, _ in chosen], []
    return [one for one, place in chosen if place is None], [(one, place) for one, place in chosen if place is not None]


def _approval(arguments: argparse.Namespace) -> Approval:
    from winnow_ci.operations.approval import Approval

    reason = parameters.utf8(arguments.reason.strip(), "write it in UTF-8")
    # A pasted command has the word that stands for the reason.
    if not any(map(str.isalnum, reason)) or reason == REASON_HERE:
        raise UsageError("--reason says nothing", "say why the copy may stay, and who may be asked about it")
    if len(reason) > LONGEST_REASON:
        raise UsageError(f"--reason is longer than {LONGEST_REASON} characters", "name the page that has the rest")
    return Approval(reason, _day(arguments.expires), arguments.including_denied)


def _day(text: str | None) -> dt.date | None:
    """The day of ``--expires``, which is not over yet."""
    if text is None:
        return None
    try:
        day = dt.date.fromisoformat(text) if _DAY.fullmatch(text) else None
    except ValueError:
        day = None
    if day is None:
        raise UsageError(f"--expires: {text!r:.40} is no day", "write it as 2027-01-31")
    if day < dt.date.today():
        raise UsageError(f"--expires: {day} is over", "name the last day on which the copy may stay")
    return day
