"""Find and fetch what package URLs (``pkg:pypi/requests@2.32.3``) and URLs of archives stand for."""

from __future__ import annotations

import importlib
import re
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

from winnow_ci import system
from winnow_ci.errors import ConfigError, FetchError, did_you_mean
from winnow_ci.fetching.cache import LARGEST_FETCHED, cached_file
from winnow_ci.fetching.urls import is_https, registry_at, revision_name, shown_url
from winnow_ci.named_tuples import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence
    from pathlib import Path
    from typing import TypeGuard

    from packageurl import PackageURL

    from winnow_ci.model import Progress

POM = "pom.xml"
"""The file that states the licence of a Maven package; it is no archive, and lies beside one."""

# The hosts whose repositories have package URLs of their own (the types of the specification of package URLs).
FORGES = {"github": "https://github.com", "gitlab": "https://gitlab.com", "bitbucket": "https://bitbucket.org"}
_PART = r"(?![.-])[A-Za-z0-9._-]{1,100}"
SEMANTIC_VERSION = r"\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?(?:\+[0-9A-Za-z.-]+)?"
"""A pattern of exact versions: no such text is a tag, a range, a folder, a URL or a repository to a client."""
_LONGEST_VERSION = 256

_PURL = "pkg:"
_CLIENTS = {
    "pypi": "python_packages",
    "npm": "client_packages",
    "deb": "debian_packages",
    "cargo": "client_packages",
    "golang": "client_packages",
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


class Artifact(NamedTuple):
    """A pinned file: its name in its registry, and its sha256."""

    filename: str
    sha256: str


class ResolvedSource(NamedTuple):
    """What a package URL or the URL of an archive stands for."""

    name: str
    version: str | None
    artifacts: tuple[Artifact, ...]


class PackageRepository(NamedTuple):
    """The git repository and revision that a package URL stands for."""

    url: str
    revision: str


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
    from winnow_ci.fetching.download import DownloadLimits, download  # noqa: PLC0415 - 0.1 s

    return download(url, sha256, progress=progress, limits=DownloadLimits(file=most or LARGEST_FETCHED))


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
    # What downloads takes 0.1 s to import.
    return importlib.import_module(f"{__package__}.{_CLIENTS[purl.type]}"), purl


def _downloaded(url: str, sha256: str | None, progress: Progress | None) -> Path:
    _filename(url)
    registry = registry_at(url)
    from winnow_ci.fetching.download import download  # noqa: PLC0415 - as above

    return download(registry.url, sha256, registry=registry, progress=progress)


def _filename(url: str) -> str:
    if not is_https(url):
        remedy = "name an https URL, or download the file and name its path"
        raise ConfigError(f"{shown_url(url)}: not an https URL", remedy)
    filename = unquote(urlsplit(url).path).rpartition("/")[2]
    if not filename or not filename.isprintable():
        raise FetchError(f"{shown_url(url)}: does not end with a file name", "name the URL of an archive")
    return filename


# ---- package URLs -----------------------------------------------------------------------------------------------


def parse_purl(text: str) -> PackageURL:
    """Read a package URL."""
    from packageurl import PackageURL  # noqa: PLC0415 - 20 ms, for whoever needs only pins

    try:
        purl = PackageURL.from_string(text)
    except ValueError as error:
        remedy = "write pkg:TYPE/NAME@VERSION, such as pkg:pypi/NAME@1.0"
        raise ConfigError(f"{text!r:.200} is not a package URL: {error}", remedy) from error
    if purl.subpath:
        problem = f"{text}: winnow-ci cannot fetch a part of a package (#{purl.subpath})"
        raise ConfigError(problem, "leave out the part from # on")
    return purl


def qualifiers(purl: PackageURL, known: Collection[str] = ()) -> dict[str, str]:
    """Return the qualifiers of a package URL; all must be known, and ``repository_url`` never is."""
    found = dict(purl.qualifiers) if isinstance(purl.qualifiers, dict) else {}
    others = [name for name in found if name not in known]
    if others:
        remedy = f"name one of {', '.join(known) or 'none'}; your own tools choose the registry"
        raise ConfigError(f"{purl}: unknown qualifier {others[0]!r:.60}", remedy)
    return found


def exact_version(purl: PackageURL, version: object, pattern: str, what: str, remedy: str) -> str:
    """Check that a version for a client is an exact one."""
    if not is_exact_version(version, pattern):
        raise ConfigError(f"{purl}: {version!r:.100} is not an exact version of {what}", remedy)
    return version


def is_exact_version(version: object, pattern: str = SEMANTIC_VERSION) -> TypeGuard[str]:
    """Whether something is a text that matches a pattern as a whole, and is short enough."""
    is_short = isinstance(version, str) and len(version) <= _LONGEST_VERSION
    return is_short and re.fullmatch(pattern, str(version), re.ASCII) is not None


def repository_of(purl: PackageURL) -> PackageRepository | None:
    """Return a package URL's repository; None if it names a package."""
    forge = FORGES.get(purl.type)
    if forge is None:
        return None
    qualifiers(purl)
    path = [*(purl.namespace or "").split("/"), purl.name]
    if len(path) < 2 or not all(re.fullmatch(_PART, part) for part in path):
        raise ConfigError(f"{purl}: not a valid repository name", f"write pkg:{purl.type}/OWNER/NAME@REVISION")
    try:
        revision = revision_name(purl.version) if purl.version else "HEAD"
    except FetchError as error:
        raise ConfigError(f"{purl}: {error.problem}", error.remedy) from error
    return PackageRepository(f"{forge}/{'/'.join(path)}.git", revision)


def link_artifacts(artifacts: Sequence[Artifact], paths: Sequence[Path], folder: Path) -> tuple[Path, ...]:
    """Link cached files under their own names in an empty folder: a ``.dsc`` refers to the files beside it by name.

    The names come from a file that a change may edit.
    """
    links = []
    for artifact, path in zip(artifacts, paths, strict=True):
        name = artifact.filename
        if not name.isprintable() or name in {"", ".", ".."} or not {*"/\\:"}.isdisjoint(name):
            raise FetchError(f"{name!r:.200} is not the name of a file", "resolve the source again")
        links.append(folder / name)
        try:
            system.link_file(links[-1], path)
        except OSError as error:
            problem = f"{links[-1]}: {error.strerror}"
            raise FetchError(problem, "resolve the source again, or make room there") from error
    return tuple(links)
