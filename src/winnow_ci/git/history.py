"""Fetch the history that the clone of a CI lacks, and read what a path was in the past.

``actions/checkout`` fetches one commit. What is missing is fetched by id from ``origin``, and as little of it as
possible; otherwise an error says what to set. Nothing is ever compared with a guess.

The past of a path is read from the history that is here: a shallow clone has only the end of it, and a partial one
lacks trees and contents. Nothing is fetched for it.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress
from itertools import chain

from winnow_ci.errors import GitError
from winnow_ci.git import revisions
from winnow_ci.git.changes import COMPARISON
from winnow_ci.git.listing import list_differences, list_records
from winnow_ci.git.objects import blobs_named, object_contents
from winnow_ci.git.plumbing import (
    GitCommandError,
    decoded,
    first_line,
    is_full_id,
    lines_of_input,
    object_ids,
    printable,
)
from winnow_ci.git.repository import Repository
from winnow_ci.model.changes import ChangedFile
from winnow_ci.named_tuples import NamedTuple
from winnow_ci.processes import ProcessResult

_SECONDS = 120
_DEEPEN_BY = tuple(4**step for step in range(2, 8))
_PARENT_REMEDY = "set `fetch-depth: 2` for actions/checkout (GitLab: the variable `GIT_DEPTH: 2`)"
_BRANCH_REMEDY = (
    "its rules apply, so let the job fetch it "
    "(GitHub: `fetch-depth: 0` for actions/checkout; GitLab: `git fetch origin BRANCH` before the scan)"
)
_PARENTS = re.compile(rb"tree [0-9a-f]+\n((?:parent [0-9a-f]+\n)*)")
_UNKNOWN_THERE = "not our ref"  # what `git upload-pack` says of an id that no branch reaches
_FETCHED = "refs/winnow-ci/fetched"
_CREDENTIALS = re.compile(r"(?<=://)[^/\s]*@")

MOST_COMMITS = 200  # the most commits to read, newest first: an author could write any number
_LARGEST = 16 << 20  # files larger than these bytes are not searched for marks
_MARK = re.compile(rb'"([0-9a-f]{32})"')
_PATHS_AT_ONCE = 500  # one command answers for many paths, since walking the history takes most of the time
# A merge is compared with each of its parents.
_CHANGES = "diff-tree --stdin -r -m --root --raw -z --no-abbrev --no-renames --no-ext-diff --no-commit-id".split()
_OF_COMMITS = ("diff-tree", "--stdin", "--root", *COMPARISON)
_FOLD = re.compile(rb"\r?\n[ \t]+(?=\S)")


class Fork(NamedTuple):
    """The commit where another one left a branch, a note for people on the choice, and the tip of that branch."""

    commit: str
    note: str
    tip: str


def first_parent(repository: Repository, merge: str) -> str:
    """Return the first parent of a merge commit that is here; fetch it if it is missing."""
    parents = _parents(repository, merge)
    if len(parents) < 2:
        raise GitError(f"{merge[:12]} is not a merge commit", "name what to compare: --since REV or --range A..B")
    if not revisions.has_commit(repository, parents[0]):
        answer = _fetch(repository, parents[0])
        if not revisions.has_commit(repository, parents[0]):
            raise _missing(f"the first parent of {merge[:12]}", answer, _PARENT_REMEDY)
    return parents[0]


def obtain(repository: Repository, commit: str) -> bool:
    """Fetch a commit unless it is here; return whether there is such a commit."""
    if revisions.has_commit(repository, commit):
        return True
    was_shallow = revisions.is_shallow(repository)
    answer = _fetch(repository, commit)
    if revisions.has_commit(repository, commit):
        return True
    if was_shallow and _UNKNOWN_THERE not in answer.complaint:
        raise _missing(f"commit {commit[:12]}", answer, revisions.HISTORY_REMEDY)
    return False


def require(repository: Repository, commit: str) -> None:
    """Fetch a commit unless it is here; raise ``GitError`` if there is no such commit."""
    if not obtain(repository, commit):
        raise GitError(
            f"there is no commit {commit[:12]}, neither in this clone nor in its remote origin",
            "run winnow-ci in a checkout of the event's repository",
        )


def branch_tip(repository: Repository, branch: str, project: str | None) -> revisions.BranchTip:
    """Return the tip of a branch of ``origin`` as it is now; as it was last fetched, where it cannot be fetched.

    ``branch`` has passed ``git check-ref-format``; ``project`` is the end of the URL of ``origin``, or None for any.
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
    """Return where ``head``, which is here, left a branch of ``origin`` (``branch_tip``); fetch what that needs."""
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
    return Fork(*revisions.merge_base(repository, tip, head), tip.commit)


def _is_cut(repository: Repository, tips: Sequence[str], ancestors: Sequence[str]) -> bool:
    """Return whether history is cut off between commits and what seem to be their best common ancestors.

    A branch that began long ago and was merged of late is a short way to an old ancestor. The best one may lie beyond
    the cut, and what came in between would seem to be new.
    """
    ends = object_ids(repository.run("rev-list", "--max-parents=0", *tips, "--not", *ancestors, walks=True))
    return any(_parents(repository, end) for end in ends)


def _parents(repository: Repository, commit: str) -> list[str]:
    """Return the parents that a commit names, even where history is cut off."""
    return _named_parents(repository.run("cat-file", "commit", commit))


def _named_parents(content: bytes) -> list[str]:
    found = _PARENTS.match(content)
    return found[1].decode().split()[1::2] if found else []


def _fetch(repository: Repository, *wanted: str, depth: str = "--depth=1") -> ProcessResult:
    # In a whole clone, a depth would cut the history of what is fetched.
    options = (depth,) if revisions.is_shallow(repository) else ()
    return repository.fetch(*options, "origin", *wanted, seconds=_SECONDS)


def _check_origin(repository: Repository, project: str) -> None:
    """Refuse the checkout of a fork, where a branch of any name may contain anything."""
    url = repository.ask("config", "--get", "remote.origin.url").output.decode(errors="replace").strip()
    found = url.rstrip("/").removesuffix(".git").casefold()
    if not found.endswith((f"/{project.casefold()}", f":{project.casefold()}")):
        raise GitError(
            f"the remote origin is {printable(_anonymous(url)) or 'missing'} and not {project}, the event's repository",
            "check out that repository (also for a pull request from a fork), or name what to compare: --range A..B",
        )


def _missing(what: str, answer: ProcessResult, remedy: str) -> GitError:
    reason = _anonymous(first_line(answer.complaint)) or f"git fetch ended with status {answer.status}"
    return GitError(f"{what} is not in this clone and cannot be fetched: {reason}", remedy)


def _anonymous(text: str) -> str:
    return _CREDENTIALS.sub("", text)


class PastCommit(NamedTuple):
    """A commit of a change: its id, its first parent, None if that is not here, and the lines of its message."""

    id: str
    parent: str | None
    message: list[str]  # folded lines are one


def commits_since(repository: Repository, base: str, head: str) -> tuple[list[PastCommit], bool]:
    """Return the commits since ``base``, and whether all of them are here.

    Messages are read as they are stored: settings can make git take any line for a trailer, or none.
    """
    ids = object_ids(repository.run("rev-list", f"{base}..{head}", "--", walks=True))
    cut = revisions.cut_commits(repository) if revisions.is_shallow(repository) else frozenset()
    found = []
    for commit, content in zip(ids, object_contents(repository, ids, "commit"), strict=True):
        parents = [] if commit in cut else _named_parents(content)
        lines = _FOLD.sub(b" ", content.partition(b"\n\n")[2]).decode(errors="replace").split("\n")
        found.append(PastCommit(commit, parents[0] if parents else None, lines))
    return found, cut.isdisjoint(ids)


def changes_of(repository: Repository, commits: Sequence[PastCommit]) -> dict[str, list[ChangedFile]]:
    """Return the files that commits change, compared with their first parents, by the commits' ids."""
    found: dict[str, list[ChangedFile]] = {commit.id: [] for commit in commits}
    asked = [f"{commit.id} {commit.parent}" if commit.parent else commit.id for commit in commits]
    records, of_commit = list_records(repository, *_OF_COMMITS, given=lines_of_input(asked)), list[ChangedFile]()
    for record in records if asked else ():
        if is_full_id(decoded(record)):
            of_commit = found[record.decode()]
            continue
        entry = next(list_differences(chain([record], records)))
        if entry.status != "D":
            of_commit.append(ChangedFile(entry.path, entry.kind, entry.old, entry.new, entry.was))
    return found


def first_with(repository: Repository, head: str, path: str, marks: Collection[bytes]) -> dict[bytes, str]:
    """Find the commits since which a file has had texts without a break.

    ``marks`` are the texts, each of 32 hexadecimal digits, which stand between quotation marks. Returns text → id of
    the commit, without the texts that the file does not have at ``head``, the last commit.
    """
    first: dict[bytes, str] = {}
    left = set(marks)
    commits = _changing(repository, [path], head) if "\n" not in path else []
    for commit, content in zip(commits, _contents(repository, commits, path), strict=False):
        # Looked for one by one, a thousand marks in large files would take hours.
        left &= set(_MARK.findall(content))
        first |= dict.fromkeys(left, commit)
        if not left:
            break
    return first


def path_versions(repository: Repository, head: str, paths: Collection[str], since: str | None) -> dict[str, list[str]]:
    """Return what paths were up to ``head``: path → ids of contents, newest first, each once; none for what is no file.

    ``since`` is the first commit that counts; None for all of history.
    """
    found: dict[str, list[str]] = {path: [] for path in paths}
    in_order = sorted(found)
    for first in range(0, len(in_order), _PATHS_AT_ONCE):
        some = in_order[first : first + _PATHS_AT_ONCE]
        commits = _changing(repository, some, head, *(("--not", f"{since}^@") if since else ()))
        for path, blob in chain(_changes(repository, commits, some), _standing(repository, (head, since), some)):
            found[path].append(blob)
    return {path: list(dict.fromkeys(blobs)) for path, blobs in found.items()}


def _changes(repository: Repository, commits: Sequence[str], paths: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield what commits have made of paths, in the order of the commits."""
    if not commits:
        return
    for entry in list_differences(list_records(repository, *_CHANGES, "--", *paths, given=lines_of_input(commits))):
        if entry.new and entry.kind == "file":
            yield entry.path, entry.new


def _standing(repository: Repository, commits: Sequence[str | None], paths: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield what paths are in commits, which may not have changed them."""
    asked = [(commit, path) for commit in commits if commit for path in paths if "\n" not in path]
    for (_, path), blob in zip(asked, _blobs(repository, asked), strict=True):
        if blob:
            yield path, blob


def _changing(repository: Repository, paths: Sequence[str], *revisions: str) -> list[str]:
    """Return the commits of a history that change paths, newest first; none where a partial clone cannot say."""
    answer = repository.ask("rev-list", f"--max-count={MOST_COMMITS}", *revisions, "--", *paths, walks=True)
    return object_ids(answer.output) if not answer.status else []


def _contents(repository: Repository, commits: Sequence[str], path: str) -> Iterator[bytes]:
    """Yield what a file was in each of some commits, until one has no such file, or one larger than ``_LARGEST``."""
    blobs = _blobs(repository, [(commit, path) for commit in commits], _LARGEST)
    there = blobs[: blobs.index(None)] if None in blobs else blobs
    yield from object_contents(repository, [blob for blob in there if blob])


def _blobs(repository: Repository, asked: Sequence[tuple[str, str]], largest: int | None = None) -> list[str | None]:
    """Return ids of what paths are in commits; None where there is nothing, it is too large, or git cannot say."""
    found: list[str | None] = []
    # In a partial clone, git ends at the first object that it would have to fetch.
    with suppress(GitCommandError):
        blobs = blobs_named(repository, [f"{commit}:{path}" for commit, path in asked])
        found.extend(blob[0] if blob and (largest is None or blob[1] <= largest) else None for blob in blobs)
    return found + [None] * (len(asked) - len(found))
