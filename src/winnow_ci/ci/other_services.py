"""Change requests on CIs other than GitHub and GitLab: the variables that their documentation names."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from winnow_ci.ci.events import CIEvent

# The variable with the branch that a change request is for, and another one that is set for a change request, where
# the first one is always set.
_TARGETS = {
    "AppVeyor": ("APPVEYOR_REPO_BRANCH", "APPVEYOR_PULL_REQUEST_NUMBER"),
    "Azure": ("SYSTEM_PULLREQUEST_TARGETBRANCH",),
    "Bitbucket": ("BITBUCKET_PR_DESTINATION_BRANCH",),
    "Buildkite": ("BUILDKITE_PULL_REQUEST_BASE_BRANCH",),
    "Cirrus": ("CIRRUS_BASE_BRANCH",),
    "CodeBuild": ("CODEBUILD_WEBHOOK_BASE_REF",),
    "Drone": ("DRONE_TARGET_BRANCH", "DRONE_PULL_REQUEST"),
    "Jenkins": ("CHANGE_TARGET",),
    "Jenkins (GitHub Pull Request Builder)": ("ghprbTargetBranch",),
    "Prow": ("PULL_BASE_REF", "PULL_NUMBER"),
    "Semaphore": ("SEMAPHORE_GIT_BRANCH", "SEMAPHORE_GIT_PR_NUMBER"),
    "Travis": ("TRAVIS_BRANCH", "TRAVIS_PULL_REQUEST"),
    "Woodpecker": ("CI_COMMIT_TARGET_BRANCH",),
}
# What the jobs of these and other CIs have, also where no change is asked for.
_SIGNS = (
    "CI APPVEYOR BITBUCKET_BUILD_NUMBER BUILDKITE CIRCLECI CIRRUS_CI CODEBUILD_BUILD_ID DRONE JENKINS_URL PROW_JOB_ID "
    "SEMAPHORE TEAMCITY_VERSION TF_BUILD TRAVIS"
).split()
_UNSET = frozenset({"", "0", "false", "no"})


def is_ci(environment: Mapping[str, str]) -> bool:
    """Return whether a CI has set the environment, one that is known here or any other."""
    return any(_is_set(environment, name) for name in _SIGNS) or is_request(environment)


def is_request(environment: Mapping[str, str]) -> bool:
    """Return whether the environment names the target of a change request."""
    return _target(environment) is not None


def current_event(environment: Mapping[str, str]) -> CIEvent | None:
    """Return the change request that the job runs for; None if the environment names none.

    Raises:
        CIError: the target is not the name of a branch.
    """
    from winnow_ci.ci.events import BranchFork, CIEvent, PullRequest  # noqa: PLC0415 - is_ci serves every hook
    from winnow_ci.ci.validation import branch  # noqa: PLC0415 - as above

    if (found := _target(environment)) is None:
        return None
    service, target = found
    name = branch(environment[target].removeprefix("refs/heads/"), target)
    return CIEvent(f"{service} change request", PullRequest(BranchFork(None, name, None)))


def _target(environment: Mapping[str, str]) -> tuple[str, str] | None:
    """The CI that runs a job for a change request, and the variable that names the target branch."""
    for service, names in _TARGETS.items():
        if all(_is_set(environment, name) for name in names):
            return service, names[0]
    return None


def _is_set(environment: Mapping[str, str], name: str) -> bool:
    return environment.get(name, "").lower() not in _UNSET
