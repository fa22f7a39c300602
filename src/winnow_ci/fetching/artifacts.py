"""The files that a source consists of: pinned, and under their own names."""

from __future__ import annotations

from typing import TYPE_CHECKING

from winnow_ci.errors import FetchError
from winnow_ci.named_tuples import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path


POM = "pom.xml"
"""What says of a package of Maven which licence it has; it is no archive, and stands beside one."""


class Artifact(NamedTuple):
    """A file that a source consists of, pinned.

    Attributes:
        filename: as its registry calls it; a name without a folder.
        sha256: of its content, 64 lower-case hexadecimal digits.
    """

    filename: str
    sha256: str


class ResolvedSource(NamedTuple):
    """What a package URL, or the URL of an archive, stands for.

    Attributes:
        name: of the package.
        version: exact; None if there is none.
        artifacts: all its files that are read, always in the same order.
    """

    name: str
    version: str | None
    artifacts: tuple[Artifact, ...]


def link_artifacts(artifacts: Sequence[Artifact], paths: Sequence[Path], folder: Path) -> tuple[Path, ...]:
    """Link files of the cache, which are named by their sha256, under their own names.

    A ``.dsc`` refers to the files beside it by name, and a plain tar is recognised only by its name.

    Args:
        artifacts: what was pinned; their names come from a file that a change may edit.
        paths: where they are, in the same order.
        folder: an empty one.

    Raises:
        FetchError: a name is not one of a file in that folder, two are the same, or the folder cannot be written.
    """
    links = []
    for artifact, path in zip(artifacts, paths, strict=True):
        name = artifact.filename
        if not name.isprintable() or name in {"", ".", ".."} or "/" in name:
            raise FetchError(f"{name!r:.200} is no name of a file", "resolve the source again")
        links.append(folder / name)
        try:
            links[-1].symlink_to(path)
        except OSError as error:
            problem = f"{links[-1]}: {error.strerror}"
            raise FetchError(problem, "resolve the source again, or make room there") from error
    return tuple(links)
