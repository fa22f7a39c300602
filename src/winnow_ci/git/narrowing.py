"""Narrows a set of changes to the paths that a user names."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from winnow_ci.errors import UsageError, nearest_file
from winnow_ci.git import raw_diff, revisions
from winnow_ci.git.changes import change_set, staged, tracked
from winnow_ci.git.plumbing import printable
from winnow_ci.model.changes import ChangedFile, ChangeSet

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from winnow_ci.git.repository import Repository

_NAMES = 5


def narrow(repository: Repository, changes: ChangeSet, paths: Sequence[str]) -> ChangeSet:
    """Keep the files that are, or lie below, one of the paths; all of them if there are no paths.

    Args:
        repository: where the changes are from.
        changes: what to narrow.
        paths: files or folders, taken literally, relative to the current directory (in a bare repository: to the root).

    Raises:
        UsageError: a path leads out of the repository, or is not in it, neither now nor in what is compared.
        GitError: git failed.
    """
    if not paths:
        return changes
    wanted = {_from_root(repository, path): path for path in paths}
    files = tuple(file for file in changes.files if any(part in wanted for part in _at_or_above(file.path)))
    for path, given in wanted.items():
        if not _known(repository, changes, path):
            near = nearest_file(Path(given))
            remedy = f"did you mean {printable(str(near))}?" if near else "PATHs are relative to the current directory"
            raise UsageError(f"no such file or folder: {printable(given)}", remedy)
    description = f"{changes.scope.description}, only {_listed(wanted)}"
    scope = changes.scope._replace(description=description)
    return changes._replace(scope=scope, files=files, is_narrowed=True)


def named(repository: Repository, paths: Sequence[str]) -> ChangeSet:
    """What is staged in the files that a hook is given by name.

    A file that is the same in HEAD counts as new as a whole, since somebody has named it nevertheless
    (``pre-commit run --all-files``); so does one that is not tracked, which is read from the work tree.

    Args:
        repository: where the files are.
        paths: as for ``narrow``.

    Raises:
        UsageError: as for ``narrow``.
        GitError: git failed, or there is no index.
    """
    wanted = {_from_root(repository, path) for path in paths}
    changes = staged(repository)
    if wanted <= {file.path for file in changes.files}:
        return narrow(repository, changes, paths)
    changes = tracked(repository)
    seen = {part for file in changes.files for part in _at_or_above(file.path)}
    others = (path for path in wanted - seen if os.path.lexists(repository.require_work_tree() / path))
    untracked = (ChangedFile(path, "file", None, None) for path in others)
    return narrow(repository, change_set(changes.scope, (*changes.files, *untracked), bases=()), paths)


def _from_root(repository: Repository, path: str) -> str:
    """Return a path relative to the root, ``/`` between its parts; "" for the root itself."""
    root = Path(os.path.realpath(repository.root or repository.git_dir))
    full = (Path.cwd() if repository.root else root) / path
    # Links on the way are followed, but a link at the end is the file that is meant.
    is_plain = full.name not in {"", os.pardir}
    full = Path(os.path.realpath(full.parent), full.name) if is_plain else Path(os.path.realpath(full))
    if not full.is_relative_to(root):
        raise UsageError(f"not in the repository: {printable(path)}", f"name paths below {printable(str(root))}")
    return "" if full == root else raw_diff.decoded(os.fsencode(full.relative_to(root).as_posix()))


def _listed(paths: Collection[str]) -> str:
    if len(paths) > _NAMES:
        return f"{len(paths):,} of its paths"
    return ", ".join(printable(path) or "." for path in sorted(paths))


def _at_or_above(path: str) -> Sequence[str]:
    parts = path.split("/")
    return ["/".join(parts[:length]) for length in range(len(parts) + 1)]


def _known(repository: Repository, changes: ChangeSet, path: str) -> bool:
    if not path or (repository.root and os.path.lexists(repository.root / path)):
        return True
    if any(path in _at_or_above(file.path) for file in changes.files):
        return True
    if repository.root and repository.run("ls-files", "-z", "--", path):
        return True
    trees = {changes.scope.base, changes.scope.head, revisions.head(repository)} - {None}
    return any(repository.run("ls-tree", "-z", "--full-tree", tree, "--", path) for tree in trees if tree)
