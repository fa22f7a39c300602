"""Explain a finding, or why files were skipped.

Scan again, with the options that you scanned with, and show everything about one finding: all its code, all its
sources, why it counts, which rule sets its level, and how to allow it. Or show which files of the change were skipped,
and by which rule, or which of its copies people have accepted.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from winnow_ci.cli import choices, outputs, scan
from winnow_ci.errors import UsageError, did_you_mean
from winnow_ci.report.coverage import left_out_files
from winnow_ci.report.wording import first_few

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from winnow_ci.config.settings import ReportThresholds
    from winnow_ci.model.findings import Finding
    from winnow_ci.operations.scan import ChangeScan
    from winnow_ci.report.explanation import Explanation

SAME_OPTIONS = "give the same options as for the scan"


def add_to(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("id", nargs="?", metavar="ID", help="id of a finding, or its beginning")
    lists = parser.add_mutually_exclusive_group()
    lists.add_argument("--skipped", action="store_true", help="show the skipped files instead, and why")
    lists.add_argument("--accepted", action="store_true", help="show the accepted copies instead, and who decided what")
    parser.add_argument("--csv", action="store_true", help="with --accepted: as CSV")
    choices.add_mode(parser)
    choices.add_rules(parser, of_a_change=True)


def run(arguments: argparse.Namespace) -> None:
    from winnow_ci.report import explanation
    from winnow_ci.report.spreadsheet import csv_text

    is_list = arguments.skipped or arguments.accepted
    if arguments.csv and not arguments.accepted:
        raise UsageError("--csv is for --accepted", "add --accepted, or leave it out")
    if is_list and arguments.id is not None:
        arguments.paths = [arguments.id, *arguments.paths]
    elif not is_list and arguments.id is None:
        raise UsageError("explain needs the id of a finding", "give an ID of a report, or add --skipped or --accepted")
    _, found = scan.scan_again(
        arguments, explanation.SHOWN_CODE, lambda finding: not is_list and finding.id.startswith(arguments.id)
    )
    if arguments.skipped:
        text = left_out_files(found.report, outputs.style())
    elif arguments.csv:
        text = csv_text(explanation.ACCEPTED_COLUMNS, explanation.accepted_rows(found.report))
    elif arguments.accepted:
        text = explanation.accepted_copies(found.report)
    else:
        finding = finding_of(found.report.findings, arguments.id)
        text = explanation.render(explanation_of(found, finding), outputs.style())
    sys.stdout.write(text)


def explanation_of(found: ChangeScan, finding: Finding) -> Explanation:
    """Return a finding, and what its scan knows about it."""
    from winnow_ci.languages import front_end_of, language_by_name
    from winnow_ci.policy.license_policy import licence_reasons, licences_to_allow
    from winnow_ci.policy.outbound import requirements
    from winnow_ci.report.explanation import Explanation

    findings, settings = found.report.findings, found.rules.settings
    language, licence = language_by_name(finding.path), finding.source.file.source.license
    # A copy in prose needs as many words.
    words = front_end_of(language).shortest_text if language else 0
    return Explanation(
        finding,
        tuple(other for other in findings if other.path == finding.path and other is not finding),
        _least(finding, settings.report, words),
        tuple(parameters.guarantee for parameters in found.parameters),
        tuple(licence_reasons(licence, settings.policy)),
        licences_to_allow(finding, settings.policy),
        is_prose=words > 0,
        advice=found.report.advice,
        requirements=tuple(requirements(licence)),
    )


def _least(finding: Finding, settings: ReportThresholds, words: int) -> int:
    """The tokens on added lines that a copy of its kind needs to count."""
    from winnow_ci.scanner.look_up import LEAST_IDENTICAL

    if finding.identical:
        return max(LEAST_IDENTICAL, settings.min_tokens)
    return max(words, settings.min_tokens) if finding.kind == "verbatim" else settings.min_tokens_renamed


def finding_of(findings: Sequence[Finding], wanted: str) -> Finding:
    """Return the finding of that id, or the only one whose id begins so."""
    exact = [finding for finding in findings if finding.id == wanted]
    begun = [finding for finding in findings if wanted and finding.id.startswith(wanted)]
    if exact or len(begun) == 1:
        return (exact or begun)[0]
    if begun:
        problem = f"{len(begun)} findings have ids that begin with {wanted}"
        raise UsageError(problem, f"give one of {first_few([finding.id for finding in begun])}")
    ids = [finding.id for finding in findings]
    known = f"its ids are {first_few(ids)}" if ids else "it has no findings"
    remedy = did_you_mean(wanted, ids, known, most=3)
    # Hexadecimal ids are often alike by chance.
    glue = "; " if remedy == known else " Otherwise "
    raise UsageError(f"no finding of this scan has the id {wanted!r}", f"{remedy}{glue}{SAME_OPTIONS}")
