"""Files of the cache, which are called by their sha256, under the names that their registry has for them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from winnow_ci.errors import FetchError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from winnow_ci.fetching.artifacts import Artifact


def link(artifacts: Sequence[Artifact], paths: Sequence[Path], folder: Path) -> tuple[Path, ...]:
    """Make links in a folder: a ``.dsc`` names the files beside it, and a plain tar is known by its name only.

    Args:
        artifacts: what was pinned; their names come from a file that a change may edit.
        paths: where they are, in the same order.
        folder: an empty one.

    Raises:
        FetchError: a name is none for a file in that folder, two are the same, or the folder cannot be written.
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
            raise FetchError(
                f"{links[-1]}: {error.strerror}", "resolve the source again, or make room there"
            ) from error
    return tuple(links)
