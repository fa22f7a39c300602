"""Print what a NOTICE file should say about copied code.

Scan again, with the options that you scanned with, and print Markdown for a NOTICE file: for each source of copied code
its address, its licence and what that requires, the copies, and its copyright lines where the text of the source is
available.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from winnow_ci.cli import choices, messages, scan
from winnow_ci.errors import ConfigError, ExitStatus, UsageError
from winnow_ci.model import Source

_OF_A_SCAN = ("since", "staged", "range", "all", "paths", "index", "config", "policy_from")


def add_to(parser: argparse.ArgumentParser) -> None:
    listed = "instead of a scan: list the sources in the lock beside this manifest"
    parser.add_argument("--manifest", type=Path, metavar="FILE", help=listed)
    choices.add_mode(parser)
    choices.add_rules(parser, of_a_change=True)


def run(arguments: argparse.Namespace) -> int:
    from winnow_ci.policy.outbound import requirements
    from winnow_ci.report import markdown

    if arguments.manifest is not None:
        if any(getattr(arguments, option) for option in _OF_A_SCAN):
            raise UsageError("--manifest lists a lock, and scans nothing", "leave out the options of a scan")
        sys.stdout.write(markdown.listed_sources(_sources(arguments.manifest)))
        return ExitStatus.CLEAN
    _, found = scan.scan_again(arguments, markdown.WITH_COPYRIGHT, markdown.is_attributed)
    findings = [finding for finding in found.report.findings if markdown.is_attributed(finding)]
    if not findings:
        messages.note("no copies, so there is nothing to say in a NOTICE file")
    sys.stdout.write(markdown.notice_text(findings, requirements))
    # Of what could not be scanned, a notice may be missing.
    return ExitStatus.CLEAN if found.report.complete else ExitStatus.CANNOT_SCAN


def _sources(manifest: Path) -> list[Source]:
    from winnow_ci.config.lock import load_lock
    from winnow_ci.indexer.pinning import source_to_index
    from winnow_ci.operations import lock_beside

    lock = load_lock(lock_beside(manifest))
    if lock is None:
        problem = f"{lock_beside(manifest)} does not exist"
        raise ConfigError(problem, f"write it: winnow-ci index sync --manifest {manifest}")
    return [source_to_index(one) for one in lock.sources]
