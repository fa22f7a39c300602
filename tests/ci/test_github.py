"""GitHub's events, in payload files written after the documented fields."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import pytest

from support.payloads import AFTER, BEFORE, FOLDER, FROZEN_BASE, PULL_HEAD, QUEUE_BASE, QUEUE_HEAD, payload
from winnow_ci.ci import current_event, service
from winnow_ci.ci.events import (
    BranchFork,
    CIEvent,
    CommitRange,
    NothingToScan,
    PullRequest,
    TargetBranch,
    WholeCommit,
)
from winnow_ci.errors import CIError, ExitStatus

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

SHA = "5" * 40
PULL = BranchFork(PULL_HEAD, "main", "octo/widget")
MAIN = TargetBranch("main", "octo/widget")
TOPIC = BranchFork(AFTER, "main", "octo/widget")


def github(event: str, file: object, **variables: str) -> dict[str, str]:
    return {
        "GITHUB_ACTIONS": "true",
        "GITHUB_EVENT_NAME": event,
        "GITHUB_EVENT_PATH": str(file),
        "GITHUB_REPOSITORY": "octo/widget",
        "GITHUB_SHA": SHA,
        "GITHUB_REF": "refs/pull/7/merge" if event.startswith("pull_request") else "refs/heads/main",
        **variables,
    }


EVENTS = [
    ("pull_request", "pull_request", {}, CIEvent("pull request", PullRequest(PULL, SHA))),
    (
        "pull_request",
        "pull_request_merged",
        {"GITHUB_REF": "refs/heads/main"},
        CIEvent("pull request", PullRequest(PULL)),
    ),
    ("pull_request_review", "pull_request_review", {}, CIEvent("pull request", PullRequest(PULL, SHA))),
    ("pull_request_review_comment", "pull_request_review", {}, CIEvent("pull request", PullRequest(PULL, SHA))),
    (
        "pull_request_target",
        "pull_request",
        {"GITHUB_REF": "refs/heads/main"},
        CIEvent("pull request target", PullRequest(PULL, trusted=(SHA, FROZEN_BASE))),
    ),
    ("merge_group", "merge_group", {}, CIEvent("merge group", CommitRange(QUEUE_BASE, QUEUE_HEAD, branch="main"))),
    ("push", "push", {}, CIEvent("push", CommitRange(BEFORE, AFTER, WholeCommit(AFTER)))),
    ("push", "push_branch", {}, CIEvent("push", TOPIC)),
    ("push", "push_forced", {}, CIEvent("push", TOPIC)),
    ("push", "push_new_branch", {}, CIEvent("push", TOPIC)),
    ("push", "push_first", {}, CIEvent("push", WholeCommit(AFTER))),
    ("push", "push_tag", {}, CIEvent("push", WholeCommit(SHA))),
    ("push", "push_deleted", {}, CIEvent("push", NothingToScan("the branch was deleted, nothing to scan"))),
    ("schedule", "schedule", {}, CIEvent("schedule", WholeCommit(), MAIN)),
    ("workflow_dispatch", "workflow_dispatch", {}, CIEvent("workflow dispatch", WholeCommit(), MAIN)),
    ("release", "release", {}, CIEvent("release", WholeCommit())),
]


@pytest.mark.parametrize(("event", "file", "variables", "expected"), EVENTS)
def test_an_event_asks_for(event: str, file: str, variables: Mapping[str, str], expected: CIEvent) -> None:
    assert current_event(github(event, FOLDER / f"{file}.json", **variables)) == expected


def test_every_payload_is_tried() -> None:
    assert {path.stem for path in FOLDER.iterdir()} == {file for _, file, _, _ in EVENTS}


def test_which_service() -> None:
    assert service({"GITHUB_ACTIONS": "true"}) == "github"
    assert service({"GITLAB_CI": "true"}) == "gitlab"
    assert service({"CI": "true", "GITHUB_ACTIONS": ""}) is None
    assert current_event({"CI": "true"}) is None


@pytest.mark.parametrize("event", ["schedule", "workflow_dispatch", "repository_dispatch", "workflow_run", "created"])
def test_other_events_need_no_payload(event: str, tmp_path: Path) -> None:
    assert current_event(github(event, tmp_path / "none.json")) == CIEvent(event.replace("_", " "), WholeCommit())


@pytest.mark.parametrize("name", ["GITHUB_EVENT_NAME", "GITHUB_EVENT_PATH", "GITHUB_REPOSITORY", "GITHUB_SHA"])
@pytest.mark.parametrize("value", ["", None])
def test_a_variable_that_is_missing_is_named(name: str, value: str | None) -> None:
    environment = github("pull_request", FOLDER / "pull_request.json")
    del environment[name]
    if value is not None:
        environment[name] = value
    with pytest.raises(CIError, match=rf"^{name} is not set.*\n.*--since REV") as caught:
        current_event(environment)
    assert caught.value.exit_status == ExitStatus.CANNOT_SCAN


FIELDS = {
    "pull_request": [("pull_request", "head", "sha"), ("pull_request", "base", "ref")],
    "pull_request_target": [("pull_request", "base", "sha")],
    "merge_group": [("merge_group", "base_sha"), ("merge_group", "head_sha")],
    "push": [("before",), ("after",), ("repository", "default_branch")],
}
NO_VALUES: list[Any] = [None, "", "--output=x", "x\ny", "HEAD^{/x}", 7, [], {}, "a" * 40 + "\n", "-x"]
NO_IDS = ["a" * 39, "A" * 40, "main"]


REFUSED = [
    (event, names, value)
    for event, found in FIELDS.items()
    for names in found
    for value in [*NO_VALUES, *([] if names[-1] in {"ref", "default_branch"} else NO_IDS)]
]


@pytest.mark.parametrize(("event", "names", "value"), REFUSED, ids=ascii)
def test_a_field_that_is_no_id_or_name_is_refused(
    event: str, names: tuple[str, ...], value: Any, tmp_path: Path
) -> None:
    fields = json.loads(payload("pull_request" if event == "pull_request_target" else event))
    place = fields
    for name in names[:-1]:
        place = place[name]
    place[names[-1]] = value
    (tmp_path / "event.json").write_text(json.dumps(fields))
    with pytest.raises(CIError, match=f"^{re.escape('.'.join(names))} of the payload is not ") as caught:
        current_event(github(event, tmp_path / "event.json"))
    assert caught.value.problem.isprintable()


@pytest.mark.parametrize("event", FIELDS)
@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        (None, "cannot be read: No such file"),
        ("", "is not JSON"),
        ("{", "is not JSON"),
        ("\xff", "is not JSON"),
        ("[" * 100_000, "is not JSON"),
        ("[]", "is not a JSON object"),
        ("{}", "is not "),
        ('{"pull_request": [], "merge_group": "x", "before": {}}', "is not "),
    ],
    ids=["missing", "empty", "cut", "bytes", "deep", "list", "no fields", "other fields"],
)
def test_a_payload_that_is_none_is_an_error(event: str, text: str | None, complaint: str, tmp_path: Path) -> None:
    file = tmp_path / "event.json"
    if text is not None:
        file.write_bytes(text.encode("latin-1"))
    with pytest.raises(CIError, match=complaint):
        current_event(github(event, file))


@pytest.mark.parametrize(
    ("size", "complaint"), [(32 << 20, "^before of the payload"), ((32 << 20) + 1, "is larger than 32 MiB")]
)
def test_a_payload_that_is_too_large_is_not_read(size: int, complaint: str, tmp_path: Path) -> None:
    (tmp_path / "event.json").write_bytes(b"{}".ljust(size))
    with pytest.raises(CIError, match=complaint):
        current_event(github("push", tmp_path / "event.json"))


@pytest.mark.parametrize("sha", ["HEAD", "-" + "a" * 39, *("0" * length for length in (39, 41, 63, 65))])
def test_the_commit_of_the_job_is_checked(sha: str) -> None:
    with pytest.raises(CIError, match="GITHUB_SHA is not the full id of a commit"):
        current_event(github("pull_request", FOLDER / "pull_request.json", GITHUB_SHA=sha))


@pytest.mark.parametrize("length", [40, 64])
def test_ids_of_both_lengths_are_ids(length: int) -> None:
    found = current_event(github("push", FOLDER / "push_tag.json", GITHUB_SHA="a" * length))
    assert found == CIEvent("push", WholeCommit("a" * length))


def test_a_value_that_is_refused_is_shown_cut() -> None:
    with pytest.raises(CIError) as caught:
        current_event(github("pull_request", FOLDER / "pull_request.json", GITHUB_SHA="x" * 99))
    assert caught.value.problem == f"GITHUB_SHA is not the full id of a commit: '{'x' * 79}"


@pytest.mark.parametrize("repository", ["widget", "octo/widget?x", "octo/wid get", "/octo/widget", "octo/", "octo//x"])
def test_the_repository_of_the_job_is_checked(repository: str) -> None:
    with pytest.raises(CIError, match="GITHUB_REPOSITORY is not the path of a repository"):
        current_event(github("pull_request", FOLDER / "pull_request.json", GITHUB_REPOSITORY=repository))
