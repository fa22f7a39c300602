"""Check code that a coding assistant is about to write, from its hook.

Check code that a coding assistant is about to write. Standard input is the tool call that the hooks of Claude Code,
Gemini CLI, Cursor and Codex send before the tool runs. Only code that the call adds to the file is looked up. A comment
that the call adds cannot allow a copy.

The exit statuses are those of the assistants' protocols: 2 blocks, with the reason on standard error; any other than 0
and 2 is a failure that they show the user, and the assistant goes on. Only with 0 do they read JSON on standard output.
There Claude Code and Codex take ``additionalContext`` for the assistant. Gemini CLI and Cursor document nothing that
informs the assistant of a call that may go on. The pages of their hooks: ``tool_calls``.
"""

from __future__ import annotations

import json
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from winnow_ci import operations
from winnow_ci.cli import arguments as shared
from winnow_ci.cli import messages
from winnow_ci.errors import ExitStatus, UsageError, WinnowError
from winnow_ci.report.printable import name as printable

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from winnow_ci.model.findings import ScanReport

_BLOCKED = 2
_MOST_BYTES = 256 << 20
_UNCHECKED = "winnow-ci could not check this code:\n{}\n{}"
_ALLOWING = "It may be written. Say to the user that nobody has looked for copied code in it."
_BLOCKING = "The rules of this project allow no code that was not checked. Write nothing, and ask the user.\n"
_NOT_UNDERSTOOD = "name only tools that write files, such as Write and Edit, in the hook's matcher"


def add_to(parser: argparse.ArgumentParser) -> None:
    from winnow_ci.cli import assistant_install

    parser.epilog = (
        "exit status: 0 allowed, or not checked and the assistant is informed,\n"
        "2 refused (standard error says why), 3 could not check; the assistant goes on, and you get a message,\n"
        "4 a bug in winnow-ci. With assistant: {unchecked: block}, what could not be checked is refused."
    )
    shared.add_rules(parser)
    assistant_install.add_to(parser.add_subparsers(title="commands", metavar="COMMAND"))


def run(arguments: argparse.Namespace) -> int:
    from winnow_ci.report import coverage
    from winnow_ci.report.text import assistant_refusal

    values: dict[str, Any] = {}
    try:
        values = _call()
        report = _checked(values, arguments)
    except Exception as error:
        return _failed(error, values, arguments)
    if report is None:
        return ExitStatus.CLEAN
    if report.failed:
        return _refuse(values, assistant_refusal(report))
    said = coverage(report)
    status = ExitStatus.CLEAN if report.complete else _unchecked(said, values, arguments)
    if status != _BLOCKED:
        messages.say(said, at_once=not report.complete)
    return status


def _call() -> dict[str, Any]:
    call = b"" if sys.stdin is None else sys.stdin.buffer.read(_MOST_BYTES + 1)
    if len(call) > _MOST_BYTES:
        raise UsageError(f"the tool call has more than {_MOST_BYTES >> 20} MiB", "write it in parts")
    with _understanding():
        values = json.loads(call)
        if not isinstance(values, dict):
            raise TypeError("not an object")
        return values


@contextmanager
def _understanding() -> Iterator[None]:
    try:
        yield
    except (AttributeError, KeyError, RecursionError, TypeError, ValueError) as error:
        problem = "standard input is not an assistant's tool call that writes a file"
        raise UsageError(f"{problem}: {type(error).__name__} {error}"[:200], _NOT_UNDERSTOOD) from error


def _checked(values: dict[str, Any], arguments: argparse.Namespace) -> ScanReport | None:
    """The report on the code; None if the call writes none."""
    from winnow_ci.cli.tool_calls import documents_of_call, name_in_call

    with _understanding():
        folder = Path(name_in_call(values, "cwd") if values.get("cwd") else Path.cwd())
        documents = documents_of_call(values, folder)
    if not documents:
        return None
    options = operations.check.CheckOptions(shared.rule_choice(arguments), trust="base")
    home = operations.check.folder_of(folder)
    return operations.check.scan_documents(home, documents, options, messages.counting).report


def _refuse(values: dict[str, Any], reason: str) -> int:
    if "cursor_version" in values:
        # Cursor reads the answer from standard output.
        sys.stdout.write(json.dumps({"permission": "deny", "user_message": reason, "agent_message": reason}) + "\n")
        return ExitStatus.CLEAN
    sys.stderr.write(reason)
    return _BLOCKED


def _failed(error: Exception, values: dict[str, Any], arguments: argparse.Namespace) -> int:
    """Answer for a check that failed; raise the error if only the user can be informed."""
    if not isinstance(error, WinnowError):
        if _choice(values, arguments) != "block":
            raise error
        return _refuse(values, _UNCHECKED.format(f"{type(error).__name__} in winnow-ci", _BLOCKING))
    status = _unchecked("\n".join(map(printable, error.lines)), values, arguments)
    if status == ExitStatus.CANNOT_SCAN:
        if error.exit_status != ExitStatus.USAGE:
            raise error
        # Its status would block all writing, even the repair of the configuration.
        raise WinnowError(error.problem, error.remedy) from error
    return status


def _unchecked(said: str, values: dict[str, Any], arguments: argparse.Namespace) -> int:
    """Answer for code that could not be checked; the status is 3 if only the user can be informed."""
    choice = _choice(values, arguments)
    if choice == "block":
        return _refuse(values, _UNCHECKED.format(said, _BLOCKING))
    if choice is None or values.get("hook_event_name") != "PreToolUse":
        return ExitStatus.CANNOT_SCAN
    context = {"hookEventName": "PreToolUse", "additionalContext": _UNCHECKED.format(said, _ALLOWING)}
    sys.stdout.write(json.dumps({"systemMessage": _UNCHECKED.format(said, ""), "hookSpecificOutput": context}) + "\n")
    return ExitStatus.CLEAN


def _choice(values: dict[str, Any], arguments: argparse.Namespace) -> str | None:
    """What the configuration says about code that could not be checked; None if it cannot be read."""
    cwd = values.get("cwd")
    try:
        start = Path(operations.check.name_of(cwd)) if cwd and isinstance(cwd, str) else Path.cwd()
        home = operations.check.folder_of(start)
        return operations.check.settings_of(home, arguments.config, messages.counting)[0].unchecked
    except (WinnowError, OSError):
        return None
