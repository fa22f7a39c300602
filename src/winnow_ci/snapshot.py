"""A commit as a corpus: the same files that a folder with them would give.

Nothing is checked out, so none of the repository's own settings apply (filters, line ends, keywords, hooks): a file is
the bytes of its blob. Links and submodules are not followed, and the same folders are left out as on disk
(``corpus.LEFT_OUT_FOLDERS``). A tree may be hostile: a few hundred bytes can describe endlessly many files.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from pathlib import Path

from winnow_ci import git
from winnow_ci.corpus import LEFT_OUT_FOLDERS, ArchiveLimits, CorpusFile
from winnow_ci.errors import CorpusError, GitError
from winnow_ci.model import Skipped
from winnow_ci.named_tuples import NamedTuple
from winnow_ci.start_up import record, replace

_REASONS = {"symlink": "symbolic link", "submodule": "submodule"}
_REMEDY = "if you trust it, check it out and build from that folder"
_LIMITS = ArchiveLimits()
_PARTIAL = "fetch the missing objects: `git fetch --refetch --no-filter`, or clone without --filter"


@record(frozen=True, slots=True)
class StoredFile(CorpusFile):
    """A file of a commit. ``root`` is the repository, ``blob`` the id of its content."""

    blob: str = ""


class Snapshot(NamedTuple):
    """The files of a tree, sorted by the bytes of their paths and without content; and links and submodules."""

    files: tuple[StoredFile, ...]
    skipped: tuple[Skipped, ...]


def snapshot(repository: git.Repository, tree: str, place: Path) -> Snapshot:
    """List the files of a tree, or of a commit, by its full id, without their sizes (see ``with_sizes``).

    If git fails, that is a ``GitError``; if the tree exceeds a limit, a ``CorpusError``.
    """
    files: dict[str, StoredFile] = {}
    skipped: list[Skipped] = []
    with closing(git.entries_below(repository, tree)) as entries:
        for path, kind, blob in _LIMITS.checked(
            entries, lambda entry: entry.path, lambda problem: CorpusError(f"{place}: {tree[:12]} {problem}", _REMEDY)
        ):
            if not LEFT_OUT_FOLDERS.isdisjoint(path.split("/")[:-1]):
                continue
            if kind in _REASONS:
                skipped.append(Skipped(path, _REASONS[kind], "out-of-scope"))
            elif path in files:
                # Git itself never writes such a tree.
                skipped.append(Skipped(path, "another file of the same path", "not-scanned"))
            else:
                files[path] = StoredFile(path, place, 0, blob=blob)
    return Snapshot(tuple(sorted(files.values(), key=CorpusFile.by_bytes)), tuple(skipped))


def with_sizes(repository: git.Repository, files: Iterable[StoredFile]) -> tuple[StoredFile, ...]:
    """Return the files with their sizes, without unpacking any; one that this clone lacks is a ``GitError``."""
    listed = tuple(files)
    sizes = git.blob_sizes(repository, (file.blob for file in listed))
    for file in listed:
        if file.blob not in sizes:
            raise GitError(f"{file.location}: object {file.blob[:12]} is missing from this clone", _PARTIAL)
    return tuple(replace(file, size=sizes[file.blob]) for file in listed)


def check_total(files: Iterable[StoredFile], what: str) -> None:
    """Refuse a commit with more content than an archive may have: one blob may be the content of a million files.

    Files that are too large to be read do not count.
    """
    if sum(file.size for file in files if file.size <= _LIMITS.member) > _LIMITS.total:
        raise CorpusError(f"{what} has more than {_LIMITS.total >> 30} GiB", _REMEDY)


def loaded(
    repository: git.Repository, files: Sequence[StoredFile], wanted: Callable[[CorpusFile], bool]
) -> Iterator[StoredFile]:
    """Yield the files in their order, the wanted ones with their content, and pointers of Git LFS with a reason."""
    read = {file for file in files if wanted(file)}
    with closing(git.object_contents(repository, [file.blob for file in files if file in read])) as stored:
        for file in files:
            content = next(stored) if file in read else None
            is_pointer = content is not None and git.is_lfs_pointer(content)
            yield replace(file, content=content, reason=git.LFS_POINTER if is_pointer else file.reason)
