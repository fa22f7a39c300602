"""Where the baseline is written, and that half of it never is."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from winnow_ci.config.baseline import load_baseline
from winnow_ci.config.settings import load_settings
from winnow_ci.errors import UsageError
from winnow_ci.model.findings import BaselineEntry
from winnow_ci.operations.baseline import BaselinePlace, baseline_place, write_baseline

if TYPE_CHECKING:
    from pathlib import Path

ENTRY = BaselineEntry("ab" * 16, "src/a.c", "curl", "lib/url.c", "curl", "verbatim", "asked its author")


def test_the_first_baseline_comes_with_its_key(tmp_path: Path) -> None:
    configuration = tmp_path / ".winnow.yml"
    place = baseline_place(None, configuration)
    assert not configuration.exists()
    write_baseline(place, (), (ENTRY,))
    settings = load_settings(configuration)
    assert settings.baseline == place.path == tmp_path / ".winnow/baseline.json"
    assert load_baseline(place.path) == (ENTRY,)
    assert baseline_place(settings.baseline, configuration) == BaselinePlace(place.path, configuration)


def test_what_somebody_else_has_written_meanwhile_stays(tmp_path: Path) -> None:
    place = baseline_place(None, tmp_path / ".winnow.yml")
    write_baseline(place, (), (ENTRY,))
    other = ENTRY._replace(path="src/b.c")
    with pytest.raises(UsageError, match="has changed meanwhile"):
        write_baseline(place, (), (other,))
    assert load_baseline(place.path) == (ENTRY,)


def test_a_configuration_that_cannot_be_written_leaves_no_baseline(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    place = BaselinePlace(tmp_path / "baseline.json", tmp_path / "file" / ".winnow.yml", b"baseline: baseline.json\n")
    with pytest.raises(OSError):  # noqa: PT011 - which one depends on the system
        write_baseline(place, (), (ENTRY,))
    assert not place.path.exists()
