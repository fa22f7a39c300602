"""Patches of Codex: which files they write, as they are afterwards.

The format is that of its tool ``apply_patch`` (codex-rs/apply-patch in https://github.com/openai/codex, read on
23 November 2026). Like Codex, this finds the lines of a hunk below those of the hunk before it and below ``@@ HEADER``,
whatever space is around them, and adds lines that stand alone at the end. A patch may also stand in a shell command,
with other text around it.
"""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

from winnow_ci import operations
from winnow_ci.errors import WinnowError
from winnow_ci.named_tuples import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

BEGIN = "*** Begin Patch"
_END, _MOVE, _END_OF_FILE, _ENVIRONMENT = "*** End Patch", "*** Move to: ", "*** End of File", "*** Environment ID: "
_HEADER = re.compile(r"\*\*\* (Add|Update|Delete) File: (.+)")
_LINES = {"Add": re.compile(r"\+"), "Update": re.compile(r"$|[ +-]|@@(?: |$)"), "Delete": re.compile(r"(?!)")}


class _Section(NamedTuple):
    """What a patch does to a file: the lines with their signs, and where it moves the file."""

    action: str
    path: str
    lines: list[bytes]
    target: str


def documents_after(patch: str, folder: Path, present: Callable[[str], bytes | None]) -> list[operations.GivenDocument]:
    """Return the files that patches in a text write, as they are afterwards; ``present`` gives their present text."""
    # A patch may name a file twice. What it deletes has no text.
    files: dict[str, operations.GivenDocument] = {}
    for section in _sections(patch):
        paths = (folder / operations.name_of(path) for path in (section.path, section.target))
        source, target = map(os.path.normpath, paths)
        written = files.get(source)
        before = written.before if written else present(source)
        files[source] = operations.GivenDocument(source, None, before)
        text: bytes | None = None
        if section.action == "Update":
            text = _hunks_applied((written.text if written else before) or b"", section.lines)
            if text is None:
                # As for an edit that does not fit.
                text, before = ((written and written.text) or b"") + _added(section), None
        elif section.action == "Add":
            text = _added(section)
        files[target] = operations.GivenDocument(target, text, before)
    return [document for document in files.values() if document.text is not None]


def _sections(patch: str) -> list[_Section]:
    if "\0" in patch:
        raise _malformed("a NUL character")
    sections, is_inside = list[_Section](), False
    for number, line in enumerate(patch.split("\n"), 1):
        mark, last = line.strip(), sections[-1] if sections else None
        if not is_inside:
            is_inside = mark.endswith(BEGIN)
        elif mark.startswith(_END):
            is_inside = False
        elif header := _HEADER.fullmatch(mark):
            sections.append(_Section(header[1], header[2], [], header[2]))
        elif last and last.action == "Update" and not last.lines and mark.startswith(_MOVE):
            sections[-1] = last._replace(target=mark.removeprefix(_MOVE))
        elif last and _LINES[last.action].match(line.rstrip("\r")):
            last.lines.append(line.rstrip("\r").encode("utf-8", "surrogatepass"))
        elif mark != _END_OF_FILE and not (mark.startswith(_ENVIRONMENT) and not last):
            raise _malformed(f"line {number}: {line!r:.60}")
    if is_inside or not sections:
        raise _malformed(f"no {_END}" if is_inside else "no file in it")
    return sections


def _malformed(what: str) -> WinnowError:
    remedy = f"write {BEGIN}, then *** Add File: PATH or *** Update File: PATH with its lines, then {_END}"
    return WinnowError(f"the patch is malformed: {what}", remedy)


def _added(section: _Section) -> bytes:
    return b"".join(line[1:] + b"\n" for line in section.lines if line.startswith(b"+"))


def _hunks_applied(text: bytes, lines: Sequence[bytes]) -> bytes | None:
    """A text after the hunks of a patch; None if one of them does not fit."""
    old, new, at = text.split(b"\n"), list[bytes](), 0
    shapes = [line.strip() for line in old]
    for header, *hunk in _hunks(lines):
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


def _start(header: bytes, hunk: Sequence[bytes], shapes: Sequence[bytes], at: int) -> int | None:
    """Where a hunk starts, from a line on."""
    if header:
        found = _place([header], shapes, at)
        if found is None:
            return None
        at = found + 1
    if there := [line[1:].strip() for line in hunk if not line.startswith(b"+")]:
        return _place(there, shapes, at)
    return max(at, len(shapes) - (not shapes[-1])) if hunk else at


def _hunks(lines: Sequence[bytes]) -> list[list[bytes]]:
    """The hunks, each with the text behind ``@@`` before its lines."""
    hunks = [[b""]]
    for line in lines:
        if line.startswith(b"@@"):
            hunks.append([line[2:].strip()])
        else:
            hunks[-1].append(line)
    return hunks


def _place(wanted: Sequence[bytes], shapes: Sequence[bytes], start: int) -> int | None:
    """Where lines stand one after the other, from a line on."""
    starts = range(start, len(shapes) - len(wanted) + 1)
    return next((at for at in starts if shapes[at] == wanted[0] and shapes[at : at + len(wanted)] == wanted), None)
