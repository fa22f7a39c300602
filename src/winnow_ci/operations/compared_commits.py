"""Find the commits that a scan in CI compares, and the commit with the rules.

On a CI the change may be a stranger's, so the rules come from the tip of the branch that the change is for. The
event, the CI's variables or the comparison name that branch. A change request without a known target is not scanned.
If nothing names a target, the rules come from the checkout, with a notice. On a developer's machine they
come from the work tree.

Commits are compared with commits: files that earlier steps of a job leave in the work tree are no part of a change.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Literal, TypeAlias

from winnow_ci import ci, git
from winnow_ci.errors import CIError, GitError, UsageError

if TYPE_CHECKING:
    from winnow_ci.ci import events
    from winnow_ci.model.changes import ChangeSet

PolicyFrom: TypeAlias = Literal["base", "head"]
NO_TARGET = "this CI does not name the branch that the change is for"
_CHOICE = "take the rules from the checkout with --policy-from head"
_BY_HAND = "name what to compare: --since REV, --range A..B or --all"
_DIGITS = 12
RulesCommit: TypeAlias = tuple[str | None, tuple[str, ...]]
"""The commit with the rules, None for the work tree; and notices about the choice."""


def rules_commit(repository: git.Repository, changes: ChangeSet, policy_from: PolicyFrom | None) -> RulesCommit:
    """Find the commit whose rules a change is judged by, given the option ``--policy-from``."""
    if repository.root is None or policy_from == "head":
        return (None, ())
    if ci.is_ci(os.environ):
        return _on_ci(repository, changes, policy_from)
    return (_base(repository, changes) if policy_from else None), ()


def _on_ci(repository: git.Repository, changes: ChangeSet, policy_from: PolicyFrom | None) -> RulesCommit:
    compared = changes.target or changes.scope.base
    if changes.is_of_event and compared:
        return (compared, ())
    reason = NO_TARGET
    try:
        if found := _of_event(repository):
            return found
    except (CIError, GitError) as error:
        if ci.is_request(os.environ):
            problem = f"the rules come from the target branch, but {error.problem}"
            raise type(error)(problem, f"{error.remedy}; or {_CHOICE}") from error
        reason = error.problem
    if policy_from or changes.target:
        return (_base(repository, changes), ())
    head = (git.head_commit(repository) or "no commit")[:_DIGITS]
    notice = f"the rules come from the checkout ({head}): {reason}. To choose, add --policy-from base or head"
    return (None, (notice,) if changes.files else ())


def _of_event(repository: git.Repository) -> RulesCommit | None:
    """The tip of the branch that the event is for; None if the CI does not name it."""
    event = ci.current_event(os.environ)
    commit = _target_commit(repository, event) if event else None
    if event is None or commit is None:
        return None
    if event.target is None or commit == git.head_commit(repository):
        return (commit, ())
    notice = f"the rules come from {event.target.branch} ({commit[:_DIGITS]}), not from the checkout"
    return (commit, (notice,))


def _target_commit(repository: git.Repository, event: events.CIEvent) -> str | None:
    from winnow_ci.ci import events  # noqa: PLC0415 - few scans run on a CI

    match event.comparison:
        case events.PullRequest(merge=merge) if merge is not None and git.head_commit(repository) == merge:
            return git.first_parent(repository, merge)
        case events.PullRequest(fork, _, trusted):
            _refuse_foreign_checkout(repository, trusted)
            target: events.TargetBranch | None = fork.target
        case events.BranchFork() as fork:
            target = fork.target
        case events.CommitRange(base, head, otherwise, None):
            # What is pushed to the default branch is its tip from then on.
            return _present(repository, head if otherwise else base)
        case events.CommitRange(target=target):
            pass
        case _:
            target = event.target
    return git.branch_tip(repository, *target).commit if target else None


def _base(repository: git.Repository, changes: ChangeSet) -> str:
    """The commit that a change is compared with; the tip of the default branch if there is none."""
    if compared := changes.target or changes.scope.base:
        return compared
    if tip := git.usual_branch(repository):
        return tip.commit
    problem = "--policy-from base finds no rules: there is no base, and no origin/HEAD, main or master"
    raise UsageError(problem, "name the base with --since REV, or use --policy-from head")


def event_changes(repository: git.Repository, event: events.CIEvent) -> ChangeSet:
    """Return the change that the event of a CI asks for."""
    from winnow_ci.ci import events  # noqa: PLC0415 - as above

    name = event.name
    # No last case: a kind of comparison that is not matched is one that mypy misses a `return` for.
    match event.comparison:
        case events.PullRequest() as request:
            return _pull_request(repository, name, request)
        case events.BranchFork() as fork:
            return _since_fork(repository, name, fork)
        case events.CommitRange() as commits:
            return _range(repository, event, commits)
        case events.WholeCommit(head):
            return git.between_commits(repository, None, _present(repository, head), name)
        case events.NothingToScan(reason):
            return git.no_changes(f"{name}: {reason}")


def _pull_request(repository: git.Repository, event: str, request: events.PullRequest) -> ChangeSet:
    _refuse_foreign_checkout(repository, request.trusted)
    if request.merge is not None and git.head_commit(repository) == request.merge:
        base = git.first_parent(repository, request.merge)
        found = git.between_commits(repository, base, request.merge, f"{event}: merge commit's first parent")
        return found._replace(branch=request.fork.branch)
    found = _since_fork(repository, event, request.fork)
    if found.scope.base == found.scope.head:
        raise GitError(f"{request.fork.branch} already has all of the {event}: nothing to compare", _BY_HAND)
    return found


def _since_fork(repository: git.Repository, event: str, fork: events.BranchFork) -> ChangeSet:
    head = _present(repository, fork.head)
    base, note, tip = git.fork_point(repository, fork.branch, fork.repository, head)
    found = git.between_commits(repository, base, head, f"{event}: merge base with {fork.branch}{note}", tip)
    return found._replace(branch=fork.branch)


def _range(repository: git.Repository, event: events.CIEvent, commits: events.CommitRange) -> ChangeSet:
    git.require(repository, commits.head)
    if commits.otherwise is None:
        git.require(repository, commits.base)
    elif not git.obtain(repository, commits.base):
        gone = f"{event.name}, {commits.base[:_DIGITS]} is gone"
        return event_changes(repository, event._replace(name=gone, comparison=commits.otherwise))
    target = git.branch_tip(repository, *commits.target).commit if commits.target else None
    found = git.between_commits(repository, commits.base, commits.head, event.name, target)
    return found._replace(branch=commits.target.branch if commits.target else commits.branch)


def _present(repository: git.Repository, commit: str | None) -> str:
    """The commit, or else what is checked out; it is in the clone then."""
    commit = commit or git.head_commit(repository)
    if commit is None:
        raise GitError("there are no commits yet", "check the code out first")
    git.require(repository, commit)
    return commit


def _refuse_foreign_checkout(repository: git.Repository, trusted: tuple[str, ...]) -> None:
    head = git.head_commit(repository)
    if trusted and head not in trusted:
        from winnow_ci.git.revisions import named_commit  # noqa: PLC0415 - only this message needs it

        raise GitError(
            f"pull_request_target with {named_commit('HEAD', head) if head else 'nothing'} checked out, which is not "
            "the repository's own branch: other people's code, in a job with secrets",
            "run on `pull_request` instead, or leave out `ref:` and `repository:` of actions/checkout",
        )
