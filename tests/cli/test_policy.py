"""What a team thinks of a licence decides how a scan ends; ``tests/cases/policy`` has the levels."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from support.command import build, winnow
from support.donor import write_known

if TYPE_CHECKING:
    from pathlib import Path

    from support.repository import Checkout


def test_what_the_policy_allows_is_only_counted(copied: Checkout, known: Path) -> None:
    copied.write(".winnow.yml", "policy: {allow: [GPL-3.0-only]}\n")
    ended = winnow("scan", "--index", known, cwd=copied.root)
    assert (ended.status, ended.output) == (0, "no findings, 2 suppressed\n")


def test_a_warning_is_shown_and_does_not_fail(copied: Checkout, known: Path) -> None:
    copied.write(".winnow.yml", "policy: {warn: [GPL-3.0-only]}\n")
    ended = winnow("scan", "--index", known, cwd=copied.root)
    assert ended.status == 0
    assert "src/plan.py:13-37: warning: copied from roads 2.1 (GPL-3.0-only)" in ended.output
    assert ended.output.endswith("\n2 findings (2 warnings)\n")


@pytest.mark.parametrize(("rule", "status"), [("deny: [unknown]", 1), ("warn: [unknown]", 0), ("allow: [unknown]", 0)])
def test_an_unknown_licence_is_one_like_any_other(copied: Checkout, tmp_path: Path, rule: str, status: int) -> None:
    index = tmp_path / "unknown.db"
    build(write_known(tmp_path / "source"), index)
    copied.write(".winnow.yml", f"index: [{index}]\npolicy: {{{rule}, default: note}}\n")
    ended = winnow("scan", "--format", "json", cwd=copied.root)
    assert {finding["source"]["license"] for finding in ended.findings()} == {"unknown"}
    assert ended.status == status


def test_a_configuration_elsewhere_replaces_that_of_the_repository(
    copied: Checkout, known: Path, tmp_path: Path
) -> None:
    copied.write(".winnow.yml", "not: valid\n")
    (tmp_path / "other.yml").write_text(f"index: ['{known}']\npolicy: {{warn: ['*']}}\n")
    assert winnow("scan", "--config", tmp_path / "other.yml", cwd=copied.root).status == 0


@pytest.mark.parametrize(
    ("report", "found"),
    [("{min_tokens: 200, min_tokens_renamed: 200}", []), ("{min_tokens_renamed: 200}", ["src/plan.py"])],
)
def test_short_copies_can_be_left_out(copied: Checkout, known: Path, report: str, found: list[str]) -> None:
    copied.write(".winnow.yml", f"report: {report}\n")
    ended = winnow("scan", "--index", known, "--format", "json", cwd=copied.root)
    assert [finding["path"] for finding in ended.findings()] == found


def test_the_licence_of_the_team_decides_on_licences_that_no_pattern_names(copied: Checkout, tmp_path: Path) -> None:
    source, reasons = write_known(tmp_path / "source"), {}
    for licence, level in (("MIT", "note"), ("GPL-3.0-only", "error"), ("BUSL-1.1", "warning"), ("ISC", "error")):
        index = tmp_path / f"{licence}.db"
        build(source, index, "--license", licence)
        rules = "{outbound: apache-2.0, deny: [ISC], default: warning}"
        copied.write(".winnow.yml", f"index: ['{index}']\npolicy: {rules}\n")
        ended = winnow("scan", "--format", "json", cwd=copied.root)
        found = ended.findings()
        assert {(one["level"], one["suppressed"]) for one in found} == {(level, None)}
        assert ended.status == int(level == "error")
        explained = winnow("explain", found[0]["id"], cwd=copied.root).output
        reasons[licence] = explained.partition("\nthe level\n")[2].splitlines()[1].strip()
        # Only a pattern denies.
        assert ("--including-denied" in explained) == (licence == "ISC")
        requires = "keep the copyright notice and the licence text\n"
        assert f"\nwhat the licence requires\n  {licence}: " in explained
        assert (f"\n  MIT: {requires}" in explained) == (licence == "MIT")
    matrix = r"\(OSADL's matrix of \d{4}-\d\d-\d\d: "
    assert re.fullmatch(rf"MIT: note, by policy.outbound: Apache-2.0 {matrix}Yes\)", reasons["MIT"])
    assert re.fullmatch(rf"GPL-3.0-only: error, by policy.outbound: Apache-2.0 {matrix}No\)", reasons["GPL-3.0-only"])
    assert re.fullmatch(rf"BUSL-1.1: warning, by policy.default: warning {matrix}Unknown\)", reasons["BUSL-1.1"])
    assert reasons["ISC"] == 'ISC: error, by policy.deny: "ISC"'
