"""What a scan compares: the files of a change, wherever their contents are."""

from __future__ import annotations

from typing import Literal

from winnow_ci.model.findings import Scope
from winnow_ci.named_tuples import NamedTuple

INSIDE = "!/"
"""Separates the path of an archive from that of a member in it."""

FileKind = Literal["file", "symlink", "submodule", "unmerged", "unchanged"]


class ChangedFile(NamedTuple):
    """A path that the new side of a comparison has, and that is missing or different on the old side."""

    path: str
    kind: FileKind  # ``unmerged`` is an unresolved conflict, ``unchanged`` a named file that the change leaves alone
    old: str | None  # id of its old content, or of the file that was renamed or copied to it
    new: str | None  # id of its content; None: read the work tree
    was: str | None = None  # the path from which it was renamed or copied
    archive: str | None = None  # the archive of the change that contains it; then ``old`` and ``new`` are the archive's

    @property
    def outermost(self) -> ChangedFile:
        """The file itself, or the archive that contains it."""
        return self._replace(path=self.archive, archive=None) if self.archive else self


def outermost(path: str) -> str:
    """The path of the archive that a member is in, given the member's; another path may come out shorter, too."""
    return path.partition(INSIDE)[0]


class EarlierFile(NamedTuple):
    """A regular file of a commit: its path there, and the id of its content."""

    path: str
    content: str


class ChangeSet(NamedTuple):
    """What a scan compares, and the files that differ, each once, sorted by path (as bytes)."""

    scope: Scope
    files: tuple[ChangedFile, ...]
    bases: tuple[str, ...] = ()  # commits whose code is not new, wherever it is in them; without any, all files are new
    is_narrowed: bool = False  # only files that the user named are listed
    target: str | None = None  # the tip of the branch that the change is for; None if that is the scope's base
    branch: str | None = None  # the name of that branch, if a CI gave it
    replaced: tuple[EarlierFile, ...] = ()  # files of the bases that the change deletes, renames or modifies
    is_of_event: bool = False  # a CI's event asks for this comparison


class WebRepository(NamedTuple):
    """A repository on a web server that shows people the files of a commit.

    Its ``url`` has no slash at its end, and no character that Markdown or HTML could misread. The server addresses
    lines as ``service`` does.
    """

    url: str
    service: Literal["github", "gitlab"]
