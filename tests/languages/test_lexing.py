"""The process that lexes: it can be killed at any time, and nothing else is lost."""

from __future__ import annotations

import itertools
import multiprocessing
import os
import pickle
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pygments
import pytest

from support.slow import EXPONENTIAL, shorten
from winnow_ci.errors import LexerError
from winnow_ci.languages import Untokenizable, lexing_worker, pygments_lexer
from winnow_ci.languages.lexing_worker import COMMENT, FAILED, GREETING, LEXED, READY, REQUEST, SIZES, STRING
from winnow_ci.languages.pygments_lexer import kinds_of_pieces, lex

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from winnow_ci.processes import ChildProcess

LONGEST = 60
HOURS = 10_000.0
NUMBERS = itertools.count(1)


@pytest.fixture(autouse=True)
def _no_process_is_left() -> Iterator[None]:
    yield
    pygments_lexer.end_lexer()


def process() -> ChildProcess:
    assert pygments_lexer._lexer is not None
    return pygments_lexer._lexer.process


def still_lexes() -> bool:
    # Another text each time: the last one's pieces are kept.
    return len(lex(b"val a = %d" % next(NUMBERS), "chapel")) == 4


def wait_for(condition: Callable[[], object]) -> None:
    until = time.monotonic() + LONGEST
    while not condition():
        assert time.monotonic() < until, "waited too long"
        time.sleep(0.01)


def seconds_used(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return int(fields[11]) / os.sysconf("SC_CLK_TCK")


def is_running(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


needs_proc = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs /proc")


# ---- once ------------------------------------------------------------------------------------------------------


def test_tokens_text_and_comments_of_a_file_take_its_lexer_once() -> None:
    text = b'# one\nset a "two"\n'
    assert len(lex(text, "tcl")) == 3
    os.kill(process().pid, signal.SIGSTOP)
    try:
        # It would not answer.
        assert [kind for *_, kind in kinds_of_pieces(text, "tcl") if kind in (STRING, COMMENT)] == [COMMENT, STRING]
    finally:
        os.kill(process().pid, signal.SIGCONT)


# ---- killed ----------------------------------------------------------------------------------------------------


def test_what_takes_too_long_loses_the_process_and_the_next_text_gets_another(monkeypatch: pytest.MonkeyPatch) -> None:
    shorten(monkeypatch, 0.2)
    assert still_lexes()
    first = process()
    with pytest.raises(Untokenizable, match=r"^not lexed within 0.2 s$") as refused:
        lex(EXPONENTIAL, "chapel")
    assert refused.value.state == "not-scanned"
    assert first.status in {-signal.SIGPROF, -signal.SIGKILL}
    assert still_lexes()


def test_one_process_serves_many_texts() -> None:
    assert still_lexes()
    first = process()
    assert still_lexes()
    assert process() is first


def test_killed_between_two_texts() -> None:
    assert still_lexes()
    process().kill()
    wait_for(lambda: process().status is not None)
    assert still_lexes()


@needs_proc
def test_killed_in_the_middle_of_a_text(monkeypatch: pytest.MonkeyPatch) -> None:
    shorten(monkeypatch, HOURS)
    assert still_lexes()
    lexer = process()

    def kill_at_work() -> None:
        before = seconds_used(lexer.pid)
        wait_for(lambda: seconds_used(lexer.pid) > before + 0.1)
        lexer.kill()

    killer = threading.Thread(target=kill_at_work)
    killer.start()
    with pytest.raises(Untokenizable, match="the process of the chapel lexer was killed"):
        lex(EXPONENTIAL, "chapel")
    killer.join()
    assert still_lexes()


def test_a_lexer_that_fails() -> None:
    with pytest.raises(Untokenizable, match="the cobble lexer failed: ClassNotFound") as refused:
        lex(b"a", "cobble")
    assert refused.value.state == "not-scanned"
    assert still_lexes()


def test_another_thread_has_the_same_budget(monkeypatch: pytest.MonkeyPatch) -> None:
    shorten(monkeypatch, 0.2)
    found: list[str] = []

    def run() -> None:
        with pytest.raises(Untokenizable) as refused:
            lex(EXPONENTIAL, "chapel")
        found.append(str(refused.value))

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    assert found == ["not lexed within 0.2 s"]


@pytest.mark.skipif(not hasattr(signal, "pthread_kill"), reason="needs signals for threads")
def test_an_interrupt_leaves_no_answer_for_the_next_text(monkeypatch: pytest.MonkeyPatch) -> None:
    shorten(monkeypatch, HOURS)
    assert still_lexes()
    lexer, main = process(), threading.get_ident()
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    timer = threading.Timer(0.3, lambda: signal.pthread_kill(main, signal.SIGINT))
    timer.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            lex(EXPONENTIAL, "chapel")
    finally:
        timer.join()
        signal.signal(signal.SIGINT, before)
    assert lexer.status is not None
    assert still_lexes()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_forked_process_lexes_in_its_own() -> None:
    assert still_lexes()
    first = process()
    context = multiprocessing.get_context("fork")
    child = context.Process(target=lambda: sys.exit(0 if still_lexes() and process().pid != first.pid else 1))
    child.start()
    child.join()
    assert child.exitcode == 0
    assert still_lexes()
    assert process() is first


@pytest.mark.parametrize("executable", ["/there/is/no/python", "/bin/true"])
def test_no_process_at_all_is_an_error(monkeypatch: pytest.MonkeyPatch, executable: str) -> None:
    monkeypatch.setattr(sys, "executable", executable)
    with pytest.raises(LexerError, match="cannot start the process that Pygments runs in: ") as error:
        lex(b"a", "chapel")
    assert executable in error.value.remedy
    # As it comes out of a worker process of a build.
    assert str(pickle.loads(pickle.dumps(error.value))) == str(error.value)


@needs_proc
def test_memory_is_limited() -> None:
    assert still_lexes()
    limits = Path(f"/proc/{process().pid}/limits").read_text()
    assert str(pygments_lexer.MEMORY) in next(line for line in limits.splitlines() if "address space" in line)


# ---- nobody there to kill it -----------------------------------------------------------------------------------

PARENT = """\
import sys, threading
from winnow_ci.languages import pygments_lexer
from winnow_ci.languages.pygments_lexer import lex
lex(b"a", "chapel")
print(pygments_lexer._lexer.process.pid, flush=True)
if sys.argv[1] == "busy":
    lex(b'"' + b"\\\\" * 80, "chapel")
sys.stdin.read()
"""


@needs_proc
@pytest.mark.parametrize("state", ["busy", "idle"])
def test_it_ends_with_a_parent_that_is_killed(state: str) -> None:
    parent = subprocess.Popen([sys.executable, "-c", PARENT, state], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert parent.stdout is not None
    pid = int(parent.stdout.readline())
    if state == "busy":
        before = seconds_used(pid)
        wait_for(lambda: seconds_used(pid) > before + 0.1)
    assert is_running(pid)
    parent.kill()
    parent.communicate()
    wait_for(lambda: not is_running(pid))


def test_it_ends_itself_when_nobody_kills_it() -> None:
    folder = Path(pygments.__file__).parents[1]
    line = [sys.executable, "-I", "-S", lexing_worker.__file__, str(folder)]
    request = REQUEST.pack(0.1, len(b"chapel"), len(EXPONENTIAL)) + b"chapel" + EXPONENTIAL
    with subprocess.Popen(line, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as lexer:
        assert lexer.stdin is not None
        assert lexer.stdout is not None
        lexer.stdin.write(request)
        lexer.stdin.flush()
        # Standard input stays open, so it is not its end that ends the process.
        assert lexer.stdout.read() == GREETING + READY
        assert lexer.wait(LONGEST) != 0


# ---- hostile surroundings --------------------------------------------------------------------------------------

HOSTILE_FOLDER = """\
import os, sys
from winnow_ci.languages import front_end_of
read = front_end_of("chapel").read
os.chdir(sys.argv[1])
assert len(read(b"var a = 1;", "chapel")) == 5
"""


def test_nothing_of_the_current_folder_is_imported(tmp_path: Path) -> None:
    for name in ("array", "contextlib", "encodings", "pygments", "re", "sitecustomize", "struct", "usercustomize"):
        (tmp_path / f"{name}.py").write_text(f"open({str(tmp_path / 'planted')!r}, 'w').close()\n")
    subprocess.run([sys.executable, "-c", HOSTILE_FOLDER, tmp_path], check=True)
    assert not (tmp_path / "planted").exists()


def test_nothing_that_the_environment_names_is_imported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("array", "pygments", "sitecustomize", "struct"):
        (tmp_path / f"{name}.py").write_text(f"open({str(tmp_path / 'planted')!r}, 'w').close()\n")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.setenv("PYTHONSTARTUP", str(tmp_path / "pygments.py"))
    assert still_lexes()
    assert not (tmp_path / "planted").exists()


@pytest.mark.parametrize(
    "answer",
    [
        b"",
        GREETING + b"?",
        GREETING + READY + LEXED + b"\1\0\0",
        GREETING + READY + LEXED + b"\xff\xff\xff\xff\0\0\0\0",
        GREETING + READY + LEXED + b"\1\0\0\0\1\0\0\0" + b"\xff" + b"\0\0\0\0" + b"\1\0\0\0" + b"a",
        GREETING + READY + LEXED + b"\1\0\0\0\1\0\0\0" + b"\1" + b"\0\0\0\0" + b"\2\0\0\0" + b"a",
        GREETING + READY + LEXED + b"\1\0\0\0\1\0\0\0" + b"\1" + b"\0\0\0\0" + b"\1\0\0\0" + b"\xff",
        GREETING + FAILED + b"\xff" * 300,
    ],
)
def test_an_answer_that_cannot_be_is_not_believed(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, answer: bytes
) -> None:
    script = tmp_path / "worker.py"
    script.write_text(f"import sys; sys.stdout.buffer.write({answer!r}); sys.stdout.flush(); sys.stdin.read()\n")
    monkeypatch.setattr(lexing_worker, "__file__", str(script))
    monkeypatch.setattr(pygments_lexer, "STARTING_SECONDS", 1.0 if not answer else LONGEST)
    shorten(monkeypatch, 0.1)
    with pytest.raises((Untokenizable, LexerError)):
        pygments_lexer.lexed_pieces(b"some text", "chapel")


@pytest.mark.parametrize("count", [36, 37])
def test_pieces_may_have_four_times_the_length_of_the_text(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, count: int
) -> None:
    arrays = bytes(count) + bytes(4 * count) + b"\1\0\0\0" * count + b"a" * count
    answer = GREETING + READY + LEXED + SIZES.pack(count, count) + arrays
    script = tmp_path / "worker.py"
    script.write_text(f"import sys; sys.stdout.buffer.write({answer!r}); sys.stdout.flush(); sys.stdin.read()\n")
    monkeypatch.setattr(lexing_worker, "__file__", str(script))
    if count == 4 * len("some text"):
        assert len(pygments_lexer.lexed_pieces(b"some text", "chapel").kinds) == count
    else:
        with pytest.raises(Untokenizable):
            pygments_lexer.lexed_pieces(b"some text", "chapel")
