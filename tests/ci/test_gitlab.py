"""GitLab's pipelines, by their predefined variables."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from winnow_ci.ci import current_event
from winnow_ci.ci.events import BranchFork, CIEvent, CommitRange, PullRequest, TargetBranch, WholeCommit
from winnow_ci.errors import CIError

if TYPE_CHECKING:
    from collections.abc import Mapping

NONE = "0" * 40
SHA, BEFORE, BASE, TARGET = "1" * 40, "2" * 40, "3" * 40, "4" * 40
COMMON = {
    "GITLAB_CI": "true",
    "CI_COMMIT_SHA": SHA,
    "CI_COMMIT_BEFORE_SHA": NONE,
    "CI_DEFAULT_BRANCH": "main",
    "CI_PROJECT_PATH": "group/sub/widget",
}
MERGE_REQUEST = {
    "CI_PIPELINE_SOURCE": "merge_request_event",
    "CI_MERGE_REQUEST_IID": "7",
    "CI_MERGE_REQUEST_EVENT_TYPE": "detached",
    "CI_MERGE_REQUEST_DIFF_BASE_SHA": BASE,
    "CI_MERGE_REQUEST_TARGET_BRANCH_SHA": "",
    "CI_MERGE_REQUEST_TARGET_BRANCH_NAME": "release/1.x",
    "CI_MERGE_REQUEST_PROJECT_PATH": "group/sub/widget",
}
MERGED = {**MERGE_REQUEST, "CI_MERGE_REQUEST_TARGET_BRANCH_SHA": TARGET, "CI_MERGE_REQUEST_EVENT_TYPE": "merged_result"}
PUSH = {"CI_PIPELINE_SOURCE": "push", "CI_COMMIT_BRANCH": "topic"}
EXTERNAL = {
    "CI_PIPELINE_SOURCE": "external_pull_request_event",
    "CI_EXTERNAL_PULL_REQUEST_TARGET_BRANCH_NAME": "release/1.x",
}
CHANGE = CommitRange(BASE, SHA, target=TargetBranch("release/1.x", "group/sub/widget"))
TRIAL = CommitRange(TARGET, SHA, branch="release/1.x")
MAIN = TargetBranch("main", "group/sub/widget")
TOPIC = BranchFork(SHA, "main", "group/sub/widget")


@pytest.mark.parametrize(
    ("variables", "expected"),
    [
        (MERGE_REQUEST, CIEvent("merge request", CHANGE)),
        ({**MERGE_REQUEST, "CI_PIPELINE_SOURCE": "parent_pipeline"}, CIEvent("merge request", CHANGE)),
        (MERGED, CIEvent("merge request, merged results", TRIAL)),
        (
            {**MERGED, "CI_MERGE_REQUEST_EVENT_TYPE": "merge_train"},
            CIEvent("merge train", TRIAL),
        ),
        ({**PUSH, "CI_COMMIT_BEFORE_SHA": BEFORE}, CIEvent("push", TOPIC)),
        (PUSH, CIEvent("push", TOPIC)),
        (
            {**PUSH, "CI_COMMIT_BRANCH": "main", "CI_COMMIT_BEFORE_SHA": BEFORE},
            CIEvent("push", CommitRange(BEFORE, SHA, WholeCommit(SHA))),
        ),
        ({**PUSH, "CI_COMMIT_BRANCH": "main"}, CIEvent("push", WholeCommit(SHA))),
        (EXTERNAL, CIEvent("pull request", PullRequest(BranchFork(SHA, "release/1.x", "group/sub/widget")))),
        ({"CI_PIPELINE_SOURCE": "push", "CI_COMMIT_TAG": "v1"}, CIEvent("tag pipeline", WholeCommit())),
        ({"CI_PIPELINE_SOURCE": "schedule"}, CIEvent("schedule pipeline", WholeCommit(), MAIN)),
        ({"CI_PIPELINE_SOURCE": "web", "CI_COMMIT_BRANCH": "topic"}, CIEvent("web pipeline", WholeCommit(), MAIN)),
        ({}, CIEvent("pipeline", WholeCommit(), MAIN)),
        ({"CI_DEFAULT_BRANCH": ""}, CIEvent("pipeline", WholeCommit())),
    ],
)
def test_a_pipeline_asks_for(variables: Mapping[str, str], expected: CIEvent) -> None:
    assert current_event({**COMMON, **variables}) == expected


@pytest.mark.parametrize(
    ("variables", "name"),
    [
        (MERGE_REQUEST, "CI_COMMIT_SHA"),
        (MERGE_REQUEST, "CI_MERGE_REQUEST_DIFF_BASE_SHA"),
        (PUSH, "CI_COMMIT_BEFORE_SHA"),
        (PUSH, "CI_DEFAULT_BRANCH"),
        (PUSH, "CI_PROJECT_PATH"),
        (EXTERNAL, "CI_EXTERNAL_PULL_REQUEST_TARGET_BRANCH_NAME"),
    ],
)
def test_a_variable_that_is_missing_or_odd_is_named(variables: Mapping[str, str], name: str) -> None:
    with pytest.raises(CIError, match=rf"^{name} is not set"):
        current_event({**COMMON, **variables, name: ""})
    with pytest.raises(CIError, match=rf"^{name} is not "):
        current_event({**COMMON, **variables, name: "--output=x\n"})


def test_a_target_that_is_no_commit_is_refused() -> None:
    with pytest.raises(CIError, match="CI_MERGE_REQUEST_TARGET_BRANCH_SHA is not the full id"):
        current_event({**COMMON, **MERGED, "CI_MERGE_REQUEST_TARGET_BRANCH_SHA": "main"})
