"""``winnow-ci completion``: what real shells complete with its scripts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from support.command import winnow
from support.shells import candidates
from winnow_ci.cli import COMMANDS
from winnow_ci.cli.completion import SHELLS
from winnow_ci.report import FORMATS

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Complete = Callable[[str], list[str]]


@pytest.fixture(params=SHELLS)
def complete(request: pytest.FixtureRequest, tmp_path: Path) -> Complete:
    """Asks a shell, in a folder with two files and a folder."""
    script = tmp_path / "_winnow-ci"
    script.write_text(winnow("completion", request.param, cwd=tmp_path).output, encoding="utf-8")
    folder = tmp_path / "work"
    (folder / "source").mkdir(parents=True)
    for name in ("sources.db", "readme.md"):
        (folder / name).touch()
    return lambda line: candidates(request.param, script, line, folder)


def test_commands_and_options_are_completed(complete: Complete) -> None:
    assert set(complete("winnow-ci ")) >= set(COMMANDS)
    assert complete("winnow-ci sc") == ["scan"]
    assert {"add", "build", "sync", "list"} <= set(complete("winnow-ci index "))
    assert complete("winnow-ci scan --update-b") == ["--update-baseline"]
    assert complete("winnow-ci index add --lic") == ["--license"]


def test_words_that_can_be_chosen_are_completed(complete: Complete) -> None:
    assert complete("winnow-ci scan --policy-from ") == ["base", "head"]
    assert complete("winnow-ci scan --format j") == ["json", "junit"]
    assert set(complete("winnow-ci report x.json --format ")) == {"auto", *FORMATS}
    assert complete("winnow-ci completion ") == sorted(SHELLS)


def test_files_are_completed_where_files_are_meant(complete: Complete) -> None:
    def names(line: str) -> set[str]:
        return {one.rstrip("/") for one in complete(line)}

    for line in ("winnow-ci scan ", "winnow-ci scan --index ", "winnow-ci index build ", "winnow-ci index verify "):
        assert names(f"{line}sour") == {"source", "sources.db"}, line
    for line in ("winnow-ci scan --policy-from ", "winnow-ci completion ", "winnow-ci index build --name "):
        assert not names(f"{line}read"), line


def test_an_unknown_shell_is_an_error(tmp_path: Path) -> None:
    problem, remedy = winnow("completion", "bsh", cwd=tmp_path).complaint(2)
    assert "invalid choice: 'bsh'" in problem
    assert remedy == "did you mean bash?"
