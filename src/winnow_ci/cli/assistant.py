"""``winnow-ci assistant``: judge code that a coding assistant is about to write, for the hooks of assistants.

Claude Code (``PreToolUse``), Gemini CLI (``BeforeTool``) and Cursor (``preToolUse``) send the same JSON object (read on
23 November 2026): ``cwd`` and ``tool_input``, which has a ``file_path`` and the whole ``content``, or replacements:
``old_string`` and ``new_string``, alone or several in ``edits``. These keys decide what is written, and no list of
tools does. Pages: https://code.claude.com/docs/en/hooks, https://geminicli.com/docs/hooks/reference,
https://cursor.com/docs/hooks.

The exit statuses are those of the assistants' protocols: 2 blocks, with the reason on standard error; any other than 0
and 2 is a failure that they show the user, and the assistant goes on.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from winnow_ci import operations
from winnow_ci.cli import arguments as shared
from winnow_ci.cli import messages
from winnow_ci.cli.messages import counting
from winnow_ci.errors import ExitStatus, UsageError, WinnowError
from winnow_ci.named_tuples import NamedTuple

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from winnow_ci.model.findings import ScanReport

BLOCKED = 2
_MOST_BYTES = 256 << 20
_ALL = ("replace_all", "allow_multiple")
_NOT_UNDERSTOOD = "name only tools that write files, such as Write and Edit, in the hook's matcher"


def add_to(commands: Any) -> None:
    parser = commands.add_parser(
        "assistant",
        help="check code that a coding assistant is about to write, from its hook",
        description="Check code that a coding assistant is about to write. Standard input is the tool call that the "
        "hooks of Claude Code, Gemini CLI and Cursor send before the tool runs. Only code that the call adds to the "
        "file is looked up. A comment that the call adds cannot allow a copy.",
        epilog="exit status: 0 allowed, 2 refused (standard error says why),\n"
        "3 could not check; the assistant goes on, and you get a message, 4 a bug in winnow-ci",
    )
    shared.add_rules(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    from winnow_ci.report import coverage
    from winnow_ci.report.text import assistant_refusal

    try:
        report, is_cursor = _checked(arguments)
    except WinnowError as error:
        if error.exit_status != ExitStatus.USAGE:
            raise
        # Its status would block all writing, even the repair of the configuration.
        raise WinnowError(error.problem, error.remedy) from error
    if not report.failed:
        messages.say(coverage(report), at_once=not report.complete)
        return ExitStatus.CLEAN if report.complete else ExitStatus.CANNOT_SCAN
    reason = assistant_refusal(report)
    if is_cursor:
        sys.stdout.write(json.dumps({"permission": "deny", "user_message": reason, "agent_message": reason}) + "\n")
        return ExitStatus.CLEAN
    sys.stderr.write(reason)
    return BLOCKED


def _checked(arguments: argparse.Namespace) -> tuple[ScanReport, bool]:
    """The report on the code, and whether Cursor asks: Cursor reads the answer from standard output."""
    call = b"" if sys.stdin is None else sys.stdin.buffer.read(_MOST_BYTES + 1)
    if len(call) > _MOST_BYTES:
        raise UsageError(f"the tool call has more than {_MOST_BYTES >> 20} MiB", "write it in parts")
    try:
        values = json.loads(call)
        given = values["tool_input"]
        folder = Path(_name(values, "cwd") if values.get("cwd") else Path.cwd())
        document = _document(str(folder / _name(given, "file_path")), given)
        is_cursor = "cursor_version" in values
    except (AttributeError, KeyError, RecursionError, TypeError, ValueError) as error:
        problem = "standard input is not an assistant's tool call that writes a file"
        raise UsageError(f"{problem}: {type(error).__name__} {error}"[:200], _NOT_UNDERSTOOD) from error
    options = operations.CheckOptions(shared.rule_choice(arguments), trust="base")
    return operations.check_documents(operations.folder_of(folder), [document], options, counting), is_cursor


def _document(name: str, given: dict[str, Any]) -> operations.GivenDocument:
    """The file after the tool call, with its present text."""
    if "\0" in name:
        raise ValueError("a path with a NUL character")
    found = operations.read_given(Path(name), name)
    before = found if isinstance(found, bytes) else None
    if "content" in given:
        return operations.GivenDocument(name, _bytes(given, "content"), before)
    edits = [_edit(one) for one in given.get("edits", [given])]
    edited = _edited(before or b"", edits)
    if edited is None:
        # An edit that does not fit is skipped, but its new text is still looked up.
        return operations.GivenDocument(name, b"\n".join(edit.new for edit in edits))
    return operations.GivenDocument(name, edited, before)


class _Edit(NamedTuple):
    old: bytes
    new: bytes
    everywhere: bool


def _edit(values: dict[str, Any]) -> _Edit:
    everywhere = any(values.get(key) is True for key in _ALL) or values.get("expected_replacements", 1) != 1
    return _Edit(_bytes(values, "old_string"), _bytes(values, "new_string"), everywhere)


def _edited(text: bytes, edits: Sequence[_Edit]) -> bytes | None:
    """A text after edits; None if one of them does not fit."""
    for edit in edits:
        # Assistants see plain line ends, whatever the file has.
        windows = edit._replace(old=edit.old.replace(b"\n", b"\r\n"), new=edit.new.replace(b"\n", b"\r\n"))
        found = next((form for form in (edit, windows) if form.old in text), None)
        if found is None:
            return None
        text = text.replace(found.old, found.new, -1 if found.everywhere else 1)
    return text


def _name(values: dict[str, Any], key: str) -> str:
    return operations.name_of(_text(values, key))


def _bytes(values: dict[str, Any], key: str) -> bytes:
    return _text(values, key).encode("utf-8", "surrogatepass")


def _text(values: dict[str, Any], key: str) -> str:
    if not isinstance(values[key], str):
        raise TypeError(f"{key} is not text")
    return str(values[key])
