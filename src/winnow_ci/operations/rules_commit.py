"""Which commit has the rules that a change is judged by. Every mode of every command asks here.

On a CI the change may be a stranger's. There the rules are those of the branch that the change is for, at its tip: the
event or the variables of the CI name that branch, or the comparison does. A change request whose target cannot be
found is not scanned. Where nothing names a target, the rules are those of the checkout, and a notice says so. On one's
own machine the rules are those of the work tree.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Literal, TypeAlias

from winnow_ci import ci, git
from winnow_ci.errors import CIError, GitError, UsageError
from winnow_ci.named_tuples import NamedTuple

if TYPE_CHECKING:
    from winnow_ci.git import Repository
    from winnow_ci.model.changes import ChangeSet

PolicyFrom: TypeAlias = Literal["base", "head"]
NO_TARGET = "this CI does not say which branch the change is for"
_CHOICE = "take the rules from the checkout with --policy-from head"
_DIGITS = 12


class RulesCommit(NamedTuple):
    """The commit with the rules, None for the work tree; and what a person should know about the choice."""

    commit: str | None = None
    notices: tuple[str, ...] = ()


def rules_commit(repository: Repository, changes: ChangeSet, policy_from: PolicyFrom | None) -> RulesCommit:
    """Find the commit whose rules a change is judged by.

    Args:
        repository: where the change is.
        changes: the change.
        policy_from: what the command line says; None for the target on a CI and for the work tree elsewhere.

    Raises:
        CIError: the CI's variables name a change request, but not as documented.
        GitError: the target of a change request cannot be found.
        UsageError: the base is asked for, and there is none.
    """
    if repository.root is None or policy_from == "head":
        return RulesCommit()
    if ci.is_ci(os.environ):
        return _on_ci(repository, changes, policy_from)
    return RulesCommit(_base(repository, changes)) if policy_from else RulesCommit()


def _on_ci(repository: Repository, changes: ChangeSet, policy_from: PolicyFrom | None) -> RulesCommit:
    compared = changes.target or changes.scope.base
    if changes.is_of_event and compared:
        return RulesCommit(compared)
    reason = NO_TARGET
    try:
        if found := _of_event(repository):
            return found
    except (CIError, GitError) as error:
        if ci.is_request(os.environ):
            problem = f"the target branch has the rules, but {error.problem}"
            raise type(error)(problem, f"{error.remedy}; or {_CHOICE}") from error
        reason = error.problem
    if policy_from or changes.target:
        return RulesCommit(_base(repository, changes))
    head = (git.head_commit(repository) or "no commit")[:_DIGITS]
    notice = f"the rules are those of the checkout ({head}): {reason}. To choose, add --policy-from base or head"
    return RulesCommit(None, (notice,) if changes.files else ())


def _of_event(repository: Repository) -> RulesCommit | None:
    """The tip of the branch that the event is for; None if the CI does not say the branch."""
    from winnow_ci.operations.ci_changes import target_commit  # noqa: PLC0415 - few scans run on a CI

    event = ci.current_event(os.environ)
    commit = target_commit(repository, event) if event else None
    if event is None or commit is None:
        return None
    if event.target is None or commit == git.head_commit(repository):
        return RulesCommit(commit)
    notice = f"the rules are those of {event.target.branch} ({commit[:_DIGITS]}), not those of the checkout"
    return RulesCommit(commit, (notice,))


def _base(repository: Repository, changes: ChangeSet) -> str:
    """The commit that a change is compared with; the tip of the default branch if it is compared with nothing."""
    if compared := changes.target or changes.scope.base:
        return compared
    if tip := git.usual_branch(repository):
        return tip.commit
    problem = "--policy-from base finds no rules: there is no base, and no origin/HEAD, main or master"
    raise UsageError(problem, "name the base with --since REV, or use --policy-from head")
