"""Read the events of CIs, and what they ask to compare.

The caller finds out whether the commits are in the clone. All ids are full commit ids, in hexadecimal.

GitHub: https://docs.github.com/actions/reference/workflows-and-actions/events-that-trigger-workflows. The runner sets
``GITHUB_SHA`` and ``GITHUB_REF``; the payload is what the webhook would deliver.
GitLab: https://docs.gitlab.com/ci/variables/predefined_variables/.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias

from winnow_ci.errors import CIError
from winnow_ci.named_tuples import NamedTuple
from winnow_ci.regular_file import open_regular

# Their payloads name pull requests, and a job may have checked one out.
_CARRIERS = ("workflow_run", "check_suite", "check_run")
_TRIAL_MERGE = re.compile(r"refs/pull/\d+/merge", re.ASCII)
_NO_COMMIT = re.compile("0+")
# GitHub does not deliver more than 25 MB.
_LARGEST = 32 << 20
_OBJECT_ID = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
# What git-check-ref-format(1) allows, without the rules whose only effect would be an unknown name.
_BRANCH = re.compile(r"(?![-/])(?!.*(?:\.\.|//|@\{))[^\x00-\x20\x7f~^:?*\[\\]+(?<![/.])")
_REPOSITORY = re.compile(r"[\w.-]+(/[\w.-]+)+", re.ASCII)
_NAME_IT = "name what to compare: --since REV, --range A..B or --all"


class TargetBranch(NamedTuple):
    """The branch that a change is for: its name, without ``refs/heads/``, and ``owner/name`` of its repository."""

    branch: str
    repository: str | None


class BranchFork(NamedTuple):
    """What ``head`` has gained since it left a branch."""

    head: str | None  # None for the commit that is checked out
    branch: str  # without ``refs/heads/``
    repository: str | None  # ``owner/name``, since forks have branches of that name; None if the CI does not say it

    @property
    def target(self) -> TargetBranch:
        """Return the branch and its repository."""
        return TargetBranch(self.branch, self.repository)


class PullRequest(NamedTuple):
    """The changes of a pull request, which are never empty.

    If the trial ``merge`` is checked out, that is what it adds to its first parent: the branch as the merge found it.
    Otherwise it is ``fork``. The base that a payload names is older, and lacks what the branch has gained since. In a
    job that has secrets, only one of the ``trusted`` commits may be checked out; elsewhere there are none.
    """

    fork: BranchFork
    merge: str | None = None
    trusted: tuple[str, ...] = ()


class WholeCommit(NamedTuple):
    """Everything that a commit has: ``head``, or the commit that is checked out."""

    head: str | None = None


class CommitRange(NamedTuple):
    """What ``head`` has and ``base`` lacks."""

    base: str
    head: str
    otherwise: WholeCommit | None = None  # what to compare if the commit ``base`` no longer exists
    target: TargetBranch | None = None  # the branch whose tip has the rules; None if that is ``base``
    branch: str | None = None  # that ``base`` was the tip of, if the change is for one


class NothingToScan(NamedTuple):
    """Nothing to compare, and why."""

    reason: str


RequestedComparison: TypeAlias = PullRequest | BranchFork | CommitRange | WholeCommit | NothingToScan


class CIEvent(NamedTuple):
    """Why a job runs: the event in people's words, and what it asks to compare."""

    name: str
    comparison: RequestedComparison
    target: TargetBranch | None = None  # the branch with the rules, if the comparison is for none and the CI says it


def _checked(value: object, pattern: re.Pattern[str], expected: str, what: str) -> str:
    if isinstance(value, str) and pattern.fullmatch(value):
        return value
    given = "missing" if value is None else ascii(value)[:80]
    raise CIError(f"{what} is not {expected}: {given}", _NAME_IT)


def _checked_branch(value: object, what: str) -> str:
    return _checked(value, _BRANCH, "the name of a branch", what)


class _Values:
    """Values of a job, found by their path of names."""

    def __init__(self, find: Callable[..., object], where: str = "") -> None:
        self.find, self._where = find, where

    def commit(self, *names: str) -> str:
        return _checked(self.find(*names), _OBJECT_ID, "the full id of a commit", self._named(names))

    def branch(self, *names: str) -> str:
        return _checked_branch(self.find(*names), self._named(names))

    def repository(self, *names: str) -> str:
        return _checked(self.find(*names), _REPOSITORY, "the path of a repository", self._named(names))

    def _named(self, names: Iterable[str]) -> str:
        return ".".join(names) + self._where


def _needed(variables: Mapping[str, str]) -> _Values:
    """The variables of a job; one that is not set is an error."""

    def find(name: str) -> str:
        if value := variables.get(name):
            return value
        raise CIError(f"{name} is not set, although this seems to be a CI that sets it", _NAME_IT)

    return _Values(find)


def _payload(environment: _Values) -> _Values:
    """The payload in the file that GITHUB_EVENT_PATH names."""
    path = Path(str(environment.find("GITHUB_EVENT_PATH")))

    def unreadable(problem: str) -> CIError:
        return CIError(f"the event's payload {path} {problem}", _NAME_IT)

    try:
        with open_regular(path) as file:
            text = file.read(_LARGEST + 1)
    except (OSError, ValueError) as error:
        raise unreadable(f"cannot be read: {getattr(error, 'strerror', None) or error}") from error
    if len(text) > _LARGEST:
        raise unreadable(f"is larger than {_LARGEST >> 20} MiB")
    try:
        fields = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise unreadable("is not JSON") from error
    if not isinstance(fields, dict):
        raise unreadable("is not a JSON object")
    return _Values(partial(_value, fields), " of the payload")


def _value(fields: object, *names: str) -> object:
    found: Any = fields
    for name in names:
        found = found.get(name) if isinstance(found, dict) else None
    return found


def _pushed(before: str, after: str, default: tuple[str, str] | None) -> RequestedComparison:
    """The changes of a push to the default branch, or since the fork from that of a repository."""
    if default is not None:
        # Not since the last push: an empty push must not turn the branch green.
        return BranchFork(after, *default)
    return WholeCommit(after) if _NO_COMMIT.fullmatch(before) else CommitRange(before, after, WholeCommit(after))


def github_event(variables: Mapping[str, str]) -> CIEvent:
    """Return the event that a job of GitHub runs for."""
    environment = _needed(variables)
    event, reference = str(environment.find("GITHUB_EVENT_NAME")), variables.get("GITHUB_REF", "")
    name = event.replace("_", " ")
    match event:
        case "pull_request" | "pull_request_review" | "pull_request_review_comment":
            fork = _fork(environment, _payload(environment))
            # A pull request that has been merged has no trial merge any more.
            merge = environment.commit("GITHUB_SHA") if _TRIAL_MERGE.fullmatch(reference) else None
            return CIEvent("pull request", PullRequest(fork, merge))
        case "pull_request_target":
            # The job has secrets, a token with write access and, by default, the repository's own code.
            payload = _payload(environment)
            trusted = environment.commit("GITHUB_SHA"), payload.commit("pull_request", "base", "sha")
            return CIEvent(name, PullRequest(_fork(environment, payload), trusted=trusted))
        case "merge_group":
            return CIEvent(name, _merge_group(_payload(environment)))
        case "push":
            return CIEvent(name, _github_push(environment))
    # A tag is for no branch.
    is_of_tag = event == "release" or reference.startswith("refs/tags/")
    return CIEvent(name, WholeCommit(), None if is_of_tag else _likely_target(environment))


def _likely_target(environment: _Values) -> TargetBranch | None:
    """The target of the only request that the payload names, else the default branch: for events of something else."""
    try:
        payload, project = _payload(environment), environment.repository("GITHUB_REPOSITORY")
    except CIError:
        return None
    requests = [payload.find(carrier, "pull_requests") for carrier in _CARRIERS]
    named = [request for found in requests if isinstance(found, list) for request in found]
    targets = {str(reference) for request in named if (reference := _value(request, "base", "ref"))}
    name = targets.pop() if len(targets) == 1 else payload.find("repository", "default_branch")
    return TargetBranch(_checked_branch(name, "the target branch in the payload"), project) if name else None


def _fork(environment: _Values, payload: _Values) -> BranchFork:
    head, branch = payload.commit("pull_request", "head", "sha"), payload.branch("pull_request", "base", "ref")
    return BranchFork(head, branch, environment.repository("GITHUB_REPOSITORY"))


def _merge_group(payload: _Values) -> CommitRange:
    base, head = payload.commit("merge_group", "base_sha"), payload.commit("merge_group", "head_sha")
    found = payload.find("merge_group", "base_ref")
    name = found.removeprefix("refs/heads/") if isinstance(found, str) else None
    branch = _checked_branch(name, "merge_group.base_ref of the payload") if name else None
    return CommitRange(base, head, branch=branch)


def _github_push(environment: _Values) -> RequestedComparison:
    payload = _payload(environment)
    before, after = payload.commit("before"), payload.commit("after")
    if _NO_COMMIT.fullmatch(after):
        return NothingToScan("the branch was deleted, nothing to scan")
    reference = payload.find("ref")
    if isinstance(reference, str) and reference.startswith("refs/tags/"):
        # Here `after` may be the id of a tag, and no branch is what the tag should be compared with.
        return WholeCommit(environment.commit("GITHUB_SHA"))
    default = payload.branch("repository", "default_branch")
    is_default = reference == f"refs/heads/{default}"
    return _pushed(before, after, None if is_default else (default, environment.repository("GITHUB_REPOSITORY")))


def gitlab_event(variables: Mapping[str, str]) -> CIEvent:
    """Return the event that a pipeline of GitLab runs for."""
    environment = _needed(variables)
    source = variables.get("CI_PIPELINE_SOURCE", "")
    # A merge request's pipeline that another pipeline started has another source.
    if variables.get("CI_MERGE_REQUEST_IID"):
        return _merge_request(environment, variables)
    if source == "external_pull_request_event":
        head, target = "CI_COMMIT_SHA", "CI_EXTERNAL_PULL_REQUEST_TARGET_BRANCH_NAME"
        fork = environment.commit(head), environment.branch(target), environment.repository("CI_PROJECT_PATH")
        return CIEvent("pull request", PullRequest(BranchFork(*fork)))
    if source == "push" and variables.get("CI_COMMIT_BRANCH"):
        before, after = environment.commit("CI_COMMIT_BEFORE_SHA"), environment.commit("CI_COMMIT_SHA")
        default = environment.branch("CI_DEFAULT_BRANCH")
        is_default = variables["CI_COMMIT_BRANCH"] == default
        other = None if is_default else (default, environment.repository("CI_PROJECT_PATH"))
        return CIEvent("push", _pushed(before, after, other))
    if variables.get("CI_COMMIT_TAG"):
        return CIEvent("tag pipeline", WholeCommit())
    rules = None
    if variables.get("CI_DEFAULT_BRANCH") and variables.get("CI_PROJECT_PATH"):
        rules = TargetBranch(environment.branch("CI_DEFAULT_BRANCH"), environment.repository("CI_PROJECT_PATH"))
    return CIEvent(f"{source.replace('_', ' ')} pipeline".lstrip(), WholeCommit(), rules)


def _merge_request(environment: _Values, variables: Mapping[str, str]) -> CIEvent:
    """A pipeline for merged results or of a merge train runs on a trial merge (or rebase)."""
    branch = environment.branch("CI_MERGE_REQUEST_TARGET_BRANCH_NAME")
    target = TargetBranch(branch, environment.repository("CI_MERGE_REQUEST_PROJECT_PATH"))
    head = environment.commit("CI_COMMIT_SHA")
    if not variables.get("CI_MERGE_REQUEST_TARGET_BRANCH_SHA"):
        base = environment.commit("CI_MERGE_REQUEST_DIFF_BASE_SHA")
        return CIEvent("merge request", CommitRange(base, head, target=target))
    base = environment.commit("CI_MERGE_REQUEST_TARGET_BRANCH_SHA")
    train = variables.get("CI_MERGE_REQUEST_EVENT_TYPE") == "merge_train"
    return CIEvent("merge train" if train else "merge request, merged results", CommitRange(base, head, branch=branch))


def request_of(service: str, reference: str, variable: str) -> CIEvent:
    """Return the change request of another CI for a branch that one of its variables names."""
    name = _checked_branch(reference.removeprefix("refs/heads/"), variable)
    return CIEvent(f"{service} change request", PullRequest(BranchFork(None, name, None)))
