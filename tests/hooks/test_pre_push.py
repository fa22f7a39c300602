"""What is pushed is looked at before it leaves, by our own hook and by pre-commit's."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from support.command import winnow
from support.donor import CHANGE, INNOCENT, PLAN, SHORTEST_ROUTE
from support.repository import Checkout

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from support.findings import Findings

COPIED = CHANGE["src/plan.py"]
WHERE = ("src/plan.py", 13, 37)
ELSEWHERE = ("src/other.py", 1, 25)


@pytest.fixture
def pushing(project: Checkout, install: Callable[..., None], tmp_path: Path) -> Checkout:
    """A project with our own hook, whose main branch its remote has."""
    return _with_remote(project, install, tmp_path)


@pytest.fixture
def checked_pushing(checked: Checkout, tmp_path: Path) -> Checkout:
    """The same with pre-commit."""
    return _with_remote(checked, None, tmp_path)


def _with_remote(project: Checkout, install: Callable[..., None] | None, folder: Path) -> Checkout:
    Checkout.create(folder / "remote", "--bare")
    project.git("remote", "add", "origin", f"file://{folder}/remote")
    project.git("push", "--quiet", "--no-verify", "origin", "main")
    if install:
        install("pre-push")
    return project


def commit(checkout: Checkout, path: str, content: str) -> str:
    """Commit without a hook of pre-commit's having a say."""
    checkout.write(path, content)
    checkout.git("add", "--all")
    checkout.git("commit", "--quiet", "--no-verify", "--message", path)
    return checkout.git("rev-parse", "HEAD")


def start(checkout: Checkout, branch: str, at: str = "main") -> None:
    checkout.git("switch", "--quiet", "--no-track", "--create", branch, at)


def there(checkout: Checkout) -> set[str]:
    """The refs of the remote."""
    return {line.split("\t")[1] for line in checkout.git("ls-remote", "origin", "refs/*").splitlines()}


@pytest.mark.parametrize("kind", ["pushing", "checked_pushing"])
def test_a_branch_that_is_there(kind: str, request: pytest.FixtureRequest, findings: Findings) -> None:
    project: Checkout = request.getfixturevalue(kind)
    old = project.git("rev-parse", "main")
    commit(project, "src/plan.py", COPIED)
    status, said = project.attempt("push", "origin", "main")
    assert (status, findings.lines()) == (1, {WHERE})
    assert old[:12] in said
    assert project.git("ls-remote", "origin", "refs/heads/main").startswith(old)
    commit(project, "src/plan.py", PLAN)
    project.git("push", "origin", "main")


@pytest.mark.parametrize("kind", ["pushing", "checked_pushing"])
def test_a_new_branch_that_is_not_checked_out(kind: str, request: pytest.FixtureRequest, findings: Findings) -> None:
    project: Checkout = request.getfixturevalue(kind)
    start(project, "topic")
    commit(project, "src/plan.py", COPIED)
    project.git("switch", "--quiet", "main")
    commit(project, "src/other.py", SHORTEST_ROUTE.text)
    status, _ = project.attempt("push", "origin", "topic")
    assert (status, findings.lines()) == (1, {WHERE})


@pytest.mark.parametrize("kind", ["pushing", "checked_pushing"])
def test_a_new_root(kind: str, request: pytest.FixtureRequest, findings: Findings) -> None:
    project: Checkout = request.getfixturevalue(kind)
    project.git("switch", "--quiet", "--orphan", "pages")
    root = commit(project, "src/plan.py", COPIED)
    project.git("switch", "--quiet", "main")
    status, said = project.attempt("push", "origin", "pages")
    assert (status, findings.lines()) == (1, {WHERE})
    assert f"refs/heads/pages ({root[:12]}) all of it: it shares no history with the other branches" in said


@pytest.mark.parametrize("kind", ["pushing", "checked_pushing"])
def test_a_push_to_an_empty_remote(
    kind: str, request: pytest.FixtureRequest, findings: Findings, tmp_path: Path
) -> None:
    project: Checkout = request.getfixturevalue(kind)
    commit(project, "src/plan.py", COPIED)
    Checkout.create(tmp_path / "fork", "--bare")
    project.git("remote", "add", "fork", f"file://{tmp_path}/fork")
    status, said = project.attempt("push", "fork", "main")
    assert (status, findings.lines()) == (1, {WHERE})
    # The fork has nothing, but origin's main branch is what this is a change of.
    assert f"against {project.git('rev-parse', 'origin/main')[:12]}" in said
    project.git("remote", "remove", "origin")
    status, said = project.attempt("push", "fork", "main")
    assert (status, findings.lines()) == (1, {WHERE})
    assert "all of it: it shares no history" in said


def test_two_branches(pushing: Checkout, findings: Findings) -> None:
    for branch, path, content in (("a", "src/plan.py", COPIED), ("b", "src/other.py", SHORTEST_ROUTE.text)):
        start(pushing, branch)
        commit(pushing, path, content)
    status, said = pushing.attempt("push", "origin", "a", "b")
    assert status == 1
    (report,) = findings.reports()
    assert {(found["path"], found["start_line"]) for found in report["findings"]} == {(WHERE[0], 13), (ELSEWHERE[0], 1)}
    assert report["summary"]["error"] == 2
    assert [said.count(f"winnow-ci: refs/heads/{branch} (") for branch in "ab"] == [1, 1]
    assert there(pushing) == {"refs/heads/main"}


def test_pre_commit_is_told_of_the_first_of_two_branches_only(checked_pushing: Checkout, findings: Findings) -> None:
    for branch, path, content in (("a", "src/plan.py", COPIED), ("b", "src/other.py", SHORTEST_ROUTE.text)):
        start(checked_pushing, branch)
        commit(checked_pushing, path, content)
    status, _ = checked_pushing.attempt("push", "origin", "a", "b")
    assert status == 1
    assert len(findings.lines()) == 1


def test_a_branch_is_not_excused_by_another_one_that_takes_the_copy_away(pushing: Checkout, findings: Findings) -> None:
    start(pushing, "a")
    commit(pushing, "src/plan.py", COPIED)
    start(pushing, "b", "a")
    commit(pushing, "src/plan.py", PLAN)
    status, _ = pushing.attempt("push", "origin", "b", "a")
    assert (status, findings.lines()) == (1, {WHERE})


def test_a_copy_on_two_branches_is_reported_once(pushing: Checkout, findings: Findings) -> None:
    start(pushing, "a")
    commit(pushing, "src/plan.py", COPIED)
    start(pushing, "b", "a")
    commit(pushing, "src/greetings.py", INNOCENT)
    status, _ = pushing.attempt("push", "origin", "a", "b")
    (report,) = findings.reports()
    assert (status, report["summary"]["error"], report["scan"]["files_scanned"]) == (1, 1, 3)


def test_what_the_remote_has_is_not_new(pushing: Checkout, findings: Findings) -> None:
    start(pushing, "topic")
    commit(pushing, "src/plan.py", COPIED)
    pushing.git("push", "--quiet", "--no-verify", "origin", "topic")
    commit(pushing, "src/greetings.py", INNOCENT)
    pushing.git("push", "origin", "topic")
    start(pushing, "stacked", "topic")
    commit(pushing, "src/more.py", INNOCENT)
    pushing.git("tag", "--annotate", "--message", "x", "v1", "topic")
    pushing.git("push", "origin", "stacked", "v1")
    assert [report["scan"]["files_scanned"] for report in findings.reports()] == [1, 1]


def test_a_merge_of_what_the_remote_has_is_not_new(pushing: Checkout, findings: Findings) -> None:
    start(pushing, "topic")
    commit(pushing, "src/greetings.py", INNOCENT)
    pushing.git("push", "--quiet", "--no-verify", "origin", "topic")
    pushing.git("switch", "--quiet", "main")
    commit(pushing, "src/plan.py", COPIED)
    pushing.git("push", "--quiet", "--no-verify", "origin", "main")
    pushing.git("switch", "--quiet", "topic")
    pushing.git("merge", "--quiet", "--no-edit", "main")
    commit(pushing, "src/more.py", INNOCENT)
    _, said = pushing.attempt("push", "origin", "topic")
    (report,) = findings.reports()
    assert (report["findings"], report["scan"]["files_scanned"]) == ([], 1)
    assert " (and 1 more, merged): " in said


def test_a_force_push(pushing: Checkout, findings: Findings) -> None:
    start(pushing, "topic")
    commit(pushing, "src/greetings.py", INNOCENT)
    pushing.git("push", "--quiet", "--no-verify", "origin", "topic")
    pushing.git("reset", "--quiet", "--hard", "main")
    commit(pushing, "src/plan.py", COPIED)
    status, _ = pushing.attempt("push", "--force", "origin", "topic")
    assert (status, findings.lines()) == (1, {WHERE})


def test_a_force_push_over_what_somebody_else_pushed(pushing: Checkout, findings: Findings, tmp_path: Path) -> None:
    pushing.git("clone", "--quiet", f"file://{tmp_path}/remote", str(tmp_path / "other"))
    commit(Checkout(tmp_path / "other"), "src/greetings.py", INNOCENT)
    Checkout(tmp_path / "other").git("push", "--quiet", "origin", "main")
    commit(pushing, "src/plan.py", COPIED)
    status, _ = pushing.attempt("push", "--force", "origin", "main")
    assert (status, findings.lines()) == (1, {WHERE})


@pytest.mark.parametrize("kind", ["pushing", "checked_pushing"])
def test_a_deletion_brings_nothing(kind: str, request: pytest.FixtureRequest, findings: Findings) -> None:
    project: Checkout = request.getfixturevalue(kind)
    project.git("push", "--quiet", "--no-verify", "origin", "main:refs/heads/old")
    commit(project, "src/plan.py", COPIED)
    project.git("push", "origin", ":old")
    assert findings.reports() == []
    assert there(project) == {"refs/heads/main"}


def test_a_tag_with_a_commit_of_its_own(pushing: Checkout, findings: Findings) -> None:
    start(pushing, "topic")
    commit(pushing, "src/plan.py", COPIED)
    pushing.git("tag", "--annotate", "--message", "x", "v1")
    status, _ = pushing.attempt("push", "origin", "v1")
    assert (status, findings.lines()) == (1, {WHERE})


def test_a_tag_of_something_that_is_no_commit(pushing: Checkout) -> None:
    pushing.git("tag", "tree", "main^{tree}")
    status, said = pushing.attempt("push", "origin", "tree")
    assert status == 1
    assert "unknown revision" in said


def test_a_push_to_an_address(pushing: Checkout, findings: Findings, tmp_path: Path) -> None:
    commit(pushing, "src/plan.py", COPIED)
    status, _ = pushing.attempt("push", f"file://{tmp_path}/remote", "main")
    assert (status, findings.lines()) == (1, {WHERE})


def test_a_push_of_nothing(pushing: Checkout, findings: Findings) -> None:
    start(pushing, "topic")
    commit(pushing, "src/plan.py", COPIED)
    _, said = pushing.attempt("push", "origin", "main")
    assert "nothing is pushed" in said
    assert findings.reports() == []


def test_by_hand_it_is_what_the_remote_does_not_have(pushing: Checkout) -> None:
    commit(pushing, "src/plan.py", COPIED)
    ended = winnow("hook", "--pre-push", "--format", "json", cwd=pushing.root)
    assert [found["path"] for found in ended.findings()] == ["src/plan.py"]
    ended = winnow("hook", "--pre-push", cwd=pushing.root, PRE_COMMIT="1", PRE_COMMIT_FROM_REF="main~1")
    assert ended.status == 1
    assert f"HEAD ({pushing.git('rev-parse', 'HEAD')[:12]}) against " in ended.errors


def test_by_hand_without_a_remote_it_is_compared_with_the_default_branch(project: Checkout) -> None:
    base = project.git("rev-parse", "main")
    start(project, "topic")
    commit(project, "src/plan.py", COPIED)
    ended = winnow("hook", "--pre-push", cwd=project.root)
    assert (ended.status, f"against {base[:12]}" in ended.errors) == (1, True)
    project.git("switch", "--quiet", "main")
    ended = winnow("hook", "--pre-push", cwd=project.root)
    assert (ended.status, "all of it: it shares no history" in ended.errors) == (0, True)


@pytest.mark.parametrize(
    ("arguments", "settings", "problem"),
    [
        (("--pre-push", "a.c"), {}, "--pre-push takes a remote's name and address"),
        (("--pre-push", "a.c"), {"PRE_COMMIT": "1"}, "--pre-push takes no file names from pre-commit"),
        (("--pre-receive", "a.c"), {}, "--pre-receive takes no names"),
    ],
)
def test_names_that_mean_nothing(
    project: Checkout, arguments: tuple[str, ...], settings: dict[str, str], problem: str
) -> None:
    assert winnow("hook", *arguments, cwd=project.root, **settings).complaint(2)[0] == problem
