"""Pages of Python package indexes: JSON (PEP 691) and HTML (PEP 503), and whatever else links to files."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import unquote, urldefrag, urljoin, urlsplit

from winnow_ci.errors import FetchError
from winnow_ci.fetching.registry import Registry, shown_url, without_credentials

if TYPE_CHECKING:
    from collections.abc import Iterator

    from winnow_ci.fetching.download import WebPage

ACCEPTED = "application/vnd.pypi.simple.v1+json, application/vnd.pypi.simple.v1+html;q=0.2, text/html;q=0.1"
"""The media types that are understood, those that say most first."""


class PackageLink(NamedTuple):
    """A file that an index has.

    Attributes:
        filename: without a folder.
        url: where it is, without credentials and fragment.
        sha256: what the index says of it.
        yanked: whether its maintainers have taken it back.
        registry: that has it.
    """

    filename: str
    url: str
    sha256: str | None
    yanked: bool
    registry: Registry


def links(page: WebPage, registry: Registry) -> Iterator[PackageLink]:
    """The files that a page links to.

    Raises:
        FetchError: the page cannot be understood.
    """
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
    """What a page links to, and whether that was yanked."""

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
