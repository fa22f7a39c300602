"""Packages of Maven: ``pkg:maven/com.google.code.gson/gson@2.10.1``, of which the sources jar is taken.

A sources jar seldom has the POM, which states the licence, so the POM is pinned beside it; if it leaves the licence to
its parent, that of the parent. POMs and lists of versions are searched as text, since XML can be a bomb.
"""

from __future__ import annotations

import io
import re
from typing import TYPE_CHECKING

from winnow_ci.errors import ConfigError, FetchError
from winnow_ci.fetching.cache import digest_of, put_file
from winnow_ci.fetching.download import DownloadLimits, NotFoundError, download, web_page
from winnow_ci.fetching.maven_settings import maven_repositories
from winnow_ci.fetching.packages import POM, Artifact, ResolvedSource, exact_version, qualifiers
from winnow_ci.fetching.urls import shown_url
from winnow_ci.named_tuples import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path
    from typing import BinaryIO

    from packageurl import PackageURL

    from winnow_ci.fetching.urls import Registry
    from winnow_ci.model import Progress

_PART = re.compile(r"(?!\.)[A-Za-z0-9_.-]{1,200}(?<!\.)")
_VERSION = r"[0-9A-Za-z][0-9A-Za-z._+-]{0,99}"
_EXACT_VERSION = rf"(?!.*\.\.)(?!.*-(?i:snapshot)\Z){_VERSION}"
_PRE_RELEASE = re.compile(
    r"[.\-_\d](?:alpha|beta|a|b|m|milestone|rc|cr|snapshot|preview|ea|pre|dev)(?![a-z])", re.IGNORECASE
)
_DIGESTS = {"sha256": 64, "sha1": 40}
_SMALL = DownloadLimits(page=1 << 10)
_METADATA = DownloadLimits(page=8 << 20)
_MOST_PARENTS = 8
_MOST_SHOWN = 5
_SEE = "see that the name and the version are right, and that a repository of your Maven has it"


class _Coordinates(NamedTuple):
    """What Maven calls a version of a package."""

    group: str
    artifact: str
    version: str

    def path(self, ending: str) -> str:
        """Where a file of it is in a repository."""
        return f"{_folder(self.group, self.artifact)}/{self.version}/{self.artifact}-{self.version}{ending}"


def resolve(purl: PackageURL, progress: Progress | None = None) -> ResolvedSource:
    """Pin the sources jar of a package, and the POM that states its licence.

    Without a version, the newest is taken that is no pre-release.

    Raises:
        ConfigError: the package URL does not name a package of Maven.
        FetchError: no repository has it, or it has no sources jar, or a file is not what its repository says.
    """
    group, artifact = _name(purl)
    wanted = _Coordinates(group, artifact, _exact(purl, purl.version or _newest(purl, group, artifact)))
    jar = _jar(purl, wanted, None, progress)
    artifacts = [Artifact(f"{artifact}-{wanted.version}-sources.jar", jar.name)]
    if (pom := _licensed_pom(wanted)) is not None:
        artifacts.append(Artifact(POM, put_file(pom).name))
    return ResolvedSource(f"{group}/{artifact}", wanted.version, tuple(artifacts))


def fetch(purl: PackageURL, resolved: ResolvedSource, artifact: Artifact, progress: Progress | None = None) -> Path:
    """Fetch a pinned file; the errors are those of ``resolve``."""
    wanted = _Coordinates(*_name(purl), _exact(purl, resolved.version))
    if artifact.filename != POM:
        return _jar(purl, wanted, artifact.sha256, progress)
    if (pom := _licensed_pom(wanted)) is None:
        raise FetchError(f"{purl}: there is no POM with its licence any more", "pin it again")
    return put_file(pom, artifact.sha256)


def _name(purl: PackageURL) -> tuple[str, str]:
    chosen = qualifiers(purl, ["classifier", "type"])
    if not purl.namespace or not _PART.fullmatch(purl.namespace) or not _PART.fullmatch(purl.name):
        raise ConfigError(f"{purl}: no name of a package of Maven", "write pkg:maven/GROUP/ARTIFACT@VERSION")
    if chosen.get("classifier", "sources") != "sources" or chosen.get("type", "jar") != "jar":
        remedy = "leave the qualifier out: the sources jar is taken; other files are sources of their own (url: URL)"
        raise ConfigError(f"{purl}: a file of the package other than its sources", remedy)
    return purl.namespace, purl.name


def _exact(purl: PackageURL, version: str | None) -> str:
    remedy = "write one like 1.2.3, or none for the newest; snapshots change"
    return exact_version(purl, version, _EXACT_VERSION, "a package of Maven", remedy)


def _folder(group: str, artifact: str) -> str:
    return f"{group.replace('.', '/')}/{artifact}"


# ---- what repositories have --------------------------------------------------------------------------------------


def _newest(purl: PackageURL, group: str, artifact: str) -> str:
    """The newest version that is no pre-release, in the first repository that has the package."""
    page = _page(f"{_folder(group, artifact)}/maven-metadata.xml")
    if page is None:
        raise FetchError(f"{purl}: no such package at {_places()}", _SEE)
    text = page.decode("utf-8", "replace")
    known = [one for one in _texts(text, "version") if re.fullmatch(_VERSION, one)]
    stable = [one for one in known if not _PRE_RELEASE.search(one)]
    if release := [one for one in _texts(text, "release") if one in stable]:
        return release[0]
    if not stable:
        raise FetchError(f"{purl}: every version is a pre-release", f"name one of: {', '.join(known[-_MOST_SHOWN:])}")
    return max(stable, key=lambda one: [int(number) for number in re.findall(r"\d{1,18}", one)])


def _jar(purl: PackageURL, wanted: _Coordinates, sha256: str | None, progress: Progress | None) -> Path:
    for registry in maven_repositories():
        url = f"{registry.url.rstrip('/')}/{wanted.path('-sources.jar')}"
        try:
            algorithm, digest = _stated(url, registry)
            path = download(url, sha256, registry=registry, progress=progress)
        except NotFoundError:
            continue
        with path.open("rb") as file:
            _compare(file, url, algorithm, digest)
        return path
    if _page(wanted.path(".pom")) is None:
        raise FetchError(f"{purl}: no such version at {_places()}", _SEE)
    remedy = "name its repository (git: URL, revision: TAG), or an archive of its sources (url: URL)"
    raise FetchError(f"{purl}: it is published without a sources jar at {_places()}", remedy)


def _stated(url: str, registry: Registry) -> tuple[str, str | None]:
    """The digest that a repository states of a file, and its algorithm; None if it states none."""
    for algorithm, length in _DIGESTS.items():
        try:
            said = web_page(f"{url}.{algorithm}", registry=registry, limits=_SMALL).content.decode("ascii", "replace")
        except NotFoundError:
            continue
        if found := re.match(rf"\s*([0-9A-Fa-f]{{{length}}})(?![0-9A-Fa-f])", said):
            return algorithm, found[1].lower()
    return "", None


def _compare(file: BinaryIO, url: str, algorithm: str, digest: str | None) -> None:
    if digest is not None and (found := digest_of(file, algorithm)) != digest:
        problem = f"{shown_url(url)}: its {algorithm} is {found}, and its repository says {digest}"
        raise FetchError(problem, "the repository, or what stands before it, sends something else: find out why")


def _page(path: str) -> bytes | None:
    """What is at a path in the first repository that has it."""
    for registry in maven_repositories():
        url = f"{registry.url.rstrip('/')}/{path}"
        try:
            content = web_page(url, registry=registry, limits=_METADATA).content
        except NotFoundError:
            continue
        # Lists of versions change, and with some servers later than their digests.
        if path.endswith(".pom"):
            _compare(io.BytesIO(content), url, *_stated(url, registry))
        return content
    return None


def _places() -> str:
    return ", ".join(shown_url(registry.url) for registry in maven_repositories())


# ---- the licence -------------------------------------------------------------------------------------------------


def _licensed_pom(wanted: _Coordinates) -> bytes | None:
    """The POM that states the licence: its own, or that of the nearest ancestor that does."""
    at: _Coordinates | None = wanted
    for _ in range(_MOST_PARENTS):
        if at is None or (content := _page(at.path(".pom"))) is None:
            return None
        text = _without_comments(content.decode("utf-8", "replace"))
        if "<licenses>" in text:
            return content
        at = _parent(text)
    return None


def _parent(text: str) -> _Coordinates | None:
    written = text.partition("<parent>")[2].partition("</parent>")[0]
    values = [next(_texts(written, name), "") for name in ("groupId", "artifactId", "version")]
    fits = _PART.fullmatch(values[0]) and _PART.fullmatch(values[1]) and re.fullmatch(_VERSION, values[2])
    return _Coordinates(*values) if fits and ".." not in "".join(values) else None


def _without_comments(text: str) -> str:
    first, *others = text.split("<!--")
    return first + "".join(one.partition("-->")[2] for one in others)


def _texts(text: str, name: str) -> Iterator[str]:
    """The texts of the elements of that name."""
    return (found.strip() for found in re.findall(rf"<{name}>([^<]{{1,200}})</{name}>", text))
