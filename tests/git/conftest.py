"""Fixtures of the git tests."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from support.repository import Checkout, numbered

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    """A repository without a commit."""
    return Checkout.create(tmp_path / "checkout")


@pytest.fixture
def project(checkout: Checkout) -> Checkout:
    """A repository with one commit on main: a.c, b.c and lib/c.c, of ten different lines each."""
    checkout.commit({path: numbered(path) for path in ("a.c", "b.c", "lib/c.c")})
    return checkout
