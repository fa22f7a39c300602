"""What changed: one function for each mode of a scan.

Commits and the index are compared by object ids. The work tree is looked at in three steps that together say what
``git diff`` and ``git status`` would: what is staged against the base, what differs from the index, and what is neither
tracked nor ignored. So git looks for renames and copies among stored objects only and never reads a file for it.

Deleted files add no lines. They are listed apart, with all that a change replaces, since its code may have moved.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from winnow_ci.errors import GitError, UsageError
from winnow_ci.git import raw_diff, revisions
from winnow_ci.git.listing import listed
from winnow_ci.git.plumbing import printable
from winnow_ci.model.changes import ChangedFile, ChangeSet, EarlierFile
from winnow_ci.model.findings import Scope
from winnow_ci.named_tuples import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from winnow_ci.git.repository import Repository
    from winnow_ci.model.changes import FileKind

# Without these options, `diff.*` of the configuration and .gitmodules of the change would decide some of them.
_COMPARISON = (
    "--raw -z -r --no-abbrev --find-renames --find-copies -l1000 --no-ext-diff --no-textconv --ignore-submodules=none"
).split()
# `dirty` keeps git from starting `git status` inside the submodule, under the submodule's own configuration.
_AGAINST_INDEX = "--raw -z --no-abbrev --no-renames --ignore-submodules=dirty".split()

# The statuses of what the old side has and the new side has not, or not the same.
_REPLACED = frozenset("DMTR")


class _Differences(NamedTuple):
    """The files that the new side of a comparison has, and those of the old side that it has not, or not the same."""

    files: Iterable[ChangedFile]
    replaced: Iterable[EarlierFile]


def staged(repository: Repository) -> ChangeSet:
    """Compare HEAD with the index that git itself uses (in a hook: with what is about to be committed).

    Raises:
        GitError: git failed, or there is no index.
    """
    repository.require_work_tree()
    head = revisions.head(repository)
    scope = Scope("staged", head, None, f"{_named_head(head)} against the index")
    return change_set(scope, *_differences(_in_index(repository, head)))


def tracked(repository: Repository) -> ChangeSet:
    """Like ``staged``, and every other file of the index counts as new as a whole.

    Raises:
        GitError: git failed, or there is no index.
    """
    against_head = staged(repository)
    whole = {file.path: file for file in _present(_in_index(repository, None))}
    files = whole | {file.path: file for file in against_head.files}
    return change_set(against_head.scope, files.values(), bases=())


def since(repository: Repository, revision: str) -> ChangeSet:
    """Compare the merge base of ``revision`` and HEAD with the work tree: whatever came since, committed or not.

    A branch that only the remote has is named as one of this clone.

    Raises:
        GitError: the revision is unknown, history is cut off before the merge base, or there is no work tree.
    """
    name, commit = revisions.resolve_branch(repository, revision)
    base = revisions.merge_base(repository, name, commit, revisions.head(repository))
    described = f"{revisions.named(name, base.commit)}{base.note} against the work tree"
    scope = Scope("since", base.commit, None, described)
    return change_set(scope, *_in_work_tree(repository, base.commit), target=commit)


def branch(repository: Repository) -> ChangeSet:
    """Compare the merge base of the default branch and HEAD with the work tree.

    On the default branch itself that leaves what is not pushed yet or, without a remote, not committed.

    Raises:
        UsageError: no branch looks like the default one.
        GitError: as for ``since``.
    """
    head = revisions.head(repository)
    if head is None:
        scope = Scope("branch", None, None, f"{_named_head(head)} against the work tree")
        return change_set(scope, *_in_work_tree(repository, None))
    tip = revisions.default_branch(repository)
    base = revisions.merge_base(repository, tip.name, tip.commit, head)
    described = f"{revisions.named(tip.name, base.commit)}{base.note} against the work tree"
    scope = Scope("branch", base.commit, None, described)
    return change_set(scope, *_in_work_tree(repository, base.commit), target=tip.commit)


def between(repository: Repository, commits: str) -> ChangeSet:
    """Compare two commits: ``A..B`` as they are, ``A...B`` from their merge base; an empty side is HEAD.

    Raises:
        UsageError: ``commits`` is no such range.
        GitError: a revision is unknown, or history is cut off before the merge base.
    """
    left, dots, right = commits.partition("..." if "..." in commits else "..")
    if not dots or not (left or right) or ".." in left + right or right.startswith("."):
        # `..` alone, HEAD against itself, is what two unset variables would make of A..B: never anything to find.
        raise UsageError(f"not a range of commits: {printable(commits)}", "write A..B or A...B")
    target = revisions.resolve(repository, left or "HEAD")
    head = revisions.resolve(repository, right or "HEAD")
    base = revisions.BaseCommit(target, "")
    if dots == "...":
        base = revisions.merge_base(repository, left or "HEAD", target, head)
    scope = Scope("range", base.commit, head, f"{base.commit[:12]}..{head[:12]}{base.note}")
    return change_set(scope, *_differences(_in_commit(repository, base.commit, head)), target=target)


def beyond(repository: Repository, bases: Sequence[str], tip: str, description: str) -> ChangeSet:
    """List the files of a commit that no other commit has at the same path; without others, all of them.

    The lines that a file adds are those that it adds to the first of the others.

    Args:
        repository: where they are.
        bases: ids of the other commits.
        tip: id of the commit.
        description: of the comparison, for people.

    Raises:
        GitError: git failed.
    """
    first = bases[0] if bases else None
    entries = _in_commit(repository, first, tip)
    files, replaced = list(_present(entries)), dict.fromkeys(_replaced(entries))
    for other in bases[1:]:
        entries = _in_commit(repository, other, tip)
        paths = {entry.path for entry in entries}
        files = [file for file in files if file.path in paths]
        replaced |= dict.fromkeys(_replaced(entries))
    return change_set(Scope("range", first, tip, description), files, replaced, bases)


def commits(repository: Repository, base: str | None, head: str, reason: str, target: str | None = None) -> ChangeSet:
    """Compare two commits that are here, or one with nothing.

    Args:
        repository: where they are.
        base: id of the old one; None for nothing.
        head: id of the new one.
        reason: why these, for people.
        target: the tip of the branch that the change is for; None if that is the base.

    Raises:
        GitError: git failed.
    """
    compared = f"{base[:12]}..{head[:12]}" if base else f"the whole of {head[:12]}"
    scope = Scope("range" if base else "all", base, head, f"{compared} ({reason})")
    return change_set(scope, *_differences(_in_commit(repository, base, head)), target=target)


def nothing(reason: str) -> ChangeSet:
    """Compare nothing; ``reason`` says why."""
    return ChangeSet(Scope("range", None, None, reason), ())


def everything(repository: Repository) -> ChangeSet:
    """Compare nothing with the work tree, or with HEAD in a bare repository.

    Raises:
        GitError: git failed.
    """
    if repository.root is not None:
        return change_set(Scope("all", None, None, "the whole work tree"), *_in_work_tree(repository, None))
    head = revisions.head(repository)
    scope = Scope("all", None, head, f"the whole of {_named_head(head)}")
    return change_set(scope, *_differences(_in_commit(repository, None, head) if head else []))


def _named_head(head: str | None) -> str:
    return revisions.named("HEAD", head) if head else "nothing (there is no commit yet)"


def _in_commit(repository: Repository, base: str | None, head: str) -> list[raw_diff.RawEntry]:
    old = base or revisions.empty_tree(repository)
    return _entries(listed(repository, "diff-tree", *_COMPARISON, old, head, "--", trees=(old, head)))


def _in_index(repository: Repository, base: str | None) -> list[raw_diff.RawEntry]:
    old = base or revisions.empty_tree(repository)
    # Without the option, git 2.39 shows a file that is only announced (`git add --intent-to-add`) as an empty one.
    options = ("--cached", "--ita-invisible-in-index", *_COMPARISON)
    return _entries(listed(repository, "diff-index", *options, old, "--", trees=(None, old)))


def _entries(records: Iterable[bytes]) -> list[raw_diff.RawEntry]:
    return list(raw_diff.entries(records))


def _in_work_tree(repository: Repository, base: str | None) -> _Differences:
    repository.require_work_tree()
    staged_entries = _in_index(repository, base)
    in_index, files = _by_path(staged_entries), {file.path: file for file in _present(staged_entries)}
    unstaged = _by_path(raw_diff.entries(listed(repository, "diff-files", *_AGAINST_INDEX, "--")))
    for path, entry in unstaged.items():
        if entry.status == "D":
            files.pop(path, None)
        else:
            before = in_index.get(path, entry)
            files[path] = ChangedFile(path, entry.kind, before.old, None, before.was)
    for name in listed(repository, "ls-files", "--others", "--exclude-standard", "-z"):
        path = raw_diff.decoded(name)
        # Another repository inside this one is listed as a folder.
        kind: FileKind = "submodule" if path.endswith("/") else "file"
        files[path] = ChangedFile(path, kind, in_index[path].old if path in in_index else None, None)
    # What the index has as the base has it is listed by the second comparison alone.
    of_base = _replaced(entry for path, entry in unstaged.items() if path not in in_index) if base else []
    return _Differences(files.values(), [*_replaced(staged_entries), *of_base])


def _differences(entries: Sequence[raw_diff.RawEntry]) -> _Differences:
    return _Differences(_present(entries), _replaced(entries))


def _replaced(entries: Iterable[raw_diff.RawEntry]) -> list[EarlierFile]:
    """The files of the old side that the new one has not, or not the same."""
    return [
        EarlierFile(entry.was or entry.path, entry.old) for entry in entries if entry.old and entry.status in _REPLACED
    ]


def _present(entries: Iterable[raw_diff.RawEntry]) -> Iterator[ChangedFile]:
    for entry in _by_path(entries).values():
        if entry.status != "D":
            yield ChangedFile(entry.path, entry.kind, entry.old, entry.new, entry.was)


def _by_path(entries: Iterable[raw_diff.RawEntry]) -> dict[str, raw_diff.RawEntry]:
    """Entries by path. Git lists a conflict twice, the second time as a change against one of its sides."""
    found: dict[str, raw_diff.RawEntry] = {}
    for entry in entries:
        known = found.setdefault(entry.path, entry)
        if entry.status == "U":
            found[entry.path] = entry
        elif known is not entry and known.status != "U":
            raise GitError(
                f"git lists {printable(entry.path)} twice: a tree or the index is damaged",
                "`git fsck` tells more",
            )
    return found


def change_set(
    scope: Scope,
    files: Iterable[ChangedFile],
    replaced: Iterable[EarlierFile] = (),
    bases: Sequence[str] | None = None,
    target: str | None = None,
) -> ChangeSet:
    """Return a set of changes, its files sorted by path; without ``bases``, it has the base of the scope."""
    if bases is None:
        bases = (scope.base,) if scope.base else ()
    in_order, earlier = tuple(sorted(files, key=_place)), tuple(sorted(replaced, key=_place))
    return ChangeSet(scope, in_order, tuple(bases), target=target, replaced=earlier)


def _place(file: ChangedFile | EarlierFile) -> bytes:
    return file.path.encode("utf-8", "surrogateescape")
