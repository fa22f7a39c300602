"""``winnow-ci assistant``: known code is refused before a coding assistant writes it, by hooks as documented."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import pytest

from support.coding_assistant import ClaudeCode, Codex, Cursor, GeminiCLI, StandIn, with_command
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
    ".codex/hooks.json": Codex,
}
RULES = {"claude": "CLAUDE.md", "gemini": "GEMINI.md", "cursor": "AGENTS.md", "codex": "AGENTS.md"}
PLACES = {name: next(place for place in STAND_INS if place.startswith(f".{name}/")) for name in RULES}
TOOLS = {ClaudeCode: ("Write", "Edit"), GeminiCLI: ("write_file", "replace"), Cursor: ("Write", "Edit")}
Kind = TypeVar("Kind", bound=StandIn)
COPY = SHORTEST_ROUTE.text
BLOCKING = "assistant: {unchecked: block}\n"


@pytest.fixture
def work(checkout: Checkout, known: Path) -> Path:
    """The folder of a project that knows what must not slip in."""
    checkout.commit({".winnow.yml": f"index: [{known}]\n"})
    return checkout.root


@pytest.fixture
def claude(work: Path) -> StandIn:
    return stand_in(ClaudeCode, work)


@pytest.fixture
def codex(work: Path) -> Codex:
    return stand_in(Codex, work)


def stand_in(kind: type[Kind], work: Path) -> Kind:
    """An assistant with the settings that the documentation gives."""
    (name,) = (name for name, one in STAND_INS.items() if one is kind)
    variables = with_command(work.parent / "bin", command(), environment())
    return kind(json.loads(SETTINGS[name]), work, variables)


def test_the_page_has_settings_for_each() -> None:
    assert set(SETTINGS) == set(STAND_INS)


@pytest.mark.parametrize("kind", TOOLS)
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
    assert "no index at" in let_through.to_assistant
    assert "You may write it" in let_through.to_assistant
    # A mistake in the configuration has to be repaired by somebody, perhaps by the assistant.
    (work / ".winnow.yml").write_text("indx: [nowhere.db]\n")
    repaired = claude.call("Write", file_path=".winnow.yml", content="index: [known.db]\n")
    assert repaired.written
    assert "indx" in repaired.to_user
    # Nor does what it says further down count.
    (work / ".winnow.yml").write_text(f"indx: [nowhere.db]\n{BLOCKING}")
    assert claude.call("Write", file_path="a.py", content=COPY).written


def test_what_could_not_be_read_is_told(work: Path, claude: StandIn) -> None:
    told = claude.call("Write", file_path="b.py", content=COPY.replace(" ", "\0 "))
    assert told.written
    for text in (told.to_user, told.to_assistant):
        assert "not scanned: b.py: binary content" in text


@pytest.mark.parametrize("kind", [GeminiCLI, Cursor])
def test_who_cannot_inform_the_assistant_informs_the_user(work: Path, kind: type[StandIn]) -> None:
    (work / ".winnow.yml").write_text("index: [nowhere.db]\n")
    told = stand_in(kind, work).call(TOOLS[kind][0], file_path="a.py", content=COPY)
    assert (told.written, told.to_assistant, "no index at" in told.to_user) == (True, "", True)


@pytest.mark.parametrize("kind", TOOLS)
@pytest.mark.parametrize(
    ("configuration", "content", "reason"),
    [
        (f"index: [nowhere.db]\n{BLOCKING}", INNOCENT, "no index at"),
        (f"index: [known.db]\n{BLOCKING}", INNOCENT.replace(" ", "\0 "), "binary content"),
    ],
    ids=["no index", "not read"],
)
def test_what_could_not_be_checked_is_refused_if_the_configuration_says_so(
    work: Path, known: Path, kind: type[StandIn], configuration: str, content: str, reason: str
) -> None:
    (work / ".winnow.yml").write_text(configuration.replace("known.db", str(known)))
    refused = stand_in(kind, work).call(TOOLS[kind][0], file_path="new.py", content=content)
    assert not refused.written
    assert reason in refused.to_assistant
    assert "ask the user" in refused.to_assistant


def test_a_call_that_is_not_understood_is_refused_too(work: Path) -> None:
    (work / ".winnow.yml").write_text(f"index: [known.db]\n{BLOCKING}")
    ended = winnow("assistant", cwd=work, given=b"{}")
    assert (ended.status, "not an assistant's tool call" in ended.errors) == (2, True)


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


# ---- patches of Codex ------------------------------------------------------------------------------------------


def added(text: str) -> list[str]:
    return [f"+{line}" for line in text.splitlines()]


def test_a_patch_is_judged_by_each_file_that_it_writes(work: Path, codex: Codex) -> None:
    (work / "greet.py").write_text(INNOCENT)
    innocent = ["*** Add File: mine.py", *added(INNOCENT)]
    assert codex.patch(*innocent) == (True, "", "")
    line = 'NAMES = ("Ada", "Grace", "Barbara")'
    assert line in INNOCENT
    inserting = ["*** Update File: ./greet.py", "@@", *added(COPY), f" {line}", "*** End of File"]
    refused = codex.patch(*innocent, *inserting, "*** Add File: src/new.py", *added(COPY))
    assert not refused.written
    assert re.search(r"^greet\.py:3-\d+: copied from roads", refused.to_assistant, re.MULTILINE)
    assert re.search(r"^src/new\.py:1-\d+: copied from roads", refused.to_assistant, re.MULTILINE)
    assert "mine.py" not in refused.to_assistant
    assert codex.patch("*** Update File: greet.py", "@@", f"-{line}", "+NAMES = ()") == (True, "", "")
    assert codex.patch("*** Delete File: greet.py") == (True, "", "")


def test_a_patch_adds_nothing_that_its_file_has(work: Path, codex: Codex) -> None:
    """Also if it moves or replaces the file, and whatever ends its lines."""
    (work / "old.py").write_bytes(f"{COPY}\n\n{INNOCENT}".replace("\n", "\r\n").encode())
    head, second = COPY.splitlines()[:2]
    edit = [f"@@ {head}", f"-{second}", f"+{second}  # here"]
    assert codex.patch("*** Update File: old.py", *edit).written
    assert codex.patch("*** Update File: old.py", "*** Move to: src/moved.py", *edit).written
    assert codex.patch("*** Delete File: old.py", "*** Add File: old.py", *added(COPY)).written
    refused = codex.patch("*** Update File: old.py", "*** Move to: moved.py", *edit, "@@", *added(MERGE_CLOSURES.text))
    assert (refused.written, refused.to_assistant.count("from roads")) == (False, 1)
    assert refused.to_assistant.startswith("moved.py:")


def test_a_patch_that_names_a_file_twice_hides_nothing(work: Path, codex: Codex) -> None:
    once = ["*** Add File: a.py", *added(COPY)]
    assert not codex.patch(*once, "*** Update File: ./a.py", "@@", "+x = 1").written
    assert not codex.patch(*once, "*** Update File: a.py", "@@", " it has no such line", "+x = 1").written
    assert codex.patch(*once, "*** Delete File: a.py").written


def test_a_hunk_that_does_not_fit_is_looked_at_all_the_same(work: Path, codex: Codex) -> None:
    (work / "greet.py").write_text(f"{COPY}\n{INNOCENT}")
    for path in ("greet.py", "missing.py"):
        refused = codex.patch(f"*** Update File: {path}", "@@ def elsewhere():", "-gone", *added(COPY))
        assert (refused.written, refused.to_assistant.startswith(f"{path}:1-")) == (False, True)


def test_a_patch_in_a_shell_command(work: Path, codex: Codex) -> None:
    patch = "\n".join(("*** Begin Patch", "*** Add File: a.py", *added(COPY), "*** End Patch"))
    for line in (f"cd src && apply_patch <<'EOF'\n{patch}\nEOF\n", f"apply_patch '{patch}'"):
        assert not codex.call("Bash", command=line).written
    assert codex.call("Bash", command="cat a.py") == (True, "", "")


MALFORMED = [
    "",
    "*** Begin Patch\n*** End Patch",
    "*** Begin Patch\n*** Add File: a.py\n+x",
    "*** Begin Patch\n*** Add File: a.py\nx\n*** End Patch",
    "*** Begin Patch\n*** Update File: a.py\nx\n*** End Patch",
    "*** Begin Patch\n*** Delete File: a.py\n-x\n*** End Patch",
    "*** Begin Patch\n*** Rename File: a.py\n*** End Patch",
    "*** Begin Patch\n*** Add File: a\0.py\n+x\n*** End Patch",
]


@pytest.mark.parametrize("patch", MALFORMED)
def test_a_malformed_patch_is_never_silent(work: Path, codex: Codex, patch: str) -> None:
    told = codex.call("apply_patch", command=patch)
    assert told.written
    for text in (told.to_user, told.to_assistant):
        assert "the patch is malformed" in text
    call = {"cwd": str(work), "tool_name": "apply_patch", "turn_id": "t", "tool_input": {"command": patch}}
    problem, remedy = winnow("assistant", cwd=work, given=json.dumps(call).encode()).complaint(3)
    assert "the patch is malformed" in problem
    assert "*** Add File: PATH" in remedy
    (work / ".winnow.yml").write_text(f"index: [known.db]\n{BLOCKING}")
    assert not codex.call("apply_patch", command=patch).written


# ---- install ---------------------------------------------------------------------------------------------------


def files(root: Path) -> dict[str, str]:
    found = (path for path in root.rglob("*") if path.is_file() and ".git" not in path.parts)
    return {path.relative_to(root).as_posix(): path.read_text() for path in found}


@pytest.mark.parametrize("name", RULES)
def test_install_writes_what_the_page_shows(work: Path, name: str) -> None:
    before = files(work)
    (work / "src").mkdir(exist_ok=True)
    written = winnow("assistant", "install", name, cwd=work / "src")
    assert (written.status, written.output) == (0, "")
    after = files(work)
    assert set(after) - set(before) == {PLACES[name], RULES[name]}
    for place in (PLACES[name], RULES[name]):
        assert f"wrote {place}" in written.errors
    assert json.loads(after[PLACES[name]]) == json.loads(SETTINGS[PLACES[name]])
    assert "`winnow-ci check FILE`" in after[RULES[name]]
    assert "winnow-ci: allow" not in after[RULES[name]]
    again = winnow("assistant", "install", name, cwd=work)
    assert (again.status, "wrote" in again.errors) == (0, False)
    assert files(work) == after


@pytest.mark.parametrize("name", RULES)
def test_install_keeps_what_is_there(work: Path, name: str) -> None:
    own = json.loads(SETTINGS[PLACES[name]])
    (event,) = own["hooks"]
    theirs = {"matcher": "x", "command": "é"}
    place, rules = work / PLACES[name], work / RULES[name]
    place.parent.mkdir()
    hooks = {"Stop": [], event: [theirs]}
    settings = {"model": "m", "version": 2, "hooks": hooks}
    place.write_text(json.dumps(settings, indent="\t"))
    rules.write_text("Be kind.\n\n<!-- winnow-ci -->\nold\n<!-- /winnow-ci -->\nAnd brief.\n")
    assert winnow("assistant", "install", name, cwd=work).status == 0
    hooks[event].append(own["hooks"][event][0])
    assert json.loads(place.read_text()) == settings
    assert place.read_text().startswith('{\n\t"model"')
    assert re.fullmatch(
        r"Be kind\.\n\n<!-- winnow-ci -->\n## .*<!-- /winnow-ci -->\nAnd brief\.\n", rules.read_text(), re.DOTALL
    )
    assert "old" not in rules.read_text()


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ('{\n"hooks": {,}\n}', ".claude/settings.json:2: not valid JSON"),
        ("[1]", ".claude/settings.json: hooks is not an object"),
        ('{"hooks": {"PreToolUse": {}}}', ".claude/settings.json: PreToolUse is not a list"),
        ('{"a": ' * 100_000, ".claude/settings.json"),
        ("\udcff", ".claude/settings.json cannot be read"),
    ],
    ids="JSON object list deep bytes".split(),
)
def test_install_changes_nothing_if_it_cannot_read_the_settings(work: Path, content: str, problem: str) -> None:
    place = work / ".claude" / "settings.json"
    place.parent.mkdir()
    place.write_bytes(content.encode(errors="surrogateescape"))
    found, remedy = winnow("assistant", "install", "claude", cwd=work).complaint(2)
    assert found.startswith(problem)
    assert "it runs `winnow-ci assistant`" in remedy
    assert place.read_bytes() == content.encode(errors="surrogateescape")
    assert not (work / "CLAUDE.md").exists()


@pytest.mark.parametrize("link", [".claude", ".claude/settings.json", "CLAUDE.md"])
def test_install_follows_no_link(work: Path, tmp_path: Path, link: str) -> None:
    target = tmp_path / "elsewhere"
    if link == ".claude":
        target.mkdir()
    else:
        target.write_text("{}")
    (work / link).parent.mkdir(exist_ok=True)
    (work / link).symlink_to(target)
    problem, _ = winnow("assistant", "install", "claude", cwd=work).complaint(2)
    assert problem == f"{link} is a symbolic link"
    assert (list(target.iterdir()) if target.is_dir() else target.read_text()) in ([], "{}")
    assert (work / link).is_symlink()
    assert not [place for place in (".claude/settings.json", "CLAUDE.md") if (work / place).is_file() and place != link]
