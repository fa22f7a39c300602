"""What was there before a change: the contents that it replaces, and the files of a commit that hold given lines.

The lines are looked for by ``git grep``, the one command that reads all of a commit fast. It takes them as they are
(``--fixed-strings``), on its standard input. Its options outdo what ``grep.*``, ``color.*`` and ``submodule.recurse``
say; with ``--text`` and ``--no-textconv`` attributes have no say in what it reads, and no driver of theirs is started.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from winnow_ci.git import objects, raw_diff, trees

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from winnow_ci.git.changes import ChangeSet
    from winnow_ci.git.repository import Repository
    from winnow_ci.model import Scope

_REPLACED = (
    "--raw",
    "-z",
    "--no-abbrev",
    "--no-renames",
    "--diff-filter=DMT",
    "--no-ext-diff",
    "--no-textconv",
    "--ignore-submodules=all",
)
_GREP = (
    # The patterns of paths below are ours.
    "--no-literal-pathspecs",
    "grep",
    "-z",
    "--files-with-matches",
    "--fixed-strings",
    "--text",
    "--no-textconv",
    "--no-color",
    "--no-recurse-submodules",
    "--threads=8",
    "-f",
    "-",
)
_WILD = re.compile(r"[*?\[\\]")


class Earlier(NamedTuple):
    """A regular file of a commit: its path there, and the id of its content."""

    path: str
    content: str


def replaced(repository: Repository, changes: ChangeSet) -> list[Earlier]:
    """Return the files that a change deletes, renames or modifies, as they were in any of its bases.

    Raises:
        GitError: git failed.
    """
    listed = (raw_diff.entries(_differing(repository, changes.scope, base)) for base in changes.bases)
    found = (Earlier(entry.path, entry.old) for entries in listed for entry in entries if entry.old)
    return list(dict.fromkeys(found))


def holding(repository: Repository, commit: str, lines: Iterable[bytes], names: Iterable[str]) -> list[Earlier]:
    """Return the files of a commit that hold one of the lines, by path; none if git cannot read all of the commit.

    Args:
        repository: where the commit is.
        commit: its full id.
        lines: parts of lines, taken literally; neither empty nor with NUL or a line end.
        names: endings of the files to look at (``.py``, whatever their case), or whole names.

    Raises:
        GitError: git failed to list the commit.
    """
    paths = [f":(glob,icase)**/{'*' if name.startswith('.') else ''}{_WILD.sub(_escaped, name)}" for name in names]
    patterns = b"".join(line + b"\n" for line in lines)
    answer = repository.ask(*_GREP, commit, "--", *paths, given=patterns)
    if answer.status:
        return []
    found = {raw_diff.decoded(name).removeprefix(f"{commit}:") for name in raw_diff.names(answer.output)}
    return [Earlier(file.path, file.id) for file in trees.regular_files(repository, commit) if file.path in found]


def load(repository: Repository, files: Sequence[Earlier], limit: int) -> Iterator[tuple[str, bytes]]:
    """Yield paths and contents of the first of the files, as many as have ``limit`` bytes together.

    Files that do not fit in are left out, and so are those whose content is not in this clone.

    Raises:
        GitError: git failed.
    """
    sizes = objects.sizes(repository, (file.content for file in files))
    kept: dict[str, str] = {}
    for file in files:
        size = sizes.get(file.content, limit + 1)
        if size <= limit and file.content not in kept:
            kept[file.content] = file.path
            limit -= size
    yield from zip(kept.values(), objects.contents(repository, list(kept)), strict=True)


def _differing(repository: Repository, scope: Scope, base: str) -> bytes:
    if scope.head:
        return repository.run("diff-tree", "-r", *_REPLACED, base, scope.head, "--")
    index_only = ("--cached",) if scope.mode == "staged" else ()
    return repository.run("diff-index", *index_only, *_REPLACED, base, "--")


def _escaped(found: re.Match[str]) -> str:
    return f"\\{found[0]}"
