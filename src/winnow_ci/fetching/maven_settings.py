"""The repositories that the user's Maven would ask: those of its settings, and the one that it knows itself.

``settings.xml`` of the user (``~/.m2``) and of the installation (``conf``) name repositories in profiles, mirrors that
stand for repositories, credentials (``servers``) and a proxy (https://maven.apache.org/settings.html). What Maven asks
by default (``central``) stands in the super POM, which is part of the installation. Maven itself is not run: it would
fetch plugins and run these.
"""

from __future__ import annotations

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

from winnow_ci.errors import FetchError
from winnow_ci.fetching.client_process import find_program
from winnow_ci.fetching.urls import Registry, basic_authorization, registry_at, without_credentials
from winnow_ci.named_tuples import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

_CENTRAL = "central"
_SUPER_POM = "org/apache/maven/model/pom-4.0.0.xml"
_VARIABLE = re.compile(r"\$\{(env\.[A-Za-z_][A-Za-z0-9_]*|user\.home)\}")
_LOCAL = {"localhost", "127.0.0.1"}


class _Repository(NamedTuple):
    """A repository as settings name it; the URL is empty if it is unknown."""

    id: str
    url: str


@cache
def maven_repositories() -> tuple[Registry, ...]:
    """Return the user's Maven repositories in the order in which they are asked; settings are read once.

    Raises:
        FetchError: settings cannot be read, or nothing says where the packages of Maven are.
    """
    settings = _Settings(tuple(_settings_files()))
    return tuple(dict.fromkeys(map(settings.registry, settings.repositories())))


class _Settings(NamedTuple):
    """The roots of the files with settings, the user's first."""

    roots: tuple[ET.Element, ...]

    def repositories(self) -> list[_Repository]:
        """Those of the active profiles, then the one that Maven knows itself, unless they have another of that name."""
        active = {name.text for name in self._all("activeProfiles/activeProfile")}
        profiles = [one for one in self._all("profiles/profile") if _text(one, "id") in active or _is_default(one)]
        named = [_named(one) for profile in profiles for one in profile.iterfind("repositories/repository")]
        return named if any(one.id == _CENTRAL for one in named) else [*named, _Repository(_CENTRAL, _central())]

    def registry(self, repository: _Repository) -> Registry:
        """What is asked in the place of a repository, with its credentials."""
        mirror = self._mirror(repository)
        name, url = (repository.id, repository.url) if mirror is None else _named(mirror)
        if mirror is not None and _text(mirror, "blocked") == "true":
            raise FetchError(f"your Maven settings block the repository {repository.id}", "name a mirror by https")
        if not url:
            problem = "your Maven repository is unknown: there is no Maven here, and no settings.xml names a mirror"
            raise FetchError(problem, "install Maven, or write a mirror of central into ~/.m2/settings.xml")
        try:
            found = registry_at(url)
        except ValueError as error:
            raise FetchError(f"the URL of {name} in your Maven settings is invalid", "fix it") from error
        authorization = self._authorization(name) or found.authorization
        return found._replace(authorization=authorization, proxy=self._proxy(found.url))

    def _mirror(self, repository: _Repository) -> ET.Element | None:
        mirrors = list(self._all("mirrors/mirror"))
        exact = (one for one in mirrors if _text(one, "mirrorOf") == repository.id)
        matching = (one for one in mirrors if _is_meant(repository, _text(one, "mirrorOf")))
        return next(exact, next(matching, None))

    def _authorization(self, name: str) -> str | None:
        server = next((one for one in self._all("servers/server") if _text(one, "id") == name), None)
        if server is None or not _text(server, "username"):
            return None
        password = _text(server, "password")
        if re.search(r"\{.+\}", password):
            problem = f"the password of {name} in your Maven settings is encrypted for Maven"
            raise FetchError(problem, "write user and password into ~/.netrc, and leave them out there")
        return basic_authorization(_text(server, "username"), password)

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
    """Whether ``mirrorOf`` means a repository; what is excepted (``!id``) counts wherever it stands."""
    found = False
    for pattern in (one.strip() for one in patterns.split(",")):
        if pattern == f"!{repository.id}":
            return False
        if pattern in {"*", repository.id}:
            found = True
        elif pattern in {"external:*", "external:http:*"}:
            parts = urlsplit(repository.url)
            is_external = parts.scheme != "file" and parts.hostname not in _LOCAL
            found |= is_external and (pattern == "external:*" or parts.scheme == "http")
    return found


def _is_default(profile: ET.Element) -> bool:
    return (profile.findtext("activation/activeByDefault") or "").strip() == "true"


def _named(element: ET.Element) -> _Repository:
    return _Repository(_text(element, "id"), _text(element, "url"))


def _text(element: ET.Element, name: str) -> str:
    """The text of a child, with what stands for variables of the environment replaced."""
    return _VARIABLE.sub(lambda found: _value(found[1]), (element.findtext(name) or "").strip())


def _value(variable: str) -> str:
    return str(Path.home()) if variable == "user.home" else os.environ.get(variable.removeprefix("env."), "")


# ---- files -----------------------------------------------------------------------------------------------------


def _settings_files() -> Iterator[ET.Element]:
    places = [Path.home() / ".m2" / "settings.xml"]
    if installation := _installation():
        places.append(installation / "conf" / "settings.xml")
    for place in places:
        with suppress(FileNotFoundError):
            yield _root(place)


def _root(place: Path) -> ET.Element:
    try:
        return _parsed(place.read_bytes())
    except FileNotFoundError:
        raise
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
    """The folder of the user's Maven."""
    named = os.environ.get("MAVEN_HOME") or os.environ.get("M2_HOME")
    if named and Path(named).is_absolute():
        return Path(named)
    program = find_program("mvn")
    return Path(program).resolve().parent.parent if program else None


def _central() -> str:
    """The URL of the repository that Maven asks by default; empty if there is no Maven."""
    installation = _installation()
    for archive in sorted(installation.glob("lib/maven-model-builder-*.jar")) if installation else ():
        with suppress(OSError, zipfile.BadZipFile, KeyError, ET.ParseError), zipfile.ZipFile(archive) as jar:
            repositories = map(_named, _parsed(jar.read(_SUPER_POM)).iterfind("repositories/repository"))
            return next((without_credentials(one.url) for one in repositories if one.id == _CENTRAL), "")
    return ""
