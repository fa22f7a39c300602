"""One browser for the tests of a module."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from support.browser import launched

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Browser


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """A browser that ends with its module: Playwright allows only one at a time in a process."""
    with launched() as opened:
        yield opened
