"""What the theme leaves undone for people who do not use a mouse, or who listen to a page."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

_INSTEAD = {
    # Whatever scrolls can be reached by keyboard.
    "<pre>": '<pre tabindex="0">',
    '<div class="table-wrapper': '<div tabindex="0" class="table-wrapper',
    # A cell without words is no heading; GitHub's tables need a head.
    '<th class="head"><p></p></th>': "<td></td>",
    '<p class="caption" role="heading">': '<p class="caption" role="heading" aria-level="2">',
    '<aside class="sidebar-drawer">': '<aside class="sidebar-drawer" aria-label="The site">',
    '<aside class="toc-drawer': '<aside aria-label="The page" class="toc-drawer',
}


def mend(site: Path) -> None:
    """Change the pages of a site."""
    for page in site.rglob("*.html"):
        text = page.read_text(encoding="utf-8")
        for given, instead in _INSTEAD.items():
            text = text.replace(given, instead)
        page.write_text(text, encoding="utf-8")
