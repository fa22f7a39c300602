"""``winnow-ci explain``: everything about one finding, or why files were not looked at."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING, Any

from winnow_ci.cli import outputs, scan
from winnow_ci.cli.finding_ids import finding_of
from winnow_ci.cli.progress import counting
from winnow_ci.errors import ExitStatus, UsageError

if TYPE_CHECKING:
    from winnow_ci.config.settings import ReportThresholds
    from winnow_ci.model.findings import Finding
    from winnow_ci.operations.scan import ChangeScan
    from winnow_ci.report.explanation import Explanation

DESCRIPTION = """\
Scan once more, with the options that the scan had, and show everything about one finding: all of its code,
all sources, why it counts, which rule makes its level, and how to allow it. Or show which files of the
change were not looked at, and the rule behind each, or which of its copies people have accepted."""


def add_to(commands: Any) -> None:
    """Declare the command."""
    parser = commands.add_parser(
        "explain",
        help="tell everything about a finding, or why files were not looked at",
        description=DESCRIPTION,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("id", nargs="?", metavar="ID", help="id of a finding, or its beginning")
    lists = parser.add_mutually_exclusive_group()
    lists.add_argument("--skipped", action="store_true", help="instead: the files that were not looked at, and why")
    lists.add_argument("--accepted", action="store_true", help="instead: the copies that people have accepted, and why")
    scan.add_change(parser)
    scan.add_rules(parser)
    parser.set_defaults(run=run, update_baseline=False, including_denied=False, cache=True, window=None, smallest=None)


def run(arguments: argparse.Namespace) -> int:
    """Scan and explain; returns the exit status."""
    is_list = arguments.skipped or arguments.accepted
    if is_list and arguments.id is not None:
        arguments.paths = [arguments.id, *arguments.paths]
    elif not is_list and arguments.id is None:
        raise UsageError("explain needs the id of a finding", "give an ID that a report has, --skipped or --accepted")
    from winnow_ci.operations.scan import scan_change
    from winnow_ci.report.explanation import SHOWN_CODE

    repository, change = scan.asked(arguments)
    options, shown = scan.scan_options(arguments), lambda finding: _is_asked(finding, arguments)
    found = scan_change(repository, change, options, counting, shown_code=SHOWN_CODE, shows=shown)
    scan.say_coverage([found.report])
    sys.stdout.write(_text(found, arguments))
    return ExitStatus.CLEAN


def _is_asked(finding: Finding, arguments: argparse.Namespace) -> bool:
    return not (arguments.skipped or arguments.accepted) and finding.id.startswith(arguments.id)


def _text(found: ChangeScan, arguments: argparse.Namespace) -> str:
    from winnow_ci.report import explanation
    from winnow_ci.report.coverage import left_out_files

    if arguments.skipped:
        return left_out_files(found.report, outputs.style())
    if arguments.accepted:
        return explanation.accepted_copies(found.report, outputs.style())
    return explanation.render(_explained(found, arguments.id), outputs.style())


def _explained(found: ChangeScan, wanted: str) -> Explanation:
    from winnow_ci.policy.license_policy import edit_to_allow, licence_reasons
    from winnow_ci.report.explanation import Explanation

    findings, settings = found.report.findings, found.rules.settings
    finding = finding_of(findings, wanted)
    edit, words = edit_to_allow(finding, settings.policy), _shortest_text(finding.path)
    return Explanation(
        finding,
        tuple(other for other in findings if other.path == finding.path and other is not finding),
        _least(finding, settings.report, words),
        tuple(parameters.guarantee for parameters in found.parameters),
        tuple(licence_reasons(finding.source.file.source.license, settings.policy)),
        edit.in_words() if edit else None,
        is_prose=words > 0,
        advice=found.report.advice,
    )


def _shortest_text(path: str) -> int:
    """How many words a copy in a file of prose has at least; 0 for a file of code."""
    from winnow_ci.languages import front_end_of, language_by_name

    language = language_by_name(path)
    return front_end_of(language).shortest_text if language else 0


def _least(finding: Finding, settings: ReportThresholds, words: int) -> int:
    """How many tokens on added lines a copy of its kind needs to count, given the words that one of prose needs."""
    from winnow_ci.scanner.identity import LEAST_TOKENS

    if finding.identical:
        return max(LEAST_TOKENS, settings.min_tokens)
    return max(words, settings.min_tokens) if finding.kind == "verbatim" else settings.min_tokens_renamed
