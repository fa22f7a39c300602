"""Disks that are full, folders that are read-only, several writers, readers beside a writer, and force."""

from __future__ import annotations

import fcntl
import os
import random
import shutil
import signal
import subprocess
import sys
import threading
import time
from typing import TYPE_CHECKING

import pytest

from support.command import build, command, environment, winnow
from support.donor import INNOCENT, LOGS, ROUTES
from support.windows import UNHELD
from winnow_ci.index import WholeIndex, verify
from winnow_ci.index.schema import PAGE_SIZE
from winnow_ci.indexer.building import journal_of

if TYPE_CHECKING:
    from pathlib import Path

LITTLE_ROOM = """
import resource, sys
from winnow_ci import cli
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[1]), resource.RLIM_INFINITY))
sys.exit(cli.main(sys.argv[2:]))
"""


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Sources, and an index of the first two, of the first, and of the third; not to be changed."""
    tmp_path = tmp_path_factory.mktemp("made")
    for name, text in {"a": ROUTES, "b": LOGS, "c": INNOCENT}.items():
        (tmp_path / name).mkdir()
        for number in range(8):
            (tmp_path / name / f"{number}.py").write_text(f"NUMBER = {number}\n{text}")
    for index in ("i", "a", "c"):
        for name in "ab" if index == "i" else index:
            build(tmp_path / name, tmp_path / f"{index}.db", name=name)
    return tmp_path


@pytest.fixture
def work(made: Path, tmp_path: Path) -> Path:
    """A copy of that."""
    return shutil.copytree(made, tmp_path / "work")


WRITERS = {
    "build": ("index", "build", "c", "--name", "c", "--output", "i.db"),
    "remove": ("index", "remove", "i.db", "b"),
    "merge": ("index", "merge", "i.db", "c.db", "--output", "i.db"),
}
writers = pytest.mark.parametrize("arguments", WRITERS.values(), ids=list(WRITERS))


def without_journal(work: Path) -> list[str]:
    return sorted(path.name for path in work.iterdir())


@writers
@pytest.mark.parametrize("room", [0, 4096, 40_000])
def test_where_no_room_is_left_the_old_index_stays(work: Path, arguments: tuple[str, ...], room: int) -> None:
    before, files = (work / "i.db").read_bytes(), without_journal(work)
    assert len(before) > 40_000
    done = subprocess.run(
        [sys.executable, "-c", LITTLE_ROOM, str(room), *arguments],
        cwd=work,
        env=environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 3, done
    problem, remedy = done.stderr.splitlines()[-2:]
    assert problem.startswith("winnow-ci: error: cannot write the index i.db: ")
    assert remedy.startswith("make room")
    assert (work / "i.db").read_bytes() == before
    assert without_journal(work) == files
    assert winnow(*arguments, cwd=work).status == 0
    assert winnow("index", "verify", "i.db", cwd=work).status == 0


def test_a_page_of_zeros_is_listed_as_it_was_or_an_error(work: Path) -> None:
    sound, listed = (work / "i.db").read_bytes(), winnow("index", "list", "i.db", cwd=work).output
    statuses = set()
    for start in range(0, len(sound), PAGE_SIZE):
        (work / "i.db").write_bytes(sound[:start] + bytes(PAGE_SIZE) + sound[start + PAGE_SIZE :])
        ended = winnow("index", "list", "i.db", cwd=work)
        statuses.add(ended.status)
        if ended.status:
            ended.complaint(3)
        else:
            assert ended.output == listed
    assert statuses == {0, 3}


@writers
@pytest.mark.skipif(UNHELD, reason="root may write everywhere")
def test_in_a_folder_that_is_read_only(work: Path, arguments: tuple[str, ...]) -> None:
    work.chmod(0o500)
    try:
        problem, _ = winnow(*arguments, cwd=work).complaint(3)
        assert problem == "cannot write the index i.db: Permission denied"
        assert winnow("index", "verify", "i.db", cwd=work).status == 0
    finally:
        work.chmod(0o700)


@writers
def test_while_another_process_writes(work: Path, arguments: tuple[str, ...]) -> None:
    before = (work / "i.db").read_bytes()
    with (work / ".i.db.unfinished").open("w") as other:
        fcntl.flock(other, fcntl.LOCK_EX)
        problem, remedy = winnow(*arguments, cwd=work).complaint(3)
    assert problem == "another process is writing .i.db.unfinished"
    assert remedy == "wait until it has finished, then run this again"
    assert (work / "i.db").read_bytes() == before


def test_writers_at_once_lose_no_source(work: Path) -> None:
    waiting = {name: ("index", "build", "c", "--name", name, "--output", "i.db") for name in ("c", "d", "e")}
    waiting["b"] = ("index", "remove", "i.db", "b")
    while waiting:
        started = {
            name: subprocess.Popen(command(*arguments), cwd=work, env=environment(), stderr=subprocess.PIPE, text=True)
            for name, arguments in waiting.items()
        }
        errors = {name: process.communicate(timeout=60)[1] for name, process in started.items()}
        for name, process in started.items():
            if process.returncode:
                assert process.returncode == 3, errors[name]
                assert "another process is writing" in errors[name]
            else:
                del waiting[name]
    with WholeIndex(work / "i.db") as index:
        assert [source.name for source in index.sources] == ["a", "c", "d", "e"]
        verify(index)


def test_readers_beside_a_writer_read_the_old_index_or_the_new_one(work: Path) -> None:
    sound, over = {digest(work / "i.db"), digest(work / "a.db")}, threading.Event()
    seen: list[str] = []
    wrong: list[BaseException] = []

    def read() -> None:
        try:
            while not over.is_set():
                with WholeIndex(work / "i.db") as index:
                    verify(index)
                    seen.append(index.digest)
        except BaseException as error:
            wrong.append(error)

    readers = [threading.Thread(target=read) for _ in range(20)]
    for reader in readers:
        reader.start()
    try:
        for _ in range(2):
            assert winnow(*WRITERS["remove"], cwd=work).status == 0
            build(work / "b", work / "i.db", name="b")
    finally:
        over.set()
        for reader in readers:
            reader.join()
    assert not wrong
    assert len(seen) >= 20
    assert set(seen) == sound


def digest(index: Path) -> str:
    with WholeIndex(index) as opened:
        return opened.digest


@writers
def test_force_at_any_moment_leaves_the_old_index_or_the_new_one(work: Path, arguments: tuple[str, ...]) -> None:
    before = (work / "i.db").read_bytes()
    assert winnow(*arguments, cwd=work).status == 0
    after = (work / "i.db").read_bytes()
    for seed in range(2):
        (work / "i.db").write_bytes(before)
        process = subprocess.Popen(
            command(*arguments),
            cwd=work,
            env=environment(),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        while process.poll() is None and not (work / ".i.db.unfinished").exists():
            time.sleep(0.0005)
        time.sleep(random.Random(seed).uniform(0, 0.02))
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        if (work / "i.db").read_bytes() != after:
            assert (work / "i.db").read_bytes() == before
            assert winnow(*arguments, cwd=work).status == 0
        assert (work / "i.db").read_bytes() == after


def test_what_an_interrupted_build_has_done_is_not_lost_to_others(work: Path) -> None:
    journal = journal_of(work / "i.db")
    for name in ("remove", "merge"):
        journal.parent.mkdir(parents=True, exist_ok=True)
        journal.write_bytes(b"what a build has done")
        assert winnow(*WRITERS[name], cwd=work).status == 0
        assert journal.read_bytes() == b"what a build has done"
