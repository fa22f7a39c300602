"""What somebody may have meant."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from winnow_ci.errors import did_you_mean, nearest_file, nearest_word

if TYPE_CHECKING:
    from pathlib import Path

COMMANDS = ("scan", "explain", "hook")


@pytest.mark.parametrize(
    ("given", "alike", "near"),
    [
        ("scna", 0.8, "scan"),
        ("explan", 0.8, "explain"),
        ("look", 0.8, None),
        ("look", 0.7, "hook"),
        ("", 0.65, None),
        ("explain" + 1000 * "n", 0.65, None),
    ],
)
def test_the_nearest_word(given: str, alike: float, near: str | None) -> None:
    assert nearest_word(given, COMMANDS, alike) == near


def test_a_remedy_names_it_or_says_something_else() -> None:
    assert did_you_mean("scann", COMMANDS, "see --help") == "did you mean scan?"
    assert did_you_mean("xyz", COMMANDS, "see --help") == "see --help"


def test_the_nearest_file_is_beside_the_one_that_was_named(tmp_path: Path) -> None:
    (tmp_path / "known.db").touch()
    assert nearest_file(tmp_path / "knwon.db") == tmp_path / "known.db"
    assert nearest_file(tmp_path / "other.db") is None
    assert nearest_file(tmp_path / "absent" / "known.db") is None
