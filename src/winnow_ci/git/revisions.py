"""Resolve names of commits to object ids; only full ids that git has verified reach another command."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from pathlib import Path

from winnow_ci.errors import GitError, did_you_mean
from winnow_ci.git.plumbing import (
    command_failure,
    first_line,
    is_full_id,
    not_understood,
    object_ids,
    only_object_id,
    printable,
)
from winnow_ci.git.repository import Repository
from winnow_ci.model.findings import Checkout
from winnow_ci.named_tuples import NamedTuple
from winnow_ci.start_up import compiled_on_use

HISTORY_REMEDY = (
    "this clone is shallow: run `git fetch --unshallow` "
    "(GitHub: `fetch-depth: 0` for actions/checkout; GitLab: the variable `GIT_DEPTH: 0`)"
)
# The clone's name for the remote's default branch comes first, then its usual names, there and here.
_REMOTE_BRANCHES = ("refs/remotes/origin/HEAD", "refs/remotes/origin/main", "refs/remotes/origin/master")
_DEFAULT_BRANCHES = (*_REMOTE_BRANCHES, "refs/heads/main", "refs/heads/master")
_TAGS = "refs/tags/"
# Where git looks for a name (gitrevisions(7)), in that order.
_PLACES = ("refs/{}", "refs/tags/{}", "refs/heads/{}", "refs/remotes/{}", "refs/remotes/{}/HEAD")
_AMBIGUOUS = compiled_on_use(r"^warning: refname '(.*)' is ambiguous\.$", re.MULTILINE)
_NOTHING_MORE = "Needed a single revision"
_TAG_FIELDS = ("refname", "objecttype", "objectname", "*objecttype", "*objectname")
_BRANCH_FIELDS = ("refname", "symref", "objectname")
_LONGEST_NAME = 200


class BaseCommit(NamedTuple):
    """The commit that a change is compared with, and a note for people on the choice, or the empty string."""

    commit: str
    note: str


class BranchTip(NamedTuple):
    """A branch, as a person calls it, and its commit."""

    name: str
    commit: str


class Tag(NamedTuple):
    """A tag: its name, and the id of its commit; None if it is a tag of something else."""

    name: str
    commit: str | None


class UnknownRevisionError(GitError):
    """A name that git finds no commit for."""


def resolve_revision(repository: Repository, revision: str) -> str:
    """Return the id of the commit that ``revision`` names; one that names several is an error, too."""
    # With --quiet, git would not say that a name is ambiguous.
    command = ("rev-parse", "--verify", "--end-of-options", f"{revision}^{{commit}}")
    answer = repository.ask("-c", "core.warnAmbiguousRefs=true", *command)
    if ambiguous := _AMBIGUOUS.search(answer.complaint):
        _require_one_meaning(repository, ambiguous[1])
    found = answer.output.decode(errors="replace").removesuffix("\n")
    # An empty name would be `^{commit}`, and `^REV` verifies as well, to an id with a caret.
    if answer.status or not is_full_id(found) or not revision:
        said = first_line(answer.complaint).replace(_NOTHING_MORE, "")
        shown = "`git log` and `git branch --all` list them"
        remedy = HISTORY_REMEDY if is_shallow(repository) else did_you_mean(revision, _names(repository), shown)
        problem = f"unknown revision: {printable(revision) or '(empty)'}{said and f' ({said})'}"
        raise UnknownRevisionError(problem, remedy)
    return found


def _require_one_meaning(repository: Repository, name: str) -> None:
    """Refuse a name that git takes for one of several commits.

    Whoever may push a tag can call it ``origin/main``, and git prefers tags. Full names, full ids and HEAD always mean
    themselves, whatever else there is.
    """
    if name == "HEAD" or name.startswith("refs/") or is_full_id(name):
        return
    found = [each for each in (place.format(name) for place in _PLACES) if branches(repository, each)]
    if len(found) == 1:
        raise _ambiguous(name, [*found, "an abbreviated id"])
    if len({resolve_revision(repository, each) for each in found}) > 1:
        raise _ambiguous(name, found)


def _ambiguous(name: str, meanings: Sequence[str]) -> GitError:
    problem = f"{printable(name)} is ambiguous: it means {' and '.join(map(printable, meanings))}"
    return GitError(problem, "write the full name of the one that you mean")


def _names(repository: Repository) -> list[str]:
    answer = repository.ask("for-each-ref", "--format=%(refname:short)", "refs/heads", "refs/remotes", "refs/tags")
    return [line for line in answer.output.decode("utf-8", "replace").splitlines() if line.isprintable()]


def resolve_branch(repository: Repository, revision: str) -> BranchTip:
    """Return what ``revision`` names, or the remote's branch of that name: a fresh clone has only that."""
    there = f"refs/remotes/origin/{revision}"
    tips = branches(repository, there)
    try:
        commit = resolve_revision(repository, revision)
    except UnknownRevisionError:
        if tips:
            return tips[0]
        raise
    if tips and tips[0].commit != commit and not branches(repository, f"refs/heads/{revision}"):
        shadowing = [each for each in (f"refs/tags/{revision}", f"refs/{revision}") if branches(repository, each)]
        if shadowing:
            raise _ambiguous(revision, [*shadowing, there])
    return BranchTip(revision, commit)


def head_commit(repository: Repository) -> str | None:
    """Return the id of the commit that HEAD named when the repository was found, or None before the first commit."""
    if repository.head:
        return repository.head
    try:
        return resolve_revision(repository, "HEAD")
    except GitError:
        if repository.ask("rev-parse", "--verify", "--quiet", "HEAD").status:
            return None
        raise


def has_commit(repository: Repository, object_id: str) -> bool:
    """Return whether a commit (or a tag of one) is in this repository."""
    return repository.ask("cat-file", "-e", f"{object_id}^{{commit}}").status == 0


def empty_tree(repository: Repository) -> str:
    """Return the id of the empty tree, which depends on the repository's hash function."""
    return only_object_id(repository.run("hash-object", "-t", "tree", "--stdin"))


def cut_commits(repository: Repository) -> set[str]:
    """Return the commits of a shallow clone whose parents are not here."""
    place = repository.run("rev-parse", "--path-format=absolute", "--git-path", "shallow").rstrip(b"\n")
    return set(Path(os.fsdecode(place)).read_text().split())


def is_shallow(repository: Repository) -> bool:
    """Return whether the repository's history is cut off."""
    return repository.run("rev-parse", "--is-shallow-repository").strip() == b"true"


def merge_base(repository: Repository, target: BranchTip, tip: str | None) -> BaseCommit:
    """Return where ``tip`` left ``target``; the commit of ``target`` itself if they are unrelated."""
    return common_ancestor(repository, target, tip) or BaseCommit(target.commit, " (no common ancestor)")


def common_ancestor(repository: Repository, target: BranchTip, tip: str | None) -> BaseCommit | None:
    """Return where ``tip`` left ``target``, or None if they are unrelated. Otherwise see ``merge_base``."""
    bases = common_ancestors(repository, target.commit, tip) if tip else []
    if not bases and is_shallow(repository):
        raise GitError(f"no common ancestor with {printable(target.name)} in this clone", HISTORY_REMEDY)
    note = f" (the first of {len(bases)} merge bases)" if len(bases) > 1 else ""
    return BaseCommit(bases[0], note) if bases else None


def common_ancestors(repository: Repository, one: str, other: str) -> list[str]:
    """Return the best common ancestors of two commits in the history that is here."""
    answer = repository.ask("merge-base", "--all", one, other)
    if answer.status not in {0, 1}:
        raise command_failure("merge-base", answer)
    return object_ids(answer.output)


def named_commit(name: str, commit: str) -> str:
    """Return ``name (abbreviated id)``, or the abbreviated id if it has no other name."""
    return commit[:12] if commit.startswith(name) else f"{printable(name)} ({commit[:12]})"


def usual_branch(repository: Repository) -> BranchTip | None:
    """Return the tip of the branch that others are merged into; None if no branch looks like it."""
    tips = branches(repository, *_DEFAULT_BRANCHES)
    if not tips:
        configured = repository.ask("config", "--get", "init.defaultBranch").output.decode(errors="replace").strip()
        tips = branches(repository, f"refs/remotes/origin/{configured}", f"refs/heads/{configured}")
    return tips[0] if tips else None


def remote_branch(repository: Repository) -> BranchTip | None:
    """Return the tip of the remote's default branch, as of the last fetch."""
    return next(iter(branches(repository, *_REMOTE_BRANCHES)), None)


def branches(repository: Repository, *references: str) -> list[BranchTip]:
    """Return the tips of the references that exist, in the order given."""
    found = {}
    for name, target, commit in _references(repository, _BRANCH_FIELDS, *references):
        short = (target or name).removeprefix("refs/heads/").removeprefix("refs/remotes/")
        found[name] = BranchTip(short, only_object_id(commit.encode()))
    return [found[reference] for reference in references if reference in found]


def tags(repository: Repository) -> list[Tag]:
    """Return all tags, by name."""
    return [_tag(repository, *fields) for fields in _references(repository, _TAG_FIELDS, _TAGS)]


def _references(repository: Repository, fields: Sequence[str], *patterns: str) -> list[list[str]]:
    """Return some fields of each reference that a pattern names."""
    output = repository.run("for-each-ref", "--format=" + "%00".join(f"%({field})" for field in fields), *patterns)
    lines = [line.split("\0") for line in output.decode("utf-8", "surrogateescape").split("\n")]
    if lines.pop() != [""] or any(len(line) != len(fields) for line in lines):
        raise not_understood(output)
    return lines


def _tag(repository: Repository, reference: str, kind: str, own_id: str, tagged: str, tagged_id: str) -> Tag:
    name = reference.removeprefix(_TAGS)
    if "commit" in {kind, tagged}:
        return Tag(name, own_id if kind == "commit" else tagged_id)
    # A tag of a tag; older versions of git look through the first one only.
    return Tag(name, resolve_revision(repository, reference) if tagged == "tag" else None)


def checked_out(repository: Repository) -> Checkout:
    """Return the names of the repository and its branch, and HEAD's commit with its day."""
    url = repository.ask("config", "--get", "remote.origin.url").output.decode(errors="replace").strip()
    folder = repository.root or repository.git_dir
    # Of an address only its end: what comes before may be a password.
    name = re.split(r"[/:\\]", url.rstrip("/").removesuffix(".git"))[-1] or folder.name.removesuffix(".git")
    branch = repository.ask("symbolic-ref", "--short", "--quiet", "HEAD").output.decode(errors="replace").strip()
    described = repository.ask("show", "--no-patch", "--format=%H %cs", "HEAD", "--").output.decode().split()
    commit, date = described if len(described) == 2 else (None, None)
    return Checkout(name[:_LONGEST_NAME], branch[:_LONGEST_NAME] or None, commit, date)


def tree_of(repository: Repository, commit: str) -> str:
    """Return the id of a commit's tree."""
    return only_object_id(repository.run("rev-parse", "--verify", f"{commit}^{{tree}}"))


def identity(repository: Repository) -> str | None:
    """Return name and address of the user, as git writes them into a commit; None if git does not know them."""
    answer = repository.ask("var", "GIT_AUTHOR_IDENT").output.decode(errors="replace")
    return answer.rpartition("> ")[0][: _LONGEST_NAME - 1] + ">" if "> " in answer else None
