"""Which hosts a configuration may have winnow-ci connect to.

Whoever writes a URI into a configuration chooses a host that the machine connects to, with what that machine may
reach. On a CI that must not be the author of a change: a URI is followed only where the job names it, or the branch
that the change is for. A scan reads the configuration of that branch. Other commands read the one of the checkout.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from winnow_ci import ci, git
from winnow_ci.errors import IndexFileError
from winnow_ci.operations import CONFIGURATION

if TYPE_CHECKING:
    from winnow_ci.config.settings import Settings
    from winnow_ci.git import Repository

_REMEDY = (
    "merge the configuration first, name the index in the job (--index; the action's input index), or decide for it "
    "with --policy-from head"
)


def refuse_checkout(repository: Repository, settings: Settings) -> None:
    """Refuse the URIs of the configuration that is checked out, if a CI's job runs for a change request.

    Raises:
        IndexFileError: it names a URI.
        CIError: the job's event is not as documented.
    """
    asks = settings.extends is not None or _names_uri(settings)
    if asks and _may_be_of_the_change(repository):
        raise IndexFileError(f"{CONFIGURATION} is the change's own, and names a URI, which is not followed", _REMEDY)


def refuse_new(settings: Settings) -> None:
    """Refuse a first configuration, which a change brings, if its index is elsewhere.

    Raises:
        IndexFileError: it is.
    """
    if _names_uri(settings) or (settings.extends is not None and not settings.index):
        raise IndexFileError(f"{CONFIGURATION} is new, and names a URI, which is not followed for a change", _REMEDY)


def _names_uri(settings: Settings) -> bool:
    return any(not isinstance(entry, Path) for entry in settings.index)


def _may_be_of_the_change(repository: Repository) -> bool:
    if not ci.is_request(os.environ):
        return False
    from winnow_ci.ci.events import UntrustedPullRequest  # noqa: PLC0415 - few scans run on a CI

    event = ci.current_event(os.environ)
    match event and event.comparison:
        case UntrustedPullRequest(_, trusted) if git.head_commit(repository) in trusted:
            return False
    return True
