"""How much is said on standard error: ``-q`` and ``-v``, the same on every command, and never what a report says."""

from __future__ import annotations

import argparse
import fcntl
import io
import os
import pty
import re
import shutil
import struct
import sys
import termios
from typing import TYPE_CHECKING

import pytest

from support.command import winnow
from winnow_ci import cli
from winnow_ci.cli import messages

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from support.manifest import Project
    from support.repository import Checkout


def parsers(parser: argparse.ArgumentParser) -> Iterator[argparse.ArgumentParser]:
    """A parser, and those of its commands."""
    yield parser
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for one in action.choices.values():
                yield from parsers(one)


def test_every_command_has_both_options() -> None:
    of_all = list(parsers(cli.parser_of(cli.COMMANDS)))
    assert len(of_all) > 15
    for parser in of_all:
        assert set(messages.DETAIL_OPTIONS) <= set(parser._option_string_actions), parser.prog


def test_a_quiet_scan_that_finds_something_says_everything(copied: Checkout, known: Path) -> None:
    usual, quiet = (winnow("scan", "--index", known, *more, cwd=copied.root) for more in ((), ("-q",)))
    assert (quiet.status, quiet.output, quiet.errors) == (1, usual.output, usual.errors)
    forgiven = winnow("scan", "--index", known, "-q", "--exit-zero", cwd=copied.root)
    assert (forgiven.status, forgiven.output, forgiven.errors) == (0, usual.output, "")


def test_quiet_says_what_led_to_an_error(project: Project) -> None:
    project.declare(*(f"{{path: ../absent-{name}}}" for name in "ab"))
    usual, quiet = (project.sync(*more) for more in ((), ("-q",)))
    assert (quiet.status, quiet.errors) == (usual.status, usual.errors)
    assert "absent-a" in quiet.errors


def test_verbose_says_what_is_read_and_how_long_it_takes(copied: Checkout, known: Path) -> None:
    copied.write(".winnow.yml", f"index: [{known}]\nbaseline: .winnow/baseline.json\n")
    copied.write(".winnow/baseline.json", '{"version": 1, "entries": []}')
    usual, verbose = (winnow("scan", *more, cwd=copied.root) for more in ((), ("-v",)))
    assert (verbose.status, verbose.output) == (usual.status, usual.output)
    assert f"winnow-ci: reading {copied.root / '.winnow.yml'}\n" in verbose.errors
    assert f"winnow-ci: reading {copied.root / '.winnow/baseline.json'}\n" in verbose.errors
    digest = winnow("index", "list", cwd=copied.root).output.split()[-1]
    assert re.search(
        rf"winnow-ci: index {known}: 2 contents, [\d,]+ fingerprints, k = 16.*, digest {digest}\n", verbose.errors
    )
    times = re.search(r"^winnow-ci: time: (.*)$", verbose.errors, re.MULTILINE)
    assert times
    stages = [re.fullmatch(r"(.*) \d+\.\d\d s", part) for part in times[1].split(", ")]
    named = [stage and stage[1] for stage in stages]
    assert named[0], named[-1] == ("change", "all")
    assert {"rules", "opening", "reading", "look-up", "matching", "excerpts", "report"} < set(named)


def test_what_is_told_is_harmless(checkout: Checkout, known: Path) -> None:
    (checkout.root / "\x1b[2Jx").mkdir()
    named = checkout.root / "\x1b[2Jx" / "winnow.yml"
    named.write_text(f"index: [{known}]\n")
    told = winnow("scan", "-v", "--config", named, cwd=checkout.root)
    assert (told.status, "\x1b" in told.errors) == (0, False)
    assert r"\x1b[2Jx/winnow.yml" in told.errors


def test_a_report_that_the_next_scan_would_look_at_is_named(checkout: Checkout, known: Path, tmp_path: Path) -> None:
    checkout.write(".gitignore", "/out/\n")
    (checkout.root / "out").mkdir()
    places = ("r.html", "out/r.html", tmp_path / "r.html")
    formats = [word for place in places for word in ("--format", f"html:{place}")]
    scan = ("scan", "--index", known, "--format", "json:r.json", *formats)
    said = "winnow-ci: r.html is not ignored by git: the next scan will read this report too\n"
    ended = winnow(*scan, cwd=checkout.root)
    assert ended.status == 0
    assert [line for line in ended.errors.splitlines(keepends=True) if "this report" in line] == [said]
    # A runner of a CI writes where it likes, and nobody scans that again.
    service = {"GITHUB_ACTIONS": "true", "GITHUB_EVENT_NAME": "push"}
    assert "this report" not in winnow(*scan, "--all", cwd=checkout.root, **service).errors


# ---- progress --------------------------------------------------------------------------------------------------


@pytest.fixture
def now(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The time, in seconds; standard error is no terminal, and neither a CI nor pre-commit runs this."""
    clock = [0.0]
    monkeypatch.setattr(messages.time, "monotonic", lambda: clock[0])
    monkeypatch.delenv("CI", raising=False)
    monkeypatch.delenv("PRE_COMMIT", raising=False)
    return clock


def test_a_log_has_a_line_in_each_half_minute(now: list[float], capsys: pytest.CaptureFixture[str]) -> None:
    with messages.counting("7/20 fetching roads", "B") as show:
        for second in range(100):
            now[0] = second
            show(second * 1_000_000, 99_000_000)
    assert capsys.readouterr().err.splitlines() == [
        "winnow-ci: 7/20 fetching roads: 30.0 of 99.0 MB",
        "winnow-ci: 7/20 fetching roads: 60.0 of 99.0 MB",
        "winnow-ci: 7/20 fetching roads: 90.0 of 99.0 MB",
    ]


class Terminal(io.StringIO):
    """What is written to a terminal."""

    def isatty(self) -> bool:
        return True


def test_a_terminal_shows_at_once_which_of_how_many_it_is_and_nothing_afterwards(
    now: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(messages.sys, "stderr", terminal := Terminal())
    with messages.counting("7/20 fetching roads", "B") as show:
        # Nothing has come yet.
        assert terminal.getvalue() == "7/20 fetching roads …"
        now[0] = 2.0
        show(30_000_000, 99_000_000)
        assert re.search(r"\r7/20 fetching roads:  30%\|.* 30\.0M/99\.0M ", terminal.getvalue())
    *_, shown, rest = terminal.getvalue().split("\r")
    assert (shown.strip(), rest) == ("", "")


def test_a_short_scan_shows_nothing_on_a_terminal(now: list[float], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(messages.sys, "stderr", terminal := Terminal())
    with messages.counting("scanning", " files") as show:
        show(1, 2)
        show(2, 2)
    assert terminal.getvalue().strip() == ""


@pytest.mark.parametrize("setting", [{"PRE_COMMIT": "1"}, {"quiet": "yes"}])
def test_where_nobody_reads_there_is_no_line(
    now: list[float], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], setting: dict[str, str]
) -> None:
    monkeypatch.setattr(messages, "_chosen", ["quiet" if "quiet" in setting else "usual"])
    for name, value in setting.items():
        monkeypatch.setenv(name, value)
    with messages.counting("scanning", " files") as show:
        now[0] = 40.0
        show(1, 2)
    assert capsys.readouterr().err == ""


def test_a_verbose_task_says_what_it_was_and_a_name_in_it_is_harmless(
    now: list[float], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(messages, "_chosen", ["verbose"])
    with messages.counting("fetching \x1b[2J", " files") as show:
        show(1234, None)
        now[0] = 2.0
    assert capsys.readouterr().err == "winnow-ci: fetching \\x1b[2J: 1,234 files in 2.00 s\n"


# ---- the width of lines ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("columns", [None, "50", "0", "-3", "wide", ""])
@pytest.mark.parametrize("shown", [None, 0, 123])
def test_as_wide_as_shutil_says(columns: str | None, shown: int | None, monkeypatch: pytest.MonkeyPatch) -> None:
    if columns is None:
        monkeypatch.delenv("COLUMNS", raising=False)
    else:
        monkeypatch.setenv("COLUMNS", columns)
    leader, follower = pty.openpty()
    try:
        fcntl.ioctl(follower, termios.TIOCSWINSZ, struct.pack("HHHH", 40, shown or 0, 0, 0))
        with os.fdopen(os.dup(follower), "w") as file:
            monkeypatch.setattr(sys, "__stdout__", file if shown is not None else None)
            assert messages.terminal_width(100) == shutil.get_terminal_size((100, 24)).columns
    finally:
        os.close(leader)
        os.close(follower)
    if columns == "50":
        assert messages.terminal_width() == 50
