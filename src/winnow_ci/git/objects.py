"""Ask a git process that keeps running about stored objects, and read with it what changed.

Git takes longer to start than to answer most questions, so one command of ours keeps the processes that have answered
(``Repository.keeping_answers``). Every changed file is yielded, with its content or with the reason why it has none.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import TypeVar

from winnow_ci import system
from winnow_ci.errors import GitError
from winnow_ci.git.line_diff import added_lines
from winnow_ci.git.plumbing import Conversation, GitCommandError, ObjectKind, Subject, lines_of_input, only_object_id
from winnow_ci.git.repository import Repository
from winnow_ci.model import Change, Skipped, SkipState
from winnow_ci.model.changes import ChangedFile, FileKind
from winnow_ci.regular_file import NOT_REGULAR, open_regular

_T = TypeVar("_T")

# Bytes of questions that may be sent before their answers are read. They must fit into a pipe, which on some systems
# has no more: git does not read on while its answer waits, and we do not read while our question waits.
_AHEAD = 1 << 12
# Git applies to its input only the options that stand before --stdin.
_PRESENT = "rev-list --no-walk --objects --no-object-names --ignore-missing --missing=allow-any --stdin".split()


def blob_sizes(repository: Repository, ids: Iterable[str]) -> dict[str, int]:
    """Return the sizes in bytes of the blobs that are here, without unpacking them."""
    wanted = sorted(set(ids))
    try:
        found = list(blobs_named(repository, wanted))
    except GitCommandError as error:
        if "promisor remote" not in str(error):
            raise
        # In a partial clone, cat-file ends at the first object that it would have to fetch.
        wanted = repository.ask(*_PRESENT, given=lines_of_input(wanted)).output.decode(errors="replace").split()
        found = list(blobs_named(repository, wanted))
    return dict(filter(None, found))


def partial_clone_remedy(repository: Repository) -> str:
    """Return how a partial clone gets the objects that it lacks; empty for any other clone."""
    is_partial = repository.ask("config", "--get-regexp", r"^remote\..*\.promisor$|^extensions\.partialclone$").output
    return ": this is a partial clone: run `git fetch --refetch --no-filter`" if is_partial else ""


def blobs_at(repository: Repository, commit: str, paths: Iterable[str]) -> dict[str, str]:
    """Return path → id of the blobs that a commit has at paths without line ends."""
    asked = list(paths)
    found = blobs_named(repository, [f"{commit}:{path}" for path in asked])
    return {path: blob[0] for path, blob in zip(asked, found, strict=True) if blob}


def blobs_named(repository: Repository, names: Sequence[str]) -> Iterator[tuple[str, int] | None]:
    """Yield id and size in bytes of each named blob; None for what is missing or no blob."""
    for reply in _answers(repository, "descriptions", names, Conversation.description):
        is_blob = len(reply) == 3 and reply[1] == b"blob" and reply[2].isdigit()
        yield (only_object_id(reply[0]), int(reply[2])) if is_blob else None


def object_contents(repository: Repository, ids: Sequence[str], kind: ObjectKind = "blob") -> Generator[bytes]:
    """Yield the contents of objects that are known to be here, in this order, one at a time."""
    yield from _answers(repository, "contents", ids, lambda git, name: git.content(name, kind))


def _answers(
    repository: Repository, subject: Subject, names: Sequence[str], answer: Callable[[Conversation, str], _T]
) -> Generator[_T]:
    if not names:
        return
    with repository.conversation(subject) as git:
        for asked in _batches(names):
            git.ask(asked)
            for name in asked:
                yield answer(git, name)


def _batches(names: Sequence[str]) -> Iterator[Sequence[str]]:
    start = size = 0
    for end, name in enumerate(names):
        length = len(lines_of_input([name]))
        if size + length > _AHEAD and end > start:
            yield names[start:end]
            start, size = end, 0
        size += length
    yield names[start:]


# Specification of Git LFS: a pointer starts with its version and is shorter than 1,024 bytes. The program itself also
# takes its former addresses, white space before, and the lines of extensions first (lfs/pointer.go).
_LFS_POINTER = re.compile(
    rb"\s*(?:ext-\S+ \w+:[0-9a-f]+\s+)*version (?:https://git-lfs\.github\.com/spec/|https://hawser\.github\.com/spec/"
    rb"|http://git-media\.io/v/)\S+\s*(?:(?:ext-\S+ \w+:|oid \w+:|size )[0-9a-f]+\s*)*"
)
_LFS_LENGTH = 1024
MOST_CHANGED_BYTES = 256 << 30  # the most bytes of all contents of a scan; one blob may have any number of paths
LFS_POINTER = "Git LFS pointer: content not fetched"
# Kind of a file that is not read → why, and the state that this leaves it in.
_OBSTACLES: Mapping[FileKind, tuple[str, SkipState]] = {
    "unchanged": ("unchanged since HEAD: scan --all checks them", "out-of-scope"),
    "submodule": ("submodule", "out-of-scope"),
    "unmerged": ("unresolved conflict", "not-scanned"),
}


def is_lfs_pointer(content: bytes) -> bool:
    """Return whether a content only points to one that Git LFS keeps elsewhere."""
    return len(content) < _LFS_LENGTH and _LFS_POINTER.fullmatch(content) is not None


def read_changes(
    repository: Repository, files: Iterable[ChangedFile], size_limit: int
) -> Iterator[tuple[ChangedFile, Change | Skipped]]:
    """Yield the files in their order, each with its content and the lines added, or with the reason why not.

    The contents of one file are held at a time. Sizes are asked for first, so that what is too large is never
    unpacked; ``size_limit`` is the largest content to look at, in bytes. If the old content is too large, the whole
    file counts as added.
    """
    in_order = tuple(files)
    names = {name for file in in_order if file.kind == "file" for name in (file.new, file.old) if name}
    sizes = blob_sizes(repository, names)
    remedy = "" if names <= sizes.keys() else partial_clone_remedy(repository)
    verdicts = [_obstacle(file, sizes, size_limit, remedy) for file in in_order]
    olds = [file.old if file.old and sizes.get(file.old, 0) <= size_limit else None for file in in_order]
    wanted = [
        name
        for file, verdict, old in zip(in_order, verdicts, olds, strict=True)
        for name in (file.new, old)
        if name and verdict is None
    ]
    if sum(sizes[name] for name in wanted) > MOST_CHANGED_BYTES:
        problem = f"the files to read add up to more than {MOST_CHANGED_BYTES >> 30} GiB"
        raise GitError(problem, "scan them in parts, by naming PATHs; a blob counts once for each of its paths")
    with closing(object_contents(repository, wanted)) as stored:
        for file, verdict, old in zip(in_order, verdicts, olds, strict=True):
            yield file, verdict or _compare(repository, file, stored, size_limit, has_old=old is not None)


def _obstacle(file: ChangedFile, sizes: Mapping[str, int], size_limit: int, remedy: str) -> Skipped | None:
    if file.kind == "symlink":
        return _symbolic_link(file.path)
    if file.kind in _OBSTACLES:
        return Skipped(file.path, *_OBSTACLES[file.kind])
    if file.new and sizes.get(file.new, 0) > size_limit:
        return _too_large(file.path, size_limit)
    for name in (file.new, file.old):
        if name and name not in sizes:
            return Skipped(file.path, f"object {name[:12]} is missing from this clone{remedy}", "not-scanned")
    return None


def _compare(
    repository: Repository, file: ChangedFile, stored: Iterator[bytes], size_limit: int, *, has_old: bool
) -> Change | Skipped:
    """Take the file's contents, the new one first, from those that are stored or from the work tree."""
    new = next(stored) if file.new else _read_file(repository.require_work_tree(), file.path, size_limit)
    old = next(stored) if has_old else None
    if isinstance(new, Skipped):
        return new
    if is_lfs_pointer(new):
        return Skipped(file.path, LFS_POINTER, "not-scanned")
    return Change(file.path, new, added_lines(old or b"", new), old)


def _read_file(root: Path, path: str, size_limit: int) -> bytes | Skipped:
    """Read a file of the work tree without following links, opening devices, or reading more than ``size_limit``."""
    # Git's names are UTF-8 by convention, whatever encoding the locale has for those of files.
    full = Path(system.place_below(os.path.realpath(root), path))
    try:
        if os.path.normcase(os.path.realpath(full.parent)) != os.path.normcase(full.parent):
            return Skipped(path, "lies behind a symbolic link", "not-scanned")
        with open_regular(full, follow=False) as file:
            # A large file is not read: the limit is 64 MiB, and a work tree may have thousands of them.
            is_large = os.fstat(file.fileno()).st_size > size_limit
            content = b"" if is_large else file.read(size_limit + 1)
    except OSError as error:
        if error.errno not in NOT_REGULAR:
            return Skipped(path, f"cannot be read: {error.strerror}", "not-scanned")
        return _symbolic_link(path) if full.is_symlink() else Skipped(path, "not a regular file", "not-scanned")
    return _too_large(path, size_limit) if is_large or len(content) > size_limit else content


def _symbolic_link(path: str) -> Skipped:
    # Its content is a path, perhaps that of a secret outside.
    return Skipped(path, "symbolic link", "out-of-scope")


def _too_large(path: str, size_limit: int) -> Skipped:
    return Skipped(path, f"larger than {size_limit / 2**20:g} MiB", "not-scanned")
