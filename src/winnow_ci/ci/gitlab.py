"""GitLab CI/CD: the variables of https://docs.gitlab.com/ci/variables/predefined_variables/."""

from __future__ import annotations

from typing import TYPE_CHECKING

from winnow_ci.ci.events import (
    BranchFork,
    CIEvent,
    CommitRange,
    PullRequest,
    RequestedComparison,
    TargetBranch,
    WholeCommit,
)
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
    if environment.get("CI_COMMIT_TAG"):
        return CIEvent("tag pipeline", WholeCommit())
    return CIEvent(f"{source.replace('_', ' ')} pipeline".lstrip(), WholeCommit(), _default(environment))


def _merge_request(environment: Mapping[str, str]) -> CIEvent:
    """A pipeline for merged results or of a merge train runs on a trial merge (or rebase)."""
    if not environment.get("CI_MERGE_REQUEST_TARGET_BRANCH_SHA"):
        base = _commit(environment, "CI_MERGE_REQUEST_DIFF_BASE_SHA")
        return CIEvent("merge request", CommitRange(base, _sha(environment), target=_target(environment)))
    train = environment.get("CI_MERGE_REQUEST_EVENT_TYPE") == "merge_train"
    base = _commit(environment, "CI_MERGE_REQUEST_TARGET_BRANCH_SHA")
    merged = CommitRange(base, _sha(environment), branch=_target(environment).branch)
    return CIEvent("merge train" if train else "merge request, merged results", merged)


def _target(environment: Mapping[str, str]) -> TargetBranch:
    name, project = "CI_MERGE_REQUEST_TARGET_BRANCH_NAME", "CI_MERGE_REQUEST_PROJECT_PATH"
    return TargetBranch(branch(variable(environment, name), name), repository(variable(environment, project), project))


def _default(environment: Mapping[str, str]) -> TargetBranch | None:
    """The default branch; None if the environment does not say it."""
    if not environment.get("CI_DEFAULT_BRANCH") or not environment.get("CI_PROJECT_PATH"):
        return None
    return TargetBranch(branch(environment["CI_DEFAULT_BRANCH"], "CI_DEFAULT_BRANCH"), _repository(environment))


def _push(environment: Mapping[str, str]) -> RequestedComparison:
    name = variable(environment, "CI_COMMIT_BRANCH")
    before, after = _commit(environment, "CI_COMMIT_BEFORE_SHA"), _sha(environment)
    default = branch(variable(environment, "CI_DEFAULT_BRANCH"), "CI_DEFAULT_BRANCH")
    if name != default:
        # Since the push before, there may be nothing: what that one brought must not turn green by it.
        return BranchFork(after, default, _repository(environment))
    return WholeCommit(after) if is_null(before) else CommitRange(before, after, WholeCommit(after))


def _sha(environment: Mapping[str, str]) -> str:
    return _commit(environment, "CI_COMMIT_SHA")


def _commit(environment: Mapping[str, str], name: str) -> str:
    return commit(variable(environment, name), name)


def _repository(environment: Mapping[str, str]) -> str:
    return repository(variable(environment, "CI_PROJECT_PATH"), "CI_PROJECT_PATH")
