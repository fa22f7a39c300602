"""The word that somebody may have meant."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from winnow_ci.errors import did_you_mean, did_you_mean_file

if TYPE_CHECKING:
    from pathlib import Path

COMMANDS = ("scan", "explain", "hook")


@pytest.mark.parametrize(
    ("given", "alike", "remedy"),
    [
        ("scna", 0.8, "did you mean scan?"),
        ("Scan", 0.8, "did you mean scan?"),
        ("explan", 0.8, "did you mean explain?"),
        ("look", 0.8, "see --help"),
        ("look", 0.7, "did you mean hook?"),
        ("", 0.65, "see --help"),
        ("explain" + 1000 * "n", 0.65, "see --help"),
    ],
)
def test_the_nearest_word_or_another_advice(given: str, alike: float, remedy: str) -> None:
    assert did_you_mean(given, COMMANDS, "see --help", alike=alike) == remedy


def test_several_words_in_other_words() -> None:
    known = ["GPL-3.0-only", "MIT", "GPL-3.0-or-later"]
    remedy = did_you_mean("gpl-3.0", known, "", most=3, alike=0.6, shown=lambda word: f"[{word}]")
    assert remedy == "did you mean [GPL-3.0-only] or [GPL-3.0-or-later]?"


def test_the_nearest_file_is_beside_the_one_that_was_named(tmp_path: Path) -> None:
    (tmp_path / "known.db").touch()
    assert did_you_mean_file(tmp_path / "knwon.db", "build one") == f"did you mean {tmp_path / 'known.db'}?"
    assert did_you_mean_file(tmp_path / "other.db", "build one") == "build one"
    assert did_you_mean_file(tmp_path / "absent" / "known.db", "build one") == "build one"
