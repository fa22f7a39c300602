from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from support.reports import finding
from winnow_ci.cli.approve import say_approved
from winnow_ci.model import LineRange
from winnow_ci.operations.baseline import BaselinePlace

if TYPE_CHECKING:
    import pytest


def test_what_was_approved_is_named_as_in_reports(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    one = finding()._replace(lines=LineRange(7, 7))
    elsewhere = Path("/srv/rules/.winnow.yml")
    say_approved(BaselinePlace(Path.cwd() / "b.json", elsewhere, b""), [one])
    named, approved, copy, stage, advice = capsys.readouterr().err.splitlines()
    assert named == f"winnow-ci: {elsewhere}: names the baseline now"
    assert approved == "winnow-ci: b.json: 1 approved"
    assert f"{one.path}:7 from " in copy
    assert stage == f"winnow-ci: a commit hook counts it once it is staged: git add b.json {elsewhere}"
    assert "for a pull request" in advice


def test_nothing_approved_counts_nowhere(capsys: pytest.CaptureFixture[str]) -> None:
    one = finding()
    say_approved(BaselinePlace(Path("b.json"), Path(".winnow.yml")), [], [(one, one.source)])
    said = capsys.readouterr().err
    assert "0 approved" in said
    assert "1 not recorded" in said
    assert "git add" not in said
    assert "for a pull request" not in said
