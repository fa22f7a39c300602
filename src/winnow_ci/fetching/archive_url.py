"""An archive at an ``https`` URL."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

from winnow_ci.errors import ConfigError, FetchError
from winnow_ci.fetching.artifacts import Artifact, ResolvedSource
from winnow_ci.fetching.download import download
from winnow_ci.fetching.registry import is_https, registry_at, shown_url, without_credentials

if TYPE_CHECKING:
    from pathlib import Path

    from winnow_ci.fetching.download import Progress


def resolve(url: str, progress: Progress | None = None, sha256: str | None = None) -> ResolvedSource:
    """Pin what is at a URL now: it is fetched, unless its sha256 is known and it is in the cache.

    Args:
        url: of the archive.
        progress: gets how much has arrived.
        sha256: that it must have, if known.

    Raises:
        ConfigError: it is not an https URL.
        FetchError: it cannot be fetched, or has another sha256.
    """
    filename = _filename(url)
    return ResolvedSource(filename, None, (Artifact(filename, _fetched(url, sha256, progress).name),))


def fetch(url: str, resolved: ResolvedSource, progress: Progress | None = None) -> tuple[Path, ...]:
    """What was pinned, in the cache.

    Raises:
        ConfigError: it is not an https URL.
        FetchError: it cannot be fetched, or something else is there now.
    """
    _filename(url)
    return tuple(_fetched(url, artifact.sha256, progress) for artifact in resolved.artifacts)


def _fetched(url: str, sha256: str | None, progress: Progress | None) -> Path:
    return download(without_credentials(url), sha256, registry=registry_at(url), progress=progress)


def _filename(url: str) -> str:
    if not is_https(url):
        raise ConfigError(
            f"{shown_url(url)}: not an https URL", "name an https URL, or download the file and name that"
        )
    filename = unquote(urlsplit(url).path).rpartition("/")[2]
    if not filename or not filename.isprintable():
        raise FetchError(f"{shown_url(url)}: no name of a file at its end", "name the URL of an archive")
    return filename
