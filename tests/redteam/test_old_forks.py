"""A branch that begins before the rules were tightened, or before there were any, is judged by the rules of its target.

The author chooses where a branch begins. So the commit where it began says what is new, and nothing else.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest

from support.command import Ended, build, winnow
from support.donor import CHANGE, SHORTEST_ROUTE
from support.forge import PROJECT, Forge
from support.payloads import FROZEN_BASE, PULL_HEAD, payload
from support.repository import Checkout

if TYPE_CHECKING:
    from pathlib import Path

JSON = ("--format", "json")
STRICT = "index: [.winnow/index.db]\n"
LAX = "index: [.winnow/index.db]\npolicy: {default: allow}\n"
NAMES_ITS_OWN = "index: [mine.db]\n"


@dataclass(frozen=True)
class Attack:
    """A server, the last commit of an attacker's branch there, and a folder to work in."""

    forge: Forge
    head: str
    folder: Path

    def scan(self, commit: str, *arguments: str, **variables: str) -> Ended:
        """What a job reports that has checked that commit out with its history."""
        clone = self.forge.check_out(self.folder / "clone", commit, 0)
        return winnow("scan", *JSON, *arguments, cwd=clone.root, **variables)


@pytest.fixture(params=["laxer rules", "no rules"])
def attack(request: pytest.FixtureRequest, known: Path, tmp_path: Path) -> Attack:
    """The branch begins before the rules of main are what they are, and brings copies."""
    index = {".winnow/index.db": known.read_bytes()}
    if request.param == "laxer rules":
        before = {"a.py": "a = 1\n", ".winnow.yml": LAX, **index}
        forge = Forge.create(tmp_path, before, dict(CHANGE), {".winnow.yml": STRICT})
        return Attack(forge, forge.pulled, tmp_path)
    useless = tmp_path / "useless"
    useless.mkdir()
    (useless / "own.py").write_text("\n".join(f"def f{n}(a): return [a, {n}][a % {n + 1}]" for n in range(30)))
    build(useless, tmp_path / "mine.db")
    forge = Forge.create(tmp_path, {"a.py": "a = 1\n"}, dict(CHANGE), {".winnow.yml": STRICT, **index})
    rules = {".winnow.yml": NAMES_ITS_OWN, "mine.db": (tmp_path / "mine.db").read_bytes()}
    return Attack(forge, forge.push(tmp_path / "attacker", "topic", rules, forge.pulled), tmp_path)


def gitlab(attack: Attack, **more: str) -> dict[str, str]:
    return {
        "GITLAB_CI": "true",
        "CI_PIPELINE_SOURCE": "merge_request_event",
        "CI_MERGE_REQUEST_IID": "7",
        "CI_MERGE_REQUEST_DIFF_BASE_SHA": attack.forge.first,
        "CI_MERGE_REQUEST_TARGET_BRANCH_NAME": "main",
        "CI_MERGE_REQUEST_PROJECT_PATH": PROJECT,
        "CI_PROJECT_PATH": PROJECT,
        "CI_COMMIT_SHA": attack.head,
        **more,
    }


def github(attack: Attack, event: str, reference: str, sha: str) -> dict[str, str]:
    file = attack.folder / "event.json"
    file.write_text(payload("pull_request", {PULL_HEAD: attack.head, FROZEN_BASE: attack.forge.first}))
    return {
        "GITHUB_ACTIONS": "true",
        "GITHUB_EVENT_NAME": event,
        "GITHUB_EVENT_PATH": str(file),
        "GITHUB_REPOSITORY": PROJECT,
        "GITHUB_REF": reference,
        "GITHUB_SHA": sha,
    }


def is_caught(ended: Ended) -> bool:
    """Whether the copies fail the job, all of them."""
    return ended.status == 1 and {f["level"] for f in ended.findings()} == {"error"} and len(ended.findings()) == 2


def test_a_merge_request(attack: Attack) -> None:
    assert is_caught(attack.scan(attack.head, **gitlab(attack)))


def test_a_merge_request_with_merged_results(attack: Attack) -> None:
    """The trial merge of what the branch brings besides rules of its own, which would be a conflict."""
    target = {"CI_MERGE_REQUEST_TARGET_BRANCH_SHA": attack.forge.moved_on, "CI_COMMIT_SHA": attack.forge.merge}
    assert is_caught(attack.scan(attack.forge.merge, **gitlab(attack, **target)))


@pytest.mark.parametrize("event", ["pull_request", "pull_request_review"])
def test_the_head_of_a_pull_request_checked_out(attack: Attack, event: str) -> None:
    variables = github(attack, event, "refs/pull/7/merge", attack.forge.merge)
    assert is_caught(attack.scan(attack.head, **variables))


def test_a_pull_request_target(attack: Attack) -> None:
    variables = github(attack, "pull_request_target", "refs/heads/main", attack.forge.moved_on)
    assert is_caught(attack.scan(attack.forge.moved_on, **variables))


def test_a_range_or_a_branch_by_name(attack: Attack) -> None:
    by_name = ("--policy-from", "base", "--range", "origin/main...HEAD")
    assert is_caught(attack.scan(attack.head, *by_name))


def test_since_the_target(attack: Attack) -> None:
    assert is_caught(attack.scan(attack.head, "--policy-from", "base", "--since", "origin/main"))


def test_a_clone_whose_target_is_out_of_date(attack: Attack) -> None:
    """A runner that keeps its clone has the branch as an earlier job has fetched it."""
    clone = attack.forge.check_out(attack.folder / "kept", attack.head, 0)
    clone.git("update-ref", "refs/remotes/origin/main", attack.forge.first)
    assert is_caught(winnow("scan", *JSON, cwd=clone.root, **gitlab(attack)))


def test_rules_that_cannot_be_had_are_no_clean_scan(attack: Attack) -> None:
    clone = attack.forge.check_out(attack.folder / "alone", attack.head, 1)
    clone.git("fetch", "--quiet", "--depth=1", "origin", attack.forge.first)
    clone.git("remote", "set-url", "origin", f"file:///nowhere/{PROJECT}.git")
    problem, remedy = winnow("scan", cwd=clone.root, **gitlab(attack)).complaint(3)
    assert problem.startswith("the branch main of origin is not in this clone and cannot be fetched: ")
    assert "git fetch origin BRANCH" in remedy


# ---- a comment that main has removed ---------------------------------------------------------------------------

COMMENT = "# winnow-ci: allow roads with its author's leave\n"
ROUTE = "src/route.py"


@pytest.fixture(params=["removed", "another reason", "a file removed", "kept", "kept elsewhere in it"])
def commented(request: pytest.FixtureRequest, known: Path, tmp_path: Path) -> tuple[Attack, bool]:
    """The branch begins before main removes a comment, and adds lines to the copy; and whether main has kept it."""
    lines = SHORTEST_ROUTE.text.splitlines(keepends=True)
    half = COMMENT + "".join(lines[: 2 * len(lines) // 3])
    now = {
        "removed": half.replace(COMMENT, ""),
        "another reason": half.replace("leave", "last leave"),
        "a file removed": "pass\n",
        "kept": f"{half}\n",
        "kept elsewhere in it": half.replace(COMMENT, "\n") + COMMENT,
    }[request.param]
    before = {".winnow.yml": STRICT, ".winnow/index.db": known.read_bytes(), ROUTE: half}
    pulled = {ROUTE: COMMENT + SHORTEST_ROUTE.text}
    forge = Forge.create(tmp_path, before, pulled, {ROUTE: now})
    return Attack(forge, forge.pulled, tmp_path), request.param.startswith("kept")


def test_a_comment_that_main_has_removed_counts_no_longer(commented: tuple[Attack, bool]) -> None:
    attack, is_kept = commented
    for ended in (
        attack.scan(attack.head, **gitlab(attack)),
        winnow("scan", *JSON, "--policy-from", "base", "--range", "origin/main...HEAD", cwd=attack.folder / "clone"),
        winnow("scan", *JSON, "--policy-from", "base", "--since", "origin/main", cwd=attack.folder / "clone"),
    ):
        (finding,) = ended.findings()
        assert (ended.status, finding["suppressed"]) == ((0, "inline") if is_kept else (1, None))
        withdrawn = "src/route.py:1: this winnow-ci: allow is gone from that place on the target branch"
        assert any(notice.startswith(withdrawn) for notice in ended.report()["scan"]["notices"]) is not is_kept


def test_a_comment_that_the_change_moves_along_counts(known: Path, tmp_path: Path) -> None:
    """main moved on elsewhere; the change renames the file, and main has the comment under the old name."""
    text = COMMENT + SHORTEST_ROUTE.text
    half = "".join(text.splitlines(keepends=True)[: 2 * text.count("\n") // 3])
    before = {".winnow.yml": STRICT, ".winnow/index.db": known.read_bytes(), ROUTE: half}
    author = Checkout.create(tmp_path / "author")
    author.commit(before)
    author.git("switch", "--quiet", "--create", "topic")
    author.git("mv", ROUTE, "src/router.py")
    author.commit({"src/router.py": text})
    author.git("switch", "--quiet", "main")
    author.commit({"c.py": "c = 1\n"})
    ended = winnow("scan", *JSON, "--policy-from", "base", "--range", "main...topic", cwd=author.root)
    assert (ended.status, [finding["suppressed"] for finding in ended.findings()]) == (0, ["inline"])
