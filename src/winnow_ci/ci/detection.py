"""Which CI this is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias

from winnow_ci.ci import github, gitlab

if TYPE_CHECKING:
    from collections.abc import Mapping

    from winnow_ci.ci.comparison import Asked

Service: TypeAlias = Literal["github", "gitlab"]


def service(environment: Mapping[str, str]) -> Service | None:
    """Return which CI has set the environment, None if it is none that is known here."""
    if environment.get("GITHUB_ACTIONS") == "true":
        return "github"
    return "gitlab" if environment.get("GITLAB_CI") == "true" else None


def asked(environment: Mapping[str, str]) -> Asked | None:
    """Return what the event asks for, None outside of a CI.

    Raises:
        CIError: the environment or the event is not as documented.
    """
    found = service(environment)
    if found is None:
        return None
    return github.asked(environment) if found == "github" else gitlab.asked(environment)
