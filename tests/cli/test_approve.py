"""A person approves copies by id: each gets an entry in the baseline with the reason, or none does."""

from __future__ import annotations

import csv
import datetime as dt
import io
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from support.command import Ended, winnow
from support.reports import finding
from winnow_ci.cli.approve import say_approved
from winnow_ci.model import LineRange
from winnow_ci.operations.baseline import BaselinePlace

if TYPE_CHECKING:
    from support.repository import Checkout

BASELINE = ".winnow/baseline.json"
CONFIGURATION = ".winnow.yml"
REASON = "asked its author, see docs/permissions.md"


def approve(checkout: Checkout, known: Path, *arguments: str, **environment: str) -> Ended:
    return winnow("approve", *arguments, "--index", known, cwd=checkout.root, **environment)


def found(checkout: Checkout, known: Path, *arguments: str) -> dict[str, dict[str, Any]]:
    """The findings by path."""
    ended = winnow("scan", "--index", known, "--format", "json", *arguments, cwd=checkout.root)
    return {finding["path"]: finding for finding in ended.findings()}


def ids(checkout: Checkout, known: Path) -> tuple[str, str]:
    """Those of the two copies: of src/bookings.py, then of src/plan.py."""
    first, second = found(checkout, known).values()
    return first["id"], second["id"]


@pytest.mark.parametrize(
    ("written", "ending"),
    [
        (None, "\n"),
        ("# ours\n", "\n"),
        ("report: {min_tokens: 16}  # ours", "\n"),
        ("# ours\r\nown:\r\n- acme-*\r\n", "\r\n"),
        ("boilerplate:\n- language: python\n  text: |+\n" + "    x = 1\n" * 30 + "\n\n", "\n"),
        ("---\nk: 16\n", "\n"),
    ],
)
def test_the_configuration_gets_its_key_and_keeps_the_rest(
    copied: Checkout, known: Path, written: str | None, ending: str
) -> None:
    bookings, _ = ids(copied, known)
    configuration = copied.root / CONFIGURATION
    if written is not None:
        configuration.write_bytes(written.encode())
    ended = approve(copied, known, bookings, "--reason", REASON)
    assert ended.status == 0, ended
    assert "winnow-ci: .winnow.yml: now names the baseline\n" in ended.errors
    text = configuration.read_bytes().decode()
    line = f"baseline: {BASELINE}{ending}"
    assert text.endswith(line)
    kept = text.removesuffix(line)
    assert kept == written + ("" if written.endswith("\n") else ending) if written else kept.startswith("# ")
    again = approve(copied, known, bookings, "--reason", REASON)
    assert "now names the baseline" not in again.errors
    assert configuration.read_bytes().decode() == text


def test_a_link_for_a_configuration_is_not_followed(copied: Checkout, known: Path, tmp_path: Path) -> None:
    bookings, _ = ids(copied, known)
    (tmp_path / "shared.yml").write_text("k: 16\n")
    (copied.root / CONFIGURATION).symlink_to(tmp_path / "shared.yml")
    assert "symbolic link" in approve(copied, known, bookings, "--reason", REASON).complaint(2)[0]
    assert (tmp_path / "shared.yml").read_text() == "k: 16\n"


def test_a_baseline_that_cannot_be_written_leaves_the_configuration(copied: Checkout, known: Path) -> None:
    bookings, _ = ids(copied, known)
    copied.write(CONFIGURATION, "k: 16\n")
    copied.write(".winnow", "a file\n")
    assert approve(copied, known, bookings, "--reason", REASON).status in {2, 3}
    assert (copied.root / CONFIGURATION).read_text() == "k: 16\n"


def test_what_people_have_accepted_is_listed_with_the_reasons(copied: Checkout, known: Path) -> None:
    _, plan = ids(copied, known)
    text = (copied.root / "src/bookings.py").read_text()
    copied.write("src/bookings.py", text.replace("def fuse", "# winnow-ci: allow roads its author said so\ndef fuse"))
    assert approve(copied, known, plan, "--reason", REASON, "--expires", "2999-01-31").status == 0
    who, today = "Ada <ada@example.org>", f"{dt.date.today()}"
    rows = [
        ["src/bookings.py:5-18", "roads 2.1", "GPL-3.0-only", "comment", "", "", "", "its author said so"],
        ["src/plan.py:13-37", "roads 2.1", "GPL-3.0-only", "baseline", who, today, "2999-01-31", REASON],
    ]
    for mode in ([], ["--all"]):
        ended = winnow("explain", "--accepted", *mode, "--index", known, cwd=copied.root)
        heading, *table, empty, count = ended.output.splitlines()
        assert heading.split() == "WHERE SOURCE LICENCE HOW BY ON UNTIL REASON".split()
        assert [re.split("  +", line) for line in table] == [list(filter(None, row)) for row in rows]
        assert (ended.status, empty, count) == (0, "", "2 accepted copies")
    listed = winnow("explain", "--accepted", "--csv", "--index", known, cwd=copied.root)
    assert list(csv.reader(io.StringIO(listed.output)))[1:] == rows
    assert winnow("explain", "--csv", plan, "--index", known, cwd=copied.root).status == 2
    only = winnow("explain", "--accepted", "src/greetings.py", "--index", known, cwd=copied.root)
    assert only.output == "no accepted copies\n"
    assert found(copied, known)["src/plan.py"]["expires"] == "2999-01-31"
    told = winnow("explain", plan, "--index", known, cwd=copied.root).output
    assert f"suppressed: it is in the baseline, by {who}, on {today}, until 2999-01-31: {REASON}\n" in told
    assert winnow("scan", "--index", known, cwd=copied.root).output == "no findings, 2 suppressed (2 accepted)\n"


def test_what_was_approved_is_named_as_in_reports(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    one = finding()._replace(lines=LineRange(7, 7))
    elsewhere = Path("/srv/rules/.winnow.yml")
    say_approved(BaselinePlace(Path.cwd() / "b.json", elsewhere, b""), [one])
    named, approved, copy, stage, advice = capsys.readouterr().err.splitlines()
    assert named == f"winnow-ci: {elsewhere}: now names the baseline"
    assert approved == "winnow-ci: b.json: 1 approved"
    assert f"{one.path}:7 from " in copy
    assert stage == f"winnow-ci: a commit hook uses it once it is staged: git add b.json {elsewhere}"
    assert "pull requests use this" in advice


def test_nothing_approved_counts_nowhere(capsys: pytest.CaptureFixture[str]) -> None:
    one = finding()
    say_approved(BaselinePlace(Path("b.json"), Path(".winnow.yml")), [], [(one, one.source)])
    said = capsys.readouterr().err
    assert "0 approved" in said
    assert "1 not recorded" in said
    assert "git add" not in said
    assert "pull requests use this" not in said
