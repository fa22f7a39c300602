"""GitHub Actions: the events of https://docs.github.com/actions/reference/workflows-and-actions/events-that-trigger-workflows.

``GITHUB_SHA`` and ``GITHUB_REF`` are set by the runner; the payload is what the webhook would deliver.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from winnow_ci.ci.events import (
    BranchFork,
    CIEvent,
    CommitRange,
    NothingToScan,
    PullRequest,
    RequestedComparison,
    TargetBranch,
    UntrustedPullRequest,
    WholeCommit,
)
from winnow_ci.ci.validation import REMEDY, branch, commit, is_null, repository, variable
from winnow_ci.errors import CIError
from winnow_ci.regular_file import open_regular

if TYPE_CHECKING:
    from collections.abc import Mapping

# Their payloads name pull requests, and a job may have checked one out.
_CARRIERS = ("workflow_run", "check_suite", "check_run")
_TRIAL_MERGE = re.compile(r"refs/pull/\d+/merge", re.ASCII)
# GitHub does not deliver more than 25 MB.
LARGEST = 32 << 20


def current_event(environment: Mapping[str, str]) -> CIEvent:
    """The event that the job runs for.

    Raises:
        CIError: a variable or the payload is not what GitHub documents.
    """
    event = variable(environment, "GITHUB_EVENT_NAME")
    name = event.replace("_", " ")
    if event in {"pull_request", "pull_request_review", "pull_request_review_comment"}:
        return CIEvent("pull request", _pull_request(environment, GitHubPayload(environment)))
    if event == "pull_request_target":
        return CIEvent(name, _pull_request_target(environment, GitHubPayload(environment)))
    if event == "merge_group":
        return CIEvent(name, _merge_group(GitHubPayload(environment)))
    if event == "push":
        return CIEvent(name, _push(environment, GitHubPayload(environment)))
    return CIEvent(name, WholeCommit(), _target(environment, event))


def _target(environment: Mapping[str, str], event: str) -> TargetBranch | None:
    """The branch that a commit is most likely for, which some job checks out for an event that is not about it.

    That is the target of the only request that the payload names, else the default branch. A tag is for no branch.
    """
    if event == "release" or environment.get("GITHUB_REF", "").startswith("refs/tags/"):
        return None
    try:
        payload, project = GitHubPayload(environment), _repository(environment)
    except CIError:
        return None
    requests = [payload.find(carrier, "pull_requests") for carrier in _CARRIERS]
    named = [request for found in requests if isinstance(found, list) for request in found]
    targets = {str(reference) for request in named if (reference := _value(request, "base", "ref"))}
    default = payload.find("repository", "default_branch")
    name = targets.pop() if len(targets) == 1 else default
    return TargetBranch(branch(name, "the target branch in the payload"), project) if name else None


def _pull_request(environment: Mapping[str, str], payload: GitHubPayload) -> PullRequest:
    # A pull request that has been merged has no trial merge any more.
    is_merge = _TRIAL_MERGE.fullmatch(environment.get("GITHUB_REF", ""))
    return PullRequest(_fork(environment, payload), _sha(environment) if is_merge else None)


def _pull_request_target(environment: Mapping[str, str], payload: GitHubPayload) -> UntrustedPullRequest:
    """The job has secrets and a token with write access. By default it checks out the repository's own code."""
    base = commit(payload.find("pull_request", "base", "sha"), "pull_request.base.sha of the payload")
    return UntrustedPullRequest(PullRequest(_fork(environment, payload)), (_sha(environment), base))


def _fork(environment: Mapping[str, str], payload: GitHubPayload) -> BranchFork:
    return BranchFork(
        commit(payload.find("pull_request", "head", "sha"), "pull_request.head.sha of the payload"),
        branch(payload.find("pull_request", "base", "ref"), "pull_request.base.ref of the payload"),
        _repository(environment),
    )


def _merge_group(payload: GitHubPayload) -> CommitRange:
    reference = payload.find("merge_group", "base_ref")
    name = reference.removeprefix("refs/heads/") if isinstance(reference, str) else None
    return CommitRange(
        commit(payload.find("merge_group", "base_sha"), "merge_group.base_sha of the payload"),
        commit(payload.find("merge_group", "head_sha"), "merge_group.head_sha of the payload"),
        branch=branch(name, "merge_group.base_ref of the payload") if name else None,
    )


def _push(environment: Mapping[str, str], payload: GitHubPayload) -> RequestedComparison:
    before = commit(payload.find("before"), "before of the payload")
    after = commit(payload.find("after"), "after of the payload")
    if is_null(after):
        return NothingToScan("the branch was deleted, nothing to scan")
    reference = payload.find("ref")
    if isinstance(reference, str) and reference.startswith("refs/tags/"):
        # Here `after` may be the id of a tag, and no branch is what the tag should be compared with.
        return WholeCommit(_sha(environment))
    default = branch(payload.find("repository", "default_branch"), "repository.default_branch of the payload")
    if reference != f"refs/heads/{default}":
        # Since the push before, there may be nothing: what that one brought must not turn green by it.
        return BranchFork(after, default, _repository(environment))
    return WholeCommit(after) if is_null(before) else CommitRange(before, after, WholeCommit(after))


def _sha(environment: Mapping[str, str]) -> str:
    return commit(variable(environment, "GITHUB_SHA"), "GITHUB_SHA")


def _repository(environment: Mapping[str, str]) -> str:
    return repository(variable(environment, "GITHUB_REPOSITORY"), "GITHUB_REPOSITORY")


class GitHubPayload:
    """A payload, in which values are found by their path of names.

    Args:
        environment: names the file in GITHUB_EVENT_PATH.

    Raises:
        CIError: there is no such file, or it is not a payload.
    """

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._fields = _read(Path(variable(environment, "GITHUB_EVENT_PATH")))

    def find(self, *names: str) -> object:
        """Return a value; None if there is none."""
        return _value(self._fields, *names)


def _value(fields: object, *names: str) -> object:
    found: Any = fields
    for name in names:
        found = found.get(name) if isinstance(found, dict) else None
    return found


def _read(path: Path) -> dict[str, Any]:
    try:
        with open_regular(path) as file:
            text = file.read(LARGEST + 1)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise _unreadable(path, f"cannot be read: {reason}") from error
    if len(text) > LARGEST:
        raise _unreadable(path, f"is larger than {LARGEST >> 20} MiB")
    try:
        fields = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise _unreadable(path, "is not JSON") from error
    if not isinstance(fields, dict):
        raise _unreadable(path, "is not a JSON object")
    return fields


def _unreadable(path: Path, problem: str) -> CIError:
    return CIError(f"the event's payload {path} {problem}", REMEDY)
