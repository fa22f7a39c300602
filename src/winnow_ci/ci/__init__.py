"""Find out which CI this is and what its event asks to compare, from the environment and the event's file.

This package uses no token, no network and no git: the caller finds out whether a commit is in the clone and how to
get it. Ids and names are checked before they leave it. Most commands ask only whether this is a CI.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal, TypeAlias

from winnow_ci.start_up import compiled_on_use

if TYPE_CHECKING:
    from collections.abc import Mapping

    from winnow_ci.ci.events import CIEvent
    from winnow_ci.model.changes import WebRepository

Service: TypeAlias = Literal["github", "gitlab"]

# Other CIs: the documented variable with the target branch of a change request and, where
# that is always set, another one that only change requests have.
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
# Variables that jobs of these and other CIs have, even without a change request.
_SIGNS = (
    "CI APPVEYOR BITBUCKET_BUILD_NUMBER BUILDKITE CIRCLECI CIRRUS_CI CODEBUILD_BUILD_ID DRONE JENKINS_URL PROW_JOB_ID "
    "SEMAPHORE TEAMCITY_VERSION TF_BUILD TRAVIS"
).split()
_UNSET = frozenset({"", "0", "false", "no"})

# A service may have any host, so its address is checked only for characters that a report could misread.
_URL = compiled_on_use(r"https?://[A-Za-z0-9.-]+(:[0-9]{1,5})?(/[A-Za-z0-9._~-]+)*", re.ASCII)
_LONGEST_URL = 500


def service(environment: Mapping[str, str]) -> Service | None:
    """Return the CI that has set the environment, if its events are known here."""
    if environment.get("GITHUB_ACTIONS") == "true":
        return "github"
    return "gitlab" if environment.get("GITLAB_CI") == "true" else None


def is_ci(environment: Mapping[str, str]) -> bool:
    """Return whether a CI has set the environment, one that is known here or any other."""
    if service(environment) or _other_target(environment):
        return True
    return any(_is_set(environment, name) for name in _SIGNS)


def is_request(environment: Mapping[str, str]) -> bool:
    """Return whether the job runs for a change request, without reading a payload."""
    match service(environment):
        case "github":
            return environment.get("GITHUB_EVENT_NAME", "").startswith(("pull_request", "merge_group"))
        case "gitlab":
            is_external = environment.get("CI_PIPELINE_SOURCE") == "external_pull_request_event"
            return is_external or bool(environment.get("CI_MERGE_REQUEST_IID"))
    return _other_target(environment) is not None


def current_event(environment: Mapping[str, str]) -> CIEvent | None:
    """Return the event that the job runs for; None without one, CIError if it is not as the CI documents it."""
    from winnow_ci.ci import events  # noqa: PLC0415 - few scans run on a CI

    match service(environment):
        case "github":
            return events.github_event(environment)
        case "gitlab":
            return events.gitlab_event(environment)
    found = _other_target(environment)
    return events.request_of(found[0], environment[found[1]], found[1]) if found else None


def web_repository(environment: Mapping[str, str]) -> WebRepository | None:
    """Return where a browser shows the repository of the job; None if no variables give its address."""
    found, url = service(environment), environment.get("CI_PROJECT_URL", "")
    if found == "github":
        url = f"{environment.get('GITHUB_SERVER_URL', '')}/{environment.get('GITHUB_REPOSITORY', '')}"
    if found is None or len(url) > _LONGEST_URL or not _URL.fullmatch(url):
        return None
    from winnow_ci.model.changes import WebRepository  # noqa: PLC0415 - as above

    return WebRepository(url, found)


def _other_target(environment: Mapping[str, str]) -> tuple[str, str] | None:
    """Another CI that runs a job for a change request, and the variable that names the target branch."""
    for name, variables in _TARGETS.items():
        if all(_is_set(environment, variable) for variable in variables):
            return name, variables[0]
    return None


def _is_set(environment: Mapping[str, str], name: str) -> bool:
    return environment.get(name, "").lower() not in _UNSET
