"""Find the bodies of code that ``compare`` is given by name: files, folders and revisions.

A name is a revision only if no file or folder has it. As in git, ``REV`` is a whole commit, ``REV:path`` a file or
folder in it.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import TYPE_CHECKING

from winnow_ci import corpus, git
from winnow_ci.errors import CorpusError, GitError, UsageError
from winnow_ci.languages import skip_by_path_and_size
from winnow_ci.model import Skipped
from winnow_ci.snapshot import StoredFile, check_total, loaded, snapshot, with_sizes
from winnow_ci.start_up import record

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_REMEDY = "name a file, a folder, or a revision (REV or REV:path) with code in a language that winnow-ci knows"


@record(frozen=True, slots=True, eq=False)
class CodeBody:
    """Files to compare, listed by path and without content."""

    name: str  # as the user gave it
    files: tuple[corpus.CorpusFile, ...]
    skipped: tuple[Skipped, ...] = ()  # what is not a file, and why
    commit: str | None = None  # id of the commit that has the files; None for a file or folder
    _repository: git.Repository | None = None

    def read(self, files: Sequence[corpus.CorpusFile]) -> Iterator[corpus.CorpusFile]:
        """Yield some of the files in the order given; those of a commit with the contents that are needed.

        Raises:
            GitError: git failed.
        """
        if self._repository is None:
            return iter(files)
        stored = [file for file in files if isinstance(file, StoredFile)]
        return loaded(self._repository, stored, lambda file: skipped_unread(file) is None)


def skipped_unread(file: corpus.CorpusFile) -> Skipped | None:
    """Return why a file is skipped, if that is known without its content."""
    if file.reason is not None:
        return Skipped(file.path, file.reason, "not-scanned")
    return skip_by_path_and_size(file.path, file.size)


def find_body(name: str) -> CodeBody:
    """Find what a name on the command line means.

    Raises:
        UsageError: no file, folder or revision has that name.
        GitError: there is no such revision, or git failed.
        CorpusError: a folder cannot be listed, or there are no files.
    """
    if os.path.lexists(name):
        return _on_disk(name)
    try:
        repository = git.Repository.find(Path.cwd())
    except GitError as error:
        raise UsageError(f"{name}: No such file or directory, and no git repository here", _REMEDY) from error
    revision, path = _split(name)
    try:
        commit = git.resolve_revision(repository, revision)
    except GitError as error:
        problem = f"{name} is not a file, a folder or a revision of this repository"
        raise UsageError(problem, error.remedy if "shallow" in error.remedy else _REMEDY) from error
    return _in_commit(repository, name, commit, _from_root(repository, path))


def _on_disk(name: str) -> CodeBody:
    path = Path(name)
    try:
        # A link that the user names is followed; links inside a folder are not.
        found = path.resolve(strict=True)
        status = found.stat()
    except (OSError, RuntimeError) as error:
        raise UsageError(f"{path}: {getattr(error, 'strerror', error)}", _REMEDY) from error
    if stat.S_ISREG(status.st_mode):
        return CodeBody(name, (corpus.CorpusFile(found.name, found.parent, status.st_size),))
    if not stat.S_ISDIR(status.st_mode):
        raise UsageError(f"{path} is not a file or folder", _REMEDY)
    return CodeBody(name, tuple(corpus.documents(path)))


def _split(name: str) -> tuple[str, str]:
    """Split into revision and path as git does, at the first colon outside braces (``HEAD^{/fix: it}:src``)."""
    depth = 0
    for position, character in enumerate(name):
        depth = max(0, depth + (character == "{") - (character == "}"))
        if character == ":" and not depth:
            return name[:position], name[position + 1 :]
    return name, ""


def _from_root(repository: git.Repository, path: str) -> str:
    """Make a path in a commit relative to its root. Only ``.`` or ``..`` at its start mean the current folder."""
    if path.split("/", 1)[0] in {".", ".."} and repository.root is not None:
        here = os.path.relpath(os.path.realpath("."), os.path.realpath(repository.root))
        path = os.path.normpath(f"{here}/{path}")
    return "" if path == "." else path.rstrip("/")


def _in_commit(repository: git.Repository, name: str, commit: str, path: str) -> CodeBody:
    # Git fails on paths that no commit can have.
    is_outside = path.startswith("/") or ".." in path.split("/")
    entry = None if is_outside else git.entry_at(repository, commit, path)
    root = Path(repository.root or repository.git_dir)
    if entry is None or entry.kind not in {"file", "folder"}:
        what = "nothing there" if entry is None else f"a {entry.kind}"
        raise UsageError(f"{name}: {commit[:12]} has {what}", "`git ls-tree -r --name-only REV` shows its files")
    if entry.kind == "file":
        files: tuple[StoredFile, ...] = (StoredFile(entry.path.rpartition("/")[2], root, 0, blob=entry.id),)
        skipped: tuple[Skipped, ...] = ()
    else:
        files, skipped = snapshot(repository, entry.id, root)
    if not files:
        raise CorpusError(f"{name} has no files", _REMEDY)
    files = with_sizes(repository, files)
    check_total(files, name)
    return CodeBody(name, files, skipped, commit, _repository=repository)
