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

import argparse
import json
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from winnow_ci import git, operations
from winnow_ci.cli import choices, messages, outputs
from winnow_ci.errors import ConfigError, ExitStatus, UsageError, WinnowError
from winnow_ci.model.findings import ScanReport
from winnow_ci.named_tuples import NamedTuple
from winnow_ci.regular_file import open_regular
from winnow_ci.report import coverage
from winnow_ci.report.printable import name as printable

_BLOCKED = 2
_MOST_BYTES = 256 << 20
_UNCHECKED = "winnow-ci could not check this code:\n{}\n{}"
_ALLOWING = "You may write it. Tell the user that it was not checked for copied code."
_BLOCKING = "The rules of this project allow no code that was not checked. Write nothing, and ask the user.\n"
_NOT_UNDERSTOOD = "name only tools that write files, such as Write and Edit, in the hook's matcher"
COMMAND = "winnow-ci assistant"


class Assistant(NamedTuple):
    """Its settings file, the event before a tool runs, what is added to each of them, and its file of rules."""

    settings: str
    event: str
    hook: dict[str, Any]
    besides: dict[str, Any]
    rules: str


def _group(matcher: str) -> dict[str, Any]:
    return {"matcher": matcher, "hooks": [{"type": "command", "command": COMMAND}]}


ASSISTANTS = {
    "claude": Assistant(".claude/settings.json", "PreToolUse", _group("Write|Edit|MultiEdit"), {}, "CLAUDE.md"),
    "gemini": Assistant(".gemini/settings.json", "BeforeTool", _group("write_file|replace"), {}, "GEMINI.md"),
    "cursor": Assistant(
        ".cursor/hooks.json", "preToolUse", {"command": COMMAND, "matcher": "Write|Edit"}, {"version": 1}, "AGENTS.md"
    ),
    "codex": Assistant(".codex/hooks.json", "PreToolUse", _group("apply_patch|Bash"), {}, "AGENTS.md"),
}

SECTION = """\
<!-- winnow-ci -->
## Copied code

- Write code of your own. Do not paste or recite code that you know from other projects.
- A hook (winnow-ci) looks up the code that you write. If it refuses some, do not write it in another way to get past
  the hook: solve the task from its requirements, call a library, or ask the user. Only people allow a copy.
- If the hook could not check your code, say so to the user.
- To check a file yourself: `winnow-ci check FILE`
<!-- /winnow-ci -->
"""
_SECTION = re.compile(r"<!-- winnow-ci -->(?:(?!<!-- winnow-ci -->).)*<!-- /winnow-ci -->\n?", re.DOTALL)
_BY_HAND = f"repair that, or add the hook yourself: it runs `{COMMAND}`"


def add_to(parser: argparse.ArgumentParser) -> None:
    parser.epilog = (
        "exit status: 0 allowed, or not checked and the assistant is informed,\n"
        "2 refused (standard error says why), 3 could not check; the assistant goes on, and you get a message,\n"
        "4 a bug in winnow-ci. With assistant: {unchecked: block}, what could not be checked is refused."
    )
    choices.add_rules(parser)
    install = messages.add_command(parser.add_subparsers(title="commands", metavar="COMMAND"), "install", _install)
    names = f"whose files: {', '.join(ASSISTANTS)}"
    install.add_argument("name", choices=tuple(ASSISTANTS), metavar="NAME", help=names)


def run(arguments: argparse.Namespace) -> int:
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
    options = operations.check.CheckOptions(choices.rule_choice(arguments), trust="base")
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


# ---- install ---------------------------------------------------------------------------------------------------


def _install(arguments: argparse.Namespace) -> None:
    """Write the hook into the settings of an assistant.

    Write the hook into the settings of a coding assistant in this repository, and a section of rules into the file that
    it reads at its start. Other content of the files stays.
    """
    root = git.Repository.find(Path.cwd()).require_work_tree()
    assistant = ASSISTANTS[arguments.name]
    # Both are read before one is written, so that a mistake in either changes nothing.
    before = {path: _text(root, path) for path in (assistant.settings, assistant.rules)}
    hook = _with_hook(before[assistant.settings], assistant)
    for path, text in ((assistant.settings, hook), (assistant.rules, _with_section(before[assistant.rules] or ""))):
        if text == before[path]:
            messages.note(f"{path} already has the hook")
            continue
        (root / path).parent.mkdir(exist_ok=True)
        outputs.write_file(root / path, text, root)
        messages.note(f"wrote {path}")


def _text(root: Path, path: str) -> str | None:
    """The text of a file that is no link and not behind one; None if there is no file."""
    for place in (root / path, (root / path).parent):
        if place != root and place.is_symlink():
            named = place.relative_to(root)
            raise ConfigError(f"{named} is a symbolic link", "replace it with the file behind it, and run this again")
    try:
        with open_regular(root / path) as file:
            # Line ends stay as they are.
            return file.read().decode()
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        raise ConfigError(f"{path} cannot be read: {error}", _BY_HAND) from error


def _with_section(text: str) -> str:
    if _SECTION.search(text):
        return _SECTION.sub(lambda _: SECTION, text, count=1)
    gap = "" if not text else "\n" if text.endswith("\n") else "\n\n"
    return f"{text}{gap}{SECTION}"


def _with_hook(text: str | None, assistant: Assistant) -> str:
    """The settings with the hook; unchanged if the event has a hook of ours."""
    settings = _parsed(text, assistant.settings) if text else {**assistant.besides}
    hooks = _part(settings, "hooks", {}, assistant.settings)
    groups = _part(hooks, assistant.event, [], assistant.settings)
    if text is not None and COMMAND in json.dumps(groups):
        return text
    groups.append(assistant.hook)
    besides = {key: value for key, value in assistant.besides.items() if key not in settings}
    indent = re.search(r"\n([ \t]+)\"", text or "")
    shown = json.dumps(settings | besides, ensure_ascii=False, indent=indent[1] if indent else 2)
    # Half of a surrogate pair can only stand there as an escape.
    return re.sub("[\ud800-\udfff]", lambda half: f"\\u{ord(half[0]):04x}", f"{shown}\n")


def _parsed(text: str, path: str) -> Any:
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise ConfigError(f"{path}:{error.lineno}: not valid JSON: {error.msg}", _BY_HAND) from error
    except (RecursionError, ValueError) as error:
        raise ConfigError(f"{path}: nested too deep, or a number with too many digits", _BY_HAND) from error


def _part(settings: Any, key: str, otherwise: Any, path: str) -> Any:
    """The value of a key, made if it is missing."""
    if isinstance(settings, dict) and isinstance(found := settings.setdefault(key, otherwise), type(otherwise)):
        return found
    kind = "an object" if otherwise == {} else "a list"
    raise ConfigError(f"{path}: {key} is not {kind}", _BY_HAND)
