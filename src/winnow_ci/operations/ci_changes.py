"""What a scan without a mode looks at on a CI: what the event asks for, with the history that this needs.

All of it is compared commit with commit: what earlier steps of a job leave in the work tree is no part of a change.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from winnow_ci import ci, git
from winnow_ci.errors import GitError
from winnow_ci.git.revisions import named

if TYPE_CHECKING:
    from winnow_ci.git import Repository
    from winnow_ci.model.changes import ChangeSet

_BY_HAND = "name what to compare: --since REV, --range A..B or --all"


def changes(repository: Repository, event: ci.CIEvent) -> ChangeSet:
    """Return what the event asks for.

    Raises:
        GitError: a commit is missing, or must not be scanned in such a job.
    """
    name = event.name
    # No last case: a kind of comparison that is not matched is one that mypy misses a `return` for.
    match event.comparison:
        case ci.PullRequest() as request:
            return _pull_request(repository, name, request)
        case ci.UntrustedPullRequest(request, trusted):
            _refuse_foreign_checkout(repository, trusted)
            return _pull_request(repository, name, request)
        case ci.BranchFork() as fork:
            return _since_fork(repository, name, fork)
        case ci.CommitRange() as commits:
            return _range(repository, event, commits)
        case ci.WholeCommit(head):
            return _everything(repository, name, head)
        case ci.NothingToScan(reason):
            return git.nothing(f"{name}: {reason}")


def _pull_request(repository: Repository, event: str, request: ci.PullRequest) -> ChangeSet:
    if request.merge is not None and git.head(repository) == request.merge:
        base = git.first_parent(repository, request.merge)
        found = git.commits(repository, base, request.merge, f"{event}: merge commit's first parent")
        return found._replace(branch=request.fork.branch)
    found = _since_fork(repository, event, request.fork)
    if found.scope.base == request.fork.head:
        raise GitError(f"{request.fork.branch} has all of the {event} already: there is nothing to compare", _BY_HAND)
    return found


def _since_fork(repository: Repository, event: str, fork: ci.BranchFork) -> ChangeSet:
    git.require(repository, fork.head)
    base, note, tip = git.fork_point(repository, fork.branch, fork.repository, fork.head)
    found = git.commits(repository, base, fork.head, f"{event}: merge base with {fork.branch}{note}", tip)
    return found._replace(branch=fork.branch)


def _range(repository: Repository, event: ci.CIEvent, commits: ci.CommitRange) -> ChangeSet:
    git.require(repository, commits.head)
    if commits.otherwise is None:
        git.require(repository, commits.base)
    elif not git.obtain(repository, commits.base):
        gone = f"{event.name}, {commits.base[:12]} is gone"
        return changes(repository, event._replace(name=gone, comparison=commits.otherwise))
    target = git.branch_tip(repository, *commits.target).commit if commits.target else None
    found = git.commits(repository, commits.base, commits.head, event.name, target)
    return found._replace(branch=commits.target.branch if commits.target else commits.branch)


def _everything(repository: Repository, event: str, head: str | None) -> ChangeSet:
    head = head or git.head(repository)
    if head is None:
        raise GitError("there is no commit yet: HEAD names nothing", "check the code out first")
    git.require(repository, head)
    return git.commits(repository, None, head, event)


def _refuse_foreign_checkout(repository: Repository, trusted: tuple[str, ...]) -> None:
    head = git.head(repository)
    if head not in trusted:
        raise GitError(
            f"pull_request_target with {named('HEAD', head) if head else 'nothing'} checked out, which is not the "
            "repository's own branch: other people's code, in a job that has secrets",
            "run on `pull_request` instead, or leave out `ref:` and `repository:` of actions/checkout",
        )
