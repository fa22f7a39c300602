"""Force, full disks, read-only folders and several syncs at once: no index is damaged, and no source is lost."""

from __future__ import annotations

import fcntl
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import pytest

from support.command import command, environment
from support.donor import INNOCENT, LOGS, ROUTES
from support.manifest import Project, states
from support.slow import EXPONENTIAL
from support.windows import UNHELD
from winnow_ci.index import WholeIndex, verify
from winnow_ci.indexer.building import journal_of

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.usefixtures("cache")

LITTLE_ROOM = """
import resource, sys
from winnow_ci import cli
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[1]), resource.RLIM_INFINITY))
sys.exit(cli.main(sys.argv[2:]))
"""
# The command, but with work written down every few files.
IMPATIENT = """
import sys
from winnow_ci import cli
from winnow_ci.index import journal
journal.RUN_POSTINGS = 500
sys.exit(cli.main(sys.argv[1:]))
"""
FIRST = ("{path: ../../roads}", "{path: ../../a}")
SECOND = ("{path: ../../a}", "{path: ../../b, with-text: true}", "{path: ../../logs-1.0.tar.gz, name: logs}")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Project, bytes]:
    """A synced project with another manifest, and the index that follows from that; not to be changed."""
    project = Project.create(tmp_path_factory.mktemp("made"))
    for name, text in {"a": ROUTES, "b": LOGS + INNOCENT}.items():
        folder = project.root.parent / name
        folder.mkdir()
        for number in range(8):
            (folder / f"{number}.py").write_text(f"NUMBER = {number}\n{text}")
    project.declare(*SECOND)
    project.synced()
    after = project.index.read_bytes()
    project.declare(*FIRST)
    project.synced()
    project.declare(*SECOND)
    return project, after


@pytest.fixture
def work(made: tuple[Project, bytes], tmp_path: Path) -> Project:
    return Project(shutil.copytree(made[0].root.parent, tmp_path / "work") / "project")


@pytest.fixture
def after(made: tuple[Project, bytes]) -> bytes:
    return made[1]


def left(work: Project) -> list[str]:
    return sorted(path.name for path in work.manifest.parent.iterdir())


def started(work: Project, *line: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        line or command("index", "sync"),
        cwd=work.root,
        env=environment(),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )


@pytest.mark.parametrize("room", [0, 300, 4096, 40_000])
def test_where_no_room_is_left_all_stays_as_it_was(work: Project, after: bytes, room: int) -> None:
    before = work.index.read_bytes(), work.lock.read_bytes(), work.manifest.read_bytes(), left(work)
    done = subprocess.run(
        [sys.executable, "-c", LITTLE_ROOM, str(room), "index", "sync"],
        cwd=work.root,
        env=environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 3, done
    problem, remedy = done.stderr.splitlines()[-2:]
    assert problem.startswith("winnow-ci: error: cannot write the index .winnow/index.db: ")
    assert remedy.startswith("make room")
    assert (work.index.read_bytes(), work.lock.read_bytes(), work.manifest.read_bytes(), left(work)) == before
    work.synced()
    assert work.index.read_bytes() == after


@pytest.mark.skipif(UNHELD, reason="root may write everywhere")
def test_in_a_folder_that_is_read_only(work: Project) -> None:
    work.manifest.parent.chmod(0o500)
    try:
        problem, _ = work.sync().complaint(3)
        assert problem == "cannot write the index .winnow/index.db: Permission denied"
        assert work.sources().keys() == {"roads", "a"}
    finally:
        work.manifest.parent.chmod(0o700)


def test_force_at_random_moments(work: Project, after: bytes) -> None:
    before, chance = {path: path.read_bytes() for path in (work.index, work.lock)}, random.Random(6)
    start = time.monotonic()
    assert started(work).wait() == 0
    duration = time.monotonic() - start
    for _ in range(12):
        for path, content in before.items():
            path.write_bytes(content)
        process = started(work)
        time.sleep(chance.uniform(0.2, 1) * duration)
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        assert work.index.read_bytes() in {before[work.index], after}
        assert set(work.synced().values()) <= {"added", "replaced", "removed", "unchanged"}
        assert work.index.read_bytes() == after
        assert left(work) == ["index.db", "sources.lock", "sources.yml"]


def test_syncs_at_once(work: Project, after: bytes) -> None:
    processes = [
        subprocess.Popen(command("index", "sync"), cwd=work.root, env=environment(), stderr=subprocess.PIPE, text=True)
        for _ in range(4)
    ]
    for process in processes:
        _, errors = process.communicate(timeout=60)
        if process.returncode:
            assert process.returncode in {2, 3}, errors
            assert any(said in errors for said in ("another process is writing", "changed meanwhile")), errors
    assert any(process.returncode == 0 for process in processes)
    assert work.index.read_bytes() == after
    assert set(work.synced().values()) == {"unchanged"}


def test_sources_that_are_added_at_once_are_not_lost(work: Project) -> None:
    waiting = {name: ("index", "add", "../roads", "--name", name) for name in ("x", "y", "z")}
    while waiting:
        running = {
            name: subprocess.Popen(command(*arguments), cwd=work.root, env=environment(), stderr=subprocess.PIPE)
            for name, arguments in waiting.items()
        }
        for name, process in running.items():
            _, errors = process.communicate(timeout=60)
            if process.returncode == 0:
                del waiting[name]
            else:
                assert process.returncode in {2, 3}, errors
    assert work.sources().keys() == {"a", "b", "logs", "x", "y", "z"}
    with WholeIndex(work.index) as index:
        verify(index)


def test_what_an_interrupted_sync_has_done_is_not_done_again(work: Project) -> None:
    big = work.root.parent / "big"
    big.mkdir()
    for number in range(100):
        (big / f"{number}.py").write_text(f"NUMBER = {number}\n{ROUTES}{LOGS}")
    # It is still at these, which take seconds each, when it has written down some of the others.
    for name in "abc":
        (big / f"slow_{name}.chpl").write_bytes(f"var {name} = d + 1;\n".encode() * 30 + EXPONENTIAL)
    work.declare(*SECOND, "{path: ../../big}")
    process = started(work, sys.executable, "-c", IMPATIENT, "index", "sync")
    journal = journal_of(work.index)
    while process.poll() is None and not (journal.exists() and journal.stat().st_size > 100_000):
        time.sleep(0.001)
    os.killpg(process.pid, signal.SIGINT)
    assert process.wait() == 130
    assert journal.exists()
    ended = work.sync()
    assert states(ended)["big"] == "added"
    assert not journal.exists()


def test_what_a_killed_writer_has_left_is_cleared_away_but_not_what_is_being_written(work: Project) -> None:
    folder = work.manifest.parent
    for name in (".sources.lock.0123abcd", ".sources.lock.01234567", ".sources.lock.notes", ".sources.yml.0123abcd"):
        (folder / name).write_bytes(b"half")
    os.mkfifo(folder / ".sources.lock.aaaaaaaa")
    with (folder / ".sources.lock.01234567").open("rb") as written_still:
        fcntl.flock(written_still, fcntl.LOCK_EX)
        work.synced()
    others = {".sources.lock.01234567", ".sources.lock.aaaaaaaa", ".sources.lock.notes", ".sources.yml.0123abcd"}
    assert set(left(work)) == {"index.db", "sources.lock", "sources.yml"} | others


BROKEN = """\
#!/bin/sh
echo "error: could not choose a version of $0" >&2
echo "  0: frame" >&2
exit 1
"""


@pytest.mark.parametrize(
    ("program", "again"), [("cargo", "cargo --version"), ("npm", "npm --version"), ("go", "go version")]
)
def test_a_client_that_does_not_work_is_reported_once(
    project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, program: str, again: str
) -> None:
    client = tmp_path / "bin" / program
    client.parent.mkdir()
    client.write_text(BROKEN)
    client.chmod(0o755)
    monkeypatch.setenv("PATH", f"{client.parent}{os.pathsep}{os.environ['PATH']}")
    kind, version = ("golang/example.org", "v1.0.0") if program == "go" else (program, "1.0.0")
    project.declare("{path: ../../roads}", *(f"pkg:{kind}/{name}@{version}" for name in ("knot", "bight")))
    ended = project.sync()
    assert ended.status == 3
    assert ended.errors.count("could not choose") == 1
    assert f"{program} does not work on this machine: error: could not choose a version" in ended.errors
    assert f"see what it says: {again}\n" in ended.errors
    assert "frame" not in ended.errors
    assert re.search(r"2 sources could not be fetched: \S*knot, \S*bight\nfix that, then run this again", ended.errors)


def test_a_client_that_fails_for_one_package_works(
    project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = tmp_path / "bin" / "cargo"
    client.parent.mkdir()
    client.write_text('#!/bin/sh\n[ "$1" = --version ] || { echo "error: no knot" >&2; exit 1; }\n')
    client.chmod(0o755)
    monkeypatch.setenv("PATH", f"{client.parent}{os.pathsep}{os.environ['PATH']}")
    project.declare("pkg:cargo/knot@1.0.0")
    problem, _ = project.sync().complaint(3)
    assert problem == ".winnow/sources.yml:2: knot: pkg:cargo/knot@1.0.0: cargo: no knot"


SMALL_FORGE = """
import sys
from winnow_ci import cli
from winnow_ci.cli.index import manifest
manifest._MOST_IN_GIT = int(sys.argv[1])
sys.exit(cli.main(["index", "sync"]))
"""


@pytest.mark.parametrize(("room", "warns"), [(-1, True), (0, False)])
def test_an_index_that_a_forge_refuses_is_to_stay_out_of_git(work: Project, room: int, warns: bool) -> None:
    work.synced()
    most = work.index.stat().st_size + room
    line = [sys.executable, "-c", SMALL_FORGE, str(most)]
    ended = subprocess.run(line, cwd=work.root, env=environment(), capture_output=True, text=True, check=True)
    assert ("leave it out of git" in ended.stderr) == warns
