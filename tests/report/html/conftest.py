"""One browser for all tests of pages that a worker runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from support.browser import launched

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Browser


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    with launched() as opened:
        yield opened
