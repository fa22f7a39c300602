"""Fetch an archive at an ``https`` URL."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

from winnow_ci.errors import ConfigError, FetchError
from winnow_ci.fetching.download import download
from winnow_ci.fetching.packages import Artifact, ResolvedSource
from winnow_ci.fetching.urls import is_https, registry_at, shown_url, without_credentials

if TYPE_CHECKING:
    from pathlib import Path

    from winnow_ci.model import Progress


def resolve(url: str, progress: Progress | None = None, sha256: str | None = None) -> ResolvedSource:
    """Fetch and pin an archive, unless it is known and cached."""
    filename = _filename(url)
    return ResolvedSource(filename, None, (Artifact(filename, _downloaded(url, sha256, progress).name),))


def fetch(url: str, _resolved: ResolvedSource, artifact: Artifact, progress: Progress | None = None) -> Path:
    """Fetch the pinned archive."""
    _filename(url)
    return _downloaded(url, artifact.sha256, progress)


def _downloaded(url: str, sha256: str | None, progress: Progress | None) -> Path:
    return download(without_credentials(url), sha256, registry=registry_at(url), progress=progress)


def _filename(url: str) -> str:
    if not is_https(url):
        remedy = "name an https URL, or download the file and name its path"
        raise ConfigError(f"{shown_url(url)}: not an https URL", remedy)
    filename = unquote(urlsplit(url).path).rpartition("/")[2]
    if not filename or not filename.isprintable():
        raise FetchError(f"{shown_url(url)}: does not end with a file name", "name the URL of an archive")
    return filename
