"""Other programs: what they are given and write, which limits hold, and that nothing of them is left when they end."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from winnow_ci import processes, system
from winnow_ci.processes import ChildProcess, ProcessLimitError, ProcessLimits, ProcessResult

if TYPE_CHECKING:
    from collections.abc import Callable

LONGEST = 60.0
MIB = 1 << 20

needs_proc = pytest.mark.skipif(not Path("/proc/self/limits").exists(), reason="needs /proc")


def sh(folder: Path, script: str, given: bytes | None = b"", *, leads: bool = True) -> ChildProcess:
    return processes.start(("/bin/sh", "-c", script), folder, given=given, leads=leads)


def collected(folder: Path, script: str, limits: ProcessLimits, given: bytes = b"") -> ProcessResult:
    with sh(folder, script, given) as process:
        return process.collect(limits)


def is_running(number: int) -> bool:
    with suppress(OSError):
        os.kill(number, 0)
        stat = Path(f"/proc/{number}/stat")
        return not stat.parent.exists() or stat.read_text().rpartition(")")[2].split()[0] != "Z"
    return False


def wait_for(condition: Callable[[], object]) -> None:
    until = time.monotonic() + LONGEST
    while not condition():
        assert time.monotonic() < until, "waited too long"
        time.sleep(0.01)


def number_in(file: Path) -> int:
    wait_for(lambda: file.exists() and file.read_text().endswith("\n"))
    return int(file.read_text())


# ---- what goes in and comes out --------------------------------------------------------------------------------


def test_what_a_program_is_given_and_what_it_leaves(tmp_path: Path) -> None:
    result = collected(tmp_path, "pwd; cat; echo oh >&2; exit 3", ProcessLimits(), b"given")
    assert result == (3, f"{tmp_path}\ngiven".encode(), b"oh\n")


def test_without_input_standard_input_is_empty(tmp_path: Path) -> None:
    assert collected(tmp_path, "cat", ProcessLimits(LONGEST)).output == b""


def test_input_and_output_larger_than_a_pipe_do_not_block(tmp_path: Path) -> None:
    given = bytes(range(256)) * (3 * MIB // 256)
    result = collected(tmp_path, "cat; cat /dev/zero | head -c 1000000 >&2", ProcessLimits(LONGEST), given)
    assert (result.output == given, result.errors) == (True, bytes(1_000_000))


def test_environment_is_all_there_is(tmp_path: Path) -> None:
    with processes.start(("/usr/bin/env",), tmp_path, {"ONLY": "this"}) as process:
        assert process.collect().output == b"ONLY=this\n"


def test_questions_and_answers(tmp_path: Path) -> None:
    with sh(tmp_path, "read a; echo $a$a; read b; echo $b", None) as process:
        for question, answer in ((b"one\n", b"oneone\n"), (b"two\n", b"two\n")):
            process.input.write(question)
            process.input.flush()
            assert process.output.readline() == answer
        assert process.wait() == 0


def test_what_cannot_be_started_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        processes.start((str(tmp_path / "nothing"),), tmp_path)


def test_what_a_signal_ended_has_its_negative_number(tmp_path: Path) -> None:
    assert collected(tmp_path, "kill -9 $$", ProcessLimits()).status == -signal.SIGKILL


def test_ticks_come_while_nothing_is_written(tmp_path: Path) -> None:
    seen: list[Path] = []

    def tick() -> None:
        seen.append(tmp_path / str(len(seen)))
        seen[-1].touch()

    # It is silent until the second tick; however slow the machine, without ticks it exceeds the limit.
    with sh(tmp_path, "until test -e 1; do sleep 0.1; done; echo end") as process:
        assert process.collect(ProcessLimits(seconds=60), tick).output == b"end\n"


@pytest.mark.parametrize("late", ["", "sleep 1; "])
def test_a_program_that_closes_its_output_is_waited_for(tmp_path: Path, late: str) -> None:
    assert collected(tmp_path, f"exec >&- 2>&-; {late}exit 5", ProcessLimits()) == (5, b"", b"")


def test_what_has_ended_is_not_listened_to_because_a_child_holds_its_output(tmp_path: Path) -> None:
    began = time.monotonic()
    result = collected(tmp_path, f"sleep 600 & echo $! >{tmp_path}/child; echo said", ProcessLimits())
    assert result.output == b"said\n"
    assert time.monotonic() - began < LONGEST
    child = number_in(tmp_path / "child")
    # As a connection that ssh shares, it is left alone.
    assert is_running(child)
    os.kill(child, signal.SIGKILL)


# ---- limits ----------------------------------------------------------------------------------------------------

CHILD = "sleep 600 & echo $! >child; "


@pytest.mark.parametrize(
    ("limit", "script", "limits"),
    [
        ("seconds", f"{CHILD}while :; do echo; sleep 0.1; done", ProcessLimits(seconds=1, silence=LONGEST)),
        ("seconds", f"exec >&- 2>&-; {CHILD}wait", ProcessLimits(seconds=1)),
        ("silence", f"{CHILD}echo said; wait", ProcessLimits(seconds=LONGEST, silence=1)),
        ("silence", f"exec >&- 2>&-; {CHILD}wait", ProcessLimits(silence=1)),
        ("output", f"{CHILD}yes", ProcessLimits(output=MIB)),
        ("output", f"{CHILD}yes >&2", ProcessLimits(output=MIB)),
        ("seconds", f"trap '' TERM; {CHILD}while :; do sleep 0.1; done", ProcessLimits(seconds=1)),
    ],
)  # fmt: skip
def test_what_exceeds_a_limit_is_killed_with_its_children(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, limit: str, script: str, limits: ProcessLimits
) -> None:
    monkeypatch.setattr(processes, "_GRACE", 0.5)
    with pytest.raises(ProcessLimitError) as error:
        collected(tmp_path, script, limits)
    assert error.value.limit == limit
    child = number_in(tmp_path / "child")
    wait_for(lambda: not is_running(child))


def test_a_program_that_keeps_talking_is_not_silent(tmp_path: Path) -> None:
    script = "for i in 1 2 3 4 5; do echo $i; sleep 0.4; done"
    assert collected(tmp_path, script, ProcessLimits(silence=1.5)).status == 0


def test_output_may_be_as_long_as_its_limit(tmp_path: Path) -> None:
    script = "printf 12345; printf 678 >&2"
    assert collected(tmp_path, script, ProcessLimits(output=8)) == (0, b"12345", b"678")
    with pytest.raises(ProcessLimitError, match="output"):
        collected(tmp_path, script, ProcessLimits(output=7))


def test_a_leader_may_clear_away_before_it_is_killed(tmp_path: Path) -> None:
    script = "trap 'sleep 0.2; rm lock; exit' TERM; touch lock; while :; do sleep 0.1; done"
    with pytest.raises(ProcessLimitError):
        collected(tmp_path, script, ProcessLimits(seconds=1))
    assert not (tmp_path / "lock").exists()


@needs_proc
def test_memory_and_files_have_limits(tmp_path: Path) -> None:
    with sh(tmp_path, "read go; ulimit -v; head -c 2097152 /dev/zero >file", None) as process:
        system.limit_memory(process.pid, 512 * MIB)
        system.limit_file_size(process.pid, MIB)
        process.input.write(b"go\n")
        process.input.close()
        result = process.collect()
    assert (int(result.output), result.status != 0) == (512 * MIB // 1024, True)
    assert (tmp_path / "file").stat().st_size == MIB


@needs_proc
def test_a_limit_above_the_hard_one_is_the_hard_one(tmp_path: Path) -> None:
    with sh(tmp_path, "ulimit -Sv 200000; ulimit -Hv 300000; echo; read go; ulimit -v", None) as process:
        process.output.readline()
        system.limit_memory(process.pid, 512 * MIB)
        process.input.write(b"go\n")
        process.input.flush()
        assert process.output.readline() == b"300000\n"


# ---- the end ---------------------------------------------------------------------------------------------------


def test_a_program_ends_with_its_context(tmp_path: Path) -> None:
    with sh(tmp_path, f"{CHILD}wait") as process:
        child = number_in(tmp_path / "child")
    assert process.status == -signal.SIGTERM
    wait_for(lambda: not is_running(child))
    assert process.output.closed


def test_what_a_program_has_left_running_ends_if_the_context_fails(tmp_path: Path) -> None:
    with pytest.raises(ZeroDivisionError), sh(tmp_path, CHILD) as process:
        child = number_in(tmp_path / "child")
        assert process.wait() == 0
        raise ZeroDivisionError
    wait_for(lambda: not is_running(child))


def test_one_that_leads_no_group_ends_alone(tmp_path: Path) -> None:
    with sh(tmp_path, "exec sleep 600", leads=False) as process:
        assert os.getpgid(process.pid) == os.getpgid(0)
    assert process.status == -signal.SIGKILL


def test_an_answer_that_comes_too_late(tmp_path: Path) -> None:
    with sh(tmp_path, "exec sleep 600", None, leads=False) as process:
        with process.killed_after(0.2):
            assert process.output.read(1) == b""
        assert process.has_expired
        assert process.status == -signal.SIGKILL


def test_an_answer_in_time(tmp_path: Path) -> None:
    with sh(tmp_path, "read a; echo $a; read b", None, leads=False) as process:
        with process.killed_after(LONGEST):
            process.input.write(b"a\n")
            process.input.flush()
            assert process.output.read(2) == b"a\n"
        assert not process.has_expired
        assert process.status is None


def test_an_interrupt_ends_it_with_its_children(tmp_path: Path) -> None:
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    main, listens = threading.get_ident(), threading.Event()

    def interrupt() -> None:
        # While it is being started, nobody could end it.
        assert listens.wait(LONGEST)
        number_in(tmp_path / "child")
        signal.pthread_kill(main, signal.SIGINT)

    thread = threading.Thread(target=interrupt)
    thread.start()
    try:
        with pytest.raises(KeyboardInterrupt), sh(tmp_path, f"{CHILD}wait") as process:
            process.collect(tick=listens.set)
    finally:
        thread.join()
        signal.signal(signal.SIGINT, before)
    child = number_in(tmp_path / "child")
    wait_for(lambda: not is_running(child))


def test_a_forked_process_forgets_it(tmp_path: Path) -> None:
    with sh(tmp_path, "read a; exit 7", None) as process:
        if not (fork := os.fork()):
            with suppress(BaseException):
                process.disown()
                with process:
                    pass
            os._exit(0)
        os.waitpid(fork, 0)
        assert process.status is None
        process.input.write(b"a\n")
        process.input.flush()
        assert process.wait() == 7


# ---- worker processes of our own -------------------------------------------------------------------------------

# Each line is written at once, as two processes write to one pipe.
WORKER = """
import os
import time
from multiprocessing import Process
from winnow_ci.processes import begin_worker

def work():
    begin_worker()
    os.write(1, b"begun\\n")
    time.sleep(600)

if __name__ == "__main__":
    worker = Process(target=work)
    worker.start()
    os.write(1, b"%d\\n" % worker.pid)
    worker.join()
"""


@needs_proc
def test_a_worker_ignores_an_interrupt_and_ends_with_its_parent(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(WORKER)
    with processes.start((sys.executable, str(script)), tmp_path, leads=False) as parent:
        lines = {parent.output.readline(), parent.output.readline()}
        worker = int((lines - {b"begun\n"}).pop())
        os.kill(worker, signal.SIGINT)
        time.sleep(0.2)
        assert is_running(worker)
        parent.kill()
    wait_for(lambda: not is_running(worker))
