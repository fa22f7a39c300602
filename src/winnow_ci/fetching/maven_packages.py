"""Sources jars of Maven packages: ``pkg:maven/com.google.code.gson/gson@2.10.1``.

A sources jar seldom has the POM, which states the licence, so the POM is pinned beside it; if it leaves the licence to
its parent, that of the parent. POMs and lists of versions are searched as text, since XML can be a bomb.

Repositories, mirrors, credentials and a proxy are those of ``settings.xml`` of the user (``~/.m2``) and of Maven's
installation (``conf``; https://maven.apache.org/settings.html). What Maven asks by default (``central``) is in the
super POM, a part of the installation. Maven itself is not run: it would fetch plugins and run these.
"""

from __future__ import annotations

import io
import os
import re
import zipfile
from contextlib import suppress
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote, urlsplit
from xml.etree import ElementTree as ET

from winnow_ci.errors import ConfigError, FetchError
from winnow_ci.fetching.cache import digest_of, put_file
from winnow_ci.fetching.client_process import find_program
from winnow_ci.fetching.download import DownloadLimits, NotFoundError, download, web_page
from winnow_ci.fetching.packages import POM, Artifact, ResolvedSource, exact_version, qualifiers
from winnow_ci.fetching.urls import Registry, registry_at, shown_url, without_credentials
from winnow_ci.named_tuples import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import BinaryIO

    from packageurl import PackageURL

    from winnow_ci.model import Progress

_PART = re.compile(r"(?!\.)[A-Za-z0-9_.-]{1,200}(?<!\.)")
_VERSION = r"[0-9A-Za-z][0-9A-Za-z._+-]{0,99}"
_EXACT_VERSION = rf"(?!.*\.\.)(?!.*-(?i:snapshot)\Z){_VERSION}"
_PRE_RELEASE = re.compile(
    r"[.\-_\d](?:alpha|beta|a|b|m|milestone|rc|cr|snapshot|preview|ea|pre|dev)(?![a-z])", re.IGNORECASE
)
_DIGESTS = {"sha256": 64, "sha1": 40}
_SMALL, _METADATA = DownloadLimits(page=1 << 10), DownloadLimits(page=8 << 20)
_MOST_PARENTS, _MOST_SHOWN = 8, 5
_CENTRAL = "central"
_SUPER_POM = "org/apache/maven/model/pom-4.0.0.xml"
_VARIABLE = re.compile(r"\$\{(env\.[A-Za-z_][A-Za-z0-9_]*|user\.home)\}")
_SEE = "check the name and the version, and that one of your Maven repositories has it"


class _Coordinates(NamedTuple):
    """What Maven calls a version of a package."""

    group: str
    artifact: str
    version: str

    def path(self, ending: str) -> str:
        """Where a file of it is in a repository."""
        return f"{_folder(self.group, self.artifact)}/{self.version}/{self.artifact}-{self.version}{ending}"


def resolve(purl: PackageURL, progress: Progress | None = None) -> ResolvedSource:
    """Pin a package's sources jar and the POM that states its licence."""
    group, artifact = _name(purl)
    wanted = _Coordinates(group, artifact, _exact(purl, purl.version or _newest(purl, group, artifact)))
    jar = _jar(purl, wanted, None, progress)
    artifacts = [Artifact(f"{artifact}-{wanted.version}-sources.jar", jar.name)]
    if (pom := _licensed_pom(wanted)) is not None:
        artifacts.append(Artifact(POM, put_file(pom).name))
    return ResolvedSource(f"{group}/{artifact}", wanted.version, tuple(artifacts))


def fetch(purl: PackageURL, resolved: ResolvedSource, artifact: Artifact, progress: Progress | None = None) -> Path:
    """Fetch a pinned file."""
    wanted = _Coordinates(*_name(purl), _exact(purl, resolved.version))
    if artifact.filename != POM:
        return _jar(purl, wanted, artifact.sha256, progress)
    if pom := _licensed_pom(wanted):
        return put_file(pom, artifact.sha256)
    raise FetchError(f"{purl}: the POM with its licence is gone", "pin it again")


def _name(purl: PackageURL) -> tuple[str, str]:
    chosen = qualifiers(purl, ["classifier", "type"])
    if not purl.namespace or not _PART.fullmatch(purl.namespace) or not _PART.fullmatch(purl.name):
        raise ConfigError(f"{purl}: not a valid Maven package name", "write pkg:maven/GROUP/ARTIFACT@VERSION")
    if chosen.get("classifier", "sources") != "sources" or chosen.get("type", "jar") != "jar":
        remedy = "leave out the qualifier: winnow-ci takes the sources jar; for another file, use its URL (url: URL)"
        raise ConfigError(f"{purl}: asks for a file other than the package's sources", remedy)
    return purl.namespace, purl.name


def _exact(purl: PackageURL, version: str | None) -> str:
    remedy = "write one like 1.2.3, or none for the newest; snapshots change"
    return exact_version(purl, version, _EXACT_VERSION, "a package of Maven", remedy)


def _folder(group: str, artifact: str) -> str:
    return f"{group.replace('.', '/')}/{artifact}"


# ---- what repositories have --------------------------------------------------------------------------------------


def _newest(purl: PackageURL, group: str, artifact: str) -> str:
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
        with suppress(NotFoundError):
            stated = _stated(url, registry)
            path = download(url, sha256, registry=registry, progress=progress)
            with path.open("rb") as file:
                _compare(file, url, *stated)
            return path
    if _page(wanted.path(".pom")) is None:
        raise FetchError(f"{purl}: no such version at {_places()}", _SEE)
    remedy = "name its repository (git: URL, revision: TAG), or an archive of its sources (url: URL)"
    raise FetchError(f"{purl}: published without a sources jar at {_places()}", remedy)


def _stated(url: str, registry: Registry) -> tuple[str, str | None]:
    """The algorithm and digest that a repository states of a file."""
    for algorithm, length in _DIGESTS.items():
        with suppress(NotFoundError):
            said = web_page(f"{url}.{algorithm}", registry=registry, limits=_SMALL).content.decode("ascii", "replace")
            if found := re.match(rf"\s*([0-9A-Fa-f]{{{length}}})(?![0-9A-Fa-f])", said):
                return algorithm, found[1].lower()
    return "", None


def _compare(file: BinaryIO, url: str, algorithm: str, digest: str | None) -> None:
    if digest is not None and (found := digest_of(file, algorithm)) != digest:
        problem = f"{shown_url(url)}: its {algorithm} is {found}, but its repository states {digest}"
        raise FetchError(problem, "the repository, or a proxy in front of it, sends a different file: find out why")


def _page(path: str) -> bytes | None:
    for registry in maven_repositories():
        url = f"{registry.url.rstrip('/')}/{path}"
        with suppress(NotFoundError):
            content = web_page(url, registry=registry, limits=_METADATA).content
            # Lists of versions change, and with some servers later than their digests.
            if path.endswith(".pom"):
                _compare(io.BytesIO(content), url, *_stated(url, registry))
            return content
    return None


def _places() -> str:
    return ", ".join(shown_url(registry.url) for registry in maven_repositories())


# ---- the licence -------------------------------------------------------------------------------------------------


def _licensed_pom(wanted: _Coordinates) -> bytes | None:
    """The POM, or that of its nearest ancestor, that states a licence."""
    for _ in range(_MOST_PARENTS):
        if (content := _page(wanted.path(".pom"))) is None:
            return None
        first, *others = content.decode("utf-8", "replace").split("<!--")
        text = first + "".join(one.partition("-->")[2] for one in others)
        if "<licenses>" in text:
            return content
        parent = text.partition("<parent>")[2].partition("</parent>")[0]
        wanted = _Coordinates(*(next(_texts(parent, name), "") for name in ("groupId", "artifactId", "version")))
        parts = _PART.fullmatch(wanted.group), _PART.fullmatch(wanted.artifact), re.fullmatch(_VERSION, wanted.version)
        if not all(parts) or ".." in "".join(wanted):
            return None
    return None


def _texts(text: str, name: str) -> Iterator[str]:
    return (found.strip() for found in re.findall(rf"<{name}>([^<]{{1,200}})</{name}>", text))


# ---- the user's settings -----------------------------------------------------------------------------------------


class _Repository(NamedTuple):
    """A repository as settings name it; an empty URL is unknown."""

    id: str
    url: str


@cache
def maven_repositories() -> tuple[Registry, ...]:
    """Return the user's repositories in order; read the settings once."""
    installation = _installation()
    folders = [Path.home() / ".m2", *([installation / "conf"] if installation else [])]
    roots = (_root(folder / "settings.xml") for folder in folders)
    settings = _Settings(tuple(root for root in roots if root is not None))
    return tuple(dict.fromkeys(map(settings.registry, settings.repositories())))


class _Settings(NamedTuple):
    """The roots of the files with settings, the user's first."""

    roots: tuple[ET.Element, ...]

    def repositories(self) -> list[_Repository]:
        """Those of active profiles, then central, unless that is among them."""
        active = {name.text for name in self._all("activeProfiles/activeProfile")}
        profiles = [
            one
            for one in self._all("profiles/profile")
            if _text(one, "id") in active or _text(one, "activation/activeByDefault") == "true"
        ]
        named = [_named(one) for profile in profiles for one in profile.iterfind("repositories/repository")]
        return named if any(one.id == _CENTRAL for one in named) else [*named, _Repository(_CENTRAL, _central())]

    def registry(self, repository: _Repository) -> Registry:
        """What is asked in the place of a repository, with its credentials."""
        mirrors = [(one, _text(one, "mirrorOf")) for one in self._all("mirrors/mirror")]
        exact = [one for one, meant in mirrors if meant == repository.id]
        mirror = next(iter(exact + [one for one, meant in mirrors if _is_meant(repository, meant)]), None)
        name, url = repository if mirror is None else _named(mirror)
        if mirror is not None and _text(mirror, "blocked") == "true":
            problem = f"your Maven settings block the repository {repository.id}"
            raise FetchError(problem, "name a mirror with an https URL")
        if not url:
            problem = "your Maven repository is unknown: Maven is not installed, and no settings.xml names a mirror"
            raise FetchError(problem, "install Maven, or add a mirror of central to ~/.m2/settings.xml")
        try:
            found = registry_at(url)
        except ValueError as error:
            raise FetchError(f"the URL of {name} in your Maven settings is invalid", "fix it") from error
        return found._replace(login=self._login(name) or found.login, proxy=self._proxy(found.url))

    def _login(self, name: str) -> tuple[bytes, bytes] | None:
        server = next((one for one in self._all("servers/server") if _text(one, "id") == name), None)
        if server is None or not _text(server, "username"):
            return None
        password = _text(server, "password")
        if re.search(r"\{.+\}", password):
            problem = f"the password of {name} in your Maven settings is encrypted for Maven"
            raise FetchError(problem, "put user and password into ~/.netrc instead")
        return _text(server, "username").encode(), password.encode()

    def _proxy(self, url: str) -> str | None:
        active = (one for one in self._all("proxies/proxy") if _text(one, "active") != "false")
        proxy = next(active, None)
        host = urlsplit(url).hostname or ""
        if proxy is None or any(fnmatchcase(host, one) for one in re.split(r"[|,]", _text(proxy, "nonProxyHosts"))):
            return None
        user = quote(_text(proxy, "username"), safe="")
        pair = f"{user}:{quote(_text(proxy, 'password'), safe='')}@" if user else ""
        return f"http://{pair}{_text(proxy, 'host')}:{_text(proxy, 'port') or '8080'}"

    def _all(self, path: str) -> Iterator[ET.Element]:
        for root in self.roots:
            yield from root.iterfind(path)


def _is_meant(repository: _Repository, patterns: str) -> bool:
    """Whether ``mirrorOf`` means a repository; an exception (``!id``) may be anywhere."""
    named = {one.strip() for one in patterns.split(",")}
    if f"!{repository.id}" in named or not named.isdisjoint({"*", repository.id}):
        return f"!{repository.id}" not in named
    external = named & {"external:*", "external:http:*"}
    parts = urlsplit(repository.url if external else "file:")
    is_external = parts.scheme != "file" and parts.hostname not in {"localhost", "127.0.0.1"}
    return is_external and ("external:*" in external or parts.scheme == "http")


def _named(element: ET.Element) -> _Repository:
    return _Repository(_text(element, "id"), _text(element, "url"))


def _text(element: ET.Element, name: str) -> str:
    """The text of a child, with environment variables replaced."""
    values = {"user.home": str(Path.home()), **{f"env.{key}": value for key, value in os.environ.items()}}
    return _VARIABLE.sub(lambda found: values.get(found[1], ""), (element.findtext(name) or "").strip())


def _root(place: Path) -> ET.Element | None:
    try:
        return _parsed(place.read_bytes())
    except FileNotFoundError:
        return None
    except (OSError, ET.ParseError, ValueError) as error:
        raise FetchError(f"{place}: cannot be read: {error}", "make it readable, and valid XML") from error


def _parsed(content: bytes) -> ET.Element:
    """Parse XML of the user's own, and no stranger's, without namespaces."""
    root = ET.fromstring(content)  # noqa: S314
    for element in root.iter():
        if isinstance(element.tag, str):
            element.tag = element.tag.rpartition("}")[2]
    return root


def _installation() -> Path | None:
    named = os.environ.get("MAVEN_HOME") or os.environ.get("M2_HOME")
    if named and Path(named).is_absolute():
        return Path(named)
    program = find_program("mvn")
    return Path(program).resolve().parent.parent if program else None


def _central() -> str:
    """The URL of Maven's default repository; empty without Maven."""
    installation = _installation()
    for archive in sorted(installation.glob("lib/maven-model-builder-*.jar")) if installation else ():
        with suppress(OSError, zipfile.BadZipFile, KeyError, ET.ParseError), zipfile.ZipFile(archive) as jar:
            repositories = map(_named, _parsed(jar.read(_SUPER_POM)).iterfind("repositories/repository"))
            return next((without_credentials(one.url) for one in repositories if one.id == _CENTRAL), "")
    return ""
