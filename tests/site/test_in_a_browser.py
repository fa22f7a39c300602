"""The site in a real browser: narrow and wide, light and dark, with everything that it needs beside it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from axe_playwright_python.sync_playwright import Axe

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Browser, Page, Request

# One of each kind: the first page, tables, much code, pictures, what is made from the code, a rule, figures.
PAGES = (
    *("index", "beside-other-tools", "ci", "findings", "configuration", "reference"),
    *("reference/commands", "reference/json", "rules/not-scanned", "matching", "papers", "decisions/index"),
)
WINDOWS = {
    "wide, light": {"viewport": {"width": 1280, "height": 900}, "color_scheme": "light"},
    "narrow, dark": {"viewport": {"width": 390, "height": 844}, "color_scheme": "dark"},
}


@pytest.fixture(params=WINDOWS)
def window(browser: Browser, served: str, request: pytest.FixtureRequest) -> Iterator[Page]:
    """A window. At the end nothing may have been asked for that is not of the site, nor anything complained of."""
    context = browser.new_context(**WINDOWS[request.param])
    page, events = context.new_page(), list[str]()

    def asked(what: Request) -> None:
        if not what.url.startswith((served, "data:")):
            events.append(what.url)

    page.on("request", asked)
    page.on("requestfailed", lambda what: events.append(f"failed: {what.url}"))
    page.on("console", lambda message: events.append(message.text))
    page.on("pageerror", lambda error: events.append(str(error)))
    yield page
    context.close()
    assert events == []


def test_pages_are_accessible_and_no_wider_than_the_window(window: Page, served: str) -> None:
    wrong, axe = [], Axe()
    for name in PAGES:
        window.goto(f"{served}{name}.html")
        wrong += [
            f"{name}: {one['id']}: {node['html']:.200}"
            for one in axe.run(window).response["violations"]
            for node in one["nodes"]
        ]
        if window.evaluate("document.documentElement.scrollWidth > innerWidth"):
            wrong.append(f"{name}: wider than the window")
    assert wrong == []


def test_the_search_finds_a_page(window: Page, served: str) -> None:
    window.goto(f"{served}search.html?q=baseline")
    window.wait_for_selector("#search-results li a")
    assert "configuration.html" in " ".join(
        link.get_attribute("href") or "" for link in window.locator("#search-results li a").all()
    )
