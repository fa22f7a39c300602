"""Worker processes of our own: ^C is their parent's, and they end with it."""

from __future__ import annotations

import os
import signal
import sys
import time
from pathlib import Path

import pytest

from winnow_ci import processes
from winnow_ci.processes.workers import held_back

# Each line is written at once, as two processes write to one pipe.
WORKER = """
import os
import time
from multiprocessing import Process
from winnow_ci.processes.workers import begin_worker

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


def is_running(number: int) -> bool:
    try:
        return Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs /proc")
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
    until = time.monotonic() + 60
    while is_running(worker):
        assert time.monotonic() < until
        time.sleep(0.01)


def test_a_signal_that_is_held_back_comes_when_the_block_ends() -> None:
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    passed = False
    try:
        with pytest.raises(KeyboardInterrupt), held_back(signal.SIGINT):
            signal.raise_signal(signal.SIGINT)
            passed = True
    finally:
        signal.signal(signal.SIGINT, before)
    assert passed
