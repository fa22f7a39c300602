"""What the Python package indexes of the user have of a project."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote, unquote, urldefrag, urljoin, urlsplit
from urllib.request import url2pathname

from winnow_ci.errors import FetchError
from winnow_ci.fetching.download import web_page
from winnow_ci.fetching.pip_settings import pip_settings
from winnow_ci.fetching.registry import Registry, shown_url, without_credentials
from winnow_ci.fetching.transfer import NotFoundError
from winnow_ci.named_tuples import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

    from winnow_ci.fetching.download import WebPage

_ACCEPTED = "application/vnd.pypi.simple.v1+json, application/vnd.pypi.simple.v1+html;q=0.2, text/html;q=0.1"


class PackageLink(NamedTuple):
    """A file of a package that an index offers.

    Attributes:
        filename: without a folder.
        url: without credentials and fragment.
        sha256: as the index has it; None if it has none.
        yanked: whether its maintainers have withdrawn it.
        registry: that offers it.
    """

    filename: str
    url: str
    sha256: str | None
    yanked: bool
    registry: Registry


def all_links(project: str) -> Iterator[PackageLink]:
    """All files that the user's indexes have of a project, the first index first.

    Args:
        project: its normalized name.

    Raises:
        FetchError: pip does not say where to look, or an index does not answer, or not with a page of an index.
            No other index is asked instead: it may have another package of the same name.
    """
    found = pip_settings()
    for registry in found.indexes:
        yield from _on(f"{registry.url.rstrip('/')}/{quote(project)}/", registry)
    for registry in found.lists:
        folder = _folder(registry)
        yield from _in(folder, registry) if folder else _on(registry.url, registry)


def places() -> str:
    """Where the user's pip looks, for messages."""
    found = pip_settings()
    return ", ".join(shown_url(registry.url) for registry in (*found.indexes, *found.lists)) or "no index"


def _on(url: str, registry: Registry) -> Iterator[PackageLink]:
    try:
        yield from _links(web_page(url, registry=registry, accept=_ACCEPTED), registry)
    except NotFoundError:
        return


def _folder(registry: Registry) -> Path | None:
    parts = urlsplit(registry.url)
    path = Path(url2pathname(parts.path))
    return path if parts.scheme == "file" and path.is_dir() else None


def _in(folder: Path, registry: Registry) -> Iterator[PackageLink]:
    try:
        names = sorted(path.name for path in folder.iterdir())
    except OSError as error:
        remedy = "make the folder readable, or remove it from find-links"
        raise FetchError(f"{folder}: {error.strerror}", remedy) from error
    for name in names:
        yield PackageLink(name, f"{folder.as_uri()}/{quote(name)}", None, yanked=False, registry=registry)


def _links(page: WebPage, registry: Registry) -> Iterator[PackageLink]:
    """The files that a page links to: JSON (PEP 691), HTML (PEP 503), or any other HTML."""
    try:
        read = _in_json if page.kind.endswith("json") else _in_html
        for url, filename, sha256, yanked in read(page):
            name = filename or unquote(urlsplit(url).path).rpartition("/")[2]
            if name.isprintable() and "/" not in name:
                yield PackageLink(name, without_credentials(url), _digest(sha256), yanked, registry)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        problem = f"{shown_url(page.url)}: not a page of a Python package index"
        raise FetchError(problem, "see that the URL that pip is set up with is that of an index") from error


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
    """The links of a page, and whether each was yanked."""

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


def _digest(text: str | None) -> str | None:
    return text.lower() if text and re.fullmatch(r"[0-9A-Fa-f]{64}", text) else None
