"""Which CI this is, and which comparison its event asks for: from the environment and the event's file alone.

No token, no network, and no question to git: whether a commit is in the clone, and how to get it, is for the caller to
find out. Ids and names are checked before they leave this package.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias

from winnow_ci.start_up import on_demand

if TYPE_CHECKING:
    from collections.abc import Mapping

    from winnow_ci.ci.events import (
        BranchFork,
        CIEvent,
        CommitRange,
        NothingToScan,
        PullRequest,
        TargetBranch,
        UntrustedPullRequest,
        WholeCommit,
    )
    from winnow_ci.model.changes import WebRepository
else:
    __getattr__ = on_demand(
        __name__,
        events="BranchFork CIEvent CommitRange NothingToScan PullRequest TargetBranch UntrustedPullRequest WholeCommit",
    )

__all__ = [
    "BranchFork",
    "CIEvent",
    "CommitRange",
    "NothingToScan",
    "PullRequest",
    "Service",
    "TargetBranch",
    "UntrustedPullRequest",
    "WholeCommit",
    "current_event",
    "is_ci",
    "is_request",
    "service",
    "web_repository",
]

Service: TypeAlias = Literal["github", "gitlab"]


def service(environment: Mapping[str, str]) -> Service | None:
    """The CI that has set the environment; None if it is none that is known here."""
    if environment.get("GITHUB_ACTIONS") == "true":
        return "github"
    return "gitlab" if environment.get("GITLAB_CI") == "true" else None


def is_ci(environment: Mapping[str, str]) -> bool:
    """Return whether a CI has set the environment, one that is known here or any other."""
    if service(environment):
        return True
    from winnow_ci.ci import other_services  # noqa: PLC0415 - as below

    return other_services.is_ci(environment)


def is_request(environment: Mapping[str, str]) -> bool:
    """Return whether the job runs for a change request. No payload is read."""
    match service(environment):
        case "github":
            return environment.get("GITHUB_EVENT_NAME", "").startswith(("pull_request", "merge_group"))
        case "gitlab":
            is_external = environment.get("CI_PIPELINE_SOURCE") == "external_pull_request_event"
            return is_external or bool(environment.get("CI_MERGE_REQUEST_IID"))
    from winnow_ci.ci import other_services  # noqa: PLC0415 - as below

    return other_services.is_request(environment)


def current_event(environment: Mapping[str, str]) -> CIEvent | None:
    """The event that the job runs for; None outside of a CI, or on one that does not say it.

    Raises:
        CIError: the environment or the event is not as documented.
    """
    from winnow_ci.ci import github, gitlab, other_services  # noqa: PLC0415 - few scans run on a CI

    match service(environment):
        case "github":
            return github.current_event(environment)
        case "gitlab":
            return gitlab.current_event(environment)
    return other_services.current_event(environment)


def web_repository(environment: Mapping[str, str]) -> WebRepository | None:
    """Where a browser shows the repository of the job; None outside of a CI, or if its variables give no address."""
    found = service(environment)
    if found is None:
        return None
    from winnow_ci.ci import web_addresses  # noqa: PLC0415 - as above

    match found:
        case "github":
            return web_addresses.github(environment)
        case "gitlab":
            return web_addresses.gitlab(environment)
