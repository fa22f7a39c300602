"""``winnow-ci assistant``: judge what a coding assistant is about to write, for the hooks of assistants.

Its exit statuses are those of the assistants' protocols: 2 blocks, and standard error says why; whatever is neither 0
nor 2 is a failure that they tell the user, and the assistant goes on.
"""

from __future__ import annotations

import argparse
import json
import sys
from typing import TYPE_CHECKING, Any

from winnow_ci.cli import messages, named_index
from winnow_ci.cli.progress import counting
from winnow_ci.errors import ExitStatus, UsageError, WinnowError

if TYPE_CHECKING:
    from winnow_ci.model.findings import ScanReport

BLOCKED = 2
_MOST_BYTES = 256 << 20
DESCRIPTION = """\
Judge what a coding assistant is about to write. Standard input is the call of a tool, as the hooks of Claude Code,
Gemini CLI and Cursor hand it over before the tool runs. What the call adds to the file is looked up; what the file has
already is not new, and comments that the call brings allow nothing."""
EPILOG = """\
exit status: 0 it may be written, 2 it may not, and standard error says why,
3 could not look, which blocks nothing and is told, 4 a bug in winnow-ci"""


def add_to(commands: Any) -> None:
    """Declare the command."""
    parser = commands.add_parser(
        "assistant",
        help="the same before a coding assistant writes, from its hook",
        description=DESCRIPTION,
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    named_index.add_rules_to(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Judge; returns the exit status."""
    from winnow_ci.report import coverage
    from winnow_ci.report.text import refusal

    try:
        report, by_cursor = _checked(arguments)
    except WinnowError as error:
        if error.exit_status != ExitStatus.USAGE:
            raise
        # Its status would block all writing, that of the configuration's repair included.
        raise WinnowError(error.problem, error.remedy) from error
    if not report.failed:
        messages.say(coverage(report), at_once=not report.complete)
        return ExitStatus.CLEAN if report.complete else ExitStatus.CANNOT_SCAN
    reason = refusal(report)
    if by_cursor:
        sys.stdout.write(json.dumps({"permission": "deny", "user_message": reason, "agent_message": reason}) + "\n")
        return ExitStatus.CLEAN
    sys.stderr.write(reason)
    return BLOCKED


def _checked(arguments: argparse.Namespace) -> tuple[ScanReport, bool]:
    """The report on what is to be written, and whether Cursor asks."""
    from winnow_ci.operations.check import CheckOptions, check
    from winnow_ci.operations.given_documents import folder_of
    from winnow_ci.operations.tool_calls import planned_write
    from winnow_ci.operations.trust import RuleChoice

    call = b"" if sys.stdin is None else sys.stdin.buffer.read(_MOST_BYTES + 1)
    if len(call) > _MOST_BYTES:
        raise UsageError(f"the call of the tool has more than {_MOST_BYTES >> 20} MiB", "have it written in parts")
    planned = planned_write(call)
    options = CheckOptions(RuleChoice(arguments.config, tuple(arguments.index or ())), trust="base")
    return check(folder_of(planned.folder), [planned.document], options, counting), planned.by_cursor
