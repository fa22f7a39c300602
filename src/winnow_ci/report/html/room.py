"""How many rows of each finding a page has room for."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from markupsafe import Markup

ROWS = (200, 100, 50, 25, 10)
"""How many rows of a finding are shown at most: the first number with which all findings fit."""
ROOM = 11_000_000
"""Bytes for all findings, so that a page stays below 12 MB, which a browser opens at once and a mail server takes."""
LISTED_AT_ONCE = 200
"""Lines in one page of a list; ``page.js`` has the same number."""


def fitting(rendered: Callable[[int], Iterable[Markup]], room: int) -> list[Markup]:
    """What ``rendered`` makes with as many rows as there is room for; without rows if there is too much of it."""
    for most_rows in ROWS:
        if (bodies := _within(rendered(most_rows), room)) is not None:
            return bodies
    return list(rendered(0))


def _within(rendered: Iterable[Markup], room: int) -> list[Markup] | None:
    """All of it; None as soon as there is no room for it."""
    bodies = []
    for body in rendered:
        room -= len(body.encode())
        if room < 0:
            return None
        bodies.append(body)
    return bodies
