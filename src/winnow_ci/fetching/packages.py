"""Package URLs (``pkg:pypi/requests@2.32.3``), and the files and repositories that they stand for."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from winnow_ci import system
from winnow_ci.errors import ConfigError, FetchError
from winnow_ci.fetching.urls import revision_name
from winnow_ci.named_tuples import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence
    from pathlib import Path

    from packageurl import PackageURL

POM = "pom.xml"
"""The file that states the licence of a Maven package; it is no archive, and lies beside one."""

# The hosts whose repositories have package URLs of their own (the types of the specification of package URLs).
FORGES = {"github": "https://github.com", "gitlab": "https://gitlab.com", "bitbucket": "https://bitbucket.org"}
_PART = r"(?![.-])[A-Za-z0-9._-]{1,100}"
_WORD = r"[^\u0000-\u0020\u007f-\u00a0/#?@]+"
_TEXT = r"[^\u0000-\u0020\u007f-\u00a0#?&]+"
_QUALIFIER = rf"[A-Za-z._-][A-Za-z0-9._-]*={_TEXT}"
PURL = (
    rf"pkg:(?:{'|'.join(FORGES)})/{_PART}(?:/{_PART})+(?:@{_TEXT})?"
    rf"|pkg:(?!(?:{'|'.join(FORGES)})/)[A-Za-z._-][A-Za-z0-9._-]*/(?:@?{_WORD}/)*{_WORD}(?:@{_TEXT})?"
    rf"(?:\?{_QUALIFIER}(?:&{_QUALIFIER})*)?"
)
"""A pattern that most package URLs match and few other texts."""

SEMANTIC_VERSION = r"\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?(?:\+[0-9A-Za-z.-]+)?"
"""A pattern of exact versions: no such text is a tag, a range, a folder, a URL or a repository to a client."""
_LONGEST_VERSION = 256


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
        remedy = f"those of pkg:{purl.type} are: {', '.join(known) or 'none'}; registries are those of your own tools"
        raise ConfigError(f"{purl}: unknown qualifier {others[0]!r:.60}", remedy)
    return found


def exact_version(purl: PackageURL, version: str | None, pattern: str, what: str, remedy: str) -> str:
    """Check that a version for a client is an exact one."""
    if version is None or not is_exact_version(version, pattern):
        raise ConfigError(f"{purl}: {version!r:.100} is not an exact version of {what}", remedy)
    return version


def is_exact_version(version: str, pattern: str = SEMANTIC_VERSION) -> bool:
    """Whether all of a version matches a pattern, and is short enough."""
    return len(version) <= _LONGEST_VERSION and re.fullmatch(pattern, version, re.ASCII) is not None


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
