"""The command as a good process: help, streams that break, signals, locales, colour."""

from __future__ import annotations

import os
import pty
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import winnow_ci
from support.command import LONGEST, command, environment, winnow
from support.donor import CHANGE, LOGS, ROUTES, SHORTEST_ROUTE, write_known
from winnow_ci import native

if TYPE_CHECKING:
    from collections.abc import Callable

    from support.repository import Checkout

FULL = Path("/dev/full")
# The command with a failure of native code, which Python's ``except Exception`` would let pass.
PANICKING = """
import sys
from winnow_ci import cli
from winnow_ci.cli import init

class Panic(BaseException):
    pass

def run(arguments):
    raise Panic

init.run = run
sys.exit(cli.main(["init"]))
"""


# ---- help ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ("--help", "scan index --version --help 0 1 2 3 4 130"),
        (
            "scan --help",
            "--since --staged --range A..B --all PATH --index --config --format FORMAT[:FILE] text json --exit-zero",
        ),
        ("index --help", "build list verify"),
        (
            "index build --help",
            "DIR --output --name -k -w 16 9 --selection anchored winnowing robust mod-minimizer mod-p bottom-s bounded",
        ),
        ("index list --help", "INDEX"),
        ("index verify --help", "INDEX"),
    ],
)
def test_help_names_everything(tmp_path: Path, arguments: str, words: str) -> None:
    ended = winnow(*arguments.split(), cwd=tmp_path)
    assert (ended.status, ended.errors) == (0, "")
    assert [word for word in words.split() if word not in ended.output] == []


def test_a_failure_that_is_no_exception_is_a_bug() -> None:
    line = [sys.executable, "-c", PANICKING]
    done = subprocess.run(line, env=environment(), capture_output=True, text=True, timeout=LONGEST, check=False)
    assert done.returncode == 4
    assert "winnow-ci: error: this is a bug in winnow-ci" in done.stderr


def test_version(tmp_path: Path) -> None:
    ended = winnow("--version", cwd=tmp_path)
    assert (ended.status, ended.output, ended.errors) == (
        0,
        f"winnow-ci {winnow_ci.__version__} ({native.described()})\n",
        "",
    )


@pytest.mark.parametrize("arguments", ["--version", "scan --help", "scan --sinse"])
def test_what_needs_no_scan_imports_nothing_heavy(tmp_path: Path, arguments: str) -> None:
    line = [sys.executable, "-X", "importtime", "-m", "winnow_ci", *arguments.split()]
    done = subprocess.run(
        line, cwd=tmp_path, env=environment(), capture_output=True, text=True, timeout=LONGEST, check=False
    )
    imported = {row.rpartition("|")[2].strip() for row in done.stderr.splitlines() if row.startswith("import time:")}
    assert "winnow_ci.cli" in imported
    heavy = {"git", "license_expression", "numpy", "pygments", "sqlite3", "tqdm", "yaml"}
    assert imported & heavy == set()


# ---- streams ---------------------------------------------------------------------------------------------------


def run_with(arguments: list[str | Path], folder: Path, **options: Any) -> subprocess.CompletedProcess[str]:
    line = command(*arguments)
    return subprocess.run(line, cwd=folder, env=environment(), text=True, timeout=LONGEST, check=False, **options)


@pytest.mark.skipif(not FULL.exists(), reason="needs /dev/full")
@pytest.mark.parametrize("arguments", ["scan", "scan --exit-zero --format json", "index list", "index verify"])
def test_a_full_disk_behind_standard_output(copied: Checkout, known: Path, arguments: str) -> None:
    words = [*arguments.split(), *(("--index", known) if arguments.startswith("scan") else (known,))]
    with FULL.open("w") as full:
        done = run_with(words, copied.root, stdout=full, stderr=subprocess.PIPE)
    assert done.returncode == 3
    assert done.stderr.splitlines()[-2:] == [
        "winnow-ci: error: standard output: No space left on device",
        "fix that and retry",
    ]


@pytest.mark.skipif(not FULL.exists(), reason="needs /dev/full")
def test_a_full_disk_behind_a_report_in_a_file(copied: Checkout, known: Path) -> None:
    ended = winnow("scan", "--index", known, "--format", "json:/dev/full", cwd=copied.root)
    assert ended.status == 3
    assert "No space left on device" in ended.last_words()[0]


@pytest.mark.skipif(not FULL.exists(), reason="needs /dev/full")
@pytest.mark.parametrize("arguments", ["scan", "scan --since absent", "index list", "index list absent.db"])
def test_a_full_disk_behind_standard_error(checkout: Checkout, known: Path, arguments: str) -> None:
    words = arguments.split()
    if words[0] == "scan":
        words += ["--index", str(known)]
    elif len(words) == 2:
        words.append(str(known))
    with FULL.open("w") as full:
        done = run_with([*words], checkout.root, stdout=subprocess.PIPE, stderr=full)
    assert done.returncode == (0 if arguments == "index list" else 3)


@pytest.mark.parametrize("arguments", ["scan --format text", "scan --format json", "index list"])
def test_a_reader_that_goes_away(copied: Checkout, known: Path, arguments: str) -> None:
    words = [*arguments.split(), *(("--index", known) if arguments.startswith("scan") else (known,))]
    with subprocess.Popen(
        command(*words), cwd=copied.root, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        said = process.stderr.read()
        assert process.wait(LONGEST) == 3
    assert "Traceback" not in said
    assert "Exception" not in said


@pytest.mark.parametrize("closed", ["1", "2", "1 2"])
def test_streams_that_the_caller_has_closed(copied: Checkout, known: Path, closed: str) -> None:
    redirections = " ".join(f"{number}>&-" for number in closed.split())
    line = ["sh", "-c", f'"$@" {redirections}', "sh", *command("scan", "--index", known, "--format", "json")]
    done = subprocess.run(
        line, cwd=copied.root, env=environment(), capture_output=True, text=True, timeout=LONGEST, check=False
    )
    whole = winnow("scan", "--index", known, "--format", "json", cwd=copied.root)
    assert done.returncode == 1
    assert done.stdout == ("" if "1" in closed else whole.output)
    assert done.stderr == ("" if "2" in closed else whole.errors)


# ---- signals ---------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A source that takes all cores some seconds."""
    folder = tmp_path_factory.mktemp("large")
    for number in range(1500):
        (folder / f"f{number}.py").write_text(f"SIZE = {number}\n" + (ROUTES + LOGS) * 6)
    return folder


def wait_for(condition: Callable[[], object]) -> None:
    until = time.monotonic() + LONGEST
    while not condition():
        assert time.monotonic() < until, "waited too long"
        time.sleep(0.01)


def is_group(number: int) -> bool:
    """Whether any process of the group is left."""
    try:
        os.killpg(number, 0)
    except ProcessLookupError:
        return False
    return True


def started(large: Path, index: Path) -> subprocess.Popen[str]:
    """A build that has its worker processes at work."""
    # A test run in the background of a shell has the signal ignored, and children would inherit that.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        process = subprocess.Popen(
            command("index", "build", large, "--output", index, "--name", "large"),
            cwd=index.parent,
            env=environment(),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
    finally:
        signal.signal(signal.SIGINT, before)
    wait_for(index.with_name(f".{index.name}.unfinished").exists)
    time.sleep(0.15)
    assert process.poll() is None
    return process


@pytest.mark.parametrize("whole_group", [True, False])
def test_an_interrupted_build_leaves_no_index(large: Path, tmp_path: Path, whole_group: bool) -> None:
    process = started(large, tmp_path / "i.db")
    (os.killpg if whole_group else os.kill)(process.pid, signal.SIGINT)
    output, errors = process.communicate(timeout=LONGEST)
    assert (process.returncode, output) == (130, "")
    problem, _ = errors.splitlines()
    kept = "; the fingerprints of .* contents? (is|are) kept in your cache"
    told = re.fullmatch(f"winnow-ci: error: interrupted({kept})?", problem)
    assert told
    assert [path.name for path in tmp_path.iterdir() if path.name != "cache"] == []
    wait_for(lambda: not is_group(process.pid))


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_a_killed_build_leaves_no_processes_and_the_old_index(
    large: Path, known: Path, tmp_path: Path, number: signal.Signals
) -> None:
    index = tmp_path / "i.db"
    index.write_bytes(known.read_bytes())
    process = started(large, index)
    process.send_signal(number)
    process.communicate(timeout=LONGEST)
    assert process.returncode == -number
    wait_for(lambda: not is_group(process.pid))
    assert index.read_bytes() == known.read_bytes()
    write_known(tmp_path / "source")
    again = winnow("index", "build", "source", "--output", index, "--name", "roads", cwd=tmp_path)
    assert again.status == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["i.db", "source"]


# ---- locale and terminal ---------------------------------------------------------------------------------------

C_LOCALE = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}


def test_the_locale_does_not_show(checkout: Checkout, known: Path) -> None:
    checkout.write("src/größe.py", SHORTEST_ROUTE.text.replace("Dijkstra's algorithm", "Größe – 価格"))
    checkout.write(".winnow.yml", f"index: ['{known}']\npaths: {{include: ['src/grö*']}}\n")
    for arguments in ((), ("--format", "json"), ("src/größe.py",)):
        scan = ("scan", *arguments)
        usual, c = (winnow(*scan, cwd=checkout.root, **locale) for locale in ({"LC_ALL": "C.UTF-8"}, C_LOCALE))
        assert usual.status == 1
        assert usual == c
        assert "größe.py" in usual.output or r"gr\u00f6\u00dfe.py" in usual.output


def test_the_locale_does_not_show_in_an_index(tmp_path: Path) -> None:
    (tmp_path / "straße").mkdir()
    write_known(tmp_path / "straße" / "wörter")
    described = ("--name", "Straße", "--version", "ä", "--url", "https://example.org/ß")
    arguments = ("index", "build", "straße", "--output", "größe.db", *described)
    usual = winnow(*arguments, cwd=tmp_path)
    (tmp_path / "größe.db").unlink()
    c = winnow(*arguments, cwd=tmp_path, **C_LOCALE)
    assert (usual.status, c.status) == (0, 0)
    assert usual.output.split()[-1] == c.output.split()[-1]
    listed = [winnow("index", "list", "größe.db", cwd=tmp_path, **locale) for locale in ({}, C_LOCALE)]
    assert listed[0] == listed[1]
    assert "\nStraße  ä " in listed[0].output


def shown_on_terminal(folder: Path, arguments: list[str | Path], **settings: str) -> str:
    """What the command writes to a terminal."""
    ours, theirs = pty.openpty()
    try:
        with subprocess.Popen(
            command(*arguments),
            cwd=folder,
            env=environment(**{"TERM": "xterm", **settings}),
            stdout=theirs,
            stderr=theirs,
        ) as process:
            os.close(theirs)
            shown = b""
            while part := _read(ours):
                shown += part
            process.wait(LONGEST)
    finally:
        os.close(ours)
    return shown.decode()


def _read(terminal: int) -> bytes:
    try:
        return os.read(terminal, 4096)
    except OSError:  # Linux's way to say that nobody writes any more
        return b""


def test_colour_is_for_terminals_and_can_be_switched_off(copied: Checkout, known: Path) -> None:
    scan: list[str | Path] = ["scan", "--index", known, "src/plan.py"]
    assert "\x1b" not in winnow(*scan, cwd=copied.root).output
    assert "\x1b[1;31merror\x1b[0m" in shown_on_terminal(copied.root, scan)
    for settings in ({"NO_COLOR": "1"}, {"TERM": "dumb"}):
        assert "\x1b[1;31m" not in shown_on_terminal(copied.root, scan, **settings)
    assert '"findings"' in shown_on_terminal(copied.root, [*scan, "--format", "json"])


def test_a_file_for_a_report_has_no_colour(copied: Checkout, known: Path) -> None:
    shown_on_terminal(copied.root, ["scan", "--index", known, "--format", "text:report.txt", "src/plan.py"])
    report = (copied.root / "report.txt").read_text()
    assert "src/plan.py:13-37: error: " in report
    assert "\x1b" not in report


def test_hash_seeds_do_not_show(copied: Checkout, known: Path) -> None:
    for path, text in CHANGE.items():
        copied.write(f"again/{path}", text)
    reports = {
        winnow("scan", "--index", known, "--format", "json", cwd=copied.root, PYTHONHASHSEED=seed).output
        for seed in ("0", "1", "2")
    }
    assert len(reports) == 1
