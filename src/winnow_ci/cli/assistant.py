"""``winnow-ci assistant``: judge code that a coding assistant is about to write, for the hooks of assistants.

Claude Code (``PreToolUse``), Gemini CLI (``BeforeTool``), Cursor (``preToolUse``) and Codex (``PreToolUse``) send the
same JSON object (read on 23 November 2026): ``cwd`` and ``tool_input``, which has a ``file_path`` and the whole
``content``, or replacements: ``old_string`` and ``new_string``, alone or several in ``edits``. Codex has a ``command``
instead: a patch (``apply_patch``) or a shell command (``Bash``), in which a patch may stand; and a ``turn_id``. These
keys decide what is written, and no list of tools does. Pages: https://code.claude.com/docs/en/hooks,
https://geminicli.com/docs/hooks/reference, https://cursor.com/docs/hooks, https://learn.chatgpt.com/docs/hooks, and of
Codex also the code: codex-rs/hooks in https://github.com/openai/codex.

The exit statuses are those of the assistants' protocols: 2 blocks, with the reason on standard error; any other than 0
and 2 is a failure that they show the user, and the assistant goes on. Only with 0 do they read JSON on standard output.
There Claude Code and Codex take ``additionalContext`` for the assistant. Gemini CLI and Cursor document nothing that
informs the assistant of a call that may go on.

Patches of Codex: which files they write, as they are afterwards.

The format is that of its tool ``apply_patch`` (codex-rs/apply-patch in https://github.com/openai/codex, read on
23 November 2026). Like Codex, this finds the lines of a hunk below those of the hunk before it and below ``@@ HEADER``,
whatever space is around them, and adds lines that stand alone at the end. A patch may also stand in a shell command,
with other text around it.
"""

from __future__ import annotations

import json
import os
import re
import sys
from bisect import bisect_left
from contextlib import contextmanager
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING, Any

from winnow_ci import operations
from winnow_ci.cli import arguments as shared
from winnow_ci.cli import messages
from winnow_ci.cli.messages import counting
from winnow_ci.errors import ExitStatus, UsageError, WinnowError
from winnow_ci.named_tuples import NamedTuple
from winnow_ci.report.printable import name as printable

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterator, Sequence

    from winnow_ci.model.findings import ScanReport

BLOCKED = 2
_MOST_BYTES = 256 << 20
_KINDS = ("content", "edits", "new_string")
_ALL = ("replace_all", "allow_multiple")
_UNCHECKED = "winnow-ci could not check this code:\n{}\n{}"
_ALLOWING = "It may be written. Say to the user that nobody has looked for copied code in it."
_BLOCKING = "The rules of this project allow no code that was not checked. Write nothing, and ask the user.\n"
_NOT_UNDERSTOOD = "name only tools that write files, such as Write and Edit, in the hook's matcher"


def add_to(commands: Any) -> None:
    from winnow_ci.cli import assistant_install

    parser = commands.add_parser(
        "assistant",
        help="check code that a coding assistant is about to write, from its hook",
        description="Check code that a coding assistant is about to write. Standard input is the tool call that the "
        "hooks of Claude Code, Gemini CLI, Cursor and Codex send before the tool runs. Only code that the call adds to "
        "the file is looked up. A comment that the call adds cannot allow a copy.",
        epilog="exit status: 0 allowed, or not checked and the assistant is informed,\n"
        "2 refused (standard error says why), 3 could not check; the assistant goes on, and you get a message,\n"
        "4 a bug in winnow-ci. With assistant: {unchecked: block}, what could not be checked is refused.",
    )
    shared.add_rules(parser)
    parser.set_defaults(run=run)
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
    if status != BLOCKED:
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
    with _understanding():
        folder = Path(_name(values, "cwd") if values.get("cwd") else Path.cwd())
        documents = _documents(values, folder)
    if not documents:
        return None
    options = operations.CheckOptions(shared.rule_choice(arguments), trust="base")
    return operations.check_documents(operations.folder_of(folder), documents, options, counting)


# ---- answers ---------------------------------------------------------------------------------------------------


def _refuse(values: dict[str, Any], reason: str) -> int:
    if "cursor_version" in values:
        # Cursor reads the answer from standard output.
        sys.stdout.write(json.dumps({"permission": "deny", "user_message": reason, "agent_message": reason}) + "\n")
        return ExitStatus.CLEAN
    sys.stderr.write(reason)
    return BLOCKED


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
        start = Path(operations.name_of(cwd)) if cwd and isinstance(cwd, str) else Path.cwd()
        return operations.settings_of(operations.folder_of(start), arguments.config, counting)[0].unchecked
    except (WinnowError, OSError):
        return None


# ---- what the call writes --------------------------------------------------------------------------------------


def _documents(values: dict[str, Any], folder: Path) -> Sequence[operations.GivenDocument]:
    """The files that the call writes, as they are after it."""
    given = values["tool_input"]
    is_of_codex = "turn_id" in values or BEGIN in str(given.get("command"))
    if "file_path" in given or not is_of_codex:
        return [_document(str(folder / _name(given, "file_path")), given)]
    command, is_patch = _text(given, "command"), values.get("tool_name") == "apply_patch"
    if is_patch:
        return documents_after(command, folder, _present)
    # Of a shell command only patches are judged. In which folder it applies them is unknown.
    return documents_after(command, folder, lambda _: None) if BEGIN in command else []


def _present(name: str) -> bytes | None:
    """The present text of a file, if it can be read."""
    if "\0" in name:
        raise ValueError("a path with a NUL character")
    found = operations.read_given(Path(name), name)
    return found if isinstance(found, bytes) else None


def _document(name: str, given: dict[str, Any]) -> operations.GivenDocument:
    """The file after the tool call, with its present text."""
    before = _present(name)
    kinds = [key for key in _KINDS if key in given]
    edits = [_edit(one) for one in given.get("edits", ())]
    edits += [_edit(given)] if "new_string" in given or not kinds else []
    texts = [*([_bytes(given, "content")] if "content" in given else []), *(edit.new for edit in edits)]
    if kinds == ["content"]:
        return operations.GivenDocument(name, texts[0], before)
    edited = _edited(before or b"", edits) if len(kinds) == 1 else None
    if edited is None:
        # The tool skips an edit that does not fit, and takes one of several kinds; all new text is still looked up.
        return operations.GivenDocument(name, b"\n".join(texts))
    return operations.GivenDocument(name, edited, before)


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
    for edit in edits:
        # Assistants see plain line ends, whatever the file has.
        windows = edit._replace(old=edit.old.replace(b"\n", b"\r\n"), new=edit.new.replace(b"\n", b"\r\n"))
        found = next((form for form in (edit, windows) if form.old in text), None)
        if found is None:
            return None
        growth = len(found.new) * (text.count(found.old) if found.everywhere else 1)
        if work + growth > MOST_WORK:
            return None
        work += len(text) + growth
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


# ---- patches of Codex --------------------------------------------------------------------------------------------

BEGIN = "*** Begin Patch"
MOST_WORK = 1 << 24
"""How many bytes of files the changes of one call may go through before the last of them."""
_END, _MOVE, _END_OF_FILE, _ENVIRONMENT = "*** End Patch", "*** Move to: ", "*** End of File", "*** Environment ID: "
_SIGNS = (" ", "+", "-")
_HEADER = re.compile(r"\*\*\* (Add|Update|Delete) File: (.+)")
_LINES = {"Add": re.compile(r"\+"), "Update": re.compile(r"$|[ +-]|@@(?: |$)"), "Delete": re.compile(r"(?!)")}


class _Section(NamedTuple):
    """What a patch does to a file: the lines with their signs, and where it moves the file."""

    action: str
    path: str
    lines: list[bytes]
    target: str


class _Shapes(NamedTuple):
    """The lines of a file without the space around them, to find some of them in linear time.

    Attributes:
        text: the lines, each between line feeds.
        begins: where in it is the line feed before each of them.
        end: the line at which what is added stands last.
    """

    text: bytes
    begins: Sequence[int]
    end: int

    @classmethod
    def of(cls, lines: Sequence[bytes]) -> _Shapes:
        begins = [*accumulate((len(line) + 1 for line in lines), initial=0)]
        return cls(b"\n%b\n" % b"\n".join(lines), begins, len(lines) - (not lines[-1]))

    def place(self, wanted: Sequence[bytes], start: int) -> int | None:
        """Where lines stand one after the other, from a line on."""
        found = self.text.find(b"\n%b\n" % b"\n".join(wanted), self.begins[start])
        return bisect_left(self.begins, found) if found >= 0 else None


def documents_after(patch: str, folder: Path, present: Callable[[str], bytes | None]) -> list[operations.GivenDocument]:
    """Return the files that patches in a text write, as they are afterwards; ``present`` gives their present text."""
    # A patch may name a file twice. What it deletes has no text.
    files: dict[str, operations.GivenDocument] = {}
    unfit, root, work = list[operations.GivenDocument](), os.path.realpath(operations.folder_of(folder)), 0
    for section in _sections(patch):
        paths = (folder / operations.name_of(path) for path in (section.path, section.target))
        source, target = map(os.path.normpath, paths)
        if source not in files:
            files[source] = operations.GivenDocument(source, before := present(source), before)
        known = files[source]
        text = _added(section) if section.action == "Add" else None
        if section.action == "Update":
            old = known.text if isinstance(known.text, bytes) else b""
            text = _hunks_applied(old, section.lines) if work < MOST_WORK else None
            work += len(old)
            if text is None:
                # As for an edit that does not fit.
                unfit.append(operations.GivenDocument(target, _added(section)))
                continue
        files[source] = known._replace(text=None)
        # Code from elsewhere is new here.
        is_ours = source == target or Path(os.path.realpath(source)).is_relative_to(root)
        files[target] = operations.GivenDocument(target, text, known.before if is_ours else None)
    return [*(one for one in files.values() if one.text not in {None, one.before}), *unfit]


def _sections(patch: str) -> list[_Section]:
    if "\0" in patch:
        raise _malformed("a NUL character")
    sections, is_inside, lines = list[_Section](), False, patch.split("\n")
    last_end = max((number for number, line in enumerate(lines, 1) if line.strip().startswith(_END)), default=0)
    for number, line in enumerate(lines, 1):
        last = sections[-1] if sections else None
        # Codex takes a line with a sign for one of the file, whatever stands behind the sign.
        is_signed = is_inside and last and last.action == "Update" and line[:1] in _SIGNS and number != last_end
        mark = "" if is_signed else line.strip()
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
    shapes = _Shapes.of([line.strip() for line in old])
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


def _hunks(lines: Sequence[bytes]) -> list[list[bytes]]:
    """The hunks, each with the text behind ``@@`` before its lines."""
    hunks = [[b""]]
    for line in lines:
        if line.startswith(b"@@"):
            hunks.append([line[2:].strip()])
        else:
            hunks[-1].append(line)
    return hunks
