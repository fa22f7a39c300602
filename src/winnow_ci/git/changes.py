"""What changed: one function for each mode of a scan, and what narrows a change to the paths that a user names.

Commits and the index are compared by object ids. The work tree is looked at in three steps that together say what
``git diff`` and ``git status`` would: what is staged against the base, what differs from the index, and what is neither
tracked nor ignored. So git looks for renames and copies among stored objects only and never reads a file for it.

Deleted files add no lines. They are listed apart, with all that a change replaces, since its code may have moved.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from winnow_ci import system
from winnow_ci.errors import GitError, UsageError, did_you_mean_file
from winnow_ci.git import revisions
from winnow_ci.git.listing import RawEntry, list_differences, list_records
from winnow_ci.git.plumbing import decoded, printable
from winnow_ci.model.changes import ChangedFile, ChangeSet, EarlierFile
from winnow_ci.model.findings import Scope

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    from winnow_ci.git.repository import Repository
    from winnow_ci.model import Mode
    from winnow_ci.model.changes import FileKind

    # The files of the new side of a comparison, and those of the old side that it lacks or has changed.
    _Differences: TypeAlias = tuple[Iterable[ChangedFile], Iterable[EarlierFile]]

# Without these options, `diff.*` of the configuration and .gitmodules of the change would decide some of them.
COMPARISON = (
    "--raw -z -r --no-abbrev --find-renames --find-copies -l1000 --no-ext-diff --no-textconv --ignore-submodules=none"
).split()
# `dirty` keeps git from starting `git status` inside the submodule, under the submodule's own configuration.
_AGAINST_INDEX = "--raw -z --no-abbrev --no-renames --ignore-submodules=dirty".split()

_REPLACED = frozenset("DMTR")  # the statuses of files that the new side lacks or has changed
_MOST_NAMED = 5  # the most paths that a description names


def staged(repository: Repository) -> ChangeSet:
    """Compare HEAD with the index that git itself uses (in a hook: with what is about to be committed)."""
    repository.require_work_tree()
    head = revisions.head_commit(repository)
    scope = Scope("staged", head, None, f"staged changes against {_named_head(head)}")
    return change_set(scope, *_differences(_in_index(repository, head)))


def staged_in(repository: Repository, paths: Sequence[str], *, all_as_new: bool) -> ChangeSet:
    """Compare what is staged in the files that a hook is given by name; see ``narrow``.

    A file that is the same in HEAD is listed as unchanged, or counts as new as a whole if ``all_as_new`` is set. One
    that is not tracked is new; it is read from the work tree.
    """
    wanted = {_from_root(repository, path) for path in paths}
    changes = staged(repository)
    if wanted <= {file.path for file in changes.files}:
        return narrow(repository, changes, paths)
    tracked_files = _present(_in_index(repository, None))
    files = {file.path: file if all_as_new else file._replace(kind="unchanged") for file in tracked_files}
    files |= {file.path: file for file in changes.files}
    tracked = {part for path in files for part in _at_or_above(path)}
    for path in wanted - tracked:
        if os.path.lexists(repository.require_work_tree() / path):
            files[path] = ChangedFile(path, "file", None, None)
    return narrow(repository, change_set(changes.scope, files.values(), bases=()), paths)


def since(repository: Repository, revision: str) -> ChangeSet:
    """Compare the merge base of ``revision`` and HEAD with the work tree: whatever came since, committed or not.

    A branch that only the remote has is named as one of this clone.
    """
    return _since(repository, "since", revisions.resolve_branch(repository, revision))


def on_branch(repository: Repository) -> ChangeSet:
    """Compare the merge base of the default branch and HEAD with the work tree.

    On the default branch itself that leaves what is not pushed yet or, without a remote, not committed. Raises
    ``UsageError`` if no branch looks like the default one.
    """
    if revisions.head_commit(repository) is None:
        scope = Scope("branch", None, None, f"{_named_head(None)} against the work tree")
        return change_set(scope, *_in_work_tree(repository, None))
    if tip := revisions.usual_branch(repository):
        return _since(repository, "branch", tip)
    problem = "cannot tell which branch to compare this one with: there is no origin/HEAD, main or master"
    raise UsageError(problem, "name it with --since REV, or scan everything with --all")


def _since(repository: Repository, mode: Mode, tip: revisions.BranchTip) -> ChangeSet:
    base = revisions.merge_base(repository, tip, revisions.head_commit(repository))
    described = f"{revisions.named_commit(tip.name, base.commit)}{base.note} against the work tree"
    scope = Scope(mode, base.commit, None, described)
    return change_set(scope, *_in_work_tree(repository, base.commit), target=tip.commit)


def between(repository: Repository, commits: str) -> ChangeSet:
    """Compare ``A..B``, or ``A...B`` from their merge base; an empty side is HEAD. Else raise ``UsageError``."""
    left, dots, right = commits.partition("..." if "..." in commits else "..")
    if not dots or not (left or right) or ".." in left + right or right.startswith("."):
        # `..` alone, HEAD against itself, is what two unset variables would make of A..B: never anything to find.
        raise UsageError(f"not a range of commits: {printable(commits)}", "write A..B or A...B")
    target = revisions.BranchTip(left or "HEAD", revisions.resolve_revision(repository, left or "HEAD"))
    head = revisions.resolve_revision(repository, right or "HEAD")
    base = revisions.merge_base(repository, target, head) if dots == "..." else revisions.BaseCommit(target.commit, "")
    scope = Scope("range", base.commit, head, f"{base.commit[:12]}..{head[:12]}{base.note}")
    return change_set(scope, *_differences(_in_commit(repository, base.commit, head)), target=target.commit)


def beyond(repository: Repository, bases: Sequence[str], tip: str, description: str) -> ChangeSet:
    """List the files of a commit (``tip``) that none of ``bases`` has at the same path; without bases, all of them.

    The lines that a file adds are those that it adds to the first base.
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


def between_commits(
    repository: Repository, base: str | None, head: str, reason: str, target: str | None = None
) -> ChangeSet:
    """Compare two commits that are here, or one with nothing.

    ``target`` is the tip of the branch that the change is for; None if that is the base.
    """
    compared = f"{base[:12]}..{head[:12]}" if base else f"the whole of {head[:12]}"
    scope = Scope("range" if base else "all", base, head, f"{compared} ({reason})")
    return change_set(scope, *_differences(_in_commit(repository, base, head)), target=target)


def no_changes(reason: str) -> ChangeSet:
    """Compare nothing; ``reason`` says why."""
    return ChangeSet(Scope("range", None, None, reason), ())


def everything(repository: Repository) -> ChangeSet:
    """Compare nothing with the work tree, or with HEAD in a bare repository."""
    if repository.root is not None:
        return change_set(Scope("all", None, None, "the whole work tree"), *_in_work_tree(repository, None))
    head = revisions.head_commit(repository)
    scope = Scope("all", None, head, f"the whole of {_named_head(head)}")
    return change_set(scope, *_differences(_in_commit(repository, None, head) if head else []))


def _named_head(head: str | None) -> str:
    return revisions.named_commit("HEAD", head) if head else "nothing (there is no commit yet)"


def _in_commit(repository: Repository, base: str | None, head: str) -> list[RawEntry]:
    old = base or revisions.empty_tree(repository)
    records = list_records(repository, "diff-tree", *COMPARISON, old, head, "--", trees=(old, head))
    return list(list_differences(records))


def _in_index(repository: Repository, base: str | None) -> list[RawEntry]:
    old = base or revisions.empty_tree(repository)
    # Without the option, git 2.39 shows a file that is only announced (`git add --intent-to-add`) as an empty one.
    command = ("diff-index", "--cached", "--ita-invisible-in-index", *COMPARISON, old, "--")
    return list(list_differences(list_records(repository, *command, trees=(None, old))))


def _in_work_tree(repository: Repository, base: str | None) -> _Differences:
    repository.require_work_tree()
    staged_entries = _in_index(repository, base)
    in_index, files = _by_path(staged_entries), {file.path: file for file in _present(staged_entries)}
    unstaged = _by_path(list_differences(list_records(repository, "diff-files", *_AGAINST_INDEX, "--")))
    for path, entry in unstaged.items():
        if entry.status == "D":
            files.pop(path, None)
        else:
            before = in_index.get(path, entry)
            files[path] = ChangedFile(path, entry.kind, before.old, None, before.was)
    for name in list_records(repository, "ls-files", "--others", "--exclude-standard", "-z"):
        path = decoded(name)
        # Another repository inside this one is listed as a folder.
        kind: FileKind = "submodule" if path.endswith("/") else "file"
        files[path] = ChangedFile(path, kind, in_index[path].old if path in in_index else None, None)
    # What the index has as the base has it is listed by the second comparison alone.
    of_base = _replaced(entry for path, entry in unstaged.items() if path not in in_index) if base else []
    return files.values(), [*_replaced(staged_entries), *of_base]


def _differences(entries: Sequence[RawEntry]) -> _Differences:
    return _present(entries), _replaced(entries)


def _replaced(entries: Iterable[RawEntry]) -> list[EarlierFile]:
    return [
        EarlierFile(entry.was or entry.path, entry.old) for entry in entries if entry.old and entry.status in _REPLACED
    ]


def _present(entries: Iterable[RawEntry]) -> Iterator[ChangedFile]:
    for entry in _by_path(entries).values():
        if entry.status != "D":
            yield ChangedFile(entry.path, entry.kind, entry.old, entry.new, entry.was)


def _by_path(entries: Iterable[RawEntry]) -> dict[str, RawEntry]:
    """Return entries by path. Git lists a conflict twice, the second time as a change against one of its sides."""
    found: dict[str, RawEntry] = {}
    for entry in entries:
        known = found.setdefault(entry.path, entry)
        if entry.status == "U":
            found[entry.path] = entry
        elif known is not entry and known.status != "U":
            raise GitError(
                f"git lists {printable(entry.path)} twice: a tree or the index is damaged", "run `git fsck` to see more"
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


def narrow(repository: Repository, changes: ChangeSet, paths: Sequence[str]) -> ChangeSet:
    """Keep the files that are, or lie below, one of the paths; all of them if there are no paths.

    Paths are taken literally, relative to the current directory (in a bare repository: to the root). Raises
    ``UsageError`` if one leads out of the repository, or is not in it, neither now nor in what is compared.
    """
    if not paths:
        return changes
    wanted = {_from_root(repository, path): path for path in paths}
    files = tuple(file for file in changes.files if any(part in wanted for part in _at_or_above(file.path)))
    for path, given in wanted.items():
        if not _is_known(repository, changes, path):
            remedy = printable(did_you_mean_file(Path(given), "PATHs are relative to the current directory"))
            raise UsageError(f"no such file or folder: {printable(given)}", remedy)
    scope = changes.scope._replace(description=f"{changes.scope.description}, only {_described(wanted)}")
    return changes._replace(scope=scope, files=files, is_narrowed=True)


def _from_root(repository: Repository, path: str) -> str:
    """Return a path relative to the root, ``/`` between its parts; "" for the root itself."""
    root = Path(os.path.realpath(repository.root or repository.git_dir))
    full = (Path.cwd() if repository.root else root) / path
    # Links on the way are followed, but a link at the end is the file that is meant.
    is_plain = full.name not in {"", os.pardir}
    full = Path(os.path.realpath(full.parent), full.name) if is_plain else Path(os.path.realpath(full))
    if not full.is_relative_to(root):
        raise UsageError(f"not in the repository: {printable(path)}", f"name paths below {printable(str(root))}")
    return "" if full == root else system.path_of_name(full.relative_to(root).as_posix())


def _described(paths: Collection[str]) -> str:
    if len(paths) > _MOST_NAMED:
        return f"{len(paths):,} of its paths"
    return ", ".join(printable(path) or "." for path in sorted(paths))


def _at_or_above(path: str) -> Sequence[str]:
    parts = path.split("/")
    return ["/".join(parts[:length]) for length in range(len(parts) + 1)]


def _is_known(repository: Repository, changes: ChangeSet, path: str) -> bool:
    if not path or (repository.root and os.path.lexists(repository.root / path)):
        return True
    if any(path in _at_or_above(file.path) for file in changes.files):
        return True
    if repository.root and repository.run("ls-files", "-z", "--", path):
        return True
    trees = {changes.scope.base, changes.scope.head, revisions.head_commit(repository)} - {None}
    return any(repository.run("ls-tree", "-z", "--full-tree", tree, "--", path) for tree in trees if tree)
