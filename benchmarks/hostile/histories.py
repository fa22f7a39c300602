"""Repositories of a few commits, written by ``git fast-import``: whatever git can store, and no work tree."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from commands import git

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

_IDENTITY = b"committer Ada <ada@example.org> 1714564800 +0000\n"


class Link(NamedTuple):
    """A symbolic link in a commit."""

    target: str


class Submodule(NamedTuple):
    """A submodule in a commit."""

    commit: str = "1" * 40


Content: TypeAlias = "str | bytes | Link | Submodule | None"
Tree: TypeAlias = "Mapping[str | bytes, Content]"
"""Paths with what a commit has there; None for what it removes."""
NOTHING: Tree = MappingProxyType({})


class Commit(NamedTuple):
    """A commit: the ref that is to name it, what it changes, and the refs of its parents."""

    ref: str
    edits: Tree
    parents: Sequence[str] = ()


def written(folder: Path, commits: Sequence[Commit], *options: str) -> Path:
    """A repository of these commits, made with options of ``git init``; several may move the same ref."""
    folder.mkdir(parents=True)
    git(folder, "init", "--quiet", *options)
    marks: dict[str, int] = {}
    stream = b"".join(_commit(number, commit, marks) for number, commit in enumerate(commits, 1))
    # Loose objects, however many: a pack hides them from what damages single ones.
    git(folder, "-c", "fastimport.unpackLimit=100000", "fast-import", "--quiet", "--force", stdin=stream)
    return folder


def _commit(mark: int, commit: Commit, marks: dict[str, int]) -> bytes:
    words = (b"from", *[b"merge"] * len(commit.parents))
    parents = b"".join(b"%b :%d\n" % (word, marks[ref]) for word, ref in zip(words, commit.parents, strict=False))
    edits = b"".join(edit(path, content) for path, content in commit.edits.items())
    ref, marks[commit.ref] = commit.ref.encode(), mark
    # Otherwise what the ref names already would be the parent.
    reset = b"" if commit.parents else b"reset %b\n" % ref
    return b"%bcommit %b\nmark :%d\n%bdata 0\n%b%b\n" % (reset, ref, mark, _IDENTITY, parents, edits)


def edit(path: str | bytes, content: Content) -> bytes:
    """The line of a commit that puts a content at a path, whatever its name."""
    name = b'"%b"' % b"".join(b"\\%03o" % byte for byte in (path.encode() if isinstance(path, str) else path))
    if content is None:
        return b"D %b\n" % name
    if isinstance(content, Submodule):
        return b"M 160000 %b %b\n" % (content.commit.encode(), name)
    mode, data = b"100644", content
    if isinstance(content, Link):
        mode, data = b"120000", content.target
    stored = data.encode() if isinstance(data, str) else data
    return b"M %b inline %b\ndata %d\n%b\n" % (mode, name, len(stored), stored)
