"""Untrue findings, misses and wrong edges of earlier versions, each with the input that showed it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from shutil import copytree
from typing import Any

import pytest

from support.command import build, winnow

CASES = Path(__file__).resolve().parents[1] / "golden" / "truth"
Findings = list[dict[str, Any]]


def findings(case: str, folder: Path, *options: str, known: str = "known", new: str = "new") -> Findings:
    """What a check of a case's files finds."""
    copytree(CASES / case, folder, dirs_exist_ok=True)
    if (maker := folder / "gen.py").exists():
        subprocess.run([sys.executable, maker, "LICENSE.LGPL-2.1"], cwd=folder, check=True)
    build(folder / known, folder / "known.db", "--license", "GPL-3.0-only", *options)
    files = sorted(str(path.relative_to(folder)) for path in (folder / new).iterdir())
    return winnow("check", "--index", "known.db", "--format", "json", *files, cwd=folder).findings()


def errors(found: Findings) -> int:
    return sum(one["level"] == "error" for one in found)


@pytest.mark.parametrize(
    "case",
    [
        "01-php-set-up",
        "02-php-interface-signature",
        "03-php-accessors",
        "05-rust-error-enums",
        "07-cpp-switch-over-numbers",
        "08-list-of-states",
        "12-generated-on-both-sides",
    ],
)
def test_what_unrelated_people_write_alike_is_no_error(case: str, tmp_path: Path) -> None:
    assert errors(findings(case, tmp_path)) == 0


@pytest.mark.xfail(strict=True, reason="the model takes what many lines of one interface prescribe for a copy")
@pytest.mark.parametrize("case", ["04-rust-struct-with-lifetime", "05b-rust-visitor"])
def test_what_an_interface_prescribes_is_no_error(case: str, tmp_path: Path) -> None:
    assert errors(findings(case, tmp_path)) == 0


def test_an_idiom_in_three_changed_files_is_one_error_at_most(tmp_path: Path) -> None:
    assert errors(findings("13-idiom-in-three-files", tmp_path)) <= 1


@pytest.mark.parametrize("case", ["06-licence-notice-in-a-comment", "11-imports-as-a-finding"])
def test_notices_and_imports_are_no_findings(case: str, tmp_path: Path) -> None:
    assert findings(case, tmp_path) == []


def test_scattered_pieces_of_a_long_file_are_no_copy_in_another_order(tmp_path: Path) -> None:
    found = findings("09-shreds-in-another-order", tmp_path)
    assert not [one for one in found if one["level"] == "error" and one["agreement"]["missing"] > one["tokens"]]


def test_what_other_findings_leave_is_no_finding_of_a_few_tokens(tmp_path: Path) -> None:
    found = findings("10-shreds-beside-a-copy", tmp_path)
    assert found
    assert min(one["tokens"] for one in found) >= 16


def test_literals_are_counted_by_their_text_where_the_index_has_it(tmp_path: Path) -> None:
    (found,) = findings("14-literals-said-to-be-the-same", tmp_path, "--with-text")
    assert found["evidence"]["literals"] == 0


def test_a_verbatim_copy_has_no_renames(tmp_path: Path) -> None:
    (found,) = findings("15-verbatim-with-renames", tmp_path, "--with-text")
    assert not (found["kind"] == "verbatim" and found["renames"])


def test_a_copy_with_a_third_of_other_lines_is_not_called_verbatim(tmp_path: Path) -> None:
    found = findings("15b-verbatim-of-two-thirds", tmp_path)
    assert found
    assert all(one["kind"] == "renamed" or one["agreement"]["verbatim"] >= 0.95 * one["tokens"] for one in found)


@pytest.mark.parametrize(("case", "last"), [("16-runs-past-the-copy-ts", 14), ("16b-runs-past-the-copy-py", 15)])
def test_a_finding_ends_where_the_copy_ends(case: str, last: int, tmp_path: Path) -> None:
    found = findings(case, tmp_path)
    assert found
    assert max(one["end_line"] for one in found) <= last


@pytest.mark.parametrize("known", ["known", "once"])
def test_a_table_of_calls_is_found_in_any_layout(known: str, tmp_path: Path) -> None:
    found = findings("19-rows-that-stand-thrice", tmp_path, known=known)
    assert max(one["end_line"] - one["start_line"] for one in found) >= 60


def test_a_renamed_function_is_found_behind_another_one(tmp_path: Path) -> None:
    case = "20-renamed-function-behind-another"
    assert errors(findings(case, tmp_path / "alone", new="alone")) == 1
    (found,) = findings(case, tmp_path / "behind")
    assert (found["start_line"], found["end_line"]) == (11, 25)
