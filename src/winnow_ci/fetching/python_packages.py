"""Python packages, from the indexes that the user's pip is configured with.

We prefer a source distribution, then a wheel without compiled code, then any wheel. Files are taken from an index by
their names and hashes: pip could download them too, but would run code in them.
"""

from __future__ import annotations

import ast
import json
import os
import re
import sys
import sysconfig
from contextlib import suppress
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote, unquote, urldefrag, urljoin, urlsplit
from urllib.request import url2pathname

from packaging.utils import InvalidWheelFilename, canonicalize_name, parse_wheel_filename
from packaging.version import InvalidVersion, Version

from winnow_ci.errors import ConfigError, FetchError
from winnow_ci.fetching.client_process import ROOT, find_program, run_client
from winnow_ci.fetching.download import NotFoundError, download, web_page
from winnow_ci.fetching.packages import Artifact, ResolvedSource, qualifiers
from winnow_ci.fetching.urls import Registry, registry_at, shown_url, without_credentials
from winnow_ci.named_tuples import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from packageurl import PackageURL

    from winnow_ci.fetching.download import WebPage
    from winnow_ci.model import Progress

_MOST_SHOWN = 5
_SDISTS = (".tar.gz", ".zip", ".tar.bz2", ".tgz", ".tar.xz", ".tar")
_ACCEPTED = "application/vnd.pypi.simple.v1+json, application/vnd.pypi.simple.v1+html;q=0.2, text/html;q=0.1"
# Of several values the last one counts.
_SECTIONS = ("global", "install", ":env:")
_PATIENCE = 60.0  # seconds
_YES = {"1", "true", "yes", "y", "t", "on"}


class _Link(NamedTuple):
    """A file that an index offers; not every index has its sha256."""

    filename: str
    url: str
    sha256: str | None
    yanked: bool
    registry: Registry


class _Distribution(NamedTuple):
    """A file of a version, and its distance from the source."""

    version: Version
    distance: tuple[int, int, str]
    link: _Link


def resolve(purl: PackageURL, progress: Progress | None = None) -> ResolvedSource:
    """Pin the file of a package that is nearest to its source, or the one that the qualifier ``file_name`` chooses.

    It is not fetched if its index has its sha256. Without a version the newest is taken.
    """
    project, wanted = _project(purl), _wanted(purl)
    filename = qualifiers(purl, ["file_name"]).get("file_name")
    found = _distributions(project, _all_links(project))
    among = _of_name(purl, found, filename) if filename else _existing(purl, found, wanted)
    # The same on every machine; a yanked file only if all are yanked.
    chosen = min(among, key=lambda each: (each.link.yanked, each.distance))
    link = chosen.link
    sha256 = link.sha256 or download(link.url, registry=link.registry, progress=progress).name
    return ResolvedSource(project, str(chosen.version), (Artifact(link.filename, sha256),))


def fetch(purl: PackageURL, _resolved: ResolvedSource, artifact: Artifact, progress: Progress | None = None) -> Path:
    """Fetch a pinned file."""
    named = [link for link in _all_links(_project(purl)) if link.filename == artifact.filename]
    alike = [link for link in named if link.sha256 == artifact.sha256]
    unsaid = [link for link in named if link.sha256 is None]
    for link in alike or unsaid[:1]:
        return download(link.url, artifact.sha256, registry=link.registry, progress=progress)
    if named:
        problem = f"{purl}: {artifact.filename} now has the sha256 {named[0].sha256}, but {artifact.sha256} is pinned"
        raise FetchError(problem, "find out who changed it before you pin it again")
    raise FetchError(
        f"{purl}: no {artifact.filename} at {_places()}", "pin another file, or check that pip can find it"
    )


def _project(purl: PackageURL) -> str:
    if purl.namespace:
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
        problem = f"{purl}: no such file at {_places()}"
        raise FetchError(problem, f"there are: {_some(each.link.filename for each in _of_version(found, wanted))}")
    return named


def _existing(purl: PackageURL, found: Sequence[_Distribution], wanted: Version | None) -> list[_Distribution]:
    if not found:
        problem = f"{purl}: no source distribution and no wheel at {_places()}"
        raise FetchError(problem, "check the name, and that one of pip's indexes has it")
    if among := _of_version(found, wanted):
        return among
    known = _some(map(str, sorted({each.version for each in found}, reverse=True)))
    if wanted is None:
        raise FetchError(f"{purl}: every version is yanked or a pre-release", f"name one of: {known}")
    raise FetchError(f"{purl}: no such version at {_places()}", f"the newest versions are: {known}")


def _some(names: Iterable[str]) -> str:
    shown = list(names)
    return ", ".join(shown[:_MOST_SHOWN]) + (" …" if len(shown) > _MOST_SHOWN else "")


# ---- which file is nearest to the source ----------------------------------------------------------------------------


def _distributions(project: str, links: Iterable[_Link]) -> list[_Distribution]:
    """The readable files of a project; of equal names the first."""
    first: dict[str, _Link] = {}
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


def _wheel(project: str, link: _Link) -> _Distribution | None:
    if not link.filename.endswith(".whl"):
        return None
    try:
        name, version, _, tags = parse_wheel_filename(link.filename)
    except (InvalidWheelFilename, InvalidVersion):
        return None
    is_compiled = any(tag.abi != "none" or tag.platform != "any" for tag in tags)
    is_for_two = not any(tag.interpreter.startswith(("py3", "cp3")) for tag in tags)
    return _Distribution(version, (1 + is_compiled, int(is_for_two), link.filename), link) if name == project else None


def _sdist(project: str, link: _Link) -> _Distribution | None:
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


# ---- indexes ----------------------------------------------------------------------------------------------------


def _all_links(project: str) -> Iterator[_Link]:
    """Yield all files of a project (its normalized name), index by index.

    If an index does not answer, no other is asked instead: it may have another package of the same name.
    """
    found = pip_settings()
    for registry in found.indexes:
        yield from _on_page(f"{registry.url.rstrip('/')}/{quote(project)}/", registry)
    for registry in found.lists:
        parts = urlsplit(registry.url)
        folder = Path(url2pathname(parts.path))
        is_folder = parts.scheme == "file" and folder.is_dir()
        yield from _in_folder(folder, registry) if is_folder else _on_page(registry.url, registry)


def _places() -> str:
    """Return where the user's pip looks, for messages."""
    found = pip_settings()
    return ", ".join(shown_url(registry.url) for registry in (*found.indexes, *found.lists)) or "no index"


# ---- pages ------------------------------------------------------------------------------------------------------


def _on_page(url: str, registry: Registry) -> Iterator[_Link]:
    with suppress(NotFoundError):
        yield from _links(web_page(url, registry=registry, accept=_ACCEPTED), registry)


def _in_folder(folder: Path, registry: Registry) -> Iterator[_Link]:
    try:
        names = sorted(path.name for path in folder.iterdir())
    except OSError as error:
        remedy = "make the folder readable, or remove it from find-links"
        raise FetchError(f"{folder}: {error.strerror}", remedy) from error
    for name in names:
        yield _Link(name, f"{folder.as_uri()}/{quote(name)}", None, yanked=False, registry=registry)


def _links(page: WebPage, registry: Registry) -> Iterator[_Link]:
    """The files of a page: JSON (PEP 691) or HTML (PEP 503)."""
    try:
        read = _in_json if page.kind.endswith("json") else _in_html
        for url, filename, sha256, yanked in read(page):
            name = filename or unquote(urlsplit(url).path).rpartition("/")[2]
            if name.isprintable() and "/" not in name:
                known = sha256.lower() if sha256 and re.fullmatch(r"[0-9A-Fa-f]{64}", sha256) else None
                yield _Link(name, without_credentials(url), known, yanked, registry)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        problem = f"{shown_url(page.url)}: not a page of a Python package index"
        raise FetchError(problem, "check that pip's index URL is the URL of an index") from error


def _in_json(page: WebPage) -> Iterator[tuple[str, str, str | None, bool]]:
    content = json.loads(page.content)
    _refuse_later(content["meta"]["api-version"])
    for file in content["files"]:
        sha256 = file.get("hashes", {}).get("sha256")
        yield urljoin(page.url, file["url"]), file["filename"], sha256, file.get("yanked", False) is not False


def _in_html(page: WebPage) -> Iterator[tuple[str, str, str | None, bool]]:
    anchors = _Anchors()
    anchors.feed(page.content.decode("utf-8", "replace"))
    _refuse_later(anchors.version)
    base = urljoin(page.url, anchors.base)
    for href, yanked in anchors.found:
        url, fragment = urldefrag(urljoin(base, href))
        sha256 = re.search(r"(?:^|&)sha256=([^&]*)", fragment)
        yield url, "", sha256[1] if sha256 else None, yanked


class _Anchors(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.version = "1.0"
        self.base = ""
        self.found: list[tuple[str, bool]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = dict(attrs)
        if tag == "a" and (href := values.get("href")):
            self.found.append((href.strip(), "data-yanked" in values))
        elif tag == "base":
            self.base = self.base or values.get("href") or ""
        elif tag == "meta" and values.get("name") == "pypi:repository-version":
            self.version = values.get("content") or ""


def _refuse_later(version: str) -> None:
    if version.partition(".")[0] != "1":
        raise ValueError(version)


# ---- the settings of pip ----------------------------------------------------------------------------------------


class PipSettings(NamedTuple):
    """Indexes with a page for each project, and lists (``find-links``)."""

    indexes: tuple[Registry, ...]
    lists: tuple[Registry, ...]


@cache
def pip_settings() -> PipSettings:
    """Return the settings of pip, which is asked once."""
    said = _configured()
    urls = []
    if said.get("no-index", "").lower() not in _YES:
        default = said.get("index-url")
        if not default:
            text = " ".join((_answer("help", "install") or "").split())
            default = next(iter(re.findall(r"--index-url <url>.*?\(default (\S+?)\)", text)), None)
        if not default:
            problem = "your Python package index is unknown: pip cannot be run"
            raise FetchError(problem, "install pip next to winnow-ci, or set PIP_INDEX_URL")
        urls = [default, *said.get("extra-index-url", "").split()]
    lists = said.get("find-links", "").split()
    found = ((_registry(place, said.get("cert")) for place in places) for places in (urls, lists))
    return PipSettings(*(tuple(dict.fromkeys(filter(None, registries))) for registries in found))


def _configured() -> dict[str, str]:
    found = _answer("config", "list")
    if found is None:
        variables = {name: value for name, value in os.environ.items() if name.startswith("PIP_")}
        return {name[4:].lower().replace("_", "-"): value for name, value in variables.items()}
    sections: dict[str, dict[str, str]] = {}
    for line in found.splitlines():
        key, _, value = line.partition("=")
        section, _, name = key.rpartition(".")
        with suppress(ValueError, SyntaxError):
            value = str(ast.literal_eval(value))
        sections.setdefault(section, {})[name] = value
    return {name: value for section in _SECTIONS for name, value in sections.get(section, {}).items()}


def _answer(*arguments: str) -> str | None:
    """The output of the first pip that answers; never in the repository, which could have settings and code for it."""
    for pip in _pips():
        with suppress(FetchError):
            said = run_client((*pip, *arguments), ROOT, os.environ, _PATIENCE)
            if said.status == 0:
                return said.output
    return None


def _pips() -> Iterator[tuple[str, ...]]:
    """This environment's pip, that on the PATH, and that of ``ensurepip``: uv makes environments without pip."""
    yield sys.executable, "-I", "-m", "pip"
    if on_path := find_program("pip"):
        yield (on_path,)
    # Distributors of Python may keep it elsewhere.
    folders = (Path(sysconfig.get_path("stdlib"), "ensurepip", "_bundled"), sysconfig.get_config_var("WHEEL_PKG_DIR"))
    for folder in filter(None, folders):
        yield from ((sys.executable, "-I", f"{wheel}/pip") for wheel in Path(folder).glob("pip-*.whl"))


def _registry(place: str, certificates: str | None) -> Registry | None:
    if not re.match(r"[A-Za-z][A-Za-z0-9+.-]+:", place):
        # A relative path could name a folder of the repository.
        path = Path(place).expanduser()
        return Registry(path.as_uri()) if path.is_absolute() else None
    try:
        return registry_at(place, certificates)
    except ValueError as error:
        raise FetchError("pip's index URL is invalid", "fix it: pip config list shows it") from error
