"""Python packages, from the indexes that the user's pip is configured with.

We prefer a source distribution, then a wheel without compiled code, then any wheel. Files are taken from an index by
their names and hashes: pip could download them too, but would run code in them.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from packaging.utils import InvalidWheelFilename, canonicalize_name, parse_wheel_filename
from packaging.version import InvalidVersion, Version

from winnow_ci.errors import ConfigError, FetchError
from winnow_ci.fetching.download import download
from winnow_ci.fetching.packages import Artifact, ResolvedSource, qualifiers
from winnow_ci.fetching.python_indexes import all_links, places
from winnow_ci.named_tuples import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from packageurl import PackageURL

    from winnow_ci.fetching.python_indexes import PackageLink
    from winnow_ci.model import Progress

_MOST_SHOWN = 5
_SDISTS = (".tar.gz", ".zip", ".tar.bz2", ".tgz", ".tar.xz", ".tar")


class _Distribution(NamedTuple):
    """A file of a version, and its distance from the source."""

    version: Version
    distance: tuple[int, int, str]
    link: PackageLink


def resolve(purl: PackageURL, progress: Progress | None = None) -> ResolvedSource:
    """Pin the file of a package that is nearest to its source, or the one that the qualifier ``file_name`` chooses.

    It is not fetched if its index has its sha256. Without a version the newest is taken.
    """
    project, wanted = _project(purl), _wanted(purl)
    filename = qualifiers(purl, ["file_name"]).get("file_name")
    found = _distributions(project, all_links(project))
    among = _of_name(purl, found, filename) if filename else _existing(purl, found, wanted)
    # The same on every machine; a yanked file only if all are yanked.
    chosen = min(among, key=lambda each: (each.link.yanked, each.distance))
    link = chosen.link
    sha256 = link.sha256 or download(link.url, registry=link.registry, progress=progress).name
    return ResolvedSource(project, str(chosen.version), (Artifact(link.filename, sha256),))


def fetch(purl: PackageURL, _resolved: ResolvedSource, artifact: Artifact, progress: Progress | None = None) -> Path:
    """Fetch a pinned file."""
    named = [link for link in all_links(_project(purl)) if link.filename == artifact.filename]
    alike = [link for link in named if link.sha256 == artifact.sha256]
    unsaid = [link for link in named if link.sha256 is None]
    for link in alike or unsaid[:1]:
        return download(link.url, artifact.sha256, registry=link.registry, progress=progress)
    if named:
        problem = f"{purl}: {artifact.filename} now has the sha256 {named[0].sha256}, but {artifact.sha256} is pinned"
        raise FetchError(problem, "find out who changed it before you pin it again")
    raise FetchError(f"{purl}: no {artifact.filename} at {places()}", "pin another file, or check that pip can find it")


def _project(purl: PackageURL) -> str:
    if purl.type != "pypi" or purl.namespace:
        raise ConfigError(f"{purl} is not a package URL of a Python package", "write pkg:pypi/NAME@VERSION")
    return canonicalize_name(purl.name)


def _wanted(purl: PackageURL) -> Version | None:
    try:
        return Version(purl.version) if purl.version else None
    except InvalidVersion as error:
        raise ConfigError(f"{purl}: {purl.version!r} is not a version of a Python package", "write @1.2.3") from error


def _of_name(purl: PackageURL, found: Sequence[_Distribution], filename: str) -> list[_Distribution]:
    wanted = _wanted(purl)
    named = [each for each in found if each.link.filename == filename and wanted in {None, each.version}]
    if not named:
        problem = f"{purl}: no such file at {places()}"
        raise FetchError(problem, f"there are: {_some(each.link.filename for each in _of_version(found, wanted))}")
    return named


def _existing(purl: PackageURL, found: Sequence[_Distribution], wanted: Version | None) -> list[_Distribution]:
    if not found:
        problem = f"{purl}: no source distribution and no wheel at {places()}"
        raise FetchError(problem, "check the name, and that one of pip's indexes has it")
    if among := _of_version(found, wanted):
        return among
    known = _some(map(str, sorted({each.version for each in found}, reverse=True)))
    if wanted is None:
        raise FetchError(f"{purl}: every version is yanked or a pre-release", f"name one of: {known}")
    raise FetchError(f"{purl}: no such version at {places()}", f"the newest versions are: {known}")


def _some(names: Iterable[str]) -> str:
    shown = list(names)
    return ", ".join(shown[:_MOST_SHOWN]) + (" …" if len(shown) > _MOST_SHOWN else "")


# ---- which file is nearest to the source ----------------------------------------------------------------------------


def _distributions(project: str, links: Iterable[PackageLink]) -> list[_Distribution]:
    """The readable files of a project; of equal names the first."""
    first: dict[str, PackageLink] = {}
    for link in links:
        first.setdefault(link.filename, link)
    read = (_wheel(project, link) or _sdist(project, link) for link in first.values())
    return [found for found in read if found]


def _of_version(found: Iterable[_Distribution], wanted: Version | None) -> list[_Distribution]:
    """The files of a version, or those that add a local label to it (``1.0+cpu``), or of the newest stable one."""
    among = list(found)
    if wanted is None:
        among = [each for each in among if not each.link.yanked and not each.version.is_prerelease]
        wanted = max((each.version for each in among), default=Version("0"))
    exact = [each for each in among if each.version == wanted]
    labelled = [each for each in among if Version(each.version.public) == wanted]
    newest = max((each.version for each in labelled), default=wanted)
    return exact or [each for each in labelled if each.version == newest]


def _wheel(project: str, link: PackageLink) -> _Distribution | None:
    if not link.filename.endswith(".whl"):
        return None
    try:
        name, version, _, tags = parse_wheel_filename(link.filename)
    except (InvalidWheelFilename, InvalidVersion):
        return None
    is_compiled = any(tag.abi != "none" or tag.platform != "any" for tag in tags)
    is_for_two = not any(tag.interpreter.startswith(("py3", "cp3")) for tag in tags)
    return _Distribution(version, (1 + is_compiled, int(is_for_two), link.filename), link) if name == project else None


def _sdist(project: str, link: PackageLink) -> _Distribution | None:
    for rank, ending in enumerate(_SDISTS):
        if link.filename.endswith(ending) and (version := _version(project, link.filename.removesuffix(ending))):
            return _Distribution(version, (0, rank, link.filename), link)
    return None


def _version(project: str, stem: str) -> Version | None:
    """The version after the name; both may have hyphens."""
    for place, character in enumerate(stem):
        if character == "-" and canonicalize_name(stem[:place]) == project:
            with suppress(InvalidVersion):
                return Version(stem[place + 1 :])
    return None
