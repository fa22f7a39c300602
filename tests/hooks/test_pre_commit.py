"""The hook in a real pre-commit, which `winnow-ci init` has set up."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from support.donor import BASE, CHANGE, INNOCENT, PLAN, ROUTES, SHORTEST_ROUTE
from support.repository import IDENTITY, Checkout

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from support.findings import Findings

COPIED = CHANGE["src/plan.py"]
WHERE = ("src/plan.py", 13, 37)


def pre_commit(checkout: Checkout, *arguments: str, **environment: str) -> tuple[int, str]:
    """Run pre-commit and return its status and what it prints."""
    command = [sys.executable, "-m", "pre_commit", "run", "--verbose", *arguments]
    settings = {**os.environ, **IDENTITY, **environment}
    done = subprocess.run(command, cwd=checkout.root, env=settings, capture_output=True, check=False)
    return done.returncode, (done.stdout + done.stderr).decode()


def test_a_copy_does_not_get_into_a_commit(checked: Checkout, findings: Findings) -> None:
    head = checked.git("rev-parse", "HEAD")
    checked.write("src/plan.py", COPIED)
    checked.git("add", "--all")
    status, said = checked.attempt("commit", "-m", "x")
    assert status == 1
    assert "src/plan.py:13-37: error: copied from roads (GPL-3.0-only), roads/routes.py:18-42" in said
    assert f"staged changes against HEAD ({head[:12]}), only src/plan.py: 1 file scanned" in said
    assert findings.lines() == {WHERE}
    assert checked.git("rev-parse", "HEAD") == head


def test_code_of_ones_own_does(checked: Checkout, findings: Findings) -> None:
    checked.commit({"src/greetings.py": INNOCENT})
    assert [report["scan"]["files_scanned"] for report in findings.reports()] == [1]


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (("commit", "-m", "x"), {WHERE}),
        (("commit", "-a", "-m", "x"), {WHERE, ("src/tracked.py", 1, 25)}),
        (("commit", "-m", "x", "--", "src/tracked.py"), {("src/tracked.py", 1, 25)}),
        (("commit", "--amend", "-m", "x"), {WHERE}),
    ],
    ids=["staged", "all", "path", "amend"],
)
def test_what_is_committed_is_looked_at(
    checked: Checkout, findings: Findings, arguments: tuple[str, ...], expected: set[tuple[str, int, int]]
) -> None:
    checked.commit({"src/tracked.py": INNOCENT})
    findings.reports()
    checked.write("src/plan.py", COPIED)
    checked.git("add", "src/plan.py")
    checked.write("src/tracked.py", SHORTEST_ROUTE.text)
    checked.write("src/untracked.py", SHORTEST_ROUTE.text)
    status, _ = checked.attempt(*arguments)
    assert status == 1
    assert findings.lines() == expected


def test_what_is_only_in_the_work_tree_is_not(checked: Checkout, findings: Findings) -> None:
    checked.write("src/plan.py", f"{PLAN}\nprint(4)\n")
    checked.git("add", "src/plan.py")
    checked.write("src/plan.py", COPIED)
    checked.git("commit", "-m", "x")
    assert findings.lines() == set()
    assert (checked.root / "src/plan.py").read_text() == COPIED


def test_a_linked_work_tree(checked: Checkout, findings: Findings, tmp_path: Path) -> None:
    checked.git("worktree", "add", "--quiet", str(tmp_path / "linked"))
    linked = Checkout(tmp_path / "linked")
    linked.write("src/plan.py", COPIED)
    status, _ = linked.attempt("commit", "-a", "-m", "x")
    assert (status, findings.lines()) == (1, {WHERE})


def test_a_merge_without_conflicts(checked: Checkout, findings: Findings) -> None:
    checked.git("switch", "--quiet", "--create", "topic")
    checked.write("src/plan.py", COPIED)
    checked.git("commit", "--quiet", "--no-verify", "-a", "-m", "topic")
    checked.git("switch", "--quiet", "main")
    checked.commit({"src/greetings.py": INNOCENT})
    findings.reports()
    status, _ = checked.attempt("merge", "--no-edit", "topic")
    assert (status, findings.lines()) == (1, {WHERE})


def test_named_files_that_the_commit_leaves_alone_are_left_out_except_on_a_ci(
    checked: Checkout, findings: Findings
) -> None:
    checked.write("src/plan.py", COPIED)
    checked.write("third_party/routes.py", ROUTES)
    checked.git("add", "--all")
    checked.git("commit", "--quiet", "--no-verify", "-m", "x")
    checked.write("src/plan.py", PLAN)
    for arguments in (("--all-files",), ("--files", "src/plan.py", "third_party/routes.py")):
        status, said = pre_commit(checked, *arguments)
        assert (status, findings.lines()) == (0, set())
        assert "unchanged since HEAD: scan --all checks them" in said
        status, said = pre_commit(checked, *arguments, CI="true")
        assert (status, findings.lines()) == (1, {WHERE})
        assert "excluded by third_party/**" in said


def test_a_staged_copy_among_named_files_is_found(checked: Checkout, findings: Findings) -> None:
    checked.write("src/plan.py", COPIED)
    checked.git("add", "src/plan.py")
    status, said = pre_commit(checked, "--all-files")
    assert (status, findings.lines()) == (1, {WHERE})
    assert "unchanged since HEAD" in said


def test_files_that_are_named_without_being_tracked(checked: Checkout, findings: Findings) -> None:
    checked.write("src/untracked.py", SHORTEST_ROUTE.text)
    checked.write("src/announced.py", SHORTEST_ROUTE.text)
    checked.git("add", "--intent-to-add", "src/announced.py")
    status, _ = pre_commit(checked, "--files", "src/untracked.py", "src/announced.py", "src/plan.py")
    assert (status, findings.lines()) == (1, {("src/announced.py", 1, 25), ("src/untracked.py", 1, 25)})


def test_revisions_are_compared_from_their_merge_base(checked: Checkout, findings: Findings) -> None:
    checked.git("switch", "--quiet", "--create", "topic")
    checked.write("src/plan.py", COPIED)
    checked.git("commit", "--quiet", "--no-verify", "-a", "-m", "topic")
    checked.git("switch", "--quiet", "main")
    checked.write("src/mine.py", SHORTEST_ROUTE.text)
    checked.git("add", "--all")
    checked.git("commit", "--quiet", "--no-verify", "-m", "main")
    status, _ = pre_commit(checked, "--from-ref", "main", "--to-ref", "topic")
    assert (status, findings.lines()) == (1, {WHERE})


def test_without_an_index_nothing_passes(checked: Checkout) -> None:
    (checked.root / ".winnow/index.db").unlink()
    checked.git("add", "--all")
    checked.write("src/greetings.py", INNOCENT)
    checked.git("add", "--all")
    status, said = checked.attempt("commit", "-m", "x")
    assert status == 1
    assert "exit code: 3" in said
    assert "no index at" in said


def test_more_names_than_a_command_line_holds(checked: Checkout, findings: Findings) -> None:
    folder = "a-folder-with-a-name-that-is-rather-long-so-that-few-files-fill-a-command-line" * 2
    paths = [f"src/{folder}/file{number:04}.py" for number in range(1000)]
    for path in paths:
        checked.write(path, "DONE = True\n")
    for path in (paths[0], paths[-1]):
        checked.write(path, SHORTEST_ROUTE.text)
    checked.git("add", "--all")
    status, said = checked.attempt("commit", "-m", "x")
    reports = findings.reports()
    assert status == 1
    assert len(reports) > 1
    assert sum(report["scan"]["files_scanned"] for report in reports) == len(paths)
    assert [report["summary"]["error"] for report in (reports[0], reports[-1])] == [1, 1]
    assert said.count(" of its paths: ") == len(reports)
    assert len(said) < 5000


def test_no_progress_bar_on_the_terminal_that_pre_commit_gives(checked: Checkout) -> None:
    status, said = pre_commit(checked, "--all-files", "--color", "always")
    assert status == 0
    assert "file scanned" in said.replace("files", "file")
    assert "scanning:" not in said


@pytest.mark.parametrize("name", ["--exit-zero", "--config=evil", "-h", "--"])
def test_a_file_called_like_an_option_is_a_file(checked: Checkout, findings: Findings, name: str) -> None:
    checked.write(name, f"#!/usr/bin/env python3\n{SHORTEST_ROUTE.text}").chmod(0o755)
    checked.git("add", "--all")
    status, _ = checked.attempt("commit", "-m", "x")
    assert status == 1
    assert findings.lines() == {(name, 2, 26)}
    config = checked.root / ".pre-commit-config.yaml"
    config.write_text(config.read_text().replace("args: [--]", "args: []"))
    checked.git("add", "--all")
    status, said = checked.attempt("commit", "-m", "x")
    assert status == 1
    assert f"{name} is an option, but also the name of a file here" in said


def test_without_pre_commit(project: Checkout, findings: Findings, install: Callable[..., None]) -> None:
    install("pre-commit")
    project.write("src/plan.py", COPIED)
    status, said = project.attempt("commit", "-a", "-m", "x")
    assert (status, findings.lines()) == (1, {WHERE})
    assert "\n1 finding (1 error)\n" in said
    project.write("src/plan.py", BASE["src/plan.py"] + "\nprint(4)\n")
    project.git("commit", "-a", "-m", "x")
