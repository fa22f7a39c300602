"""List what is in a commit, the index or the work tree, changed or not.

``git grep`` looks for lines: no other command reads a whole commit so fast. It takes them literally, and its options
override the configuration and attributes that could hide a file from it or start a driver.

File systems may take two names for one that git tells apart. macOS and Windows find ``.WINNOW.YML`` where
``.winnow.yml`` is asked for, and macOS also ignores how letters are composed, and characters without width. So a file
that a change brings under such a name would pass for one that an earlier step of the job has written.
"""

from __future__ import annotations

import os
import re
from contextlib import closing
from typing import TYPE_CHECKING, Literal, TypeAlias

from winnow_ci import system
from winnow_ci.git.listing import list_records
from winnow_ci.git.objects import blob_sizes, blobs_at, object_contents
from winnow_ci.git.plumbing import GitCommandError, decoded, not_understood, only_object_id
from winnow_ci.model.changes import EarlierFile
from winnow_ci.named_tuples import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Generator, Iterable, Iterator, Sequence

    from winnow_ci.git.repository import Repository
    from winnow_ci.model.findings import Scope

EntryKind: TypeAlias = Literal["file", "symlink", "submodule", "folder"]

_KINDS: dict[bytes, EntryKind] = {
    b"100644": "file",
    b"100755": "file",
    b"120000": "symlink",
    b"160000": "submodule",
    b"040000": "folder",
}
_WHOLE_TREE = ("ls-tree", "-r", "-z", "--full-tree")
# The patterns of paths are ours, so they need not be literal.
_GREP = (
    "--no-literal-pathspecs grep -z --files-with-matches --fixed-strings --text --no-textconv --no-color "
    "--no-recurse-submodules"
).split()
_MOST_THREADS = 8  # with more threads than processors, a small commit takes a fifth longer, and a large one as long
_WILD, _ESCAPED = re.compile(r"[*?\[\\]"), r"\\\g<0>"
_NONE_IGNORED = 1  # the exit status of ``git check-ignore`` if nothing is ignored
_NO_WIDTH = "Cf"


class TreeEntry(NamedTuple):
    """Something in a tree: its path, what it is, and the id of its object."""

    path: str
    kind: EntryKind
    id: str


def entries_below(repository: Repository, tree: str, path: str = "") -> Generator[TreeEntry]:
    """Yield all that is, or lies below, a path in a tree but folders, in git's order.

    The tree is given by its full id, or that of a commit. A small tree can have entries for ever (the same subtree in
    each of its folders): the caller must set a limit.
    """
    below = ("--", path) if path else ()
    with closing(list_records(repository, *_WHOLE_TREE, tree, *below, trees=(None, tree))) as records:
        yield from map(_entry, records)


def entry_at(repository: Repository, commit: str, path: str) -> TreeEntry | None:
    """Return what a commit, given by its full id, has at a path; None if there is nothing.

    The path has no slash at its end; the empty path is the root.
    """
    if not path:
        return TreeEntry("", "folder", commit)
    found = list(list_records(repository, "ls-tree", "-z", "--full-tree", commit, "--", path))
    return _entry(found[0]) if found else None


def regular_files(repository: Repository, commit: str, path: str = "") -> list[TreeEntry]:
    """Return the regular files of a commit that are, or lie below, a path, in the order of git."""
    return [entry for entry in entries_below(repository, commit, path) if entry.kind == "file"]


def _entry(record: bytes) -> TreeEntry:
    """Parse ``<mode> <type> <id>`` TAB path."""
    about, _, path = record.partition(b"\t")
    fields = about.split(b" ")
    if len(fields) != 3 or fields[0] not in _KINDS or not path:
        raise not_understood(record)
    return TreeEntry(decoded(path), _KINDS[fields[0]], only_object_id(fields[2]))


def contents_at(repository: Repository, commit: str, path: str) -> Iterator[tuple[str, bytes]]:
    """Yield path and content of a regular file of a commit, or of all regular files in a folder of it, by path.

    Nothing is yielded for what is not there, and for links and submodules. The path has no slash at its end.
    """
    files = regular_files(repository, commit, path)
    stored = object_contents(repository, [file.id for file in files])
    yield from zip((file.path for file in files), stored, strict=True)


def files_with_lines(
    repository: Repository,
    commit: str,
    lines: Iterable[bytes],
    names: Iterable[str],
    meanwhile: Callable[[], None] = lambda: None,
) -> list[EarlierFile]:
    """Return the files of a commit that hold one of the lines, by path; none if git cannot read all of the commit.

    ``lines`` are parts of lines, not empty, without NUL and line ends; ``names`` are endings of files (``.py``,
    whatever their case), or whole names. ``meanwhile`` is called while git looks.
    """
    paths = [f":(glob,icase)**/{'*' if name.startswith('.') else ''}{_WILD.sub(_ESCAPED, name)}" for name in names]
    patterns = b"".join(line + b"\n" for line in lines)
    command = (*_GREP, f"--threads={min(_MOST_THREADS, os.cpu_count() or 1)}", "-f", "-", commit, "--", *paths)
    records = list_records(repository, *command, trees=(None, commit), given=patterns, meanwhile=meanwhile)
    try:
        found = [decoded(name).removeprefix(f"{commit}:") for name in records]
    except GitCommandError:
        return []
    odd = {path for path in found if "\n" in path or "\r" in path}
    ids = blobs_at(repository, commit, (path for path in found if path not in odd))
    if odd:
        ids |= {file.path: file.id for file in regular_files(repository, commit) if file.path in odd}
    return [EarlierFile(path, ids[path]) for path in found if path in ids]


def load_files(repository: Repository, files: Sequence[EarlierFile], limit: int) -> Iterator[tuple[str, bytes]]:
    """Yield path and content of one file after the other, ``limit`` bytes in all.

    A file that would exceed the limit is left out, as is one whose content is not in this clone.
    """
    sizes = blob_sizes(repository, (file.content for file in files))
    kept: dict[str, str] = {}
    for file in files:
        size = sizes.get(file.content, limit + 1)
        if size <= limit and file.content not in kept:
            kept[file.content] = file.path
            limit -= size
    yield from zip(kept.values(), object_contents(repository, list(kept)), strict=True)


def absent(repository: Repository, scope: Scope, paths: Iterable[str]) -> set[str]:
    """Return the paths, relative to the root, at which the new side of a comparison has nothing."""
    if scope.head is not None:
        names = list_records(repository, *_WHOLE_TREE, "--name-only", scope.head, trees=(None, scope.head))
    elif scope.mode == "staged":
        names = list_records(repository, "ls-files", "-z", "--full-name")
    elif repository.root is not None:
        root = repository.root
        return {path for path in paths if not os.path.lexists(system.place_below(root, path))}
    else:
        return set()
    wanted = set(paths)
    for name in names:
        wanted.discard(decoded(name))
    return wanted


def ignored(repository: Repository, paths: Collection[str]) -> set[str]:
    """Return those of some paths that git ignores in the work tree, whether anything is there or not.

    All of them, if git does not say: it refuses paths behind links and in submodules. Paths are relative to the root; a
    slash at the end says that it is a folder.
    """
    if repository.root is None or not paths:
        return set()
    # The command takes no literal paths; with ./ before it, no path has a meaning of its own.
    given = b"".join(b"./" + path.encode("utf-8", "surrogateescape") + b"\0" for path in paths)
    answer = repository.ask("--no-literal-pathspecs", "check-ignore", "--no-index", "-z", "--stdin", given=given)
    if answer.status not in {0, _NONE_IGNORED}:
        return set(paths)
    return {decoded(name).removeprefix("./") for name in answer.output.split(b"\0") if name}


def is_tracked(repository: Repository, name: str) -> bool:
    """Return whether git tracks a file or folder whose name some file system takes for this one."""
    wanted = folded(name)
    with closing(list_records(repository, "ls-files", "-z")) as names:
        tracked = (folded(decoded(each)) for each in names)
        return any(each == wanted or each.startswith(f"{wanted}/") for each in tracked)


def folded(name: str) -> str:
    """Return the same text for all names that a file system may take for one."""
    if name.isascii():
        return name.casefold()
    import unicodedata  # noqa: PLC0415 - few names need it

    composed = unicodedata.normalize("NFKC", name).casefold()
    return "".join(each for each in unicodedata.normalize("NFKC", composed) if unicodedata.category(each) != _NO_WIDTH)
