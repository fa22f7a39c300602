"""Pages of templates, and the rules by which nothing in a page can do harm.

Autoescape is on, and whatever a template prints goes through ``printable`` first, so that no template can forget
either: control characters and marks of direction become visible escapes, and tags become text. The page has a
Content-Security-Policy of its own (https://www.w3.org/TR/CSP3/), which names the one style and the one script that may
take effect by their digests. It allows nothing else: no image, no connection, no form, no frame.

A page stays below 12 MB, which a browser opens at once and a mail server accepts, since many findings show fewer rows.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from hashlib import sha256
from importlib.resources import files
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from winnow_ci import __version__
from winnow_ci.report import printable, shown, wording

MOST_ROWS = (200, 100, 50, 25, 10, 0)
"""How many rows of a finding are shown at most: the first number with which all findings fit, or none."""
ROOM = 11_000_000
"""Bytes for all findings."""
_LISTED_AT_ONCE = 200
"""Lines in one page of a list; ``page.js`` has the same number."""
_MOST_CHIPS = 60


def page_of(template: str, listed: Sequence[Any], bodies: Callable[[int], Iterable[Markup]], **values: Any) -> str:
    """A page with a list in parts, then the body of each line.

    The lines of the list have an ``anchor``: the name of the body in the page. ``bodies`` takes the most rows to show.
    """
    starts = range(0, len(listed), _LISTED_AT_ONCE)
    html = _rendered(
        template,
        **_assets(),
        version=__version__,
        count=len(listed),
        parts_of_list=[listed[start : start + _LISTED_AT_ONCE] for start in starts],
        listed_at_once=_LISTED_AT_ONCE,
        bodies=list(zip((one.anchor for one in listed), _fitting(bodies), strict=True)),
        **values,
    )
    return f"{html}\n"


def body_of(
    template: str, listed: Sequence[Any], number: int, renames: Sequence[tuple[str, str, int]], **values: Any
) -> Markup:
    """The body of a line of a list, with links to its neighbours and the first changed names."""
    return _rendered(
        template,
        listed=listed[number],
        number=number + 1,
        count=len(listed),
        previous=listed[number - 1].anchor if number else None,
        following=listed[number + 1].anchor if number + 1 < len(listed) else None,
        renames=renames[:_MOST_CHIPS],
        renames_left_out=max(len(renames) - _MOST_CHIPS, 0),
        **values,
    )


def link(url: str | None) -> str | None:
    """A URL that may be a link; None for every scheme but http and https."""
    is_web = url is not None and url.lower().startswith(("https://", "http://"))
    return url if is_web and url == printable.inline(url or "") else None


def _fitting(bodies: Callable[[int], Iterable[Markup]]) -> list[Markup]:
    """Bodies with as many rows as there is room for; without rows if there is too much of them."""
    kept: list[Markup] = []
    for most_rows in MOST_ROWS:
        kept, left = [], ROOM
        for body in bodies(most_rows):
            left -= len(body.encode())
            if left < 0 and most_rows:
                break
            kept.append(body)
        else:
            break
    return kept


@cache
def _assets() -> dict[str, Any]:
    """The style and the script beside this module, and the policy that allows these two and nothing else."""
    texts = [files(__package__).joinpath(name).read_text(encoding="utf-8") for name in ("page.css", "page.js")]
    # A browser takes the digest of the text between the tags, in which its parser has replaced "\r\n".
    style, script = (text.replace("\r\n", "\n") for text in texts)
    own = [f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'" for text in (style, script)]
    policy = f"default-src 'none'; style-src {own[0]}; script-src {own[1]}; base-uri 'none'; form-action 'none'"
    return {"style": Markup(style), "script": Markup(script), "policy": policy}  # noqa: S704 - our own files


def _rendered(template: str, **values: Any) -> Markup:
    return Markup(_environment().get_template(template).render(values))  # noqa: S704 - autoescape is on


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("winnow_ci.report.html"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_harmless,
    )
    environment.filters |= {"thousands": "{:,}".format, "percent": "{:.0%}".format}
    environment.globals |= {"counted": wording.counted, "link": link, "shown": shown, "wording": wording}
    return environment


def _harmless(value: object) -> object:
    """What a template prints: text of others as visible characters."""
    if isinstance(value, str) and not isinstance(value, Markup):
        return printable.inline(value)
    return value
