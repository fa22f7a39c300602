"""What an event asks to compare, and checks of the values that it is read from.

Whether the commits are in the clone is for the caller to find out. All ids are full ids of commits, in hexadecimal.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, TypeAlias

from winnow_ci.errors import CIError
from winnow_ci.named_tuples import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

_OBJECT_ID = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
# What git-check-ref-format(1) forbids, except rules that would only make a name unknown.
_NO_BRANCH = re.compile(r"[\x00-\x20\x7f~^:?*\[\\]|\.\.|//|@\{|^[-/]|[/.]$|^$")
_REPOSITORY = re.compile(r"[\w.-]+(/[\w.-]+)+", re.ASCII)
NAME_IT = "name what to compare: --since REV, --range A..B or --all"


class TargetBranch(NamedTuple):
    """The branch that a change is for: its name, without ``refs/heads/``, and ``owner/name`` of its repository."""

    branch: str
    repository: str | None


class BranchFork(NamedTuple):
    """What ``head`` has gained since it left a branch.

    ``head`` is None for the commit that is checked out. ``branch`` is a name without ``refs/heads/``. ``repository`` is
    ``owner/name`` of the one with the branch, since forks may have other branches of that name; None if the CI does not
    say it.
    """

    head: str | None
    branch: str
    repository: str | None

    @property
    def target(self) -> TargetBranch:
        """Return the branch and its repository."""
        return TargetBranch(self.branch, self.repository)


class PullRequest(NamedTuple):
    """What a pull request brings, which is never nothing.

    If the trial ``merge`` is checked out, that is what it adds to its first parent; otherwise, or if there is no trial
    merge, ``fork``. The first parent is the branch as the merge found it. The base that a payload names is older: the
    comparison would attribute to the change what the branch has gained since.
    """

    fork: BranchFork
    merge: str | None = None


class UntrustedPullRequest(NamedTuple):
    """A pull request in a job that has secrets, where only one of the ``trusted`` commits may be checked out."""

    request: PullRequest
    trusted: tuple[str, ...]


class WholeCommit(NamedTuple):
    """Everything that a commit has: ``head``, or the commit that is checked out."""

    head: str | None = None


class CommitRange(NamedTuple):
    """What ``head`` has and ``base`` lacks.

    Attributes:
        base: the commit before.
        head: the last commit.
        otherwise: what to compare if the commit ``base`` no longer exists.
        target: the branch whose tip has the rules; None if that is ``base``.
        branch: name of the branch that ``base`` was the tip of, if the change is for one.
    """

    base: str
    head: str
    otherwise: WholeCommit | None = None
    target: TargetBranch | None = None
    branch: str | None = None


class NothingToScan(NamedTuple):
    """Nothing to compare, and why."""

    reason: str


RequestedComparison: TypeAlias = (
    PullRequest | BranchFork | UntrustedPullRequest | CommitRange | WholeCommit | NothingToScan
)


class CIEvent(NamedTuple):
    """What a job runs for: the event as a person calls it, and what it asks for.

    ``target`` is the branch whose rules count, where the comparison is for no branch; None if the CI does not say it.
    """

    name: str
    comparison: RequestedComparison
    target: TargetBranch | None = None


# ---- values from an environment or a payload, checked before use ---------------------------------------------------


def checked_commit(value: object, what: str) -> str:
    """Return the full id of a commit, or raise ``CIError``."""
    if isinstance(value, str) and _OBJECT_ID.fullmatch(value):
        return value
    raise _unexpected(what, "the full id of a commit", value)


def checked_branch(value: object, what: str) -> str:
    """Return the name of a branch, which may stand in a reference, or raise ``CIError``."""
    if isinstance(value, str) and not _NO_BRANCH.search(value):
        return value
    raise _unexpected(what, "the name of a branch", value)


def checked_repository(value: object, what: str) -> str:
    """Return the path of a repository on its server: ``owner/name``, or with more parts."""
    if isinstance(value, str) and _REPOSITORY.fullmatch(value):
        return value
    raise _unexpected(what, "the path of a repository", value)


def variable(environment: Mapping[str, str], name: str) -> str:
    """Return an environment variable that is set and not empty."""
    if value := environment.get(name):
        return value
    raise CIError(f"{name} is not set, although this seems to be a CI that sets it", NAME_IT)


def is_null(object_id: str) -> bool:
    """Return whether an id is all zeros, which means no commit."""
    return not object_id.strip("0")


def _unexpected(what: str, expected: str, value: object) -> CIError:
    given = "missing" if value is None else ascii(value)[:80]
    return CIError(f"{what} is not {expected}: {given}", NAME_IT)
