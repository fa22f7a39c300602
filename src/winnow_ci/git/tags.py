"""Tags: names that people have given to commits, mostly for releases."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from winnow_ci.git import revisions

if TYPE_CHECKING:
    from winnow_ci.git.repository import Repository

_PREFIX = "refs/tags/"
_FIELDS = ("refname", "objecttype", "objectname", "*objecttype", "*objectname")
_FORMAT = "--format=" + "%00".join(f"%({field})" for field in _FIELDS)


class Tag(NamedTuple):
    """A tag: its name, and the id of its commit; None if it is a tag of something else."""

    name: str
    commit: str | None


def tags(repository: Repository) -> list[Tag]:
    """Return all tags, by name.

    Raises:
        GitError: git failed.
    """
    output = repository.run("for-each-ref", _FORMAT, _PREFIX).decode("utf-8", "surrogateescape")
    return [_tag(repository, *line.split("\0")) for line in output.split("\n")[:-1]]


def _tag(repository: Repository, reference: str, kind: str, own_id: str, tagged: str, tagged_id: str) -> Tag:
    name = reference.removeprefix(_PREFIX)
    if "commit" in {kind, tagged}:
        return Tag(name, own_id if kind == "commit" else tagged_id)
    # A tag of a tag; older versions of git look through the first one only.
    return Tag(name, revisions.resolve(repository, reference) if tagged == "tag" else None)
