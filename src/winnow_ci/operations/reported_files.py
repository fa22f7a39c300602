"""The changed files of a stored report, as they were scanned: in the commit, in the git index, or in the work tree."""

from __future__ import annotations

from typing import TYPE_CHECKING

from winnow_ci import git
from winnow_ci.model import Change
from winnow_ci.model.changes import ChangedFile
from winnow_ci.scanner.preparation import LARGEST_FILE
from winnow_ci.start_up import sha256

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from winnow_ci.git import Repository
    from winnow_ci.model.findings import Scope


def contents(
    repository: Repository, scope: Scope, wanted: Iterable[tuple[str, str]]
) -> Iterator[tuple[str, str, bytes]]:
    """Give the files that are still what they were, each once, with path, sha256 and content.

    A report may be anybody's: what it names outside of the repository is not read, and what has another sha256 is not
    given. Uncommitted work may have been committed since, so HEAD is looked at, too.

    Args:
        repository: where the change is.
        scope: what was compared.
        wanted: paths and sha256 of the files.

    Raises:
        GitError: git failed, or the commit that was scanned is not here.
    """
    left = {pair for pair in wanted if _is_below(pair[0])}
    for place in _places(repository, scope):
        files = sorted(place({path for path, _ in left}), key=lambda file: file.path) if left else []
        for file, change in git.read_changes(repository, files, LARGEST_FILE):
            if isinstance(change, Change):
                pair = file.path, sha256(change.content).hexdigest()
                if pair in left:
                    left.remove(pair)
                    yield *pair, change.content


def _places(repository: Repository, scope: Scope) -> Iterator[Callable[[set[str]], Iterable[ChangedFile]]]:
    """Where the files may be, the likeliest place first."""
    if scope.head:
        yield lambda paths: _of_commit(repository, scope.head, paths)
        return
    if repository.root is not None:
        if scope.mode == "staged":
            yield lambda paths: [file for file in git.staged(repository).files if file.path in paths]
        yield lambda paths: [ChangedFile(path, "file", None, None) for path in paths]
    yield lambda paths: _of_commit(repository, git.head_commit(repository), paths)


def _of_commit(repository: Repository, commit: str | None, paths: set[str]) -> Iterable[ChangedFile]:
    if commit is None:
        return []
    return [file for file in git.between_commits(repository, None, commit, "report").files if file.path in paths]


def _is_below(path: str) -> bool:
    """Whether a path is one that git could have given."""
    parts = path.split("/")
    return {"", ".", "..", ".git"}.isdisjoint(parts) and "\0" not in path
