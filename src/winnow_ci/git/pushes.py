"""What a push adds: one comparison for each commit that a ref is moved to.

Code is new if the other side has it in none of the commits that the pushed ones build on (``rev-list --boundary``). Two
commits that are pushed together are each compared with what was there before, not with each other.

On a server that is not enough: code that one commit of a push adds and a later one removes would pass in a branch that
starts between the two. So only the tips of refs and the default branch's own commits count as known there. And of what
an older commit of the default branch had, only what it still has (``ChangeSet.target``).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet

from winnow_ci.errors import GitError
from winnow_ci.git import revisions
from winnow_ci.git.changes import beyond, no_changes
from winnow_ci.git.plumbing import decoded, is_full_id, lines_of_input, object_ids, printable
from winnow_ci.git.repository import Repository
from winnow_ci.model.changes import ChangeSet
from winnow_ci.named_tuples import NamedTuple

_MOST_NAMES = 5


class _Update(NamedTuple):
    """A ref that is pushed: its name on the other side, and what it named and is to name; None for nothing."""

    ref: str
    old: str | None
    new: str | None


class _OtherSide(NamedTuple):
    """The repository that a push goes to."""

    commits: Sequence[str]  # revisions, for rev-list, whose history is all that it has
    default: revisions.BranchTip | None  # its default branch, for a commit that builds on none of its commits
    looked_at: frozenset[str] | None = None  # the commits whose contents it knows; None for all


def sent(repository: Repository, lines: bytes, remote: str) -> list[ChangeSet]:
    """Compare what is pushed with what the remote has, as this side knows it.

    ``lines`` are what git writes to a pre-push hook's standard input, githooks(5). ``remote`` is what git calls the
    remote: its name, or its address if it has none; may be empty.
    """
    updates = [_update(line, (2, 3, 1), line.rsplit(b" ", 3)) for line in lines.splitlines()]
    there = _OtherSide((*_olds(repository, updates), _remotes(remote)), revisions.remote_branch(repository))
    return _compared(repository, updates, there)


def received(repository: Repository, lines: bytes) -> list[ChangeSet]:
    """Compare what is pushed to this repository with what it has; ``lines`` as a pre-receive hook gets them."""
    updates = [_update(line, (2, 0, 1), line.split(b" ", 2)) for line in lines.splitlines()]
    head = revisions.head_commit(repository)
    tips = object_ids(repository.run("for-each-ref", "--format=%(objectname) %(*objectname)"))
    default = revisions.BranchTip("HEAD", head) if head else None
    return _compared(repository, updates, _OtherSide((*_olds(repository, updates), "--all"), default, frozenset(tips)))


def unsent(repository: Repository, revision: str, remote: str) -> ChangeSet:
    """Compare a revision with what a remote has, or any one if ``remote`` is empty, or with the default branch."""
    tip = revisions.resolve_revision(repository, revision)
    default = revisions.remote_branch(repository) if remote else _default(repository, tip)
    return _compared(repository, [_Update(revision, None, tip)], _OtherSide((_remotes(remote),), default))[0]


def _olds(repository: Repository, updates: Iterable[_Update]) -> list[str]:
    """Return what the refs name so far; somebody else may have moved them on to commits that are not here."""
    return [update.old for update in updates if update.old and revisions.has_commit(repository, update.old)]


def _remotes(remote: str) -> str:
    return f"--remotes={remote}" if remote else "--remotes"


def _default(repository: Repository, tip: str) -> revisions.BranchTip | None:
    """Return the default branch, unless it contains the commit: then there would be nothing to compare."""
    default = revisions.usual_branch(repository)
    return default if default and _outside(repository, {tip}, [default.commit]) else None


def _update(line: bytes, order: tuple[int, int, int], fields: Sequence[bytes]) -> _Update:
    """Take ref, old id and new id from the fields at the places in ``order``."""
    texts = [decoded(field) for field in fields]
    if len(texts) <= max(order) or not all(is_full_id(texts[place]) for place in order[1:]):
        raise GitError(
            f"not a line about a pushed ref: {printable(decoded(line[:80]))}",
            "pass on the standard input that git gives the hook, unchanged",
        )
    ref, old, new = (texts[place] for place in order)
    return _Update(ref, old if old.strip("0") else None, new if new.strip("0") else None)


def _compared(repository: Repository, updates: Iterable[_Update], there: _OtherSide) -> list[ChangeSet]:
    """Return a comparison for each new commit, and one for all refs to known commits; deleted refs add none."""
    refs: dict[str, list[str]] = {}
    for update in updates:
        if update.new:
            refs.setdefault(revisions.resolve_revision(repository, update.new), []).append(update.ref)
    settled = _known(repository, refs.keys(), there) - _outside(repository, refs.keys(), there.commits)
    found = [_new(repository, tip, names, there) for tip, names in refs.items() if tip not in settled]
    if names := [name for tip, names in refs.items() if tip in settled for name in names]:
        found.append(no_changes(f"{_listed(names)}: nothing new"))
    return found


def _new(repository: Repository, tip: str, names: Sequence[str], there: _OtherSide) -> ChangeSet:
    bases = _bases(repository, tip, there)
    note = f" (and {len(bases) - 1} more, merged)" if len(bases) > 1 else ""
    if not bases and there.default:
        fork = revisions.common_ancestor(repository, there.default, tip)
        bases, note = ([fork.commit], fork.note) if fork else ([], "")
    against = f"against {bases[0][:12]}{note}" if bases else "all of it: it shares no history with the other branches"
    found = beyond(repository, bases, tip, f"{_listed(names)} ({tip[:12]}) {against}")
    return found._replace(target=_target(repository, bases, there))


def _target(repository: Repository, bases: Sequence[str], there: _OtherSide) -> str | None:
    """Return the tip of a server's default branch, if a base is one of its older commits."""
    if there.looked_at is None or there.default is None:
        return None
    older = set(bases) - {there.default.commit}
    return there.default.commit if older - _outside(repository, older, [there.default.commit]) else None


def _listed(names: Sequence[str]) -> str:
    shown = ", ".join(printable(name) for name in names[:_MOST_NAMES])
    return f"{shown} and {len(names) - _MOST_NAMES:,} more" if len(names) > _MOST_NAMES else shown


def _bases(repository: Repository, tip: str, there: _OtherSide) -> list[str]:
    """Return the other side's commits that the new ones build on, but for ancestors of others among them."""
    lines = repository.run("rev-list", "--boundary", tip, "--not", *there.commits, walks=True).split()
    ends = object_ids(b" ".join(line[1:] for line in lines if line.startswith(b"-")))
    bases = sorted(_known(repository, set(ends), there))
    if len(bases) > 1:
        bases = object_ids(repository.run("merge-base", "--independent", *bases, walks=True))
    return sorted(bases, key=lambda base: base not in there.commits)


def _known(repository: Repository, commits: AbstractSet[str], there: _OtherSide) -> AbstractSet[str]:
    """Return the commits whose contents the other side knows, provided that it has the commits."""
    if there.looked_at is None:
        return commits
    unknown = commits - there.looked_at
    return commits - (_outside(repository, unknown, [there.default.commit]) if there.default else unknown)


def _outside(repository: Repository, commits: AbstractSet[str], others: Sequence[str]) -> AbstractSet[str]:
    """Return the commits that none of the others has in its history."""
    if not commits:
        return commits
    given = lines_of_input(tuple(commits))
    return commits & set(object_ids(repository.run("rev-list", "--stdin", "--not", *others, given=given, walks=True)))
