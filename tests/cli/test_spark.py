"""``--engine spark``, with a real Spark: the same index, whatever is killed on the way.

Starting Spark takes seconds, so a few tests ask for much.
"""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from support import spark
from support.command import Ended, environment, winnow
from support.donor import LOGS
from winnow_ci.indexer.spark.slices import SLICE_FILES

if TYPE_CHECKING:
    from collections.abc import Callable

    from support.manifest import Project

SLICES = 12
PATIENCE = 240.0


@pytest.fixture(scope="module")
def code(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Small files of Python that no two files share."""
    folder, chance = tmp_path_factory.mktemp("code"), random.Random(17)
    for number in range(SLICES * SLICE_FILES):
        words = " + ".join(f"{chance.choice('abcdef')}({chance.randrange(9)})" for _ in range(12))
        (folder / f"{number:05}.py").write_text(f"def f{number}(a, b):\n    return {words}\n")
    return folder


def started(settings: dict[str, str], *arguments: str | Path, cwd: Path | None = None) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-m", "winnow_ci", "index", *map(str, arguments), "--engine", "spark"],
        cwd=cwd,
        env=environment(**settings),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )


def building(code: Path, output: Path, settings: dict[str, str], *options: str) -> subprocess.Popen[bytes]:
    return started(settings, "build", code, "--output", output, "--name", "code", *options)


def ended(process: subprocess.Popen[bytes]) -> Ended:
    output, errors = process.communicate(timeout=PATIENCE)
    return Ended(process.returncode, output.decode(), errors.decode())


def parts(cache: Path) -> int:
    return len([*cache.glob("parts/*/*")])


def until(process: subprocess.Popen[bytes], holds: Callable[[], object]) -> None:
    """Wait for something while a build runs, and find it still running."""
    given_up = time.monotonic() + PATIENCE
    while not holds() and process.poll() is None and time.monotonic() < given_up:
        time.sleep(0.02)
    assert process.poll() is None, ended(process)


def left(ended: Ended) -> int:
    """How many parts a build says that it has found."""
    (line,) = (line for line in ended.errors.splitlines() if "parts of executors were kept" in line)
    return int(line.rpartition("; ")[2].split()[0])


def test_a_sync_on_this_machine_gives_the_same_index(project: Project, cache: Path) -> None:
    spark.require()
    # What the current folder has is nobody's module.
    for module in ("numpy", "pickle", "pyspark"):
        (project.root / f"{module}.py").write_text("raise SystemExit('imported from the current folder')")
    project.declare(
        '{path: ../../roads, version: "1", with-text: true}',
        "{path: ../../logs-1.0.tar.gz, license: MIT}",
        "{path: ../../more, boilerplate: true, version: '1'}",
    )
    (project.root.parent / "more").mkdir()
    (project.root.parent / "more" / "logs.py").write_text(LOGS)
    local = project.sync()
    assert local.status == 0, local
    project.index.rename(project.root / "local.db")
    settings = spark.configured(project.root.parent)
    on_spark = ended(started(settings, "sync", "--master", "local[2]", cwd=project.root))
    assert (on_spark.status, on_spark.output, on_spark.errors) == (0, local.output, local.errors)
    assert project.index.read_bytes() == (project.root / "local.db").read_bytes()
    assert parts(cache) == 0


def test_an_interrupted_build_keeps_its_parts(code: Path, cache: Path, tmp_path: Path) -> None:
    spark.require()
    build = building(code, tmp_path / "code.db", spark.configured(tmp_path), "--master", "local[1]")
    until(build, lambda: parts(cache) >= 2)
    build.send_signal(signal.SIGINT)
    problem, remedy = ended(build).complaint(130)
    assert f"interrupted; {parts(cache)} of the executors' parts" in problem
    assert "run it again" in remedy
    assert 2 <= parts(cache) < SLICES
    assert not (tmp_path / "code.db").exists()


def test_a_cluster_goes_on_whatever_is_killed(code: Path, cache: Path, tmp_path: Path) -> None:
    spark.require()
    local, output = tmp_path / "local.db", tmp_path / "spark.db"
    assert winnow("index", "build", code, "--output", local, "--name", "code", cwd=tmp_path).status == 0
    with spark.cluster() as cluster:
        build = building(code, output, cluster.settings)
        until(build, lambda: parts(cache) >= 1 and len(cluster.executors()) == spark.WORKERS)
        executor, before = cluster.executors()[0], parts(cache)
        assert Path(f"/proc/{executor}").stat().st_uid == cluster.user
        spark.kill(executor)
        until(build, lambda: parts(cache) > before)
        build.kill()
        build.communicate(timeout=PATIENCE)
        kept = parts(cache)
        assert before < kept < SLICES
        assert executor not in cluster.executors()

        build = building(code, output, cluster.settings)
        until(build, lambda: parts(cache) > kept and cluster.python_workers())
        spark.kill(cluster.python_workers()[0])
        assert parts(cache) < SLICES
        last = ended(build)
        assert (last.status, left(last)) == (0, kept)
    assert output.read_bytes() == local.read_bytes()
    assert parts(cache) == 0
