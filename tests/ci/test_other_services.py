"""The variables of other CIs, as their documentation has them for a change request and for a push."""

from __future__ import annotations

import pytest

from winnow_ci.ci import current_event, is_ci, is_request
from winnow_ci.ci.events import BranchFork, CIEvent, PullRequest
from winnow_ci.errors import CIError

# The variables of a request for main, and what some of them are for a push to main.
REQUESTS = {
    "AppVeyor": ("APPVEYOR=True APPVEYOR_REPO_BRANCH=main APPVEYOR_PULL_REQUEST_NUMBER=7", ""),
    "Azure": ("TF_BUILD=True SYSTEM_PULLREQUEST_TARGETBRANCH=refs/heads/main", ""),
    "Bitbucket": ("CI=true BITBUCKET_BUILD_NUMBER=1 BITBUCKET_PR_DESTINATION_BRANCH=main", ""),
    "Buildkite": (
        "CI=true BUILDKITE=true BUILDKITE_PULL_REQUEST=7 BUILDKITE_PULL_REQUEST_BASE_BRANCH=main",
        "BUILDKITE_PULL_REQUEST=false BUILDKITE_PULL_REQUEST_BASE_BRANCH=",
    ),
    "Cirrus": ("CI=true CIRRUS_CI=true CIRRUS_PR=7 CIRRUS_BASE_BRANCH=main", ""),
    "CodeBuild": ("CODEBUILD_BUILD_ID=a:b CODEBUILD_WEBHOOK_BASE_REF=refs/heads/main", ""),
    "Drone": ("CI=true DRONE=true DRONE_TARGET_BRANCH=main DRONE_PULL_REQUEST=7", "DRONE_TARGET_BRANCH=main"),
    "Jenkins": ("JENKINS_URL=x CHANGE_ID=7 CHANGE_TARGET=main", ""),
    "Jenkins (GitHub Pull Request Builder)": ("JENKINS_URL=x ghprbPullId=7 ghprbTargetBranch=main", ""),
    "Prow": ("CI=true PROW_JOB_ID=1 PULL_BASE_REF=main PULL_NUMBER=7", "PULL_BASE_REF=main"),
    "Semaphore": (
        "CI=true SEMAPHORE=true SEMAPHORE_GIT_BRANCH=main SEMAPHORE_GIT_PR_NUMBER=7",
        "SEMAPHORE_GIT_BRANCH=main",
    ),
    "Travis": ("CI=true TRAVIS=true TRAVIS_BRANCH=main TRAVIS_PULL_REQUEST=7", "TRAVIS_PULL_REQUEST=false"),
    "Woodpecker": ("CI=woodpecker CI_COMMIT_TARGET_BRANCH=main CI_COMMIT_PULL_REQUEST=7", "CI_COMMIT_TARGET_BRANCH="),
}


def variables(text: str) -> dict[str, str]:
    return {name: value for name, _, value in (word.partition("=") for word in text.split())}


@pytest.mark.parametrize("service", REQUESTS)
def test_a_request_names_its_target(service: str) -> None:
    request, push = map(variables, REQUESTS[service])
    found = current_event(request)
    assert found == CIEvent(f"{service} change request", PullRequest(BranchFork(None, "main", None)))
    assert is_request(request)
    # The first variable is there in any job.
    first = dict([next(iter(request.items()))])
    assert is_ci({**first, **push})
    assert not is_request({**first, **push})
    assert current_event({**first, **push}) is None


@pytest.mark.parametrize("target", ["--output=x", "refs/heads/", "a..b", "x\ny"])
def test_a_target_that_is_no_branch_is_refused(target: str) -> None:
    with pytest.raises(CIError, match="CHANGE_TARGET is not the name of a branch"):
        current_event({"JENKINS_URL": "x", "CHANGE_TARGET": target})


def test_a_machine_of_ones_own() -> None:
    for environment in ({}, {"CI": ""}, {"CI": "false"}, {"BUILDKITE_PULL_REQUEST_BASE_BRANCH": ""}):
        assert not is_ci(environment)
        assert not is_request(environment)
