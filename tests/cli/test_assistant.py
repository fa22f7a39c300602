"""``winnow-ci assistant``: known code is refused before a coding assistant writes it, by hooks as documented."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from support.coding_assistant import ClaudeCode, Cursor, GeminiCLI, StandIn, with_command
from support.command import command, environment, winnow
from support.donor import INNOCENT, MERGE_CLOSURES, SHORTEST_ROUTE

if TYPE_CHECKING:
    from support.repository import Checkout

PAGE = Path(__file__).parents[2] / "docs" / "assistants.md"
SETTINGS = dict(re.findall(r"`(\.[a-z]+/[a-z]+\.json)`:\n\n```json\n(.*?)```", PAGE.read_text(), re.DOTALL))
STAND_INS: dict[str, type[StandIn]] = {
    ".claude/settings.json": ClaudeCode,
    ".gemini/settings.json": GeminiCLI,
    ".cursor/hooks.json": Cursor,
}
TOOLS = {ClaudeCode: ("Write", "Edit"), GeminiCLI: ("write_file", "replace"), Cursor: ("Write", "Edit")}
COPY = SHORTEST_ROUTE.text


@pytest.fixture
def work(checkout: Checkout, known: Path) -> Path:
    """The folder of a project that knows what must not slip in."""
    checkout.commit({".winnow.yml": f"index: [{known}]\n"})
    return checkout.root


@pytest.fixture
def claude(work: Path) -> StandIn:
    return stand_in(ClaudeCode, work)


def stand_in(kind: type[StandIn], work: Path) -> StandIn:
    """An assistant with the settings that the documentation gives."""
    (name,) = (name for name, one in STAND_INS.items() if one is kind)
    variables = with_command(work.parent / "bin", command(), environment())
    return kind(json.loads(SETTINGS[name]), work, variables)


def test_the_page_has_settings_for_each() -> None:
    assert set(SETTINGS) == set(STAND_INS)


@pytest.mark.parametrize("kind", STAND_INS.values())
def test_a_copy_is_refused_and_code_of_ones_own_is_not(work: Path, kind: type[StandIn]) -> None:
    assistant, (write, edit) = stand_in(kind, work), TOOLS[kind]
    refused = assistant.call(write, file_path=str(work / "src" / "new.py"), content=COPY)
    assert not refused.written
    assert not (work / "src" / "new.py").exists()
    told = r"src/new\.py:1-\d+: copied from roads 2\.1 \(GPL-3\.0-only\), roads/routes\.py:\d+-\d+, verbatim"
    assert re.match(told, refused.to_assistant)
    assert "write your own code" in refused.to_assistant.lower()

    assert assistant.call(write, file_path=str(work / "greet.py"), content=INNOCENT) == (True, "", "")
    inserted = assistant.call(edit, file_path="greet.py", old_string="NAMES = (", new_string=f"{COPY}\n\nNAMES = (")
    assert not inserted.written
    assert "greet.py:3-" in inserted.to_assistant
    assert (work / "greet.py").read_text() == INNOCENT
    renamed = assistant.call(edit, file_path="greet.py", old_string='"Ada"', new_string='"Edsger"')
    assert renamed == (True, "", "")


def test_neither_the_code_nor_how_to_allow_it_is_told(claude: StandIn) -> None:
    told = claude.call("Write", file_path="a.py", content=COPY).to_assistant
    assert "heappop" not in told
    assert "winnow-ci: allow" not in told
    assert "approve" not in told


def test_what_a_file_has_already_is_not_new(work: Path, claude: StandIn) -> None:
    (work / "old.py").write_text(f"{COPY}\n\n{INNOCENT}")
    assert claude.call("Edit", file_path="old.py", old_string='"Ada"', new_string='"Edsger"').written
    assert claude.call("Write", file_path="old.py", content=f"{COPY}\n\nx = 1\n").written
    refused = claude.call("Write", file_path="old.py", content=f"{COPY}\n\n{MERGE_CLOSURES.text}")
    assert (refused.written, refused.to_assistant.count("copied from")) == (False, 1)


def test_a_comment_that_comes_with_the_copy_does_not_allow_it(work: Path, claude: StandIn) -> None:
    marked = f"# winnow-ci: allow roads because I say so\n{COPY}"
    assert not claude.call("Write", file_path="a.py", content=marked).written
    # People may put up with it, and have said so.
    (work / "b.py").write_text(marked)
    assert claude.call("Edit", file_path="b.py", old_string="so_far", new_string="sum", replace_all=True).written


def test_several_edits_and_other_line_ends(work: Path, claude: StandIn) -> None:
    (work / "greet.py").write_bytes(INNOCENT.replace("\n", "\r\n").encode())
    half = COPY.index("        for neighbour")
    edits = [
        {"old_string": "NAMES = (", "new_string": f"{COPY[:half]}# here\n\nNAMES = ("},
        {"old_string": "# here\n\n", "new_string": f"{COPY[half:]}\n\n"},
    ]
    refused = claude.call("MultiEdit", file_path="greet.py", edits=edits)
    assert not refused.written
    assert "greet.py:3-" in refused.to_assistant


def test_an_edit_that_does_not_fit_is_looked_at_all_the_same(work: Path) -> None:
    given = {"file_path": "gone.py", "old_string": "x", "new_string": COPY}
    call = json.dumps({"cwd": str(work), "tool_name": "Edit", "tool_input": given})
    assert winnow("assistant", cwd=work, given=call.encode()).status == 2


def test_a_scan_that_could_not_look_blocks_nothing_and_is_told(work: Path, claude: StandIn) -> None:
    (work / ".winnow.yml").write_text("index: [nowhere.db]\n")
    let_through = claude.call("Write", file_path="a.py", content=COPY)
    assert let_through.written
    assert "no index at" in let_through.to_user
    # A mistake in the configuration has to be repaired by somebody, perhaps by the assistant.
    (work / ".winnow.yml").write_text("indx: [nowhere.db]\n")
    repaired = claude.call("Write", file_path=".winnow.yml", content="index: [known.db]\n")
    assert repaired.written
    assert "indx" in repaired.to_user


def test_what_could_not_be_read_is_told(work: Path, claude: StandIn) -> None:
    told = claude.call("Write", file_path="b.py", content=COPY.replace(" ", "\0 "))
    assert (told.written, "not scanned: b.py: binary content" in told.to_user) == (True, True)


@pytest.mark.parametrize(
    "call",
    [
        b"",
        b"[1]",
        b"{",
        b"[" * 100_000,
        b'{"tool_input": {"command": "cat > a.py"}}',
        b'{"tool_input": {"file_path": 7, "content": "x"}}',
        b'{"tool_input": {"file_path": "a\\u0000.py", "content": "x"}}',
        b'{"tool_input": {"file_path": "a.py", "edits": [7]}}',
        b'{"cwd": 7, "tool_input": {"file_path": "a.py", "content": "x"}}',
    ],
)
def test_what_is_no_call_blocks_nothing_and_is_told(work: Path, call: bytes) -> None:
    problem, remedy = winnow("assistant", cwd=work, given=call).complaint(3)
    assert problem.startswith("standard input is not an assistant's tool call that writes a file")
    assert "matcher" in remedy


HALVES = ("\ud800", "\udc80", "\udfff")


@pytest.mark.parametrize("half", HALVES, ids=ascii)
@pytest.mark.parametrize(
    ("changed", "status"),
    [
        (lambda half, cwd: {"tool_input": {"file_path": f"x{half}.py", "content": COPY}}, 2),
        (lambda half, cwd: {"tool_input": {"file_path": f"{half}/x.py", "content": COPY}}, 2),
        (lambda half, cwd: {"cwd": f"{cwd}/{half}", "tool_input": {"file_path": "x.py", "content": COPY}}, 2),
        (lambda half, cwd: {"tool_input": {"file_path": "x.py", "content": f"# {half}\n{COPY}# {half}\n"}}, 2),
        (lambda half, cwd: {half: half, "tool_input": {"file_path": "x.py", "content": COPY, half: 1}}, 2),
        (lambda half, cwd: {"tool_input": {"file_path": f"{half}.py", "old_string": half, "new_string": COPY}}, 2),
        (lambda half, cwd: {"tool_input": {"file_path": f"x{half}.py", "content": INNOCENT}}, 0),
    ],
    ids="name folder cwd content keys edit innocent".split(),
)
def test_half_a_character_hides_nothing(work: Path, half: str, changed: Any, status: int) -> None:
    call = {"cwd": str(work), **changed(half, work)}
    ended = winnow("assistant", cwd=work, given=json.dumps(call).encode())
    assert ended.status == status, ended.errors
    assert "Traceback" not in ended.errors


@pytest.mark.parametrize("half", HALVES, ids=ascii)
def test_half_a_character_in_what_cursor_says(work: Path, half: str) -> None:
    write = {"file_path": f"x{half}.py", "content": COPY}
    call = {"cwd": str(work), "cursor_version": half, "tool_input": write}
    ended = winnow("assistant", cwd=work, given=json.dumps(call).encode())
    assert json.loads(ended.output)["permission"] == "deny"
