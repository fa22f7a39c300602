"""Read the events of GitHub Actions, of GitLab CI/CD, and the change requests of other CIs.

GitHub: https://docs.github.com/actions/reference/workflows-and-actions/events-that-trigger-workflows. The runner sets
``GITHUB_SHA`` and ``GITHUB_REF``; the payload is what the webhook would deliver.
GitLab: https://docs.gitlab.com/ci/variables/predefined_variables/.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from winnow_ci.ci.events import (
    NAME_IT,
    BranchFork,
    CIEvent,
    CommitRange,
    NothingToScan,
    PullRequest,
    RequestedComparison,
    TargetBranch,
    UntrustedPullRequest,
    WholeCommit,
    checked_branch,
    checked_commit,
    checked_repository,
    is_null,
    variable,
)
from winnow_ci.errors import CIError
from winnow_ci.regular_file import open_regular

if TYPE_CHECKING:
    from collections.abc import Mapping

# Their payloads name pull requests, and a job may have checked one out.
_CARRIERS = ("workflow_run", "check_suite", "check_run")
_TRIAL_MERGE = re.compile(r"refs/pull/\d+/merge", re.ASCII)
# GitHub does not deliver more than 25 MB.
_LARGEST = 32 << 20


# ---- GitHub ----------------------------------------------------------------------------------------------------


def github_event(environment: Mapping[str, str]) -> CIEvent:
    """Return the event that a job of GitHub runs for."""
    event = variable(environment, "GITHUB_EVENT_NAME")
    name = event.replace("_", " ")
    match event:
        case "pull_request" | "pull_request_review" | "pull_request_review_comment":
            return CIEvent("pull request", _pull_request(environment))
        case "pull_request_target":
            return CIEvent(name, _pull_request_target(environment))
        case "merge_group":
            return CIEvent(name, _merge_group(environment))
        case "push":
            return CIEvent(name, _github_push(environment))
    return CIEvent(name, WholeCommit(), _likely_target(environment, event))


def _likely_target(environment: Mapping[str, str], event: str) -> TargetBranch | None:
    """The branch that a commit is most likely for, which some job checks out for an event that is not about it.

    That is the target of the only request that the payload names, else the default branch. A tag is for no branch.
    """
    if event == "release" or environment.get("GITHUB_REF", "").startswith("refs/tags/"):
        return None
    try:
        payload, project = _Payload(environment), _github_project(environment)
    except CIError:
        return None
    requests = [payload.find(carrier, "pull_requests") for carrier in _CARRIERS]
    named = [request for found in requests if isinstance(found, list) for request in found]
    targets = {str(reference) for request in named if (reference := _value(request, "base", "ref"))}
    name = targets.pop() if len(targets) == 1 else payload.find("repository", "default_branch")
    return TargetBranch(checked_branch(name, "the target branch in the payload"), project) if name else None


def _pull_request(environment: Mapping[str, str]) -> PullRequest:
    fork = _fork(environment, _Payload(environment))
    # A pull request that has been merged has no trial merge any more.
    is_merge = _TRIAL_MERGE.fullmatch(environment.get("GITHUB_REF", ""))
    return PullRequest(fork, _github_sha(environment) if is_merge else None)


def _pull_request_target(environment: Mapping[str, str]) -> UntrustedPullRequest:
    """The job has secrets and a token with write access. By default it checks out the repository's own code."""
    payload = _Payload(environment)
    base = payload.commit("pull_request", "base", "sha")
    return UntrustedPullRequest(PullRequest(_fork(environment, payload)), (_github_sha(environment), base))


def _fork(environment: Mapping[str, str], payload: _Payload) -> BranchFork:
    head, branch = payload.commit("pull_request", "head", "sha"), payload.branch("pull_request", "base", "ref")
    return BranchFork(head, branch, _github_project(environment))


def _merge_group(environment: Mapping[str, str]) -> CommitRange:
    payload = _Payload(environment)
    reference = payload.find("merge_group", "base_ref")
    name = reference.removeprefix("refs/heads/") if isinstance(reference, str) else None
    return CommitRange(
        payload.commit("merge_group", "base_sha"),
        payload.commit("merge_group", "head_sha"),
        branch=checked_branch(name, "merge_group.base_ref of the payload") if name else None,
    )


def _github_push(environment: Mapping[str, str]) -> RequestedComparison:
    payload = _Payload(environment)
    before, after = payload.commit("before"), payload.commit("after")
    if is_null(after):
        return NothingToScan("the branch was deleted, nothing to scan")
    reference = payload.find("ref")
    if isinstance(reference, str) and reference.startswith("refs/tags/"):
        # Here `after` may be the id of a tag, and no branch is what the tag should be compared with.
        return WholeCommit(_github_sha(environment))
    default = payload.branch("repository", "default_branch")
    is_default = reference == f"refs/heads/{default}"
    return _pushed(before, after, None if is_default else BranchFork(after, default, _github_project(environment)))


def _pushed(before: str, after: str, fork: BranchFork | None) -> RequestedComparison:
    if fork is not None:
        # Since the push before, there may be nothing: what that one brought must not turn green by it.
        return fork
    return WholeCommit(after) if is_null(before) else CommitRange(before, after, WholeCommit(after))


def _github_sha(environment: Mapping[str, str]) -> str:
    return _commit(environment, "GITHUB_SHA")


def _github_project(environment: Mapping[str, str]) -> str:
    return checked_repository(variable(environment, "GITHUB_REPOSITORY"), "GITHUB_REPOSITORY")


def _commit(environment: Mapping[str, str], name: str) -> str:
    return checked_commit(variable(environment, name), name)


class _Payload:
    """The payload in the file that GITHUB_EVENT_PATH names; values are found by their path of names."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._fields = _read(Path(variable(environment, "GITHUB_EVENT_PATH")))

    def find(self, *names: str) -> object:
        return _value(self._fields, *names)

    def commit(self, *names: str) -> str:
        return checked_commit(self.find(*names), f"{'.'.join(names)} of the payload")

    def branch(self, *names: str) -> str:
        return checked_branch(self.find(*names), f"{'.'.join(names)} of the payload")


def _value(fields: object, *names: str) -> object:
    found: Any = fields
    for name in names:
        found = found.get(name) if isinstance(found, dict) else None
    return found


def _read(path: Path) -> dict[str, Any]:
    try:
        with open_regular(path) as file:
            text = file.read(_LARGEST + 1)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise _unreadable(path, f"cannot be read: {reason}") from error
    if len(text) > _LARGEST:
        raise _unreadable(path, f"is larger than {_LARGEST >> 20} MiB")
    try:
        fields = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise _unreadable(path, "is not JSON") from error
    if not isinstance(fields, dict):
        raise _unreadable(path, "is not a JSON object")
    return fields


def _unreadable(path: Path, problem: str) -> CIError:
    return CIError(f"the event's payload {path} {problem}", NAME_IT)


# ---- GitLab, and others ----------------------------------------------------------------------------------------


def gitlab_event(environment: Mapping[str, str]) -> CIEvent:
    """Return the event that a pipeline of GitLab runs for."""
    source = environment.get("CI_PIPELINE_SOURCE", "")
    # A merge request's pipeline that another pipeline started has another source.
    if environment.get("CI_MERGE_REQUEST_IID"):
        return _merge_request(environment)
    if source == "external_pull_request_event":
        target = _branch(environment, "CI_EXTERNAL_PULL_REQUEST_TARGET_BRANCH_NAME")
        fork = BranchFork(_commit(environment, "CI_COMMIT_SHA"), target, _project(environment))
        return CIEvent("pull request", PullRequest(fork))
    if source == "push" and environment.get("CI_COMMIT_BRANCH"):
        return CIEvent("push", _gitlab_push(environment))
    if environment.get("CI_COMMIT_TAG"):
        return CIEvent("tag pipeline", WholeCommit())
    has_default = environment.get("CI_DEFAULT_BRANCH") and environment.get("CI_PROJECT_PATH")
    default = TargetBranch(_branch(environment, "CI_DEFAULT_BRANCH"), _project(environment)) if has_default else None
    return CIEvent(f"{source.replace('_', ' ')} pipeline".lstrip(), WholeCommit(), default)


def _merge_request(environment: Mapping[str, str]) -> CIEvent:
    """A pipeline for merged results or of a merge train runs on a trial merge (or rebase)."""
    target = TargetBranch(
        _branch(environment, "CI_MERGE_REQUEST_TARGET_BRANCH_NAME"),
        _project(environment, "CI_MERGE_REQUEST_PROJECT_PATH"),
    )
    head = _commit(environment, "CI_COMMIT_SHA")
    if not environment.get("CI_MERGE_REQUEST_TARGET_BRANCH_SHA"):
        base = _commit(environment, "CI_MERGE_REQUEST_DIFF_BASE_SHA")
        return CIEvent("merge request", CommitRange(base, head, target=target))
    base = _commit(environment, "CI_MERGE_REQUEST_TARGET_BRANCH_SHA")
    train = environment.get("CI_MERGE_REQUEST_EVENT_TYPE") == "merge_train"
    name = "merge train" if train else "merge request, merged results"
    return CIEvent(name, CommitRange(base, head, branch=target.branch))


def _gitlab_push(environment: Mapping[str, str]) -> RequestedComparison:
    before, after = _commit(environment, "CI_COMMIT_BEFORE_SHA"), _commit(environment, "CI_COMMIT_SHA")
    default = _branch(environment, "CI_DEFAULT_BRANCH")
    is_default = variable(environment, "CI_COMMIT_BRANCH") == default
    return _pushed(before, after, None if is_default else BranchFork(after, default, _project(environment)))


def _branch(environment: Mapping[str, str], name: str) -> str:
    return checked_branch(variable(environment, name), name)


def _project(environment: Mapping[str, str], name: str = "CI_PROJECT_PATH") -> str:
    return checked_repository(variable(environment, name), name)


def request_of(service: str, reference: str, variable_name: str) -> CIEvent:
    """Return the change request of another CI for a branch that one of its variables names."""
    name = checked_branch(reference.removeprefix("refs/heads/"), variable_name)
    return CIEvent(f"{service} change request", PullRequest(BranchFork(None, name, None)))
