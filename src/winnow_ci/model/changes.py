"""What a scan compares: the files of a change, wherever their contents are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from winnow_ci.named_tuples import NamedTuple

if TYPE_CHECKING:
    from winnow_ci.model.findings import Scope

INSIDE = "!/"
"""What stands between the path of an archive and that of a member in it."""

FileKind = Literal["file", "symlink", "submodule", "unmerged"]


class ChangedFile(NamedTuple):
    """A path that the new side of a comparison has, and that is missing or different on the old side.

    Attributes:
        path: relative to the root.
        kind: what is there; ``unmerged`` is a conflict that is not resolved.
        old: id of its old content, or of what was renamed or copied to it; None if there is none.
        new: id of its content; None: read the work tree.
        was: the path from which it was renamed or copied; None if it was not.
        archive: the archive of the change that it is in; ``old`` and ``new`` are those of the archive.
    """

    path: str
    kind: FileKind
    old: str | None
    new: str | None
    was: str | None = None
    archive: str | None = None

    @property
    def outermost(self) -> ChangedFile:
        """The file itself, or the archive that it is in."""
        return self._replace(path=self.archive, archive=None) if self.archive else self


def outermost(path: str) -> str:
    """The path of the archive that a member is in, given the member's; another path may come out shorter, too."""
    return path.partition(INSIDE)[0]


class EarlierFile(NamedTuple):
    """A regular file of a commit: its path there, and the id of its content."""

    path: str
    content: str


class ChangeSet(NamedTuple):
    """What a scan compares, and the files that differ, each once, sorted by path (as bytes).

    ``bases`` are the commits whose code is not new, wherever it stands in them; without any, whole files are new.
    ``replaced`` are the files of the bases that the change deletes, renames or modifies, as they were there.
    ``is_narrowed`` says that only the files that a user has named are listed. ``target`` is the tip of the branch that
    the change is for; None if that is the base of the scope. ``branch`` is its name, where a CI has told it.
    ``is_of_event`` says that a CI's event asks for this comparison.
    """

    scope: Scope
    files: tuple[ChangedFile, ...]
    bases: tuple[str, ...] = ()
    is_narrowed: bool = False
    target: str | None = None
    branch: str | None = None
    replaced: tuple[EarlierFile, ...] = ()
    is_of_event: bool = False
