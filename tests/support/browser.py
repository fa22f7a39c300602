"""A real browser for pages: Chromium as the system has it, without a window.

A machine without one skips these tests and says so. With ``REQUIRE_BROWSER`` in its environment, as ``.ci/run`` sets
it, it fails.
"""

from __future__ import annotations

import os
import shutil
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import sync_playwright

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from playwright.sync_api import Browser, Page

REQUIRED = bool(os.environ.get("REQUIRE_BROWSER"))
_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
_SWITCHES = (
    "--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync"
).split()
_MISSING = "no Chromium on this machine, so no page was looked at; on Debian: apt-get install chromium"


@contextmanager
def launched() -> Iterator[Browser]:
    """The browser; without one the test is skipped."""
    executable = next(filter(None, map(shutil.which, _NAMES)), None)
    if executable is None:
        if REQUIRED:
            pytest.fail(_MISSING)
        pytest.skip(_MISSING)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=executable, args=_SWITCHES)
        yield browser
        browser.close()


@dataclass
class Tab:
    """A page in a tab, and what it did that it should not have done.

    Attributes:
        page: Playwright's handle.
        url: of the file.
        events: messages on the console, errors, dialogs, and requests for anything but the file.
    """

    page: Page
    url: str
    events: list[str] = field(default_factory=list)

    def watch(self) -> Tab:
        """Write down what happens from now on."""
        self.page.on("console", lambda message: self.events.append(f"console: {message.text}"))
        self.page.on("pageerror", lambda error: self.events.append(f"error: {error}"))
        self.page.on("request", lambda request: self._requested(request.url))
        self.page.on("dialog", lambda dialog: (self.events.append(f"dialog: {dialog.message}"), dialog.dismiss()))
        return self

    def open(self, anchor: str = "") -> Tab:
        """Load the page, at a finding if one is named."""
        # Only another fragment would be no load.
        self.page.goto("about:blank")
        self.page.goto(f"{self.url}#{anchor}" if anchor else self.url)
        return self

    def press(self, *keys: str) -> None:
        """Press keys, one after the other, and let the page follow each: it goes by what its address says."""
        for key in keys:
            self.page.keyboard.press(key)
            self.page.evaluate("() => new Promise(done => setTimeout(() => requestAnimationFrame(done)))")

    def visible(self, selector: str) -> list[str]:
        """The texts of the elements that can be seen."""
        return [one.inner_text() for one in self.page.locator(selector).all() if one.is_visible()]

    @property
    def heading(self) -> str:
        """What the open finding is called; empty if none is open."""
        return " ".join("".join(self.visible("article.open h2")).split())

    def _requested(self, url: str) -> None:
        if url.partition("#")[0] not in (self.url, "about:blank"):
            self.events.append(f"request: {url}")


@contextmanager
def tab(browser: Browser, file: Path, **context: object) -> Iterator[Tab]:
    """A tab for a file; ``context`` is what Playwright's ``new_context`` takes."""
    made = browser.new_context(**context)  # type: ignore[arg-type]
    yield Tab(made.new_page(), file.as_uri()).watch()
    made.close()
