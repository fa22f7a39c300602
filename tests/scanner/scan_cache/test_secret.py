"""The user's secret: made once, 32 bytes, and no other kind of file is one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from winnow_ci.scanner.scan_cache.secret import secret

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the secret is kept."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    return tmp_path / "winnow-ci" / "secret"


def test_it_is_made_once(place: Path) -> None:
    made = secret()
    assert made is not None
    assert (len(made), place.read_bytes(), secret()) == (32, made, made)
    assert [path.name for path in place.parent.iterdir()] == ["secret"]


@pytest.mark.parametrize(("length", "is_one"), [(31, False), (32, True), (33, False), (0, False)])
def test_it_has_32_bytes(place: Path, length: int, is_one: bool) -> None:
    place.parent.mkdir()
    place.write_bytes(b"s" * length)
    place.chmod(0o600)
    assert secret() == (b"s" * 32 if is_one else None)


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o620, 0o601])
def test_what_others_may_read_or_write_is_none(place: Path, mode: int) -> None:
    assert secret() is not None
    place.chmod(mode)
    assert secret() is None


def test_a_link_is_none(place: Path, tmp_path: Path) -> None:
    assert secret() is not None
    place.rename(tmp_path / "elsewhere")
    place.symlink_to(tmp_path / "elsewhere")
    assert secret() is None
