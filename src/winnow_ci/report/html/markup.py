"""Templates, and the rules by which nothing in a page can do harm.

Autoescape is on, and whatever a template prints goes through ``printable`` first, so that no template can forget
either: control characters and marks of direction become visible escapes, and what would be a tag is text. The page has
a Content-Security-Policy of its own (https://www.w3.org/TR/CSP3/), which names the one style and the one script that
may take effect by their digests. It allows nothing else: no image, no connection, no form, no frame.
"""

from __future__ import annotations

from base64 import b64encode
from functools import lru_cache
from hashlib import sha256
from importlib.resources import files
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from winnow_ci.named_tuples import NamedTuple
from winnow_ci.report import printable


class PageAssets(NamedTuple):
    """What every page carries.

    Attributes:
        style: CSS.
        script: JavaScript.
        policy: the Content-Security-Policy that allows these two and nothing else.
    """

    style: Markup
    script: Markup
    policy: str


@lru_cache
def assets() -> PageAssets:
    """The style and the script that stand beside this module."""
    style, script = (_asset(name) for name in ("page.css", "page.js"))
    policy = (
        f"default-src 'none'; style-src '{_digest(style)}'; script-src '{_digest(script)}'; "
        "base-uri 'none'; form-action 'none'"
    )
    return PageAssets(Markup(style), Markup(script), policy)  # noqa: S704 - our own files


def rendered(template: str, **values: Any) -> Markup:
    """A template with values; the result is HTML."""
    return Markup(_environment().get_template(template).render(values))  # noqa: S704 - autoescape is on


def link(url: str | None) -> str | None:
    """A URL that may be a link; None for every scheme but http and https."""
    is_web = url is not None and url.lower().startswith(("https://", "http://"))
    return url if is_web and url == printable.inline(url or "") else None


def _asset(name: str) -> str:
    # A browser takes the digest of the text between the tags, in which its parser has replaced "\r\n".
    return files(__package__).joinpath(name).read_text(encoding="utf-8").replace("\r\n", "\n")


def _digest(text: str) -> str:
    return f"sha256-{b64encode(sha256(text.encode()).digest()).decode()}"


@lru_cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("winnow_ci.report.html"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_harmless,
    )
    environment.filters["thousands"] = "{:,}".format
    return environment


def _harmless(value: object) -> object:
    """What a template prints: text of others as visible characters."""
    if isinstance(value, str) and not isinstance(value, Markup):
        return printable.inline(value)
    return value
