"""A folder that is made when it is needed, and gone afterwards."""

from __future__ import annotations

from typing import TYPE_CHECKING

from winnow_ci.operations.written_files import ScratchFolder

if TYPE_CHECKING:
    from pathlib import Path

    import pytest


def test_it_is_made_when_it_is_asked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    with ScratchFolder() as scratch:
        assert list(tmp_path.iterdir()) == []
        (scratch.path / "a").write_text("text")
        assert list(tmp_path.iterdir()) == [scratch.path]
        assert scratch.path.stat().st_mode & 0o77 == 0
    assert list(tmp_path.iterdir()) == []
