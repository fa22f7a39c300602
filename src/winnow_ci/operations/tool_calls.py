"""The call of a coding assistant's tool, as a hook gets it before the tool runs: what is to be written, and where.

Claude Code (``PreToolUse``), Gemini CLI (``BeforeTool``) and Cursor (``preToolUse``) say the same things in the same
words, looked at on 23 November 2026: a JSON object with ``cwd`` and ``tool_input``, which has a ``file_path`` and the
whole ``content``, or what takes the place of what: ``old_string`` and ``new_string``, alone or several in ``edits``.
So these keys tell what is written, and no list of tools does.

The pages: https://code.claude.com/docs/en/hooks, https://geminicli.com/docs/hooks/reference,
https://cursor.com/docs/hooks.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from winnow_ci.errors import UsageError
from winnow_ci.named_tuples import NamedTuple
from winnow_ci.operations.given_documents import GivenDocument, content_of, name_of
from winnow_ci.scanner.preparation import LARGEST_FILE

if TYPE_CHECKING:
    from collections.abc import Sequence

_ALL = ("replace_all", "allow_multiple")
_NOT_UNDERSTOOD = "name only tools that write files, such as Write and Edit, in the hook's matcher (docs/assistants.md)"


class PlannedWrite(NamedTuple):
    """What is about to be written.

    Attributes:
        folder: in which the assistant works.
        document: what the file would be, beside what it is.
        by_cursor: whether Cursor asks, which reads its answer from standard output.
    """

    folder: Path
    document: GivenDocument
    by_cursor: bool


class _Edit(NamedTuple):
    old: bytes
    new: bytes
    everywhere: bool


def planned_write(call: bytes) -> PlannedWrite:
    """Read the call of a tool.

    Raises:
        UsageError: it is none that is known here, or writes nothing that could be looked up.
    """
    try:
        values = json.loads(call)
        given = values["tool_input"]
        folder = Path(_name(values, "cwd") if values.get("cwd") else Path.cwd())
        document = _document(str(folder / _name(given, "file_path")), given)
    except (AttributeError, KeyError, RecursionError, TypeError, ValueError) as error:
        problem = "standard input is no call of an assistant's tool that writes a file"
        raise UsageError(f"{problem}: {type(error).__name__} {error}"[:200], _NOT_UNDERSTOOD) from error
    return PlannedWrite(folder, document, "cursor_version" in values)


def _document(name: str, given: dict[str, Any]) -> GivenDocument:
    if "\0" in name:
        raise ValueError("a path with a NUL")
    found = content_of(Path(name), name, LARGEST_FILE)
    before = found if isinstance(found, bytes) else None
    if "content" in given:
        return GivenDocument(name, _bytes(given, "content"), before)
    edits = [_edit(one) for one in given.get("edits", [given])]
    edited = _edited(before or b"", edits)
    if edited is None:
        # An edit that does not fit is not made. What it would bring is looked at all the same.
        return GivenDocument(name, b"\n".join(edit.new for edit in edits))
    return GivenDocument(name, edited, before)


def _edit(values: dict[str, Any]) -> _Edit:
    everywhere = any(values.get(key) is True for key in _ALL) or values.get("expected_replacements", 1) != 1
    return _Edit(_bytes(values, "old_string"), _bytes(values, "new_string"), everywhere)


def _edited(text: bytes, edits: Sequence[_Edit]) -> bytes | None:
    """A text after edits; None if one of them does not fit."""
    for edit in edits:
        # Assistants see plain line ends, whatever the file has.
        found = next((pair for pair in (edit, _with_carriage_returns(edit)) if pair.old in text), None)
        if found is None:
            return None
        text = text.replace(found.old, found.new, -1 if found.everywhere else 1)
    return text


def _with_carriage_returns(edit: _Edit) -> _Edit:
    return edit._replace(old=edit.old.replace(b"\n", b"\r\n"), new=edit.new.replace(b"\n", b"\r\n"))


def _text(values: dict[str, Any], key: str) -> str:
    if not isinstance(values[key], str):
        raise TypeError(f"{key} is no text")
    return str(values[key])


def _name(values: dict[str, Any], key: str) -> str:
    return name_of(_text(values, key))


def _bytes(values: dict[str, Any], key: str) -> bytes:
    return _text(values, key).encode("utf-8", "surrogatepass")
