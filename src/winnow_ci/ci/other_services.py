"""Change requests on CIs other than GitHub and GitLab: the variables that their documentation names.

A row has the service, the variable that it always sets, the one that it sets for a change request, and the one with
the branch that the request is for. CircleCI does not say the branch.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from winnow_ci.ci.events import CIEvent

_SERVICES = tuple(
    tuple(row.split())
    for row in """
    AppVeyor   APPVEYOR               APPVEYOR_PULL_REQUEST_NUMBER     APPVEYOR_REPO_BRANCH
    Azure      TF_BUILD               SYSTEM_PULLREQUEST_PULLREQUESTID SYSTEM_PULLREQUEST_TARGETBRANCH
    Bitbucket  BITBUCKET_BUILD_NUMBER BITBUCKET_PR_ID                  BITBUCKET_PR_DESTINATION_BRANCH
    Buildkite  BUILDKITE              BUILDKITE_PULL_REQUEST           BUILDKITE_PULL_REQUEST_BASE_BRANCH
    CircleCI   CIRCLECI               CIRCLE_PULL_REQUEST              -
    Cirrus     CIRRUS_CI              CIRRUS_PR                        CIRRUS_BASE_BRANCH
    CodeBuild  CODEBUILD_BUILD_ID     CODEBUILD_WEBHOOK_BASE_REF       CODEBUILD_WEBHOOK_BASE_REF
    Drone      DRONE                  DRONE_PULL_REQUEST               DRONE_TARGET_BRANCH
    Jenkins    JENKINS_URL            CHANGE_ID                        CHANGE_TARGET
    Jenkins    JENKINS_URL            ghprbPullId                      ghprbTargetBranch
    Prow       PROW_JOB_ID            PULL_NUMBER                      PULL_BASE_REF
    Semaphore  SEMAPHORE              SEMAPHORE_GIT_PR_NUMBER          SEMAPHORE_GIT_BRANCH
    TeamCity   TEAMCITY_VERSION       -                                -
    Travis     TRAVIS                 TRAVIS_PULL_REQUEST              TRAVIS_BRANCH
    Woodpecker CI                     CI_COMMIT_PULL_REQUEST           CI_COMMIT_TARGET_BRANCH
    """.strip().splitlines()
)
_UNSET = frozenset({"", "0", "false", "no"})


def is_ci(environment: Mapping[str, str]) -> bool:
    """Return whether a CI has set the environment, one that is known here or any other."""
    return any(_is_set(environment, sign) for _, sign, _, _ in _SERVICES)


def current_event(environment: Mapping[str, str]) -> CIEvent | None:
    """Return the change request that the job runs for; None if the environment names none.

    Raises:
        CIError: the target is not the name of a branch.
    """
    from winnow_ci.ci.events import BranchFork, CIEvent, PullRequest  # noqa: PLC0415 - is_ci serves every hook
    from winnow_ci.ci.validation import branch  # noqa: PLC0415 - as above

    for service, sign, request, target in _SERVICES:
        if all(_is_set(environment, name) for name in (sign, request, target)):
            name = branch(environment[target].removeprefix("refs/heads/"), target)
            return CIEvent(f"{service} change request", PullRequest(BranchFork(None, name, None)))
    return None


def _is_set(environment: Mapping[str, str], name: str) -> bool:
    return environment.get(name, "").lower() not in _UNSET
