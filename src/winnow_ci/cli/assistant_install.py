"""``winnow-ci assistant install``: write the hook, and a section of rules, into the files of a coding assistant."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from winnow_ci.cli import messages
from winnow_ci.errors import ConfigError
from winnow_ci.named_tuples import NamedTuple
from winnow_ci.regular_file import open_regular

if TYPE_CHECKING:
    import argparse

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


def add_to(actions: Any) -> None:
    parser = messages.add_command(actions, "install", run)
    names = f"whose files: {', '.join(ASSISTANTS)}"
    parser.add_argument("name", choices=tuple(ASSISTANTS), metavar="NAME", help=names)


def run(arguments: argparse.Namespace) -> None:
    """Write the hook into the settings of an assistant.

    Write the hook into the settings of a coding assistant in this repository, and a section of rules into the file that
    it reads at its start. Other content of the files stays.
    """
    from winnow_ci import git
    from winnow_ci.cli.outputs import write_file

    root = git.Repository.find(Path.cwd()).require_work_tree()
    assistant = ASSISTANTS[arguments.name]
    # Both are read before one is written, so that a mistake in either changes nothing.
    before = {path: _text(root, path) for path in (assistant.settings, assistant.rules)}
    hook = _with_hook(before[assistant.settings], assistant)
    for path, text in ((assistant.settings, hook), (assistant.rules, _with_section(before[assistant.rules] or ""))):
        if text == before[path]:
            messages.note(f"{path} has it already")
            continue
        (root / path).parent.mkdir(exist_ok=True)
        write_file(root / path, text, root)
        messages.note(f"wrote {path}")


def _text(root: Path, path: str) -> str | None:
    """The text of a file that is no link and not behind one; None if there is no file."""
    for place in (root / path, (root / path).parent):
        if place != root and place.is_symlink():
            named = place.relative_to(root)
            raise ConfigError(f"{named} is a symbolic link", "replace it with what it leads to, and run this again")
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
