"""Names on the command line → bodies of code: a file, a folder, or a revision of the repository in the current folder.

A name is taken for a revision only if no file or folder has it. ``REV`` is a whole commit, ``REV:path`` a file or
folder in it, as in git.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import TYPE_CHECKING

from winnow_ci import corpus, git
from winnow_ci.comparing.kept_sketches import kept_in
from winnow_ci.errors import CorpusError, GitError, UsageError
from winnow_ci.snapshot import StoredFile, check_total, loaded, snapshot, with_sizes
from winnow_ci.start_up import record

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from winnow_ci.comparing.kept_sketches import KeptSketches
    from winnow_ci.model import Skipped

_REMEDY = "name a file, a folder, or a revision (REV or REV:path) with code in a language that winnow-ci knows"


@record(frozen=True, slots=True, eq=False)
class CodeBody:
    """Files to compare, listed without content.

    Attributes:
        name: as the user gave it.
        files: by path.
        skipped: what is not a file, and why.
        commit: the id of the commit that has them; None for a file or folder.
        kept: their sketches, if only these are known.
    """

    name: str
    files: tuple[corpus.CorpusFile, ...]
    skipped: tuple[Skipped, ...] = ()
    commit: str | None = None
    kept: KeptSketches | None = None
    _repository: git.Repository | None = None

    def read(
        self, files: Sequence[corpus.CorpusFile], wanted: Callable[[corpus.CorpusFile], bool]
    ) -> Iterator[corpus.CorpusFile]:
        """Yield files in the order given; those of a commit with the contents of the wanted ones.

        Args:
            files: some of this body's.
            wanted: whether the content of a file is needed.

        Raises:
            GitError: git failed.
        """
        if self._repository is None:
            return iter(files)
        return loaded(self._repository, [file for file in files if isinstance(file, StoredFile)], wanted)


def find_body(name: str) -> CodeBody:
    """The body with a name.

    Raises:
        UsageError: no file, folder or revision has that name.
        GitError: there is no such revision, or git failed.
        CorpusError: a folder cannot be listed, or there are no files.
    """
    if os.path.lexists(name):
        kept = kept_in(Path(name)) if os.path.isfile(name) else None  # noqa: PTH113 - of any text
        return CodeBody(name, tuple(_files_at(Path(name)))) if kept is None else _sketched(name, kept)
    try:
        repository = git.Repository.find(Path.cwd())
    except GitError as error:
        raise UsageError(f"{name}: No such file or directory, and no git repository here", _REMEDY) from error
    revision, path = _parts(name)
    try:
        commit = git.resolve(repository, revision)
    except GitError as error:
        problem = f"{name} is neither a file nor a folder nor a revision of the repository here"
        remedy = error.remedy if "shallow" in error.remedy else _REMEDY
        raise UsageError(problem, remedy) from error
    return _stored(repository, name, commit, None if path is None else _from_root(repository, path))


def _sketched(name: str, kept: KeptSketches) -> CodeBody:
    files = (corpus.CorpusFile(path, Path(name), 0, reason="only its sketch is known") for path in kept.documents)
    return CodeBody(name, tuple(files), kept=kept)


def _files_at(path: Path) -> Sequence[corpus.CorpusFile]:
    """The files of a folder by path, or the one file."""
    try:
        # A link that the user names is followed; links inside a folder are not.
        found = path.resolve(strict=True)
        about = found.stat()
    except (OSError, RuntimeError) as error:
        raise UsageError(f"{path}: {getattr(error, 'strerror', error)}", _REMEDY) from error
    if stat.S_ISREG(about.st_mode):
        return [corpus.CorpusFile(found.name, found.parent, about.st_size)]
    if not stat.S_ISDIR(about.st_mode):
        raise UsageError(f"{path} is neither a file nor a folder", _REMEDY)
    return list(corpus.documents(path))


def _parts(name: str) -> tuple[str, str | None]:
    """Revision and path, split as git does at the first colon outside braces (``HEAD^{/fix: it}:src``)."""
    depth = 0
    for position, character in enumerate(name):
        depth = max(0, depth + (character == "{") - (character == "}"))
        if character == ":" and not depth:
            return name[:position], name[position + 1 :]
    return name, None


def _from_root(repository: git.Repository, path: str) -> str:
    """A path in a commit. Only a path that begins with ``.`` or ``..`` is relative to the current folder."""
    if path.split("/", 1)[0] in {".", ".."} and repository.root is not None:
        here = os.path.relpath(os.path.realpath("."), os.path.realpath(repository.root))
        path = os.path.normpath(f"{here}/{path}")
    return "" if path == "." else path.rstrip("/")


def _stored(repository: git.Repository, name: str, commit: str, path: str | None) -> CodeBody:
    path = path or ""
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
