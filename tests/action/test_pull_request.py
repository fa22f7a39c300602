"""The exact contribution of a pull request is found, in every clone that ``actions/checkout`` makes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from support.action import COPY, Event, Runner, found
from support.forge import unreachable
from support.runner import commands

if TYPE_CHECKING:
    from support.forge import Depth, Forge


def pull(forge: Forge) -> Event:
    return Event("pull_request", forge.merge, "refs/pull/7/merge")


def target(forge: Forge) -> Event:
    return Event("pull_request_target", forge.moved_on, file="pull_request")


@pytest.mark.parametrize(("depth", "network"), [(1, True), (2, False), (2, True), (0, False)])
def test_the_merge_commit(runner: Runner, depth: Depth, network: bool) -> None:
    forge = runner.forge
    clone = runner.check_out(forge.merge, depth)
    ran = runner.scan(clone if network else unreachable(clone), pull(forge))
    assert ran.status == 1, ran
    assert found(clone) == (forge.moved_on, forge.merge, [COPY])
    line = f"winnow-ci: {forge.moved_on[:12]}..{forge.merge[:12]} (pull request: merge commit's first parent): 1 file"
    assert line in ran.log


def test_the_merge_commit_at_depth_1_without_network(runner: Runner) -> None:
    clone = unreachable(runner.check_out(runner.forge.merge, 1))
    job = runner.job(clone.root, pull(runner.forge))
    ran = job.run("scan")
    assert ran.status == 3, ran
    assert "winnow-ci: error: the first parent of " in ran.log
    assert "\nset `fetch-depth: 2` for actions/checkout" in ran.log
    assert [command.name for command in commands(ran.log)] == ["error"]
    nothing = {"findings": "", "base-sha": "", "sarif-file": "", "json-file": ""}
    assert job.action_outputs() == {"exit-code": "3", **nothing}


@pytest.mark.parametrize(("depth", "network"), [(1, True), (2, True), (0, False)])
def test_the_head_checked_out(runner: Runner, depth: Depth, network: bool) -> None:
    forge = runner.forge
    clone = runner.check_out(forge.pulled, depth)
    ran = runner.scan(clone if network else unreachable(clone), pull(forge))
    assert ran.status == 1, ran
    assert found(clone) == (forge.first, forge.pulled, [COPY])
    assert "(pull request: merge base with main)" in ran.log


def test_the_head_checked_out_without_history(runner: Runner) -> None:
    clone = unreachable(runner.check_out(runner.forge.pulled, 1))
    ran = runner.scan(clone, pull(runner.forge))
    assert ran.status == 3, ran
    assert "`fetch-depth: 0` for actions/checkout" in ran.log


def test_the_base_checked_out_by_mistake(runner: Runner) -> None:
    forge = runner.forge
    clone = runner.check_out(forge.moved_on, reference="refs/heads/main")
    ran = runner.scan(clone, pull(forge))
    assert ran.status == 1, ran
    assert found(clone) == (forge.first, forge.pulled, [COPY])


def test_a_checkout_of_the_fork_is_no_measure(runner: Runner) -> None:
    """Its owner could have put the copy on its main first."""
    forge = runner.forge
    clone = runner.check_out(forge.pulled, 0)
    clone.git("remote", "set-url", "origin", forge.url.replace("octo", "mallory"))
    clone.git("update-ref", "refs/remotes/origin/main", forge.pulled)
    ran = runner.scan(clone, pull(forge))
    assert ran.status == 3, ran
    assert "and not octo/widget" in ran.log


def test_a_pull_request_that_is_merged_already(runner: Runner) -> None:
    forge = runner.forge
    forge.bare.git("update-ref", "refs/heads/main", forge.merge)
    clone = runner.check_out(forge.merge, 0, reference="refs/heads/main")
    ran = runner.scan(clone, Event("pull_request", forge.merge, file="pull_request_merged"))
    assert ran.status == 3, ran
    assert "main already has all of the pull request" in ran.log


@pytest.mark.parametrize("depth", [1, 0])
def test_a_target_event_looks_at_objects_only(runner: Runner, depth: Depth) -> None:
    forge = runner.forge
    clone = runner.check_out(forge.moved_on, depth, reference="refs/heads/main")
    ran = runner.scan(clone, target(forge))
    assert ran.status == 1, ran
    assert found(clone) == (forge.first, forge.pulled, [COPY])
    assert not (clone.root / COPY).exists()


@pytest.mark.parametrize("checked_out", ["pulled", "merge"])
def test_a_target_event_with_other_people_s_code_checked_out_is_refused(runner: Runner, checked_out: str) -> None:
    clone = runner.check_out(getattr(runner.forge, checked_out), 0)
    ran = runner.scan(clone, target(runner.forge))
    assert ran.status == 3, ran
    assert "pull_request_target with HEAD" in ran.log
    assert "\nrun on `pull_request` instead" in ran.log


def test_the_job_of_the_comment_writes_what_the_other_one_posts(runner: Runner) -> None:
    """As in docs/ci.md; there is a comment's text also if there was no scan."""
    forge = runner.forge
    clone = runner.check_out(forge.moved_on, 2, reference="refs/heads/main")
    asked = {"fail": "false", "markdown-file": "winnow-ci.md"}
    ran = runner.job(clone.root, target(forge), asked).run("scan")
    assert ran.status == 0, ran
    text = (clone.root / "winnow-ci.md").read_text()
    assert text.startswith("## winnow-ci: ")
    assert f"https://forge.example/octo/widget/blob/{forge.pulled}/{COPY}#L" in text
    assert not (clone.root / COPY).exists()
    ran = runner.job(clone.root, target(forge), {**asked, "index": "nowhere.db"}).run("scan")
    assert ran.status == 3, ran
    assert (clone.root / "winnow-ci.md").read_text().startswith("## winnow-ci: could not scan\n")
