"""What the Python package indexes of the user have of a project."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote, urlsplit
from urllib.request import url2pathname

from winnow_ci.errors import FetchError
from winnow_ci.fetching.download import page
from winnow_ci.fetching.pip_settings import pip_settings
from winnow_ci.fetching.python_index_pages import ACCEPTED, PackageLink, links
from winnow_ci.fetching.registry import shown_url
from winnow_ci.fetching.transfer import NotFoundError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from winnow_ci.fetching.registry import Registry


def all_links(project: str) -> Iterator[PackageLink]:
    """All files that the user's indexes have of a project, the first index first.

    Args:
        project: its normalized name.

    Raises:
        FetchError: pip does not say where to look, or an index does not answer. What another index has may be
            another package of the same name, so it is not asked in its place.
    """
    found = pip_settings()
    for registry in found.indexes:
        yield from _on(f"{registry.url.rstrip('/')}/{quote(project)}/", registry)
    for registry in found.lists:
        folder = _folder(registry)
        yield from _in(folder, registry) if folder else _on(registry.url, registry)


def places() -> str:
    """Where the user's pip looks, for messages."""
    found = pip_settings()
    return ", ".join(shown_url(registry.url) for registry in (*found.indexes, *found.lists)) or "no index"


def _on(url: str, registry: Registry) -> Iterator[PackageLink]:
    try:
        yield from links(page(url, registry=registry, accept=ACCEPTED), registry)
    except NotFoundError:
        return


def _folder(registry: Registry) -> Path | None:
    parts = urlsplit(registry.url)
    path = Path(url2pathname(parts.path))
    return path if parts.scheme == "file" and path.is_dir() else None


def _in(folder: Path, registry: Registry) -> Iterator[PackageLink]:
    try:
        names = sorted(path.name for path in folder.iterdir())
    except OSError as error:
        raise FetchError(
            f"{folder}: {error.strerror}", "make the folder readable, or take it from find-links"
        ) from error
    for name in names:
        yield PackageLink(name, f"{folder.as_uri()}/{quote(name)}", None, yanked=False, registry=registry)
