"""What the event of a CI asks for: the comparison of a scan without a mode, and the commit with the target's rules.

All of it is compared commit with commit: what earlier steps of a job leave in the work tree is no part of a change.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from winnow_ci import git
from winnow_ci.ci import events
from winnow_ci.errors import GitError
from winnow_ci.git.revisions import named_commit

if TYPE_CHECKING:
    from winnow_ci.git import Repository
    from winnow_ci.model.changes import ChangeSet

_BY_HAND = "name what to compare: --since REV, --range A..B or --all"


def changes(repository: Repository, event: events.CIEvent) -> ChangeSet:
    """Return what the event asks for.

    Raises:
        GitError: a commit is missing, or must not be scanned in such a job.
    """
    return _changes(repository, event)._replace(is_of_event=True)


def target_commit(repository: Repository, event: events.CIEvent) -> str | None:
    """Return the tip of the branch that the event's change is for; None if the event does not say the branch.

    Raises:
        GitError: a commit is missing, or must not be scanned in such a job.
    """
    match event.comparison:
        case events.PullRequest(merge=merge) if merge is not None and git.head_commit(repository) == merge:
            return git.first_parent(repository, merge)
        case events.UntrustedPullRequest(request, trusted):
            _refuse_foreign_checkout(repository, trusted)
            target: events.TargetBranch | None = request.fork.target
        case events.PullRequest(fork) | (events.BranchFork() as fork):
            target = fork.target
        case events.CommitRange(base, head, otherwise, None):
            # What is pushed to the default branch is its tip from then on.
            return _present(repository, head if otherwise else base)
        case events.CommitRange(target=target):
            pass
        case _:
            target = event.target
    return _tip(repository, target) if target else None


def _changes(repository: Repository, event: events.CIEvent) -> ChangeSet:
    name = event.name
    # No last case: a kind of comparison that is not matched is one that mypy misses a `return` for.
    match event.comparison:
        case events.PullRequest() as request:
            return _pull_request(repository, name, request)
        case events.UntrustedPullRequest(request, trusted):
            _refuse_foreign_checkout(repository, trusted)
            return _pull_request(repository, name, request)
        case events.BranchFork() as fork:
            return _since_fork(repository, name, fork)
        case events.CommitRange() as commits:
            return _range(repository, event, commits)
        case events.WholeCommit(head):
            return _everything(repository, name, head)
        case events.NothingToScan(reason):
            return git.no_changes(f"{name}: {reason}")


def _pull_request(repository: Repository, event: str, request: events.PullRequest) -> ChangeSet:
    if request.merge is not None and git.head_commit(repository) == request.merge:
        base = git.first_parent(repository, request.merge)
        found = git.between_commits(repository, base, request.merge, f"{event}: merge commit's first parent")
        return found._replace(branch=request.fork.branch)
    found = _since_fork(repository, event, request.fork)
    if found.scope.base == found.scope.head:
        raise GitError(f"{request.fork.branch} has all of the {event} already: there is nothing to compare", _BY_HAND)
    return found


def _since_fork(repository: Repository, event: str, fork: events.BranchFork) -> ChangeSet:
    head = _present(repository, fork.head)
    base, note, tip = git.fork_point(repository, fork.branch, fork.repository, head)
    found = git.between_commits(repository, base, head, f"{event}: merge base with {fork.branch}{note}", tip)
    return found._replace(branch=fork.branch)


def _range(repository: Repository, event: events.CIEvent, commits: events.CommitRange) -> ChangeSet:
    git.require(repository, commits.head)
    if commits.otherwise is None:
        git.require(repository, commits.base)
    elif not git.obtain(repository, commits.base):
        gone = f"{event.name}, {commits.base[:12]} is gone"
        return _changes(repository, event._replace(name=gone, comparison=commits.otherwise))
    target = _tip(repository, commits.target) if commits.target else None
    found = git.between_commits(repository, commits.base, commits.head, event.name, target)
    return found._replace(branch=commits.target.branch if commits.target else commits.branch)


def _everything(repository: Repository, event: str, head: str | None) -> ChangeSet:
    return git.between_commits(repository, None, _present(repository, head), event)


def _present(repository: Repository, commit: str | None) -> str:
    """The commit, which is here then; without one, what is checked out."""
    commit = commit or git.head_commit(repository)
    if commit is None:
        raise GitError("there is no commit yet: HEAD names nothing", "check the code out first")
    git.require(repository, commit)
    return commit


def _tip(repository: Repository, target: events.TargetBranch) -> str:
    return git.branch_tip(repository, *target).commit


def _refuse_foreign_checkout(repository: Repository, trusted: tuple[str, ...]) -> None:
    head = git.head_commit(repository)
    if head not in trusted:
        raise GitError(
            f"pull_request_target with {named_commit('HEAD', head) if head else 'nothing'} checked out, which is not "
            "the repository's own branch: other people's code, in a job that has secrets",
            "run on `pull_request` instead, or leave out `ref:` and `repository:` of actions/checkout",
        )
