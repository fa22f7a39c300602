"""What a team thinks of a licence decides how a scan ends; ``tests/cases/policy`` has the levels."""

from __future__ import annotations

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
