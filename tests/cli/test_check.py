"""``winnow-ci check``: a snippet, anywhere. No git is needed, and what could not be looked at is never clean."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING

import jsonschema
import pytest

from support.command import winnow
from support.donor import CHANGE, INNOCENT, MERGE_CLOSURES, SHORTEST_ROUTE
from support.windows import HERE
from winnow_ci.report import EXTRAS, FORMATS, PROOF

if TYPE_CHECKING:
    from collections.abc import Callable

    from support.repository import Checkout

SCHEMA = Path(__file__).parents[2] / "docs" / "json-v1.schema.json"
COPY = SHORTEST_ROUTE.text
NO_GIT = {"PATH": os.devnull}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder that is in no repository, with a copy and with code of one's own."""
    folder = tmp_path / "snippets"
    folder.mkdir()
    (folder / "plan.py").write_text(COPY)
    (folder / "greet.py").write_text(INNOCENT)
    return folder


def test_files_where_there_is_no_git(folder: Path, known: Path) -> None:
    ended = winnow("check", "plan.py", "greet.py", "--index", known, "--format", "json", cwd=folder, **NO_GIT)
    report = ended.report()
    jsonschema.validate(report, json.loads(SCHEMA.read_text()))
    assert ended.status == 1
    (found,) = report["findings"]
    assert (found["path"], found["source"]["name"], found["level"]) == ("plan.py", "roads", "error")
    assert found["added_lines"] == [[found["start_line"], found["end_line"]]]
    assert (report["scan"]["mode"], report["scan"]["base"], report["scan"]["files_scanned"]) == ("check", None, 2)
    assert "2 given documents: 2 files scanned, 0 skipped" in ended.errors
    clean = winnow("check", "greet.py", "--index", known, cwd=folder, **NO_GIT)
    assert (clean.status, "greet.py: 1 file scanned, 0 skipped" in clean.errors) == (0, True)


def test_a_buffer_counts_instead_of_the_file_that_it_was_read_from(folder: Path, known: Path) -> None:
    line = ("check", "-", "--stdin-filename", "greet.py", "--index", known, "--format", "json")
    edited = winnow(*line, cwd=folder, given=COPY.encode())
    assert [one["path"] for one in edited.findings()] == ["greet.py"]
    emptied = winnow("check", "-", "--stdin-filename", "plan.py", "--index", known, cwd=folder, given=b"")
    assert emptied.status == 0


def test_a_text_without_a_name(folder: Path, known: Path) -> None:
    named = winnow("check", "-", "--language", "py", "--index", known, cwd=folder, given=COPY.encode())
    assert named.status == 1
    assert named.output.startswith("<stdin>:1-")
    # As another language it is other tokens.
    other = winnow("check", "-", "--language", "text", "--index", known, cwd=folder, given=INNOCENT.encode())
    assert other.status == 0
    problem, remedy = winnow("check", "-", "--index", known, cwd=folder, given=b"x = 1\n").complaint(2)
    assert problem == "the language of standard input is unknown"
    assert "--stdin-filename" in remedy


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        (("plan.py", "--stdin-filename", "a.py"), "--stdin-filename is for standard input"),
        (("-", "--language", "klingon"), "argument --language: there is no language 'klingon'"),
        (("-", "--language", "python", "--staged"), "unrecognized arguments: --staged"),
    ],
)
def test_options_that_make_no_sense(folder: Path, known: Path, options: tuple[str, ...], problem: str) -> None:
    assert winnow("check", *options, "--index", known, cwd=folder).complaint(2)[0].startswith(problem)


def test_a_language_for_a_name_that_tells_none(folder: Path, known: Path) -> None:
    (folder / "snippet.answer").write_text(COPY)
    unknown = winnow("check", "snippet.answer", "--index", known, cwd=folder)
    assert "0 files scanned, 1 skipped (1 unknown language)" in unknown.errors
    assert winnow("check", "snippet.answer", "--language", "python", "--index", known, cwd=folder).status == 1


# ---- what could not be looked at -------------------------------------------------------------------------------


def _too_large(path: Path) -> None:
    path.touch()
    os.truncate(path, (64 << 20) + 1)


def _dangling(path: Path) -> None:
    path.symlink_to("nowhere")


def _binary(path: Path) -> None:
    path.write_bytes(COPY.replace(" ", "\0 ").encode())


def _missing(path: Path) -> None:
    assert not os.path.lexists(path)


_NO_FILE = "cannot be read: No such file or directory"
OBSTACLES: list[tuple[str, Callable[[Path], None], str]] = [
    ("bad.py", _missing, _NO_FILE),
    # Names that say that no code is in it are no excuse for a file that nobody could open.
    ("bad.json", _missing, _NO_FILE),
    ("bad.png", _missing, _NO_FILE),
    ("n" * 300 + ".py", _missing, "cannot be read: File name too long"),
    ("bad.py", Path.mkdir, "a folder"),
    *([] if HERE else [("bad.py", os.mkfifo, "not a regular file"), ("bad.py", _dangling, _NO_FILE)]),
    ("bad.json", _too_large, "larger than 64 MiB"),
    ("bad.py", _binary, "binary content"),
    ("bad.txt", _binary, "binary data"),
]


@pytest.mark.parametrize(("name", "make", "reason"), OBSTACLES)
def test_what_cannot_be_looked_at_is_named_and_not_clean(
    folder: Path, known: Path, name: str, make: Callable[[Path], None], reason: str
) -> None:
    make(folder / name)
    ended = winnow("check", name, "greet.py", "--index", known, "--format", "json", cwd=folder)
    assert ended.status == 3
    (skipped,) = ended.report()["scan"]["files_skipped"]
    # Windows has words of its own for it.
    reason = skipped["reason"] if HERE and skipped["reason"].startswith(reason.partition(": ")[0]) else reason
    assert (skipped["path"], skipped["reason"], skipped["state"]) == (name, reason, "not-scanned")
    assert f"not scanned: {name}: {reason}" in ended.errors
    assert ended.report()["scan"]["files_scanned"] == 1


def test_a_text_that_is_too_large(folder: Path, known: Path) -> None:
    given = b"\n" * ((64 << 20) + 1)
    ended = winnow("check", "-", "--stdin-filename", "a.py", "--index", known, cwd=folder, given=given)
    assert (ended.status, "not scanned: a.py: larger than 64 MiB" in ended.errors) == (3, True)


def test_a_copy_beside_what_cannot_be_looked_at(folder: Path, known: Path) -> None:
    ended = winnow("check", "plan.py", "nowhere.py", "--index", known, "--format", "json", cwd=folder)
    assert (ended.status, len(ended.findings()), ended.report()["scan"]["complete"]) == (1, 1, False)


def test_no_index(folder: Path) -> None:
    problem, remedy = winnow("check", "plan.py", cwd=folder).complaint(3)
    assert problem == "no index of known code to compare with"
    assert "--index" in remedy


# ---- the rules -------------------------------------------------------------------------------------------------


def test_a_check_finds_what_a_scan_of_everything_finds(copied: Checkout, known: Path) -> None:
    scanned = winnow("scan", "--all", "--index", known, "--format", "json", cwd=copied.root)
    checked = winnow("check", *sorted(CHANGE), "--index", known, "--format", "json", cwd=copied.root)
    assert scanned.findings()
    assert checked.findings() == scanned.findings()


def test_the_configuration_of_a_folder_above(folder: Path, known: Path, tmp_path: Path) -> None:
    (folder / ".winnow.yml").write_text(f"index: [{os.path.relpath(known, folder)}]\npaths: {{exclude: [old/]}}\n")
    for name in ("src", "old"):
        (folder / name).mkdir()
        (folder / name / "plan.py").write_text(COPY)
    (tmp_path / "elsewhere.py").write_text(COPY)
    inside = winnow("check", "plan.py", "--format", "json", cwd=folder / "src")
    assert [one["path"] for one in inside.findings()] == ["src/plan.py"]
    excluded = winnow("check", "plan.py", cwd=folder / "old")
    assert (excluded.status, "1 skipped (1 excluded by old/)" in excluded.errors) == (0, True)
    # Rules for paths are about the files of the folder; so is what names no file.
    outside = winnow("check", "../../elsewhere.py", "--format", "json", cwd=folder / "old")
    assert [one["path"] for one in outside.findings()] == [(tmp_path / "elsewhere.py").as_posix()]
    nameless = winnow("check", "-", "--language", "python", cwd=folder / "old", given=COPY.encode())
    assert nameless.status == 1


def test_a_repository_ends_the_search_for_a_configuration(checkout: Checkout, known: Path) -> None:
    above = checkout.root.parent / ".winnow.yml"
    above.write_text(f"index: [{known}]\n")
    checkout.write("src/plan.py", COPY)
    assert winnow("check", "plan.py", cwd=checkout.root / "src").status == 3
    assert winnow("check", "plan.py", "--config", above, cwd=checkout.root / "src").status == 1


@pytest.mark.skipif(HERE or os.geteuid() != 0, reason="only root can give a file away")
def test_a_configuration_of_somebody_else_is_refused(folder: Path, known: Path) -> None:
    configuration = folder / ".winnow.yml"
    configuration.write_text("policy: {allow: ['*']}\n")
    os.chown(configuration, 12345, 12345)
    problem, remedy = winnow("check", "plan.py", "--index", known, cwd=folder).complaint(2)
    assert problem == f"{configuration} belongs to another user"
    assert "--config" in remedy
    trusted = winnow("check", "plan.py", "--index", known, "--config", configuration, cwd=folder)
    assert trusted.status == 0


def test_a_ci_trusts_only_a_configuration_that_is_named(folder: Path, known: Path) -> None:
    (folder / ".winnow.yml").write_text("policy: {allow: ['*']}\n")
    on_ci = {"GITHUB_ACTIONS": "true"}
    problem, _ = winnow("check", "plan.py", "--index", known, cwd=folder, **on_ci).complaint(2)
    assert problem.startswith("on a CI, a check does not trust")
    named = winnow("check", "plan.py", "--index", known, "--config", ".winnow.yml", cwd=folder, **on_ci)
    assert named.status == 0
    request = {"JENKINS_URL": "https://ci.example.org/", "CHANGE_TARGET": "main"}
    assert "does not trust" in winnow("check", "plan.py", "--index", known, cwd=folder, **request).complaint(2)[0]
    elsewhere = winnow("check", "plan.py", "--index", known, cwd=folder, CI="true")
    assert elsewhere.status == 0
    assert f"notice: the rules come from {folder / '.winnow.yml'}: this CI does not name the branch" in elsewhere.errors


def test_boilerplate_comments_and_baseline_count_as_in_a_scan(checkout: Checkout, known: Path) -> None:
    checkout.write(
        ".winnow.yml", f"index: [{known}]\nboilerplate: [tools/*/plate.py]\nbaseline: .winnow/baseline.json\n"
    )
    checkout.write("src/plan.py", SHORTEST_ROUTE.text)
    checkout.write("src/fuse.py", MERGE_CLOSURES.text)
    line = ("check", "src/plan.py", "src/fuse.py", "--format", "json")
    assert [one["suppressed"] for one in winnow(*line, cwd=checkout.root).findings()] == [None, None]

    checkout.write("tools/x/plate.py", SHORTEST_ROUTE.text)
    assert [one["path"] for one in winnow(*line, cwd=checkout.root).findings()] == ["src/fuse.py"]

    assert winnow("scan", "--all", "--update-baseline", "src/fuse.py", cwd=checkout.root).status == 0
    (found,) = winnow(*line, cwd=checkout.root).findings()
    assert found["suppressed"] == "baseline"

    (checkout.root / "tools/x/plate.py").unlink()
    checkout.write("src/plan.py", f"# winnow-ci: allow roads as we agreed\n{SHORTEST_ROUTE.text}")
    ended = winnow(*line, cwd=checkout.root)
    assert [one["suppressed"] for one in ended.findings()] == ["baseline", "inline"]
    assert ended.status == 0


def test_an_entry_whose_copy_is_not_in_the_buffer_is_not_called_stale(checkout: Checkout, known: Path) -> None:
    checkout.write(".winnow.yml", f"index: [{known}]\nbaseline: .winnow/baseline.json\n")
    checkout.write("src/plan.py", COPY)
    assert winnow("scan", "--all", "--update-baseline", cwd=checkout.root).status == 0
    ended = winnow("check", "-", "--stdin-filename", "src/plan.py", cwd=checkout.root, given=INNOCENT.encode())
    assert (ended.status, "matches nothing" in ended.errors) == (0, False)


# ---- reports ---------------------------------------------------------------------------------------------------


def test_all_formats_in_one_run_and_once_more_from_the_stored_one(folder: Path, known: Path) -> None:
    formats = [name for name in FORMATS if name not in {"text", PROOF, *EXTRAS}]
    options = [part for name in formats for part in ("--format", f"{name}:out.{name}")]
    ended = winnow("check", "plan.py", "--index", known, "--format", "text", *options, cwd=folder)
    assert ended.status == 1
    for name in formats:
        assert "roads" in (folder / f"out.{name}").read_text()
    again = winnow("report", "out.json", "--index", known, "--format", "text", cwd=folder)
    for text in (ended.output, again.output, (folder / "out.markdown").read_text(), (folder / "out.html").read_text()):
        # Neither of them could find what was checked once more.
        assert "winnow-ci explain" not in text
        assert "winnow-ci approve" not in text
    assert "# winnow-ci: allow roads <reason>" in ended.output
    assert "winnow-ci: allow roads <reason>" in again.output
