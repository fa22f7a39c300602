"""``winnow-ci check``: a snippet, anywhere. No git is needed, and what could not be looked at is never clean."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING

import jsonschema
import pytest

from support.command import winnow
from support.donor import CHANGE, INNOCENT, SHORTEST_ROUTE
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


# ---- the rules -------------------------------------------------------------------------------------------------


def test_a_check_finds_what_a_scan_of_everything_finds(copied: Checkout, known: Path) -> None:
    scanned = winnow("scan", "--all", "--index", known, "--format", "json", cwd=copied.root)
    checked = winnow("check", *sorted(CHANGE), "--index", known, "--format", "json", cwd=copied.root)
    assert scanned.findings()
    assert checked.findings() == scanned.findings()


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
