"""Events other than pull requests, and what is left to compare with when history was rewritten."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from support.action import COPY, ELSEWHERE, Event, Runner, found
from support.forge import unreachable
from support.payloads import AFTER, BEFORE

if TYPE_CHECKING:
    from support.forge import Depth
    from support.repository import Checkout

TOPIC = "refs/heads/topic"
GONE = {BEFORE: "1234567890" * 4}


def topic(runner: Runner, depth: Depth) -> Checkout:
    """A checkout of the pull request's commit as a branch of the repository itself."""
    runner.forge.bare.git("update-ref", TOPIC, runner.forge.pulled)
    return runner.check_out(runner.forge.pulled, depth, reference=TOPIC)


def push(runner: Runner, file: str, **ids: str) -> Event:
    return Event("push", runner.forge.pulled, TOPIC, file, ids)


@pytest.mark.parametrize("depth", [1, 0])
def test_a_merge_group(runner: Runner, depth: Depth) -> None:
    forge, queue = runner.forge, "refs/heads/gh-readonly-queue/main/pr-7"
    forge.bare.git("update-ref", queue, forge.merge)
    clone = runner.check_out(forge.merge, depth, reference=queue)
    ran = runner.scan(clone, Event("merge_group", forge.merge, queue))
    assert ran.status == 1, ran
    assert found(clone) == (forge.moved_on, forge.merge, [COPY])


@pytest.mark.parametrize("depth", [1, 2, 0])
def test_a_push(runner: Runner, depth: Depth) -> None:
    forge, clone = runner.forge, topic(runner, depth)
    ran = runner.scan(clone, push(runner, "push_branch"))
    assert ran.status == 1, ran
    assert found(clone) == (forge.first, forge.pulled, [COPY])
    assert f"{forge.first[:12]}..{forge.pulled[:12]} (push: merge base with main): " in ran.log


@pytest.mark.parametrize("depth", [1, 0])
def test_a_new_branch(runner: Runner, depth: Depth) -> None:
    clone = topic(runner, depth)
    ran = runner.scan(clone, push(runner, "push_new_branch"))
    assert ran.status == 1, ran
    assert found(clone) == (runner.forge.first, runner.forge.pulled, [COPY])
    assert "(push: merge base with main)" in ran.log


def test_a_second_push_does_not_make_the_branch_clean(runner: Runner) -> None:
    """The first one brought the copy; required checks look at the newest commit."""
    forge = runner.forge
    second = forge.push(runner.folder / "author-2", "topic", {"innocent.py": "x = 1\n"}, forge.pulled)
    clone = runner.check_out(second, 1, reference=TOPIC)
    ran = runner.scan(clone, Event("push", second, TOPIC, "push_branch", {BEFORE: forge.pulled, AFTER: second}))
    assert ran.status == 1, ran
    assert found(clone) == (forge.first, second, [COPY])


@pytest.mark.parametrize("depth", [1, 0])
def test_a_forced_push_whose_base_is_gone(runner: Runner, depth: Depth) -> None:
    clone = topic(runner, depth)
    ran = runner.scan(clone, push(runner, "push_forced", **GONE))
    assert ran.status == 1, ran
    assert found(clone) == (runner.forge.first, runner.forge.pulled, [COPY])


def test_a_forced_push_of_the_default_branch_is_scanned_whole(runner: Runner) -> None:
    forge = runner.forge
    forge.bare.git("update-ref", "refs/heads/main", forge.merge)
    clone = runner.check_out(forge.merge, 0, reference="refs/heads/main")
    ran = runner.scan(clone, Event("push", forge.merge, ids={**GONE, AFTER: forge.merge}))
    assert ran.status == 1, ran
    assert found(clone) == (None, forge.merge, [ELSEWHERE, COPY])


def test_what_cannot_be_told_is_an_error(runner: Runner) -> None:
    clone = unreachable(topic(runner, 1))
    ran = runner.scan(clone, push(runner, "push_branch"))
    assert ran.status == 3, ran
    assert "`fetch-depth: 0` for actions/checkout" in ran.log


def test_a_branch_that_was_deleted(runner: Runner) -> None:
    clone = runner.check_out(runner.forge.moved_on, reference="refs/heads/main")
    ran = runner.scan(clone, push(runner, "push_deleted"))
    assert ran.status == 0, ran
    assert "winnow-ci: push: the branch was deleted, nothing to scan: 0 files scanned" in ran.log
    assert found(clone) == (None, None, [])


@pytest.mark.parametrize(
    ("name", "file"),
    [
        ("push", "push_first"),
        ("push", "push_tag"),
        ("schedule", "schedule"),
        ("workflow_dispatch", "workflow_dispatch"),
        ("release", "release"),
    ],
)
def test_everything(runner: Runner, name: str, file: str) -> None:
    forge = runner.forge
    clone = unreachable(runner.check_out(forge.merge))
    clone.write("left/by/another/step.py", (clone.root / COPY).read_bytes())
    ran = runner.scan(clone, Event(name, forge.merge, file=file, ids={AFTER: forge.merge}))
    assert ran.status == 1, ran
    assert found(clone) == (None, forge.merge, [ELSEWHERE, COPY])
    assert f"the whole of {forge.merge[:12]} ({name.replace('_', ' ')}): " in ran.log


def test_a_payload_that_is_none(runner: Runner) -> None:
    clone = runner.check_out(runner.forge.merge, 2)
    ran = runner.scan(clone, Event("pull_request", runner.forge.merge, "refs/pull/7/merge", "schedule"))
    assert ran.status == 3, ran
    assert "winnow-ci: error: pull_request.head.sha of the payload is not the full id of a commit: missing" in ran.log
