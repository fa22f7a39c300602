"""What a terminal shows: the first words that people type, colour, the order of findings, what was written."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from support.command import build, winnow
from support.donor import LOGS, ROUTES
from support.repository import Checkout

if TYPE_CHECKING:
    from pathlib import Path

POLICY = "policy: {deny: [AGPL-*], warn: [BSD-*], default: note}\n"
COUNTERS = "\n\n".join(
    f"def count_{n}(marks, limit):\n    seen = [mark for mark in marks if mark.{word} > limit * {n}]\n"
    f"    return sum(one.{word} ** {n} for one in seen) // max(1, len(seen) - {n})"
    for n, word in enumerate(("size", "depth", "weight", "age"), 2)
)


@pytest.fixture
def mixed(tmp_path: Path) -> Checkout:
    """A repository whose staged change has a note, a warning and a denied copy, in the order of their paths."""
    sources = (("maps", ROUTES, "AGPL-3.0-or-later"), ("logs", LOGS, "BSD-3-Clause"), ("marks", COUNTERS, "MIT"))
    for name, text, licence in sources:
        (tmp_path / name).mkdir()
        (tmp_path / name / f"{name}.py").write_text(text)
        build(tmp_path / name, tmp_path / "known.db", "--license", licence, name=name)
    checkout = Checkout.create(tmp_path / "repository")
    checkout.commit({".winnow.yml": f"index: [../known.db]\n{POLICY}"})
    for path, text in (("a.py", COUNTERS), ("m.py", LOGS), ("z.py", ROUTES)):
        checkout.write(path, text)
    checkout.git("add", ".")
    return checkout


@pytest.mark.parametrize("words", ["help", "--help", "help scan", "scan --help"])
def test_help_is_a_word(words: str, tmp_path: Path) -> None:
    ended = winnow(*words.split(), cwd=tmp_path)
    assert (ended.status, ended.output.startswith("usage: winnow-ci")) == (0, True)
    assert ("--since" in ended.output) == ("scan" in words)


@pytest.mark.parametrize("word", ["version", "-V", "--version"])
def test_version_is_a_word(word: str, tmp_path: Path) -> None:
    assert re.match(r"winnow-ci \d+\.\d+", winnow(word, cwd=tmp_path).output)


def test_without_a_word_there_is_help_and_no_success(tmp_path: Path) -> None:
    ended = winnow(cwd=tmp_path)
    assert (ended.status, ended.output) == (2, "")
    assert "exit status:" in ended.errors


@pytest.mark.parametrize(
    ("variables", "colour"),
    [
        ({}, False),
        ({"FORCE_COLOR": "1"}, True),
        ({"CLICOLOR_FORCE": "1"}, True),
        ({"CLICOLOR_FORCE": "0"}, False),
        ({"FORCE_COLOR": "1", "NO_COLOR": "1"}, False),
    ],
    ids=str,
)
def test_colour_can_be_asked_for_and_refused(mixed: Checkout, variables: dict[str, str], *, colour: bool) -> None:
    assert ("\x1b[" in winnow("scan", "--staged", cwd=mixed.root, **variables).output) == colour


def test_the_worst_comes_first_a_note_has_one_line_and_the_end_sums_up(mixed: Checkout) -> None:
    ended = winnow("scan", "--staged", cwd=mixed.root)
    denied, warning, note, more, end = ended.output.rstrip("\n").split("\n\n")
    assert re.match(r"z\.py:\d+-\d+: error: denied: copied from maps", denied)
    assert "remove it, or have it approved:  winnow-ci approve" in denied
    assert "--including-denied" in denied
    assert "winnow-ci: allow" not in denied
    assert re.match(r"m\.py:\d+-\d+: warning: copied from logs", warning)
    assert re.fullmatch(r"a\.py:\d+-\d+: note: copied from marks \(MIT\), marks.py:\d+-\d+  [0-9a-f]+", note)
    assert more.startswith("more on one, and how to allow it: winnow-ci explain ID")
    assert end == ("3 findings (1 error, 1 warning, 1 note); 1 from maps (denied), 1 from logs, 1 from marks")


def test_a_comment_does_not_silence_a_denied_copy(mixed: Checkout) -> None:
    mixed.write("z.py", f"# winnow-ci: allow maps we asked\n{ROUTES}")
    mixed.git("add", ".")
    ended = winnow("scan", "--staged", cwd=mixed.root)
    assert ended.status == 1
    assert re.match(r"z\.py:\d+-\d+: error: denied: copied from maps", ended.output)
    assert "z.py:1: this winnow-ci: allow has no effect: policy.deny names AGPL-3.0-or-later" in ended.errors


def test_a_page_says_denied_in_its_list(mixed: Checkout, tmp_path: Path) -> None:
    winnow("scan", "--staged", "--format", f"html:{tmp_path / 'r.html'}", cwd=mixed.root)
    listed, _, _ = (tmp_path / "r.html").read_text().partition("<article")
    rows = [row for row in listed.split("<tr") if "data-level" in row]
    assert [">denied<" in row for row in rows] == [True, False, False]


def test_files_that_were_written_and_what_is_in_them_are_said(mixed: Checkout, tmp_path: Path) -> None:
    files = [tmp_path / name for name in ("r.json", "r.html")]
    formats = [part for file in files for part in ("--format", f"{file.suffix[1:]}:{file}")]
    ended = winnow("scan", "--staged", *formats, cwd=mixed.root)
    assert ended.output == ""
    assert "3 findings (1 error, 1 warning, 1 note)" in ended.errors
    assert f"wrote {files[0]}, {files[1]}" in ended.errors


def test_a_folder_that_does_not_exist_is_an_error_before_the_scan(mixed: Checkout) -> None:
    ended = winnow("scan", "--staged", "--format", "html:nowhere/r.html", cwd=mixed.root)
    problem, remedy = ended.complaint(2)
    assert problem == "nowhere/r.html: the folder nowhere does not exist"
    assert "make it" in remedy
    assert "scanned" not in ended.errors
