"""History that the clone of a CI lacks: it is fetched if possible; otherwise an error says what to set.

``actions/checkout`` fetches one commit; of its parents, there are only the ids that the commit names. What is missing
is fetched by id from ``origin``, and as little of it as possible. Nothing is ever compared with a guess.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from winnow_ci.errors import GitError
from winnow_ci.git import revisions
from winnow_ci.git.plumbing import first_line, object_ids, printable
from winnow_ci.named_tuples import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

    from winnow_ci.git.repository import Repository
    from winnow_ci.processes import ProcessResult

_SECONDS = 120
_DEEPEN_BY = tuple(4**step for step in range(2, 8))
_PARENT_REMEDY = "set `fetch-depth: 2` for actions/checkout (GitLab: the variable `GIT_DEPTH: 2`)"
_BRANCH_REMEDY = (
    "its rules count, so let the job fetch it "
    "(GitHub: `fetch-depth: 0` for actions/checkout; GitLab: `git fetch origin BRANCH` before the scan)"
)
_PARENTS = re.compile(rb"tree [0-9a-f]+\n((?:parent [0-9a-f]+\n)*)")
# What `git upload-pack` says of an id that it does not know, or that no branch leads to any more.
_UNKNOWN_THERE = "not our ref"
_FETCHED = "refs/winnow-ci/fetched"
_CREDENTIALS = re.compile(r"(?<=://)[^/@\s]*@")


class Fork(NamedTuple):
    """The commit where another one left a branch, a note for people on the choice, and the tip of that branch."""

    commit: str
    note: str
    tip: str


def first_parent(repository: Repository, merge: str) -> str:
    """Return the first parent of a merge commit that is here; it is here too then.

    Raises:
        GitError: the commit is no merge, or its parent is not here and cannot be fetched.
    """
    parents = _parents(repository, merge)
    if len(parents) < 2:
        raise GitError(f"{merge[:12]} is no merge commit", "name what to compare: --since REV or --range A..B")
    if not revisions.is_here(repository, parents[0]):
        answer = _fetch(repository, parents[0])
        if not revisions.is_here(repository, parents[0]):
            raise _missing(f"the first parent of {merge[:12]}", answer, _PARENT_REMEDY)
    return parents[0]


def obtain(repository: Repository, commit: str) -> bool:
    """Fetch a commit unless it is here; return whether there is such a commit.

    Raises:
        GitError: nobody can say: it is not here, history is cut off, and it cannot be fetched.
    """
    if revisions.is_here(repository, commit):
        return True
    is_shallow = revisions.is_shallow(repository)
    answer = _fetch(repository, commit)
    if revisions.is_here(repository, commit):
        return True
    if is_shallow and _UNKNOWN_THERE not in answer.complaint:
        raise _missing(f"commit {commit[:12]}", answer, revisions.HISTORY_REMEDY)
    return False


def require(repository: Repository, commit: str) -> None:
    """Fetch a commit unless it is here.

    Raises:
        GitError: there is no such commit, neither here nor there.
    """
    if not obtain(repository, commit):
        raise GitError(
            f"there is no commit {commit[:12]}, neither in this clone nor in its remote origin",
            "run winnow-ci in a checkout of the repository that the CI's event is about",
        )


def branch_tip(repository: Repository, branch: str, project: str | None) -> revisions.BranchTip:
    """Return the tip of a branch of ``origin`` as it is now; as it was last fetched, where it cannot be fetched.

    Args:
        repository: where to look.
        branch: name of the branch, as checked by ``git check-ref-format``.
        project: ``owner/name``, the end of the URL that ``origin`` must have; None for any URL.

    Raises:
        GitError: ``origin`` is another repository, or the branch is neither here nor there.
    """
    if project is not None:
        _check_origin(repository, project)
    # A runner that keeps its clone has the branch as some earlier job has fetched it.
    answer = _fetch(repository, f"+refs/heads/{branch}:{_FETCHED}")
    found = revisions.branches(repository, f"refs/remotes/origin/{branch}" if answer.status else _FETCHED)
    if not found:
        raise _missing(f"the branch {printable(branch)} of origin", answer, _BRANCH_REMEDY)
    return found[0]._replace(name=f"origin/{branch}")


def fork_point(repository: Repository, branch: str, project: str | None, head: str) -> Fork:
    """Return where ``head``, which is here, left a branch of ``origin``; fetch as much history as that needs.

    Args:
        repository: where to look.
        branch: name of the branch, as checked by ``git check-ref-format``.
        project: as for ``branch_tip``.
        head: id of a commit.

    Raises:
        GitError: ``origin`` is another repository, or history is missing and cannot be fetched.
    """
    tip = branch_tip(repository, branch, project)
    for commits in _DEEPEN_BY:
        if not revisions.is_shallow(repository):
            break
        found = revisions.common_ancestors(repository, tip.commit, head)
        if found and not _is_cut(repository, (tip.commit, head), found):
            break
        answer = _fetch(repository, tip.commit, head, depth=f"--deepen={commits}")
        if answer.status and found:
            break
        if answer.status:
            raise _missing(f"the commit where {head[:12]} left {tip.name}", answer, revisions.HISTORY_REMEDY)
    return Fork(*revisions.merge_base(repository, tip.name, tip.commit, head), tip.commit)


def _is_cut(repository: Repository, tips: Sequence[str], ancestors: Sequence[str]) -> bool:
    """Whether history is cut off between commits and what seem to be their best common ancestors.

    A branch that began long ago and was merged of late is a short way to an old ancestor. The best one may lie beyond
    the cut, and what came in between would seem to be new.
    """
    ends = object_ids(repository.walk("rev-list", "--max-parents=0", *tips, "--not", *ancestors))
    return any(_parents(repository, end) for end in ends)


def _parents(repository: Repository, commit: str) -> list[str]:
    """The parents that a commit names, even where history is cut off."""
    found = _PARENTS.match(repository.run("cat-file", "commit", commit))
    return found[1].decode().split()[1::2] if found else []


def _fetch(repository: Repository, *wanted: str, depth: str = "--depth=1") -> ProcessResult:
    # In a whole clone, a depth would cut the history of what is fetched.
    options = (depth,) if revisions.is_shallow(repository) else ()
    return repository.fetch(*options, "origin", *wanted, seconds=_SECONDS)


def _check_origin(repository: Repository, project: str) -> None:
    """In a checkout of a fork, a branch of any name may contain anything."""
    url = repository.ask("config", "--get", "remote.origin.url").output.decode(errors="replace").strip()
    found = url.rstrip("/").removesuffix(".git").casefold()
    if not found.endswith((f"/{project.casefold()}", f":{project.casefold()}")):
        raise GitError(
            f"the remote origin is {printable(_anonymous(url)) or 'missing'} and not {project}, "
            "which the CI's event is about",
            "check out that repository (for a pull request from a fork as well), or name what to compare: --range A..B",
        )


def _missing(what: str, answer: ProcessResult, remedy: str) -> GitError:
    reason = _anonymous(first_line(answer.complaint)) or f"git fetch ended with status {answer.status}"
    return GitError(f"{what} is not in this clone and cannot be fetched: {reason}", remedy)


def _anonymous(text: str) -> str:
    """The text without the user names and passwords of its URLs."""
    return _CREDENTIALS.sub("", text)
