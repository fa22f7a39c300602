"""A person approves copies by id: each gets an entry in the baseline with the reason, or none does."""

from __future__ import annotations

import csv
import datetime as dt
import io
import json
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


def entries(checkout: Checkout) -> list[dict[str, Any]]:
    return list(json.loads((checkout.root / BASELINE).read_text())["entries"])


def test_one_command_approves_and_the_scan_passes(copied: Checkout, known: Path) -> None:
    bookings, plan = ids(copied, known)
    ended = approve(copied, known, bookings[:6], plan, plan, "--reason", f" {REASON}\n", "--since", "main")
    assert (ended.status, ended.output) == (0, "")
    assert [(each["path"], each["reason"], "expires" in each) for each in entries(copied)] == [
        ("src/bookings.py", REASON, False),
        ("src/plan.py", REASON, False),
    ]
    assert "baseline.json: 2 approved\n" in ended.errors
    assert f"  {plan}  src/plan.py:13-37 from roads (GPL-3.0-only)\n" in ended.errors
    assert "once it is merged" in ended.errors
    for mode in ([], ["--since", "main"], ["--all"]):
        after = found(copied, known, *mode)
        assert {(each["suppressed"], each["reason"]) for each in after.values()} == {("baseline", REASON)}


def test_what_is_not_approved_stays_a_finding(copied: Checkout, known: Path) -> None:
    _, plan = ids(copied, known)
    assert approve(copied, known, plan, "--reason", REASON).status == 0
    assert [(path, each["suppressed"]) for path, each in found(copied, known).items()] == [
        ("src/bookings.py", None),
        ("src/plan.py", "baseline"),
    ]


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


@pytest.mark.parametrize("written", ["{k: 16}\n", "k: 16\n...\n"])
def test_a_configuration_that_nothing_can_be_added_to_stays(copied: Checkout, known: Path, written: str) -> None:
    bookings, _ = ids(copied, known)
    copied.write(CONFIGURATION, written)
    problem, remedy = approve(copied, known, bookings, "--reason", REASON).complaint(2)
    assert problem.endswith("winnow-ci cannot add to a file in this form")
    assert remedy == f"add this yourself: baseline: {BASELINE}"
    assert (copied.root / CONFIGURATION).read_text() == written
    assert not (copied.root / BASELINE).exists()


def test_what_is_in_the_way_is_named_and_stays(copied: Checkout, known: Path, tmp_path: Path) -> None:
    bookings, _ = ids(copied, known)
    copied.write(BASELINE, "not ours\n")
    problem, remedy = approve(copied, known, bookings, "--reason", REASON).complaint(2)
    assert problem.endswith("baseline.json is there, but .winnow.yml does not name it")
    assert f"baseline: {BASELINE}" in remedy
    assert (copied.root / BASELINE).read_text() == "not ours\n"
    (copied.root / BASELINE).unlink()
    (tmp_path / "shared.yml").write_text("k: 16\n")
    (copied.root / CONFIGURATION).symlink_to(tmp_path / "shared.yml")
    assert "symbolic link" in approve(copied, known, bookings, "--reason", REASON).complaint(2)[0]
    assert (tmp_path / "shared.yml").read_text() == "k: 16\n"


def test_nothing_is_written_if_one_id_is_wrong(copied: Checkout, known: Path) -> None:
    bookings, plan = ids(copied, known)
    problem, remedy = approve(copied, known, bookings, "beef", "--reason", REASON).complaint(2)
    assert problem == "no finding of this scan has the id 'beef'"
    assert plan in remedy
    assert not (copied.root / ".winnow").exists()
    assert not (copied.root / CONFIGURATION).exists()


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (("--reason", ""), "--reason is empty"),
        (("--reason", " …\t"), "--reason is empty"),
        (("--reason", "TEXT"), "--reason is empty"),
        (("--reason", "x" * 501), "--reason is longer than 500 characters"),
        (("--reason", REASON, "--expires", "soon"), "--expires: 'soon' is not a date"),
        (("--reason", REASON, "--expires", "2999-02-30"), "--expires: '2999-02-30' is not a date"),
        (("--reason", REASON, "--expires", "20990101"), "--expires: '20990101' is not a date"),
        (("--reason", REASON, "--expires", "2020-12-31"), "--expires: 2020-12-31 has passed"),
        ((), "the following arguments are required: --reason"),
    ],
)
def test_a_decision_without_its_parts_is_refused(
    copied: Checkout, known: Path, arguments: tuple[str, ...], problem: str
) -> None:
    bookings, _ = ids(copied, known)
    assert approve(copied, known, bookings, *arguments).complaint(2)[0] == problem
    assert not (copied.root / ".winnow").exists()


def test_a_day_can_be_named(copied: Checkout, known: Path) -> None:
    bookings, _ = ids(copied, known)
    day = (dt.date.today() + dt.timedelta(days=1)).isoformat()
    assert approve(copied, known, bookings, "--reason", REASON, "--expires", day).status == 0
    assert [each["expires"] for each in entries(copied)] == [day]


def test_who_decides_anew_replaces_the_reason_and_the_day(copied: Checkout, known: Path) -> None:
    bookings, _ = ids(copied, known)
    winnow("scan", "--index", known, "--update-baseline", cwd=copied.root)
    content = (copied.root / BASELINE).read_text()
    copied.write(BASELINE, content.replace('"reason"', '"expires": "2020-01-01",\n      "reason"', 1))
    assert found(copied, known)["src/bookings.py"]["suppressed"] is None
    assert approve(copied, known, bookings, "--reason", REASON).status == 0
    assert [(each["reason"], each.get("expires")) for each in entries(copied)] == [
        (REASON, None),
        ("recorded by --update-baseline", None),
    ]


def test_an_entry_that_followed_its_copy_is_replaced(copied: Checkout, known: Path) -> None:
    _, plan = ids(copied, known)
    assert approve(copied, known, plan, "--reason", "first decision").status == 0
    copied.commit()
    copied.git("mv", "src/plan.py", "src/router.py")
    copied.commit()
    again = found(copied, known, "--range", "HEAD~2..HEAD")["src/router.py"]["id"]
    assert approve(copied, known, again, "--reason", REASON, "--range", "HEAD~2..HEAD").status == 0
    assert [(each["path"], each["reason"]) for each in entries(copied)] == [("src/router.py", REASON)]


def test_what_a_comment_allows_can_be_approved_as_well(copied: Checkout, known: Path) -> None:
    text = (copied.root / "src/plan.py").read_text()
    copied.write(
        "src/plan.py",
        text.replace("def shortest_route", "# winnow-ci: allow roads its author said so\ndef shortest_route"),
    )
    plan = found(copied, known)["src/plan.py"]
    assert plan["suppressed"] == "inline"
    assert approve(copied, known, plan["id"], "--reason", REASON).status == 0
    assert [each["path"] for each in entries(copied)] == ["src/plan.py"]
    copied.commit()
    copied.write(CONFIGURATION, f"baseline: {BASELINE}\nsuppressions: {{inline: never}}\n")
    assert found(copied, known, "--all")["src/plan.py"]["suppressed"] == "baseline"


def test_what_the_policy_denies_needs_a_word_more(copied: Checkout, known: Path) -> None:
    copied.write(CONFIGURATION, "policy: {deny: ['GPL-*']}\n")
    _, plan = ids(copied, known)
    problem, remedy = approve(copied, known, plan, "--reason", REASON).complaint(2)
    assert problem == f"{plan} is from roads (GPL-3.0-only), which policy.deny names"
    assert "--including-denied" in remedy
    assert not (copied.root / BASELINE).exists()
    assert approve(copied, known, plan, "--reason", REASON, "--including-denied").status == 0
    assert [each["path"] for each in entries(copied)] == ["src/plan.py"]


def test_what_the_policy_allows_needs_no_approval(copied: Checkout, known: Path) -> None:
    copied.write(CONFIGURATION, "policy: {allow: ['GPL-*']}\n")
    _, plan = ids(copied, known)
    problem, _ = approve(copied, known, plan, "--reason", REASON).complaint(2)
    assert problem == f"{plan} needs no approval: the policy allows it"


def test_on_a_ci_nothing_is_approved(copied: Checkout, known: Path) -> None:
    bookings, _ = ids(copied, known)
    copied.commit()
    arguments = (bookings, "--reason", REASON, "--range", "HEAD^..HEAD")
    problem, _ = approve(copied, known, *arguments, GITHUB_ACTIONS="true").complaint(2)
    assert "the base's baseline applies" in problem
    assert not (copied.root / ".winnow").exists()


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


def test_all_from_a_source_or_under_a_licence(copied: Checkout, known: Path) -> None:
    ended = approve(copied, known, "--source", "roads", "--reason", REASON)
    assert (ended.status, ended.output) == (0, "")
    assert {each["path"] for each in entries(copied)} == {"src/bookings.py", "src/plan.py"}
    assert {each["suppressed"] for each in found(copied, known).values()} == {"baseline"}
    problem, _ = approve(copied, known, "--license", "GPL-3.0-only", "--reason", REASON).complaint(2)
    assert problem == "no open finding of this scan has the licence 'GPL-3.0-only'"


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (("--source", "raods"), "no open finding of this scan has the source 'raods'"),
        (("--license", "MIT"), "no open finding of this scan has the licence 'MIT'"),
        (("--source", "roads", "--license", "MIT"), "no open finding of this scan has the licence 'MIT'"),
        ((), "approve takes either ids or --source and --license"),
        (("--source", "roads", "5f0c"), "approve takes either ids or --source and --license"),
    ],
)
def test_a_source_that_no_finding_has_is_an_error(
    copied: Checkout, known: Path, arguments: tuple[str, ...], problem: str
) -> None:
    assert approve(copied, known, *arguments, "--reason", REASON).complaint(2)[0] == problem
    assert not (copied.root / BASELINE).exists()


def test_what_is_denied_is_not_approved_with_its_source(copied: Checkout, known: Path) -> None:
    (copied.root / CONFIGURATION).write_text("policy: {deny: [GPL-3.0-only]}\n")
    ended = approve(copied, known, "--source", "roads", "--reason", REASON)
    assert "baseline.json: 0 approved\n" in ended.errors
    assert "2 not recorded, because policy.deny names the licence" in ended.errors
    approve(copied, known, "--source", "roads", "--reason", REASON, "--including-denied")
    assert len(entries(copied)) == 2


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
