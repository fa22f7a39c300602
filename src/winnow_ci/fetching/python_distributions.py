"""Files of Python packages: the version of each, and which of them is nearest to the source."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from packaging.utils import InvalidWheelFilename, canonicalize_name, parse_wheel_filename
from packaging.version import InvalidVersion, Version

if TYPE_CHECKING:
    from collections.abc import Iterable

    from packaging.tags import Tag

    from winnow_ci.fetching.python_indexes import PackageLink

_SDISTS = (".tar.gz", ".zip", ".tar.bz2", ".tgz", ".tar.xz", ".tar")
_WHEEL = ".whl"


class PythonDistribution(NamedTuple):
    """A file of a package.

    Attributes:
        version: of the package.
        distance: from the source, for comparison only: sdists, then wheels without compiled code, then other wheels.
        link: where it is.
    """

    version: Version
    distance: tuple[int, int, str]
    link: PackageLink


def distributions(project: str, links: Iterable[PackageLink]) -> list[PythonDistribution]:
    """The readable files of a project (its normalized name); of several with the same name the first."""
    first: dict[str, PackageLink] = {}
    for link in links:
        first.setdefault(link.filename, link)
    read = (_wheel(project, link) or _sdist(project, link) for link in first.values())
    return [found for found in read if found]


def nearest(found: Iterable[PythonDistribution]) -> PythonDistribution:
    """The file nearest to the source, the same on every machine; a yanked one only if all are yanked."""
    return min(found, key=lambda each: (each.link.yanked, each.distance))


def of_version(found: Iterable[PythonDistribution], wanted: Version | None) -> list[PythonDistribution]:
    """The files of a version; without one, of the newest that is neither yanked nor a pre-release.

    If no file has exactly this version, those count that add a local label to it (``1.0+cpu``).
    """
    among = list(found)
    if wanted is None:
        among = [each for each in among if not each.link.yanked and not each.version.is_prerelease]
        wanted = max((each.version for each in among), default=Version("0"))
    exact = [each for each in among if each.version == wanted]
    labelled = [each for each in among if Version(each.version.public) == wanted]
    newest = max((each.version for each in labelled), default=wanted)
    return exact or [each for each in labelled if each.version == newest]


def _wheel(project: str, link: PackageLink) -> PythonDistribution | None:
    if not link.filename.endswith(_WHEEL):
        return None
    try:
        name, version, _, tags = parse_wheel_filename(link.filename)
    except (InvalidWheelFilename, InvalidVersion):
        return None
    return PythonDistribution(version, _distance(tags, link.filename), link) if name == project else None


def _distance(tags: frozenset[Tag], filename: str) -> tuple[int, int, str]:
    is_pure = all(tag.abi == "none" and tag.platform == "any" for tag in tags)
    is_for_three = any(tag.interpreter.startswith(("py3", "cp3")) for tag in tags)
    return 1 if is_pure else 2, 0 if is_for_three else 1, filename


def _sdist(project: str, link: PackageLink) -> PythonDistribution | None:
    for rank, ending in enumerate(_SDISTS):
        if link.filename.endswith(ending) and (version := _version(project, link.filename.removesuffix(ending))):
            return PythonDistribution(version, (0, rank, link.filename), link)
    return None


def _version(project: str, stem: str) -> Version | None:
    """The version after the name; the name may have hyphens, and so may the version in old files."""
    for place, character in enumerate(stem):
        if character == "-" and canonicalize_name(stem[:place]) == project:
            try:
                return Version(stem[place + 1 :])
            except InvalidVersion:
                continue
    return None
