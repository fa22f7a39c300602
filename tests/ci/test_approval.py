"""How to approve a copy, step by step as docs/ci.md says it, in the environments of GitHub and GitLab."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from support.action import ROOT
from support.command import Ended, build, environment, winnow
from support.donor import BASE, CHANGE, write_known
from support.forge import PROJECT, Forge
from support.payloads import FROZEN_BASE, PULL_HEAD, payload
from support.repository import Checkout

if TYPE_CHECKING:
    from collections.abc import Callable

TEXT = (ROOT / "docs" / "ci.md").read_text(encoding="utf-8")
SECTION = TEXT.partition("\n## How to approve a copy\n")[2].partition("\n## ")[0]
APPROVE, RECORD, UPDATE = (
    textwrap.dedent(block) for block in re.findall(r"^ *```sh\n(.*?)^ *```", SECTION, re.MULTILINE | re.DOTALL)
)
OURS = "5f0c2d9a1b3e4f60"
REASON = '"asked its author, see docs/permissions.md"'
PATH = "src/plan.py"
INDEX = ".winnow/index.db"


class Team:
    """A server, the author's clone with the branch ``topic``, and the checks of a CI."""

    def __init__(self, folder: Path) -> None:
        self._folder, self._checkouts = folder, 0
        build(write_known(folder / "source"), folder / "index.db", "--license", "GPL-3.0-only")
        first = Checkout.create(folder / "first")
        assert winnow("init", cwd=first.root).status == 0
        rules = {path: (first.root / path).read_bytes() for path in (".winnow.yml",)}
        before = {**BASE, **rules, INDEX: (folder / "index.db").read_bytes()}
        self.forge = Forge.create(folder, before, {PATH: CHANGE[PATH]}, {"other.py": "x = 1\n"})
        self.forge.bare.git("update-ref", "refs/heads/topic", self.forge.pulled)
        self.author = Checkout.create(folder / "clone")
        self.author.git("remote", "add", "origin", self.forge.url)
        self.author.git("fetch", "--quiet", "origin")
        for branch in ("main", "topic"):
            self.author.git("switch", "--quiet", branch)

    def tip(self, branch: str) -> str:
        return self.forge.bare.git("rev-parse", f"refs/heads/{branch}")

    def follow(self, commands: str) -> None:
        """Give the commands as they stand in the documentation, in the author's clone."""
        path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
        shell = ["bash", "-euo", "pipefail", "-c", commands]
        done = subprocess.run(
            shell, cwd=self.author.root, env=environment(PATH=path), capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stdout + done.stderr

    def merged(self, branch: str) -> str:
        """The commit that merges a branch into main."""
        self._checkouts += 1
        clone = Checkout.create(self._folder / f"merge-{self._checkouts}")
        clone.git("fetch", "--quiet", self.forge.url, "+refs/heads/*:refs/remotes/origin/*")
        clone.git("switch", "--quiet", "--detach", "origin/main")
        clone.git("merge", "--quiet", "--no-ff", "--no-edit", f"origin/{branch}")
        commit = clone.git("rev-parse", "HEAD")
        clone.git("push", "--quiet", "--force", self.forge.url, "HEAD:refs/pull/7/merge")
        return commit

    def merge(self, branch: str) -> None:
        self.forge.bare.git("update-ref", "refs/heads/main", self.merged(branch))

    def clone(self, commit: str, *, is_merge: bool) -> Path:
        """What a job checks out."""
        self._checkouts += 1
        folder = self._folder / f"job-{self._checkouts}"
        reference = "refs/pull/7/merge" if is_merge else "refs/heads/main"
        return self.forge.check_out(folder, commit, 2 if is_merge else 0, reference=reference).root

    def on_github(self, branch: str) -> Ended:
        """The check of a pull request."""
        commit = self.merged(branch)
        ids = {PULL_HEAD: self.tip(branch), FROZEN_BASE: self.forge.first}
        event = self._folder / "event.json"
        event.write_text(payload("pull_request", ids), encoding="utf-8")
        variables = {
            "GITHUB_ACTIONS": "true",
            "GITHUB_EVENT_NAME": "pull_request",
            "GITHUB_EVENT_PATH": str(event),
            "GITHUB_REPOSITORY": PROJECT,
            "GITHUB_SHA": commit,
            "GITHUB_REF": "refs/pull/7/merge",
            "GITHUB_STEP_SUMMARY": str(self._folder / "summary.md"),
        }
        clone = self.clone(commit, is_merge=True)
        return winnow("scan", "--index", INDEX, "--format", "auto", cwd=clone, **variables)

    def on_gitlab(self, branch: str) -> Ended:
        """The check of a merge request."""
        head, target = self.tip(branch), self.tip("main")
        self.author.git("fetch", "--quiet", "origin")
        self._checkouts += 1
        clone = Checkout.create(self._folder / f"job-{self._checkouts}")
        clone.git("remote", "add", "origin", self.forge.url)
        clone.git("fetch", "--quiet", "origin", head)
        clone.git("checkout", "--quiet", "--detach", head)
        variables = {
            "GITLAB_CI": "true",
            "CI_PIPELINE_SOURCE": "merge_request_event",
            "CI_MERGE_REQUEST_IID": "7",
            "CI_MERGE_REQUEST_DIFF_BASE_SHA": self.author.git("merge-base", head, target),
            "CI_MERGE_REQUEST_TARGET_BRANCH_NAME": "main",
            "CI_MERGE_REQUEST_PROJECT_PATH": PROJECT,
            "CI_COMMIT_SHA": head,
            "CI_PROJECT_PATH": PROJECT,
            "CI_PROJECT_DIR": str(clone.root),
        }
        return winnow("scan", "--index", INDEX, "--format", "auto", cwd=clone.root, **variables)

    def on_main(self) -> Ended:
        """A check of everything on main."""
        return winnow("scan", "--all", "--format", "json", cwd=self.clone(self.tip("main"), is_merge=False))


@pytest.mark.parametrize("check", [Team.on_github, Team.on_gitlab])
def test_a_copy_that_the_team_may_use_takes_one_command_and_one_merge(
    tmp_path: Path, check: Callable[[Team, str], Ended]
) -> None:
    team = Team(tmp_path)
    red = check(team, "topic")
    assert red.status == 1, red
    assert "put this above line" not in red.output
    assert "merge the baseline first." in red.output
    printed = re.findall(r"^  to allow it:  (winnow-ci approve (\w+) .*)$", red.output, re.MULTILINE)
    ((command, found),) = printed
    # What the report prints is what the documentation says to give.
    assert command.replace("TEXT", REASON) == APPROVE.replace(OURS, found).strip()

    team.follow(APPROVE.replace(OURS, found))
    team.follow(RECORD)
    # The approval does not count where it comes with the copy, and its own pull request is no finding.
    approval = check(team, "approve-a-copy")
    assert approval.status == 0, approval
    assert "the change edits .winnow.yml: the base's version applies" in approval.errors
    assert check(team, "topic").status == 1
    team.merge("approve-a-copy")
    awaiting = team.on_main().report()["baseline"]
    assert ([entry["path"] for entry in awaiting["waiting"]], awaiting["stale"]) == ([PATH], [])

    team.follow(UPDATE)
    green = check(team, "topic")
    assert green.status == 0, green
    assert "no findings, 1 suppressed (1 accepted)" in green.output
    team.merge("topic")
    after = team.on_main()
    assert after.status == 0
    assert [each["suppressed"] for each in after.findings()] == ["baseline"]
    assert (after.report()["baseline"]["stale"], after.report()["baseline"]["waiting"]) == ([], [])


def test_on_gitlab_the_pipeline_of_before_is_green_without_an_update(tmp_path: Path) -> None:
    team = Team(tmp_path)
    (found,) = re.findall(r"winnow-ci approve (\w+)", team.on_gitlab("topic").output)
    team.follow(APPROVE.replace(OURS, found))
    team.follow(RECORD)
    team.merge("approve-a-copy")
    assert team.on_gitlab("topic").status == 0


def test_an_approval_in_the_change_itself_does_not_count(tmp_path: Path) -> None:
    team = Team(tmp_path)
    (found,) = re.findall(r"winnow-ci approve (\w+)", team.on_gitlab("topic").output)
    team.follow(APPROVE.replace(OURS, found))
    team.follow("git add .winnow.yml .winnow/baseline.json && git commit -qm mine && git push -q origin topic")
    for check in (team.on_github, team.on_gitlab):
        ended = check("topic")
        assert ended.status == 1
        assert "the change edits .winnow.yml: the base's version applies" in ended.errors


def test_the_summary_of_a_pull_request_says_what_to_do(tmp_path: Path) -> None:
    Team(tmp_path).on_github("topic")
    summary = (tmp_path / "summary.md").read_text()
    assert "`winnow-ci approve ID --reason TEXT --since main`" in summary
    assert "merge the baseline first." in summary
