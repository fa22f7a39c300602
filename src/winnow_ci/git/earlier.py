"""What was there before a change: the files of a commit that hold given lines, and the contents of such files.

``git grep`` looks for the lines: no other command reads a whole commit so fast. It gets them on its standard input and
takes them literally. Its options override ``grep.*``, ``color.*`` and ``submodule.recurse`` of the configuration; with
``--text`` and ``--no-textconv``, attributes neither hide a file from it nor start a driver.
"""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

from winnow_ci.git import objects, raw_diff
from winnow_ci.git.listing import listed, nothing
from winnow_ci.git.plumbing import GitCommandError
from winnow_ci.model.changes import EarlierFile

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from winnow_ci.git.repository import Repository

# The patterns of paths are ours, so they need not be literal.
_GREP = (
    "--no-literal-pathspecs grep -z --files-with-matches --fixed-strings --text --no-textconv --no-color "
    "--no-recurse-submodules"
).split()
_MOST_THREADS = 8
_WILD = re.compile(r"[*?\[\\]")


def holding(
    repository: Repository,
    commit: str,
    lines: Iterable[bytes],
    names: Iterable[str],
    meanwhile: Callable[[], None] = nothing,
) -> list[EarlierFile]:
    """Return the files of a commit that hold one of the lines, by path; none if git cannot read all of the commit.

    Args:
        repository: where the commit is.
        commit: its full id.
        lines: parts of lines, not empty, without NUL and line ends.
        names: endings of the files to look at (``.py``, whatever their case), or whole names.
        meanwhile: what to do while git looks.

    Raises:
        GitError: git failed to list the commit.
    """
    paths = [f":(glob,icase)**/{'*' if name.startswith('.') else ''}{_WILD.sub(_escaped, name)}" for name in names]
    patterns = b"".join(line + b"\n" for line in lines)
    # With more threads than processors, a small commit takes a fifth longer, and a large one as long.
    grep = (*_GREP, f"--threads={min(_MOST_THREADS, os.cpu_count() or 1)}", "-f", "-")
    names_found = listed(
        repository, *grep, commit, "--", *paths, trees=(None, commit), given=patterns, meanwhile=meanwhile
    )
    try:
        found = [raw_diff.decoded(name).removeprefix(f"{commit}:") for name in names_found]
    except GitCommandError:
        return []
    odd = {path for path in found if "\n" in path or "\r" in path}
    ids = objects.blobs_at(repository, commit, (path for path in found if path not in odd))
    if odd:
        from winnow_ci.git import trees  # noqa: PLC0415 - hardly ever

        ids |= {file.path: file.id for file in trees.regular_files(repository, commit) if file.path in odd}
    return [EarlierFile(path, ids[path]) for path in found if path in ids]


def load(repository: Repository, files: Sequence[EarlierFile], limit: int) -> Iterator[tuple[str, bytes]]:
    """Yield path and content of one file after the other, ``limit`` bytes in all.

    A file that would exceed the limit is left out, as is one whose content is not in this clone.

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


def _escaped(found: re.Match[str]) -> str:
    return f"\\{found[0]}"
