"""A build that is stopped, by ^C or by force, at any moment: the old index stays, and the next build goes on."""

from __future__ import annotations

import random
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import pytest

from support.command import Ended, environment
from support.stopping import IN_A_GROUP, statuses, stop
from winnow_ci.indexer.building import journal_of

if TYPE_CHECKING:
    from pathlib import Path

    from support.stopping import How

# The command, but with work written down every few files. Should it not end, it says where it is.
IMPATIENT = """
import faulthandler
from winnow_ci import cli
from winnow_ci.index import journal
faulthandler.dump_traceback_later(50)
journal.RUN_POSTINGS = 500
cli.entry_point()
"""
# The command with a ^C the moment after the pool of workers has locked or unlocked something for the Nth time.
LOCKING = """
import faulthandler, signal, sys
from winnow_ci import cli

def listen(frame, event, call):
    global left
    callers = (frame.f_code, frame.f_back.f_code) if frame.f_back else (frame.f_code,)
    if event == "c_return" and call.__name__ in LOCKS and any("concurrent" in one.co_filename for one in callers):
        left -= 1
        if not left:
            sys.setprofile(None)
            signal.raise_signal(signal.SIGINT)

LOCKS = ("acquire", "__enter__", "release", "__exit__")
left = int(sys.argv.pop(1))
faulthandler.dump_traceback_later(50)
sys.setprofile(listen)
sys.exit(cli.main(sys.argv[1:]))
"""
# The command with a ^C where Python drops it: in the callback of a weak reference.
UNHEARD = """
import signal, sys, time, weakref
from winnow_ci import cli
from winnow_ci.cli import init

def run(arguments):
    thing = type("Thing", (), {})()
    reference = weakref.ref(thing, lambda _: signal.raise_signal(signal.SIGINT))
    del thing
    time.sleep(20)
    return 0

init.run = run
sys.exit(cli.main(["init"]))
"""


@pytest.fixture(scope="module")
def code(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Some megabytes of Python that no two files share."""
    folder, chance = tmp_path_factory.mktemp("code"), random.Random(5)
    for number in range(300):
        lines = [f"def f{line}(a, b=f{line % 7}({chance.choice('abc')}, [])):" for line in range(100)]
        bodies = [f"    return a {chance.choice('+-*/')} g{chance.randrange(50)}(b, {line})" for line in range(100)]
        text = "\n".join(part for pair in zip(lines, bodies, strict=True) for part in pair)
        (folder / f"{number}.py").write_text(text)
    return folder


def started(
    code: Path, output: Path, *options: str, program: tuple[str, ...] = (IMPATIENT,)
) -> subprocess.Popen[bytes]:
    arguments = ["index", "build", code, "--output", output, "--name", "code", *options]
    return subprocess.Popen(
        [sys.executable, "-c", *program, *map(str, arguments)],
        env=environment(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        **IN_A_GROUP,
    )


def ended(process: subprocess.Popen[bytes]) -> Ended:
    with process:
        try:
            output, errors = process.communicate(timeout=60)
        except subprocess.TimeoutExpired:
            # Its workers have its output open, too.
            stop(process, "force")
            raise
    return Ended(process.returncode, output.decode(), errors.decode())


def state(journal: Path) -> tuple[int, int]:
    """When it was written and how long it is; zeros if there is none."""
    try:
        found = journal.stat()
    except FileNotFoundError:
        return 0, 0
    return found.st_mtime_ns, found.st_size


def stopped(process: subprocess.Popen[bytes], journal: Path, size: int, how: How) -> Ended:
    """End a build as soon as it has written to its journal and that has so many bytes, or let it end."""
    before = state(journal)
    while process.poll() is None:
        # Python that is only starting says other things about ^C than we do.
        now = state(journal)
        if now != before and now[1] >= size:
            stop(process, how)
            break
        time.sleep(0.001)
    return ended(process)


@pytest.fixture(scope="module")
def whole(code: Path, tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """The index as a build makes it that nobody stops."""
    index = tmp_path_factory.mktemp("whole") / "i.db"
    done = ended(started(code, index, "--with-text"))
    assert done.status == 0, done
    assert "interrupted" not in done.errors
    return index.read_bytes()


@pytest.mark.parametrize("how", ["^C", "force"])
@pytest.mark.parametrize("seed", range(3))
def test_the_next_build_goes_on(code: Path, whole: bytes, tmp_path: Path, how: How, seed: int) -> None:
    index, journal = tmp_path / "i.db", journal_of(tmp_path / "i.db")
    for size in sorted(random.Random(seed).sample(range(len(whole)), 3)):
        first = not journal.exists()
        done = stopped(started(code, index, "--with-text"), journal, size, how)
        if done.status == 0:
            break
        assert done.status in statuses(how), done
        assert not index.exists()
        if done.status == 130 and first and journal.exists():
            assert done.last_words()[0].startswith("interrupted; the fingerprints of ")
            assert done.last_words()[1] == "run it again to continue from there; the index is unchanged"
    else:
        done = ended(started(code, index, "--with-text"))
        assert done.status == 0, done
        assert "were kept from an interrupted build" in done.errors
    assert index.read_bytes() == whole
    assert [path.name for path in tmp_path.iterdir()] == ["i.db"]


def test_other_parameters_begin_again(code: Path, tmp_path: Path) -> None:
    index, journal = tmp_path / "i.db", journal_of(tmp_path / "i.db")
    done = stopped(started(code, index), journal, 50_000, "force")
    assert done.status in statuses("force")
    done = ended(started(code, index, "-k", "20"))
    assert done.status == 0, done
    assert "interrupted" not in done.errors
    done = ended(started(code, tmp_path / "fresh.db", "-k", "20"))
    assert index.read_bytes() == (tmp_path / "fresh.db").read_bytes()


@pytest.mark.parametrize("number", range(12, 25))
def test_a_build_ends_that_is_interrupted_where_its_workers_are_locked(code: Path, tmp_path: Path, number: int) -> None:
    done = ended(started(code, tmp_path / "i.db", program=(LOCKING, str(number))))
    assert done.status == 130, done
    assert "interrupted" in done.errors


def test_an_interrupt_is_heard_where_python_drops_it() -> None:
    line = [sys.executable, "-c", UNHEARD]
    process = subprocess.Popen(line, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, **IN_A_GROUP)
    assert ended(process).status == 130
