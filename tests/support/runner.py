"""How a GitHub runner reads the log of a step: the oracle for what may stand in a report.

Written after the runner's ``ActionCommand.TryParseV2``, ``ActionCommand.TryParse`` and ``ActionCommandManager``: each
line of standard output and error is tried as ``::name key=value,key=value::data``, blanks before it allowed, and then
for ``##[name key=value;key=value]data`` anywhere in it. The name must be one that the runner knows, or the word that
ends a ``stop-commands``. Azure Pipelines does the like with ``##vso[``.
"""

from __future__ import annotations

import re
from typing import NamedTuple

KNOWN = frozenset(
    "add-mask add-matcher add-path debug echo endgroup error group internal-set-repo-path notice remove-matcher "
    "save-state set-env set-output stop-commands warning".split()
)
_OLD_ESCAPES = (("%3B", ";"), ("%0D", "\r"), ("%0A", "\n"), ("%5D", "]"), ("%25", "%"))
_DATA_ESCAPES = (("%0D", "\r"), ("%0A", "\n"), ("%25", "%"))
_PROPERTY_ESCAPES = (("%0D", "\r"), ("%0A", "\n"), ("%3A", ":"), ("%2C", ","), ("%25", "%"))


class Command(NamedTuple):
    """What the runner understood."""

    name: str
    properties: dict[str, str]
    data: str


def commands(log: str) -> list[Command]:
    """The commands that the runner would obey, those that stop and resume included."""
    obeyed: list[Command] = []
    word: str | None = None
    for line in re.split("\r\n|\r|\n", log):
        known = KNOWN | {word} if word else KNOWN
        command = _new(line, known) or _old(line, known)
        if command is None or (word and command.name != word):
            continue
        obeyed.append(command)
        word = command.data if command.name == "stop-commands" else None
    return obeyed


def _new(line: str, known: frozenset[str]) -> Command | None:
    line = line.lstrip()
    end = line.find("::", 2)
    if not line.startswith("::") or end < 0:
        return None
    name, _, properties = line[2:end].partition(" ")
    if name not in known:
        return None
    pairs = [pair.split("=", 1) for pair in properties.strip().split(",") if "=" in pair]
    values = {key: _unescaped(value, _PROPERTY_ESCAPES) for key, value in pairs}
    return Command(name, values, _unescaped(line[end + 2 :], _DATA_ESCAPES))


def _old(line: str, known: frozenset[str]) -> Command | None:
    found = re.search(r"##(?:vso)?\[([^\]]*)\](.*)", line)
    if not found:
        return None
    name, _, properties = found[1].partition(" ")
    if name not in known and not name.startswith("task"):
        return None
    pairs = [pair.split("=", 1) for pair in properties.split(";") if "=" in pair]
    values = {key: _unescaped(value, _OLD_ESCAPES) for key, value in pairs}
    return Command(name, values, _unescaped(found[2], _OLD_ESCAPES))


def _unescaped(text: str, escapes: tuple[tuple[str, str], ...]) -> str:
    for escape, character in escapes:
        text = text.replace(escape, character)
    return text
