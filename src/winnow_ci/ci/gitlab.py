"""GitLab CI/CD: the variables of https://docs.gitlab.com/ci/variables/predefined_variables/."""

from __future__ import annotations

from typing import TYPE_CHECKING

from winnow_ci.ci.events import BranchFork, CIEvent, CommitRange, PullRequest, RequestedComparison, WholeCommit
from winnow_ci.ci.validation import branch, commit, is_null, repository, variable

if TYPE_CHECKING:
    from collections.abc import Mapping


def current_event(environment: Mapping[str, str]) -> CIEvent:
    """The event that the pipeline runs for.

    Raises:
        CIError: a variable is not what GitLab documents.
    """
    source = environment.get("CI_PIPELINE_SOURCE", "")
    # A merge request's pipeline that another pipeline started has another source.
    if environment.get("CI_MERGE_REQUEST_IID"):
        return _merge_request(environment)
    if source == "external_pull_request_event":
        target = branch(
            variable(environment, "CI_EXTERNAL_PULL_REQUEST_TARGET_BRANCH_NAME"),
            "CI_EXTERNAL_PULL_REQUEST_TARGET_BRANCH_NAME",
        )
        return CIEvent("pull request", PullRequest(BranchFork(_sha(environment), target, _repository(environment))))
    if source == "push" and environment.get("CI_COMMIT_BRANCH"):
        return CIEvent("push", _push(environment))
    kind = "tag" if environment.get("CI_COMMIT_TAG") else source.replace("_", " ")
    return CIEvent(f"{kind} pipeline".lstrip(), WholeCommit())


def _merge_request(environment: Mapping[str, str]) -> CIEvent:
    """A pipeline for merged results or of a merge train runs on a trial merge (or rebase)."""
    if environment.get("CI_MERGE_REQUEST_TARGET_BRANCH_SHA"):
        name = "CI_MERGE_REQUEST_TARGET_BRANCH_SHA"
        train = environment.get("CI_MERGE_REQUEST_EVENT_TYPE") == "merge_train"
        event = "merge train" if train else "merge request, merged results"
    else:
        name, event = "CI_MERGE_REQUEST_DIFF_BASE_SHA", "merge request"
    return CIEvent(event, CommitRange(commit(variable(environment, name), name), _sha(environment)))


def _push(environment: Mapping[str, str]) -> RequestedComparison:
    name = variable(environment, "CI_COMMIT_BRANCH")
    before = commit(variable(environment, "CI_COMMIT_BEFORE_SHA"), "CI_COMMIT_BEFORE_SHA")
    after = _sha(environment)
    default = branch(variable(environment, "CI_DEFAULT_BRANCH"), "CI_DEFAULT_BRANCH")
    # The default branch can only be compared with what it was.
    otherwise = WholeCommit(after) if name == default else BranchFork(after, default, _repository(environment))
    return otherwise if is_null(before) else CommitRange(before, after, otherwise)


def _sha(environment: Mapping[str, str]) -> str:
    return commit(variable(environment, "CI_COMMIT_SHA"), "CI_COMMIT_SHA")


def _repository(environment: Mapping[str, str]) -> str:
    return repository(variable(environment, "CI_PROJECT_PATH"), "CI_PROJECT_PATH")
