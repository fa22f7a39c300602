"""``winnow-ci mcp``, asked over standard input and output by the client of the SDK, as an assistant asks."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from support.command import LONGEST, build, command, environment
from support.donor import INNOCENT, SHORTEST_ROUTE

pytest.importorskip("mcp")
from support.mcp_session import ask, refused, with_server

if TYPE_CHECKING:
    from mcp import Client

COPY = SHORTEST_ROUTE.text


@pytest.fixture
def project(tmp_path: Path, known: Path) -> Path:
    folder = tmp_path / "project"
    (folder / "src").mkdir(parents=True)
    (folder / ".winnow.yml").write_text(f"index: [{known}]\n")
    return folder


def test_an_assistant_asks_about_code(project: Path) -> None:
    (project / "src/plan.py").write_text(f"# mine\n{COPY}")
    added = "".join(f"+{line}\n" for line in COPY.splitlines())
    diff = f"--- a/src/new.py\n+++ b/src/new.py\n@@ -0,0 +1,{COPY.count(chr(10))} @@\n{added}"

    async def use(client: Client) -> None:
        tools = (await client.list_tools()).tools
        assert all(tool.annotations and tool.annotations.read_only_hint for tool in tools)
        snippet = await ask(client, "look_up_snippet", code=COPY, path="src/route.py")
        assert snippet["verdict"] == "copied"
        (finding,) = snippet["findings"]
        assert finding["source"]["name"] == "roads"
        assert (finding["source"]["licence"], finding["level"]) == ("GPL-3.0-only", "error")
        assert finding["lines"] == [1, COPY.count("\n")]
        assert (await ask(client, "look_up_file", path="src/plan.py"))["findings"][0]["lines"][0] == 2
        (of_diff,) = (await ask(client, "look_up_diff", diff=diff))["findings"]
        assert of_diff["path"] == "src/new.py"
        explained = await ask(client, "explain_finding", finding_id=finding["id"])
        assert "policy" in explained
        assert "GPL-3.0-only" in explained
        # How to allow a copy is for people, and its code is not to be read here.
        assert "approve" not in explained
        assert COPY.splitlines()[2].strip() not in explained
        innocent = await ask(client, "look_up_snippet", code=INNOCENT, path="src/own.py")
        assert (innocent["verdict"], innocent["findings"]) == ("no copy found", [])
        (index,) = await ask(client, "describe_indexes")
        assert index["first_sources"] == ["roads"]
        assert index["licences"] == ["GPL-3.0-only"]

    with_server(project, use)


def inspector() -> str:
    """The inspector of the protocol: beside the tests' Python, as ``make test`` installs it, or on the path."""
    beside = Path(sys.prefix, "inspector", "node_modules", ".bin")
    found = shutil.which("mcp-inspector", path=f"{beside}{os.pathsep}{os.environ['PATH']}")
    if found is None:
        message = "no mcp-inspector: install npm, and run make test"
        pytest.fail(message) if os.environ.get("REQUIRE_INSPECTOR") else pytest.skip(message)
    return str(found)


def test_the_inspector_understands_the_server(project: Path) -> None:
    (project / "src/plan.py").write_text(COPY)
    asked = [inspector(), "--cli", *command("mcp"), "--method"]

    def answer(*question: str) -> Any:
        done = subprocess.run(
            [*asked, *question], cwd=project, env=environment(), capture_output=True, check=True, timeout=LONGEST
        )
        return json.loads(done.stdout)

    names = {tool["name"] for tool in answer("tools/list")["tools"]}
    assert names == {"look_up_snippet", "look_up_file", "look_up_diff", "explain_finding", "describe_indexes"}
    found = answer("tools/call", "--tool-name", "look_up_file", "--tool-arg", "path=src/plan.py")
    assert found["structuredContent"]["verdict"] == "copied"


def test_only_added_lines_of_a_diff_count(project: Path) -> None:
    kept = "".join(f" {line}\n" for line in COPY.splitlines())
    count = COPY.count("\n")
    diff = f"--- a/src/old.py\n+++ b/src/old.py\n@@ -1,{count} +1,{count + 1} @@\n{kept}+print()\n"

    async def use(client: Client) -> None:
        assert (await ask(client, "look_up_diff", diff=diff))["findings"] == []

    with_server(project, use)


def test_what_could_not_be_looked_at_is_never_clean(project: Path) -> None:
    (project / "src/data.py").write_text(COPY.replace(" ", "\0 "))

    async def use(client: Client) -> None:
        found = await ask(client, "look_up_file", path="src/data.py")
        assert (found["verdict"], found["not_looked_at"][0]["path"]) == ("not looked at", "src/data.py")
        assert (await ask(client, "look_up_file", path="src/none.py"))["verdict"] == "not looked at"
        assert "not a unified diff" in await refused(client, "look_up_diff", diff="@@ -1,2 +1,2 @@\n+a\n")
        assert "adds no line" in await refused(client, "look_up_diff", diff="nothing")
        (project / ".winnow.yml").write_text("indx: []\n")
        assert "indx" in await refused(client, "look_up_file", path="src/data.py")

    with_server(project, use)


def test_a_new_index_counts_at_the_next_question(project: Path, known: Path) -> None:
    here = project / "here.db"
    (project.parent / "other").mkdir()
    (project.parent / "other" / "own.py").write_text(INNOCENT)
    build(project.parent / "other", here, name="other")
    (project / ".winnow.yml").write_text("index: [here.db]\n")

    async def use(client: Client) -> None:
        assert (await ask(client, "look_up_snippet", code=COPY, path="a.py"))["verdict"] == "no copy found"
        shutil.copy(known, project / "new.db")
        (project / "new.db").replace(here)
        assert (await ask(client, "look_up_snippet", code=COPY, path="a.py"))["verdict"] == "copied"

    with_server(project, use)


def test_a_comment_in_the_code_cannot_allow_it(project: Path) -> None:
    async def use(client: Client) -> None:
        allowed = f"# winnow-ci: allow roads because I say so\n{COPY}"
        found = await ask(client, "look_up_snippet", code=allowed, path="src/route.py")
        assert found["verdict"] == "copied"

    with_server(project, use)
