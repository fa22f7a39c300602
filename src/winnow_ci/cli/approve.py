"""Record in the baseline that copies may stay.

Scan again, with the options that you scanned with, and record findings in the baseline as copies that may stay, with
the reason. Adds the key baseline: to the configuration if it is missing. In a pull request, an approval counts once the
baseline is merged.
"""

from __future__ import annotations

import argparse
import datetime as dt
import re
from collections import Counter
from collections.abc import Collection, Sequence
from functools import partial

from winnow_ci import git, operations
from winnow_ci.cli import choices, messages, scan
from winnow_ci.cli.explain import SAME_OPTIONS, finding_of
from winnow_ci.errors import UsageError, did_you_mean
from winnow_ci.model import Place
from winnow_ci.model.findings import REASON_HERE, Decision, Finding
from winnow_ci.report.wording import first_few

LONGEST_REASON = 500
_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_NAMED = 20


def add_to(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("ids", nargs="*", metavar="ID", help="id of a finding, or its beginning")
    add("--source", action="append", default=[], metavar="NAME", help="all findings from this source (repeatable)")
    add("--license", action="append", default=[], metavar="SPDX", help="all findings under this licence (repeatable)")
    add("--reason", required=True, metavar=REASON_HERE, help="why they may stay, and who decided it")
    add("--expires", metavar="DATE", help="the last day on which they may stay, such as 2027-01-31")
    add("--including-denied", action="store_true", help="also copies under a licence that policy.deny names")
    choices.add_mode(parser, with_paths=False)
    choices.add_rules(parser, of_a_change=True)
    parser.set_defaults(update_baseline=True)


def run(arguments: argparse.Namespace) -> None:
    if bool(arguments.ids) == bool(arguments.source or arguments.license):
        problem = "approve takes either ids or --source and --license"
        raise UsageError(problem, "name the copies that may stay: winnow-ci approve ID… --reason TEXT")
    decision = Decision(_reason(arguments.reason), _day(arguments.expires))
    repository, found = scan.scan_again(arguments)
    identity = git.identity(repository)
    if not identity:
        raise UsageError("git does not know who approves", "tell it: git config user.name NAME, and user.email ADDRESS")
    decision = decision._replace(recorded_by=identity, recorded_on=found.rules.suppressions.today)
    findings, denied = _named(found, arguments)
    configuration = operations.trust.configuration_path(repository, choices.rule_choice(arguments))
    approve = partial(operations.baseline.approve_findings, including_denied=arguments.including_denied)
    place = approve(found.report, found.rules, configuration, findings, decision)
    say_approved(place, findings, denied)


def _reason(text: str) -> str:
    reason: str = choices.utf8(text.strip(), "write it in UTF-8")
    # A pasted command still has the placeholder for the reason.
    if not any(map(str.isalnum, reason)) or reason == REASON_HERE:
        raise UsageError("--reason is empty", "say why the copy may stay, and whom to ask")
    if len(reason) > LONGEST_REASON:
        remedy = "shorten it, and link to a page with the rest"
        raise UsageError(f"--reason is longer than {LONGEST_REASON} characters", remedy)
    return reason


def _day(text: str | None) -> dt.date | None:
    if text is None:
        return None
    try:
        day = dt.date.fromisoformat(text) if _DAY.fullmatch(text) else None
    except ValueError:
        day = None
    if day is None:
        raise UsageError(f"--expires: {text!r:.40} is not a date", "write it as 2027-01-31")
    if day < dt.date.today():
        raise UsageError(f"--expires: {day} has passed", "name the last day on which the copy may stay")
    return day


def _named(
    found: operations.scan.ChangeScan, arguments: argparse.Namespace
) -> tuple[list[Finding], list[tuple[Finding, Place]]]:
    """The findings to approve, and those left out because the policy denies them."""
    from winnow_ci.policy.license_policy import denied_place

    findings, policy = found.report.findings, found.rules.settings.policy
    if arguments.ids:
        named = (finding_of(findings, wanted) for wanted in arguments.ids)
        return list({finding.id: finding for finding in named}.values()), []
    chosen = [(one, denied_place(one, policy)) for one in _findings_from(findings, arguments)]
    if arguments.including_denied:
        return [one for one, _ in chosen], []
    return [one for one, place in chosen if place is None], [(one, place) for one, place in chosen if place is not None]


def _findings_from(findings: Sequence[Finding], arguments: argparse.Namespace) -> list[Finding]:
    """The findings that nothing suppresses from one of the sources and under one of the licences."""
    shown = [(finding, finding.source.file.source) for finding in findings if finding.suppressed is None]
    _check_known("source", arguments.source, {source.name for _, source in shown})
    _check_known("licence", arguments.license, {source.license for _, source in shown})
    names, licences = arguments.source, arguments.license
    shown = [(finding, source) for finding, source in shown if not names or source.name in names]
    return [finding for finding, source in shown if not licences or source.license in licences]


def _check_known(kind: str, wanted: Sequence[str], known: Collection[str]) -> None:
    for word in wanted:
        if word not in known:
            has = f"it has findings of {first_few(sorted(known))}" if known else "it has none"
            remedy = did_you_mean(word, sorted(known), f"{has}; {SAME_OPTIONS}")
            raise UsageError(f"no open finding of this scan has the {kind} {word!r}", remedy)


def say_approved(
    place: operations.baseline.BaselinePlace, findings: Sequence[Finding], denied: Sequence[tuple[Finding, Place]] = ()
) -> None:
    """Print which copies were approved (if many, how many from each source), and when that takes effect."""
    recorded, kind = [scan.copy_in_words(finding, finding.source) for finding in findings], "findings"
    if len(findings) > _NAMED:
        sources = Counter(finding.source.file.source for finding in findings).most_common()
        recorded, kind = [f"{count:,} from {source.name} ({source.license})" for source, count in sources], "sources"
    scan.say_baseline(place, f"{scan.place_name(place.path)}: {len(findings):,} approved", recorded, kind, denied)
    if findings:
        scan.say_how_to_stage(place)
        messages.note("pull requests use this approval once it is merged into their target branch")
