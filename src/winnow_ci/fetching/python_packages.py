"""Python packages, from the indexes that the user's pip is configured with.

We prefer a source distribution, then a wheel without compiled code, then any wheel. Files are taken from an index by
their names and hashes: pip could download them too, but would run code in them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from packaging.utils import canonicalize_name
from packaging.version import InvalidVersion, Version

from winnow_ci.errors import ConfigError, FetchError
from winnow_ci.fetching import file_cache
from winnow_ci.fetching.artifacts import Artifact, ResolvedSource
from winnow_ci.fetching.download import download
from winnow_ci.fetching.purl import qualifiers
from winnow_ci.fetching.python_distributions import PythonDistribution, distributions, nearest, of_version
from winnow_ci.fetching.python_indexes import all_links, places

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from packageurl import PackageURL

    from winnow_ci.fetching.download import Progress

_MOST_SHOWN = 5


def resolve(purl: PackageURL, progress: Progress | None = None) -> ResolvedSource:
    """Pin the file of a package that is nearest to its source.

    Args:
        purl: ``pkg:pypi/NAME@VERSION``; without a version the newest is taken, and ``?file_name=`` chooses a file.
        progress: called if the file must be fetched because no index has its sha256.

    Raises:
        ConfigError: the package URL is not that of a Python package.
        FetchError: no index has it, or one does not answer.
    """
    project, wanted = _project(purl), _wanted(purl)
    filename = qualifiers(purl, ["file_name"]).get("file_name")
    found = distributions(project, all_links(project))
    chosen = nearest(_of_name(purl, found, filename) if filename else _of_version(purl, found, wanted))
    link = chosen.link
    sha256 = link.sha256 or download(link.url, registry=link.registry, progress=progress).name
    return ResolvedSource(project, str(chosen.version), (Artifact(link.filename, sha256),))


def fetch(purl: PackageURL, resolved: ResolvedSource, progress: Progress | None = None) -> tuple[Path, ...]:
    """The pinned files, in the cache.

    Raises:
        ConfigError: the package URL is not that of a Python package.
        FetchError: no index has a file any more, or it has changed.
    """
    return tuple(
        file_cache.get(artifact.sha256) or _fetched(purl, artifact, progress) for artifact in resolved.artifacts
    )


def _fetched(purl: PackageURL, artifact: Artifact, progress: Progress | None) -> Path:
    named = [link for link in all_links(_project(purl)) if link.filename == artifact.filename]
    alike = [link for link in named if link.sha256 == artifact.sha256]
    unsaid = [link for link in named if link.sha256 is None]
    for link in alike or unsaid[:1]:
        return download(link.url, artifact.sha256, registry=link.registry, progress=progress)
    if named:
        problem = f"{purl}: {artifact.filename} has the sha256 {named[0].sha256} now, pinned is {artifact.sha256}"
        raise FetchError(problem, "find out who changed it before you pin it again")
    raise FetchError(f"{purl}: no {artifact.filename} at {places()}", "pin another file, or see that pip can find it")


def _project(purl: PackageURL) -> str:
    if purl.type != "pypi" or purl.namespace:
        raise ConfigError(f"{purl} is no package URL of a Python package", "write pkg:pypi/NAME@VERSION")
    return canonicalize_name(purl.name)


def _wanted(purl: PackageURL) -> Version | None:
    try:
        return Version(purl.version) if purl.version else None
    except InvalidVersion as error:
        raise ConfigError(f"{purl}: {purl.version!r} is no version of a Python package", "write @1.2.3") from error


def _of_name(purl: PackageURL, found: Sequence[PythonDistribution], filename: str) -> list[PythonDistribution]:
    wanted = _wanted(purl)
    named = [each for each in found if each.link.filename == filename and wanted in {None, each.version}]
    if not named:
        problem = f"{purl}: there is no such file at {places()}"
        raise FetchError(problem, f"there are: {_some(each.link.filename for each in of_version(found, wanted))}")
    return named


def _of_version(
    purl: PackageURL, found: Sequence[PythonDistribution], wanted: Version | None
) -> list[PythonDistribution]:
    if not found:
        problem = f"{purl}: no source distribution and no wheel at {places()}"
        raise FetchError(problem, "see that the name is right, and that pip is set up with an index that has it")
    if among := of_version(found, wanted):
        return among
    known = _some(str(version) for version in sorted({each.version for each in found}, reverse=True))
    if wanted is None:
        raise FetchError(f"{purl}: every version is yanked or a pre-release", f"name one of: {known}")
    raise FetchError(f"{purl}: no such version at {places()}", f"the newest there are: {known}")


def _some(names: Iterable[str]) -> str:
    shown = list(names)
    return ", ".join(shown[:_MOST_SHOWN]) + (" …" if len(shown) > _MOST_SHOWN else "")
