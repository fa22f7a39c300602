"""Which hosts a configuration may have a scan connect to.

Whoever writes a URI into a configuration chooses a host that the machine of the scan connects to, with what that
machine may reach. On a CI that must not be the author of a change: a URI is followed only where the job names it, or
the base of the change.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from winnow_ci import ci, git
from winnow_ci.errors import IndexFileError
from winnow_ci.operations import CONFIGURATION

if TYPE_CHECKING:
    from winnow_ci.config import Settings
    from winnow_ci.git import Repository

_REMEDY = (
    "merge the configuration first, name the index in the job (--index; the action's input index), or decide for it "
    "with --policy-from head"
)


def check_hosts(repository: Repository, commit: str | None, settings: Settings, *, is_index_named: bool) -> None:
    """Refuse the URIs of a configuration that the change of a CI's job has written.

    Args:
        repository: where the change is.
        commit: which has the configuration; None if it is that of the work tree.
        settings: what the configuration says.
        is_index_named: whether the command line names the index, so that the one of the configuration does not count.

    Raises:
        IndexFileError: they are the change's.
    """
    asks = settings.extends is not None or (_names_uri(settings) and not is_index_named)
    if asks and _may_be_of_the_change(repository, commit):
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


def _may_be_of_the_change(repository: Repository, commit: str | None) -> bool:
    head = git.head(repository)
    if commit is not None and commit != head:
        return False
    event = ci.current_event(os.environ)
    if event is None or not event.is_for_a_branch:
        return False
    match event.comparison:
        case ci.UntrustedPullRequest(_, trusted) if head in trusted:
            return False
    return True
