"""Texts that a lexer of Pygments does not get through, in languages that hardly anybody writes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from winnow_ci.languages import pygments_lexer

if TYPE_CHECKING:
    import pytest

EXPONENTIAL = b'"' + b"\\" * 80
"""Takes Chapel's lexer twice as long for each two backslashes: some thousand years."""

QUADRATIC = b'"\\' * 150_000
"""Takes Boo's lexer the square of its length: half a minute or more."""


def shorten(monkeypatch: pytest.MonkeyPatch, seconds: float = 0.3) -> None:
    """Give lexers this time."""
    monkeypatch.setattr(pygments_lexer, "LEAST_SECONDS", seconds)
    monkeypatch.setattr(pygments_lexer, "MOST_SECONDS", seconds)
