"""Stand-ins for coding assistants: each runs the hooks of its settings before a tool writes, as its documentation says.

Looked at on 23 November 2026: https://code.claude.com/docs/en/hooks, https://geminicli.com/docs/hooks/reference,
https://cursor.com/docs/hooks and https://learn.chatgpt.com/docs/hooks, with the code of Codex (codex-rs/hooks).
"""

from __future__ import annotations

import json
import os
import re
import subprocess
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from support.command import LONGEST

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path


class Outcome(NamedTuple):
    """What came of a call.

    Attributes:
        written: whether the tool ran.
        to_assistant: what the assistant reads: why it did not, or what a hook adds.
        to_user: what the user reads of a hook that failed, or that has a message.
    """

    written: bool
    to_assistant: str = ""
    to_user: str = ""


class Verdict(NamedTuple):
    """What a hook says: whether it blocks; what the assistant reads, and the user."""

    blocks: bool
    reason: str = ""
    failure: str = ""


def _answer(output: str) -> Verdict:
    """What JSON on standard output says that Claude Code and Codex read, and nothing but that."""
    if not output:
        return Verdict(blocks=False)
    answer = json.loads(output)
    assert set(answer) == {"systemMessage", "hookSpecificOutput"}
    added = answer["hookSpecificOutput"]
    assert set(added) == {"hookEventName", "additionalContext"}
    assert added["hookEventName"] == "PreToolUse"
    return Verdict(blocks=False, reason=added["additionalContext"], failure=answer["systemMessage"])


class StandIn:
    """An assistant that works in a folder.

    Args:
        settings: the content of its settings file.
        folder: where it works.
        environment: of its hooks.
    """

    event = ""
    extra: ClassVar[Mapping[str, Any]] = {}

    def __init__(self, settings: Mapping[str, Any], folder: Path, environment: Mapping[str, str]) -> None:
        self._hooks = settings["hooks"][self.event]
        self._folder = folder
        self._environment = environment

    def call(self, tool: str, **given: Any) -> Outcome:
        """Have a tool called: it runs if no hook blocks it."""
        payload = {"session_id": "s", "hook_event_name": self.event, "cwd": str(self._folder), **self.extra}
        payload |= {"tool_name": tool, "tool_input": given}
        said = told = ""
        for command in self._commands(tool):
            verdict = self._verdict(self._run(command, payload))
            if verdict.blocks:
                return Outcome(written=False, to_assistant=verdict.reason)
            said, told = said + verdict.reason, told + verdict.failure
        self._use(given)
        return Outcome(written=True, to_assistant=said, to_user=told)

    def _use(self, given: Mapping[str, Any]) -> None:
        _use(self._folder, given)

    def _run(self, command: str, payload: Mapping[str, Any]) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            ["/bin/sh", "-c", command],
            cwd=self._folder,
            env=dict(self._environment),
            input=json.dumps(payload),
            capture_output=True,
            text=True,
            timeout=LONGEST,
            check=False,
        )

    def _commands(self, tool: str) -> list[str]:
        groups = [group for group in self._hooks if re.fullmatch(group["matcher"], tool)]
        return [hook["command"] for group in groups for hook in group["hooks"]]

    def _verdict(self, done: subprocess.CompletedProcess[str]) -> Verdict:
        if done.returncode == 2:
            return Verdict(blocks=True, reason=done.stderr)
        if done.returncode:
            return Verdict(blocks=False, failure=done.stderr)
        # Nothing but JSON may stand there, and none of it was asked for.
        assert done.stdout == "", done
        return Verdict(blocks=False)


class ClaudeCode(StandIn):
    """Claude Code, with the content of ``.claude/settings.json``."""

    event = "PreToolUse"
    extra: ClassVar = {"transcript_path": "/t.jsonl", "permission_mode": "default", "tool_use_id": "toolu_1"}

    def _verdict(self, done: subprocess.CompletedProcess[str]) -> Verdict:
        return super()._verdict(done) if done.returncode else _answer(done.stdout)


class GeminiCLI(StandIn):
    """Gemini CLI, with the content of ``.gemini/settings.json``."""

    event = "BeforeTool"
    extra: ClassVar = {"transcript_path": "/t.json", "timestamp": "2026-11-23T09:00:00Z"}


class Codex(StandIn):
    """Codex, with the content of ``.codex/hooks.json``: its patches are judged, but not applied."""

    event = "PreToolUse"
    extra: ClassVar = {
        "turn_id": "t",
        "transcript_path": None,
        "model": "m",
        "permission_mode": "default",
        "tool_use_id": "call_1",
    }

    def patch(self, *lines: str) -> Outcome:
        """Have a patch applied that has these lines."""
        return self.call("apply_patch", command="\n".join(("*** Begin Patch", *lines, "*** End Patch")))

    def _verdict(self, done: subprocess.CompletedProcess[str]) -> Verdict:
        if done.returncode not in {0, 2}:
            # It shows no more.
            return Verdict(blocks=False, failure=f"hook exited with code {done.returncode}")
        return super()._verdict(done) if done.returncode else _answer(done.stdout)

    def _use(self, given: Mapping[str, Any]) -> None:
        pass


class Cursor(StandIn):
    """Cursor, with the content of ``.cursor/hooks.json``."""

    event = "preToolUse"
    extra: ClassVar = {
        "conversation_id": "c",
        "generation_id": "g",
        "cursor_version": "2.3.0",
        "workspace_roots": ["/"],
    }

    def _commands(self, tool: str) -> list[str]:
        return [hook["command"] for hook in self._hooks if re.search(hook["matcher"], tool)]

    def _verdict(self, done: subprocess.CompletedProcess[str]) -> Verdict:
        if done.returncode == 0 and done.stdout:
            answer = json.loads(done.stdout)
            assert set(answer) <= {"permission", "user_message", "agent_message"}
            return Verdict(answer["permission"] == "deny", answer["agent_message"])
        if done.returncode == 2:
            return Verdict(blocks=True, reason=done.stderr)
        return Verdict(blocks=False, failure=done.stderr if done.returncode else "")


def _use(folder: Path, given: Mapping[str, Any]) -> None:
    """Do what the tool does."""
    path = folder / given["file_path"]
    path.parent.mkdir(parents=True, exist_ok=True)
    if "content" in given:
        path.write_text(given["content"])
        return
    text = path.read_text()
    for edit in given.get("edits", [given]):
        text = text.replace(edit["old_string"], edit["new_string"], -1 if edit.get("replace_all") else 1)
    path.write_text(text)


def with_command(folder: Path, line: list[str], environment: Mapping[str, str]) -> dict[str, str]:
    """An environment in which ``winnow-ci`` is found that is started with these words."""
    folder.mkdir()
    program = folder / "winnow-ci"
    program.write_text("#!/bin/sh\nexec " + " ".join(f"'{word}'" for word in line) + ' "$@"\n')
    program.chmod(0o755)
    return {**environment, "PATH": f"{folder}{os.pathsep}{environment.get('PATH', os.defpath)}"}
