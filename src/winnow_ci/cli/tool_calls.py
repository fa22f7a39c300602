"""Find out which files a tool call of a coding assistant writes, as they are afterwards.

Claude Code (``PreToolUse``), Gemini CLI (``BeforeTool``), Cursor (``preToolUse``) and Codex (``PreToolUse``) send the
same JSON object (read on 23 November 2026): ``cwd`` and ``tool_input``, which has a ``file_path`` and the whole
``content``, or replacements: ``old_string`` and ``new_string``, alone or several in ``edits``. Codex has a ``command``
instead: a patch (``apply_patch``) or a shell command (``Bash``), in which a patch may stand; and a ``turn_id``. These
keys decide what is written, and no list of tools does. Pages: https://code.claude.com/docs/en/hooks,
https://geminicli.com/docs/hooks/reference, https://cursor.com/docs/hooks, https://learn.chatgpt.com/docs/hooks, and of
Codex also the code: codex-rs/hooks and codex-rs/apply-patch in https://github.com/openai/codex.

Like Codex, this finds the lines of a hunk below those of the hunk before it and below ``@@ HEADER``, whatever space is
around them, and adds lines that stand alone at the end.
"""

from __future__ import annotations

import os
import re
from bisect import bisect_left
from collections.abc import Callable, Sequence
from itertools import accumulate
from pathlib import Path
from typing import Any

from winnow_ci.errors import WinnowError
from winnow_ci.named_tuples import NamedTuple
from winnow_ci.operations.check import GivenDocument, folder_of, name_of, read_given

_KINDS = ("content", "edits", "new_string")
_ALL = ("replace_all", "allow_multiple")
_MOST_WORK = 1 << 24
"""How many bytes of files the changes of one call may go through before the last of them."""
_BEGIN, _END, _MOVE = "*** Begin Patch", "*** End Patch", "*** Move to: "
_END_OF_FILE, _ENVIRONMENT = "*** End of File", "*** Environment ID: "
_HEADER = re.compile(r"\*\*\* (Add|Update|Delete) File: (.+)")
_LINES = {"Add": re.compile(r"\+"), "Update": re.compile(r"$|[ +-]|@@(?: |$)"), "Delete": re.compile(r"(?!)")}


def documents_of_call(values: dict[str, Any], folder: Path) -> Sequence[GivenDocument]:
    """Return the files that a call writes; ``folder`` is the one that it names paths from.

    Raises:
        AttributeError, KeyError, TypeError, ValueError: it is no call that writes a file.
    """
    given = values["tool_input"]
    is_of_codex = "turn_id" in values or _BEGIN in str(given.get("command"))
    if "file_path" in given or not is_of_codex:
        return [_document(str(folder / name_in_call(given, "file_path")), given)]
    command = _text(given, "command")
    if values.get("tool_name") == "apply_patch":
        return _documents_after(command, folder, _present)
    # Of a shell command only patches are judged. In which folder it applies them is unknown.
    return _documents_after(command, folder, lambda _: None) if _BEGIN in command else []


def name_in_call(values: dict[str, Any], key: str) -> str:
    """Return the name of a file that a call has under a key."""
    return name_of(_text(values, key))


def _text(values: dict[str, Any], key: str) -> str:
    if not isinstance(values[key], str):
        raise TypeError(f"{key} is not text")
    return str(values[key])


def _bytes(values: dict[str, Any], key: str) -> bytes:
    return _text(values, key).encode("utf-8", "surrogatepass")


def _present(name: str) -> bytes | None:
    if "\0" in name:
        raise ValueError("a path with a NUL character")
    found = read_given(Path(name), name)
    return found if isinstance(found, bytes) else None


def _document(name: str, given: dict[str, Any]) -> GivenDocument:
    """The file after the tool call, with its present text."""
    before = _present(name)
    kinds = [key for key in _KINDS if key in given]
    edits = [_edit(one) for one in given.get("edits", ())]
    edits += [_edit(given)] if "new_string" in given or not kinds else []
    texts = [*([_bytes(given, "content")] if "content" in given else []), *(edit.new for edit in edits)]
    if kinds == ["content"]:
        return GivenDocument(name, texts[0], before)
    edited = _edited(before or b"", edits) if len(kinds) == 1 else None
    if edited is None:
        # The tool skips an edit that does not fit, and takes one of several kinds; all new text is still looked up.
        return GivenDocument(name, b"\n".join(texts))
    return GivenDocument(name, edited, before)


class _Edit(NamedTuple):
    old: bytes
    new: bytes
    everywhere: bool


def _edit(values: dict[str, Any]) -> _Edit:
    everywhere = any(values.get(key) is True for key in _ALL) or values.get("expected_replacements", 1) != 1
    return _Edit(_bytes(values, "old_string"), _bytes(values, "new_string"), everywhere)


def _edited(text: bytes, edits: Sequence[_Edit]) -> bytes | None:
    """A text after edits; None if one of them does not fit, or if they are too much work."""
    work = 0
    for old, new, everywhere in edits:
        # Assistants see plain line ends, whatever the file has.
        if old not in text:
            old, new = old.replace(b"\n", b"\r\n"), new.replace(b"\n", b"\r\n")  # noqa: PLW2901
        growth = len(new) * (text.count(old) if everywhere else 1)
        if old not in text or work + growth > _MOST_WORK:
            return None
        work += len(text) + growth
        text = text.replace(old, new, -1 if everywhere else 1)
    return text


class _Section(NamedTuple):
    """What a patch does to a file, and where it moves it; each hunk has the text behind ``@@``, then its lines."""

    action: str
    path: str
    target: str
    hunks: list[list[bytes]]

    @property
    def added(self) -> bytes:
        return b"".join(line[1:] + b"\n" for _, *hunk in self.hunks for line in hunk if line.startswith(b"+"))


def _documents_after(patch: str, folder: Path, present: Callable[[str], bytes | None]) -> list[GivenDocument]:
    """The files that patches in a text write; ``present`` gives their present text."""
    # A patch may name a file twice. What it deletes has no text.
    files: dict[str, GivenDocument] = {}
    unfit, root, work = list[GivenDocument](), os.path.realpath(folder_of(folder)), 0
    for section in _sections(patch):
        paths = (folder / name_of(path) for path in (section.path, section.target))
        source, target = map(os.path.normpath, paths)
        if source not in files:
            files[source] = GivenDocument(source, before := present(source), before)
        known = files[source]
        text = section.added if section.action == "Add" else None
        if section.action == "Update":
            old = known.text if isinstance(known.text, bytes) else b""
            text = _hunks_applied(old, section.hunks) if work < _MOST_WORK else None
            work += len(old)
            if text is None:
                # As for an edit that does not fit.
                unfit.append(GivenDocument(target, section.added))
                continue
        files[source] = known._replace(text=None)
        # Code from elsewhere is new here.
        is_ours = source == target or Path(os.path.realpath(source)).is_relative_to(root)
        files[target] = GivenDocument(target, text, known.before if is_ours else None)
    return [*(one for one in files.values() if one.text not in {None, one.before}), *unfit]


def _sections(patch: str) -> list[_Section]:
    if "\0" in patch:
        raise _malformed("a NUL character")
    sections, is_inside, lines = list[_Section](), False, patch.split("\n")
    last_end = max((number for number, line in enumerate(lines, 1) if line.strip().startswith(_END)), default=0)
    for number, line in enumerate(lines, 1):
        last = sections[-1] if sections else None
        # Codex takes a line with a sign for one of the file, whatever stands behind the sign.
        is_signed = is_inside and last and last.action == "Update" and line[:1] in {*" +-"} and number != last_end
        mark = "" if is_signed else line.strip()
        if not is_inside:
            is_inside = mark.endswith(_BEGIN)
        elif mark.startswith(_END):
            is_inside = False
        elif header := _HEADER.fullmatch(mark):
            sections.append(_Section(header[1], header[2], header[2], [[b""]]))
        elif last and last.action == "Update" and last.hunks == [[b""]] and mark.startswith(_MOVE):
            sections[-1] = last._replace(target=mark.removeprefix(_MOVE))
        elif last and _LINES[last.action].match(line.rstrip("\r")):
            _add_line(last.hunks, line.rstrip("\r").encode("utf-8", "surrogatepass"))
        elif mark != _END_OF_FILE and not (mark.startswith(_ENVIRONMENT) and not last):
            raise _malformed(f"line {number}: {line!r:.60}")
    if is_inside or not sections:
        raise _malformed(f"no {_END}" if is_inside else "no file in it")
    return sections


def _add_line(hunks: list[list[bytes]], line: bytes) -> None:
    if line.startswith(b"@@"):
        hunks.append([line[2:].strip()])
    else:
        hunks[-1].append(line)


def _malformed(what: str) -> WinnowError:
    remedy = f"write {_BEGIN}, then *** Add File: PATH or *** Update File: PATH with its lines, then {_END}"
    return WinnowError(f"the patch is malformed: {what}", remedy)


class _Shapes(NamedTuple):
    """The lines of a file without the space around them, each between line feeds, to find some in linear time."""

    text: bytes
    begins: Sequence[int]  # where in the text is the line feed before each line
    end: int  # the line at which what is added stands last

    @classmethod
    def of(cls, lines: Sequence[bytes]) -> _Shapes:
        begins = [*accumulate((len(line) + 1 for line in lines), initial=0)]
        return cls(b"\n%b\n" % b"\n".join(lines), begins, len(lines) - (not lines[-1]))

    def place(self, wanted: Sequence[bytes], start: int) -> int | None:
        """Where lines stand one after the other, from a line on."""
        found = self.text.find(b"\n%b\n" % b"\n".join(wanted), self.begins[start])
        return bisect_left(self.begins, found) if found >= 0 else None


def _hunks_applied(text: bytes, hunks: Sequence[Sequence[bytes]]) -> bytes | None:
    """A text after the hunks of a patch; None if one of them does not fit."""
    old, new, at = text.split(b"\n"), list[bytes](), 0
    shapes = _Shapes.of([line.strip() for line in old])
    for header, *hunk in hunks:
        start = _start(header, hunk, shapes, at)
        if start is None:
            return None
        new += old[at:start]
        at = start
        for line in hunk:
            is_new = line.startswith(b"+")
            new += [line[1:]] if is_new else [] if line.startswith(b"-") else [old[at]]
            at += not is_new
    return b"\n".join(new + old[at:])


def _start(header: bytes, hunk: Sequence[bytes], shapes: _Shapes, at: int) -> int | None:
    """Where a hunk starts, from a line on."""
    if header:
        found = shapes.place([header], at)
        if found is None:
            return None
        at = found + 1
    if there := [line[1:].strip() for line in hunk if not line.startswith(b"+")]:
        return shapes.place(there, at)
    return max(at, shapes.end) if hunk else at
