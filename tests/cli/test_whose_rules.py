"""In a job of a CI the rules come from the target branch, in every mode."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from support.command import Ended, winnow
from support.donor import CHANGE, SHORTEST_ROUTE
from support.forge import PROJECT, Forge, unreachable
from support.payloads import FROZEN_BASE, PULL_HEAD, payload

if TYPE_CHECKING:
    from pathlib import Path

    from support.repository import Checkout

STRICT = "index: [.winnow/index.db]\n"
LAX = "index: [.winnow/index.db]\npolicy: {default: allow}\n"
JSON = ("--format", "json")
MODES = {
    "no mode": ("scan",),
    "everything": ("scan", "--all"),
    "explicit paths": ("scan", "--all", "src"),
    "since": ("scan", "--since", "HEAD~1"),
    "range": ("scan", "--range", "HEAD~1..HEAD"),
    "pre-commit run --all-files": ("hook", "--", ".winnow.yml", *CHANGE),
}


@pytest.fixture
def forge(tmp_path: Path, known: Path) -> Forge:
    """A pull request that brings copies, and a configuration that allows them."""
    before = {"a.py": "a = 1\n", ".winnow.yml": STRICT, ".winnow/index.db": known.read_bytes()}
    return Forge.create(tmp_path, before, {**CHANGE, ".winnow.yml": LAX}, {"b.py": "b = 1\n"})


def run(clone: Checkout, mode: tuple[str, ...], *arguments: str, **variables: str) -> Ended:
    command, *rest = mode
    return winnow(command, *JSON, *arguments, *rest, cwd=clone.root, **variables)


def github(
    folder: Path, forge: Forge, event: str, fields: dict[str, object] | None = None, **more: str
) -> dict[str, str]:
    """The variables of a job on GitHub, with the payload of a pull request, or with other fields."""
    text = payload("pull_request", {PULL_HEAD: forge.pulled, FROZEN_BASE: forge.first})
    (folder / "event.json").write_text(text if fields is None else json.dumps(fields))
    return {
        "CI": "true",
        "GITHUB_ACTIONS": "true",
        "GITHUB_EVENT_NAME": event,
        "GITHUB_EVENT_PATH": str(folder / "event.json"),
        "GITHUB_REPOSITORY": PROJECT,
        "GITHUB_SHA": forge.merge if event.startswith("pull_request") else forge.moved_on,
        "GITHUB_REF": "refs/pull/7/merge" if event.startswith("pull_request") else "refs/heads/main",
        **more,
    }


def gitlab(forge: Forge, **more: str) -> dict[str, str]:
    return {
        "CI": "true",
        "GITLAB_CI": "true",
        "CI_PIPELINE_SOURCE": "merge_request_event",
        "CI_COMMIT_SHA": forge.pulled,
        "CI_DEFAULT_BRANCH": "main",
        "CI_PROJECT_PATH": PROJECT,
        "CI_MERGE_REQUEST_IID": "7",
        "CI_MERGE_REQUEST_DIFF_BASE_SHA": forge.first,
        "CI_MERGE_REQUEST_TARGET_BRANCH_NAME": "main",
        "CI_MERGE_REQUEST_PROJECT_PATH": PROJECT,
        **more,
    }


def levels(ended: Ended) -> set[str]:
    return {finding["level"] for finding in ended.findings()}


def notices(ended: Ended) -> list[str]:
    return list(ended.report()["scan"]["notices"])


EDITED = "the change edits .winnow.yml: the base's version applies"


@pytest.mark.parametrize("mode", MODES.values(), ids=MODES)
@pytest.mark.parametrize("checked_out", ["merge", "head"])
def test_a_pull_request_on_github(forge: Forge, tmp_path: Path, mode: tuple[str, ...], checked_out: str) -> None:
    commit = forge.merge if checked_out == "merge" else forge.pulled
    clone = forge.check_out(tmp_path / "clone", commit, 2)
    ended = run(clone, mode, **github(tmp_path, forge, "pull_request"))
    assert (ended.status, levels(ended)) == (1, {"error"})
    assert EDITED in notices(ended)
    of_checkout = run(clone, mode, "--policy-from", "head", **github(tmp_path, forge, "pull_request"))
    assert (of_checkout.status, levels(of_checkout)) == (0, {"note"})


@pytest.mark.parametrize("mode", MODES.values(), ids=MODES)
def test_a_merge_request_on_gitlab(forge: Forge, tmp_path: Path, mode: tuple[str, ...]) -> None:
    clone = forge.check_out(tmp_path / "clone", forge.pulled, 0)
    ended = run(clone, mode, **gitlab(forge))
    assert (ended.status, levels(ended)) == (1, {"error"})
    assert EDITED in notices(ended)


OTHERS = {
    "Jenkins": {"JENKINS_URL": "https://ci.example.org/", "CHANGE_ID": "7", "CHANGE_TARGET": "main"},
    "Azure": {
        "TF_BUILD": "True",
        "SYSTEM_PULLREQUEST_PULLREQUESTID": "7",
        "SYSTEM_PULLREQUEST_TARGETBRANCH": "refs/heads/main",
    },
    "Buildkite": {
        "CI": "true",
        "BUILDKITE": "true",
        "BUILDKITE_PULL_REQUEST": "7",
        "BUILDKITE_PULL_REQUEST_BASE_BRANCH": "main",
    },
    "Bitbucket": {
        "CI": "true",
        "BITBUCKET_BUILD_NUMBER": "1",
        "BITBUCKET_PR_ID": "7",
        "BITBUCKET_PR_DESTINATION_BRANCH": "main",
    },
    "Travis": {"CI": "true", "TRAVIS": "true", "TRAVIS_PULL_REQUEST": "7", "TRAVIS_BRANCH": "main"},
}


@pytest.mark.parametrize("mode", MODES.values(), ids=MODES)
@pytest.mark.parametrize("variables", OTHERS.values(), ids=OTHERS)
def test_a_request_on_another_ci(
    forge: Forge, tmp_path: Path, variables: dict[str, str], mode: tuple[str, ...]
) -> None:
    clone = forge.check_out(tmp_path / "clone", forge.pulled, 0)
    ended = run(clone, mode, **variables)
    assert (ended.status, levels(ended)) == (1, {"error"})
    assert EDITED in notices(ended)


NO_REQUEST = {
    "unknown": {"CI": "true"},
    "CircleCI": {"CI": "true", "CIRCLECI": "true", "CIRCLE_PULL_REQUEST": "https://github.com/octo/widget/pull/7"},
    "Buildkite": {"CI": "true", "BUILDKITE": "true", "BUILDKITE_PULL_REQUEST": "false"},
    "GitHub": {"GITHUB_ACTIONS": "true", "GITHUB_EVENT_NAME": "release", "GITHUB_REF": "refs/tags/v1"},
}


@pytest.mark.parametrize("variables", NO_REQUEST.values(), ids=NO_REQUEST)
def test_a_ci_that_does_not_say_the_target(forge: Forge, tmp_path: Path, variables: dict[str, str]) -> None:
    clone = forge.check_out(tmp_path / "clone", forge.pulled, 0)
    for mode in (MODES["everything"], MODES["pre-commit run --all-files"]):
        ended = run(clone, mode, **variables)
        assert levels(ended) == {"note"}
        [said] = [notice for notice in notices(ended) if notice.startswith("the rules come from the checkout (")]
        assert forge.pulled[:12] in said
        assert "--policy-from base" in said
        assert not [each for each in notices(run(clone, mode, "--policy-from", "head", **variables)) if "rules" in each]
        chosen = run(clone, MODES["everything"], "--policy-from", "base", **variables)
        assert (chosen.status, levels(chosen)) == (1, {"error"})


def test_nothing_is_said_outside_of_a_ci(forge: Forge, tmp_path: Path) -> None:
    clone = forge.check_out(tmp_path / "clone", forge.pulled, 0)
    for value in ("", "false", "0"):
        ended = run(clone, MODES["everything"], CI=value)
        assert (levels(ended), notices(ended)) == ({"note"}, [])


REPOSITORY = {"full_name": PROJECT, "default_branch": "main"}
CARRIERS: dict[str, dict[str, object]] = {
    "workflow_run": {"workflow_run": {"event": "pull_request", "pull_requests": []}},
    "issue_comment": {"issue": {"number": 7, "pull_request": {}}},
    "check_suite": {"check_suite": {"pull_requests": [{"number": 7, "base": {"ref": "main"}}]}},
    "repository_dispatch": {"client_payload": {"number": 7}},
    "workflow_dispatch": {"inputs": {"number": "7"}},
    "deployment": {"deployment": {"ref": "topic"}},
    "schedule": {"schedule": "0 0 * * *"},
}


@pytest.mark.parametrize("mode", [MODES["no mode"], MODES["everything"], MODES["pre-commit run --all-files"]])
@pytest.mark.parametrize("event", CARRIERS)
def test_an_event_that_does_not_say_what_is_checked_out(
    forge: Forge, tmp_path: Path, event: str, mode: tuple[str, ...]
) -> None:
    """Its job may have checked a pull request out."""
    clone = forge.check_out(tmp_path / "clone", forge.pulled, 0)
    ended = run(clone, mode, **github(tmp_path, forge, event, {**CARRIERS[event], "repository": REPOSITORY}))
    assert (ended.status, levels(ended)) == (1, {"error"})
    rules = f"the rules come from main ({forge.moved_on[:12]}), not from the checkout"
    assert notices(ended) == [rules, EDITED]


def test_the_only_request_of_an_event_names_the_target(forge: Forge, tmp_path: Path, known: Path) -> None:
    """Here main has laxer rules than the branch that the request is for."""
    lax = {".winnow.yml": LAX, ".winnow/index.db": known.read_bytes()}
    forge.push(tmp_path / "other", "next", lax, forge.first)
    fields = {"check_suite": {"pull_requests": [{"base": {"ref": "next"}}]}, "repository": REPOSITORY}
    clone = forge.check_out(tmp_path / "clone", forge.pulled, 0)
    ended = run(clone, MODES["everything"], **github(tmp_path, forge, "check_suite", fields))
    assert (ended.status, levels(ended)) == (0, {"note"})
    fields["check_suite"] = {"pull_requests": [{"base": {"ref": "next"}}, {"base": {"ref": "main"}}]}
    ended = run(clone, MODES["everything"], **github(tmp_path, forge, "check_suite", fields))
    assert (ended.status, levels(ended)) == (1, {"error"})


@pytest.mark.parametrize("mode", [MODES["everything"], MODES["pre-commit run --all-files"]])
def test_a_request_without_a_target_is_not_scanned(forge: Forge, tmp_path: Path, mode: tuple[str, ...]) -> None:
    variables = github(tmp_path, forge, "pull_request")
    clone = unreachable(forge.check_out(tmp_path / "clone", forge.merge, 1))
    problem, remedy = run(clone, mode, **variables).complaint(3)
    assert problem.startswith(
        f"the rules come from the target branch, but the first parent of {forge.merge[:12]} is not in"
    )
    assert "fetch-depth: 2" in remedy
    assert "--policy-from head" in remedy
    (tmp_path / "event.json").unlink()
    assert "cannot be read" in run(clone, mode, **variables).complaint(3)[0]


def test_a_push_to_the_default_branch_has_its_own_rules(forge: Forge, tmp_path: Path) -> None:
    clone = forge.check_out(tmp_path / "clone", forge.merge, 2)
    fields = {"before": forge.moved_on, "after": forge.merge, "ref": "refs/heads/main", "repository": REPOSITORY}
    variables = github(tmp_path, forge, "push", fields, GITHUB_SHA=forge.merge)
    for mode in (MODES["everything"], MODES["pre-commit run --all-files"]):
        ended = run(clone, mode, **variables)
        assert (ended.status, levels(ended), notices(ended)) == (0, {"note"}, [])


# ---- baseline, boilerplate, index, comments --------------------------------------------------------------------


@pytest.mark.parametrize("mode", [MODES["everything"], MODES["pre-commit run --all-files"]])
@pytest.mark.parametrize(
    "rules",
    [
        {".winnow.yml": f"{STRICT}boilerplate: [src/**]\n"},
        {".winnow.yml": f"{STRICT}paths: {{exclude: [src/]}}\n"},
        {".winnow.yml": "index: [mine]\n", "mine/a.txt": "nothing\n"},
        {".winnow.yml": "index: [../nowhere.db]\n"},
    ],
)
def test_no_rule_of_the_change_counts(
    tmp_path: Path, known: Path, rules: dict[str, str], mode: tuple[str, ...]
) -> None:
    before = {"a.py": "a = 1\n", ".winnow.yml": STRICT, ".winnow/index.db": known.read_bytes()}
    forge = Forge.create(tmp_path, before, {**CHANGE, **rules}, {"b.py": "b = 1\n"})
    clone = forge.check_out(tmp_path / "clone", forge.merge, 2)
    assert run(clone, mode, **github(tmp_path, forge, "pull_request")).status == 1


ALLOW = "# winnow-ci: allow roads agreed with its author\n"
COPY = ALLOW + SHORTEST_ROUTE.text
WHOLE_FILES = [("scan", "--all"), ("hook", "--", "src/a.py", "src/b.py")]


@pytest.mark.parametrize("mode", WHOLE_FILES)
def test_comments_count_as_the_target_has_them(tmp_path: Path, known: Path, mode: tuple[str, ...]) -> None:
    before = {"src/a.py": COPY, ".winnow.yml": STRICT, ".winnow/index.db": known.read_bytes()}
    forge = Forge.create(tmp_path, before, {"src/b.py": COPY}, {"c.py": "c = 1\n"})
    clone = forge.check_out(tmp_path / "clone", forge.merge, 2)
    ended = run(clone, mode, **github(tmp_path, forge, "pull_request"))
    suppressed = {finding["path"]: finding["suppressed"] for finding in ended.findings()}
    assert suppressed == {"src/a.py": "inline", "src/b.py": None}
    assert ended.status == 1


@pytest.mark.parametrize("mode", WHOLE_FILES)
def test_a_copy_under_a_comment_of_the_target_is_new(tmp_path: Path, known: Path, mode: tuple[str, ...]) -> None:
    before = {"src/a.py": ALLOW, ".winnow.yml": STRICT, ".winnow/index.db": known.read_bytes()}
    forge = Forge.create(tmp_path, before, {"src/a.py": COPY, "src/b.py": "b = 1\n"}, {"c.py": "c = 1\n"})
    clone = forge.check_out(tmp_path / "clone", forge.merge, 2)
    ended = run(clone, mode, **github(tmp_path, forge, "pull_request"))
    assert [finding["suppressed"] for finding in ended.findings()] == [None]
    assert "was there before the copy" in " ".join(notices(ended))


def test_comments_count_on_a_push_to_the_default_branch(tmp_path: Path, known: Path) -> None:
    """What is pushed is the target's tip then, also where whole files count as new."""
    before = {"src/a.py": COPY, ".winnow.yml": STRICT, ".winnow/index.db": known.read_bytes()}
    forge = Forge.create(tmp_path, before, {"src/b.py": "b = 1\n"}, {"c.py": "c = 1\n"})
    fields = {"before": forge.moved_on, "after": forge.merge, "ref": "refs/heads/main", "repository": REPOSITORY}
    clone = forge.check_out(tmp_path / "clone", forge.merge, 2)
    for mode in WHOLE_FILES:
        ended = run(clone, mode, **github(tmp_path, forge, "push", fields, GITHUB_SHA=forge.merge))
        assert [finding["suppressed"] for finding in ended.findings()] == ["inline"]
        assert ended.status == 0
