"""Fetch pinned sources into the user's cache, and never run them.

A source that cannot be fetched, or has the wrong content, is a ``FetchError``; a wrong name is a
``ConfigError``. Only what fetches pays for the imports: a scan with indexes in files does not.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

from winnow_ci.errors import ConfigError, FetchError, did_you_mean
from winnow_ci.fetching.cache import cached_file
from winnow_ci.fetching.packages import FORGES, Artifact, ResolvedSource, parse_purl
from winnow_ci.fetching.urls import is_https, registry_at, shown_url

if TYPE_CHECKING:
    from pathlib import Path

    from packageurl import PackageURL

    from winnow_ci.model import Progress

__all__ = ["Artifact", "ResolvedSource", "check_package", "fetch", "pinned", "resolve"]

_PURL = "pkg:"
_CLIENTS = {
    "pypi": "python_packages",
    "npm": "npm_packages",
    "deb": "debian_packages",
    "cargo": "cargo_packages",
    "golang": "golang_packages",
    "maven": "maven_packages",
}
"""Types of package URLs, and the modules that fetch their packages. Those of forges are git repositories."""
_AROUND = {
    "gem": "`gem fetch NAME`, unpack its data.tar.gz, and name that archive",
    "nuget": "a .nupkg has compiled code: name its repository (git: URL, revision: TAG)",
}
"""How else to get packages of other types, where more can be said than of any."""
_MEANT = {"pip": "pypi", "python": "pypi", "go": "golang", "crates": "cargo", "rust": "cargo", "node": "npm"}
_MEANT |= {"js": "npm", "javascript": "npm", "java": "maven", "debian": "deb"}
"""Names that people use, and the types that package URLs have instead."""


def resolve(origin: str, progress: Progress | None = None, sha256: str | None = None) -> ResolvedSource:
    """Find a source's exact version and the sha256 of its files; that of an archive at a URL may be known."""
    client, purl = _client(origin)
    if purl is None:
        path = _downloaded(origin, sha256, progress)
        return ResolvedSource(_filename(origin), None, (Artifact(_filename(origin), path.name),))
    found: ResolvedSource = client.resolve(purl, progress)
    return found


def fetch(origin: str, resolved: ResolvedSource, progress: Progress | None = None) -> tuple[Path, ...]:
    """Return a source's pinned files, and fetch what the cache lacks."""
    client, purl = _client(origin)
    found = []
    for artifact in resolved.artifacts:
        if kept := cached_file(artifact.sha256):
            found.append(kept)
        elif purl is None:
            found.append(_downloaded(origin, artifact.sha256, progress))
        else:
            found.append(client.fetch(purl, resolved, artifact, progress))
    return tuple(found)


def pinned(
    url: str, sha256: str, progress: Progress | None = None, *, most: int | None = None, remember: bool = False
) -> Path:
    """Return the file at a URL with this sha256, in the cache.

    ``most`` bytes are fetched at most; ``remember`` is that of ``cached_file``.
    """
    if kept := cached_file(sha256, remember=remember):
        return kept
    download = _module("download")
    limits = download.DownloadLimits() if most is None else download.DownloadLimits(file=most)
    found: Path = download.download(url, sha256, progress=progress, limits=limits)
    return found


def check_package(origin: str) -> PackageURL:
    """Return a package URL; refuse one of a type that neither a client nor git can fetch."""
    purl = parse_purl(origin)
    if purl.type not in _CLIENTS and purl.type not in FORGES:
        around = _AROUND.get(purl.type, "name the https URL of an archive with its sha256, or a folder")
        problem = f"{origin}: packages of the type {purl.type!r} cannot be fetched"
        otherwise = f"types that can: {', '.join(_CLIENTS)}; {around}"
        remedy = did_you_mean(
            _MEANT.get(purl.type, purl.type), _CLIENTS, otherwise, shown=lambda kind: f"{_PURL}{kind}/{purl.name}"
        )
        raise ConfigError(problem, remedy)
    return purl


def _client(origin: str) -> tuple[Any, PackageURL | None]:
    if not origin.lower().startswith(_PURL):
        return None, None
    purl = check_package(origin)
    return _module(_CLIENTS[purl.type]), purl


def _downloaded(url: str, sha256: str | None, progress: Progress | None) -> Path:
    _filename(url)
    registry = registry_at(url)
    found: Path = _module("download").download(registry.url, sha256, registry=registry, progress=progress)
    return found


def _filename(url: str) -> str:
    if not is_https(url):
        remedy = "name an https URL, or download the file and name its path"
        raise ConfigError(f"{shown_url(url)}: not an https URL", remedy)
    filename = unquote(urlsplit(url).path).rpartition("/")[2]
    if not filename or not filename.isprintable():
        raise FetchError(f"{shown_url(url)}: does not end with a file name", "name the URL of an archive")
    return filename


def _module(name: str) -> Any:
    # What downloads takes 0.1 s to import.
    return importlib.import_module(f"{__name__}.{name}")
