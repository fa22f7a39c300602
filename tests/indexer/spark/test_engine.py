"""Slices under way and parts that come back, with threads in the place of a cluster, which fail as they are told.

``tests/cli/test_spark.py`` has a real one.
"""

from __future__ import annotations

import random
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pytest

from winnow_ci.corpus import collect
from winnow_ci.errors import EngineError
from winnow_ci.index.journal import framed
from winnow_ci.indexer import LOCAL, IndexAddition, add, in_silence
from winnow_ci.indexer.building import rewritten
from winnow_ci.indexer.spark import SparkEngine, engine, session, slices
from winnow_ci.indexer.spark.slices import unpacked_part
from winnow_ci.model import Parameters, Source

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from winnow_ci.indexer import BuildEngine

FILES = 40
FILES_A_SLICE = 4
SLICES = FILES // FILES_A_SLICE


def as_it_is(record: bytes) -> bytes:
    return record


@dataclass
class Threads:
    """Runs tasks; what it answers passes through ``change``, and after ``most`` tasks it fails."""

    cores: int = 2
    most: int = 1000
    change: Callable[[bytes], bytes] = as_it_is
    ran: list[str] = field(default_factory=list)
    pool: ThreadPoolExecutor = field(default_factory=lambda: ThreadPoolExecutor(2))

    def run(self, name: str, given: tuple[str, bytes], then: Callable[[bytes], Any]) -> Future[Any]:
        self.ran.append(name)
        if len(self.ran) > self.most:
            raise KeyboardInterrupt
        return self.pool.submit(lambda: then(self.change(slices.run_task(given))))


@pytest.fixture
def threads(monkeypatch: pytest.MonkeyPatch) -> Threads:
    found = Threads()

    @contextmanager
    def started(master: str | None) -> Iterator[Threads]:
        yield found
        found.pool.shutdown()
        found.pool = ThreadPoolExecutor(2)

    monkeypatch.setattr(session, "check_installed", lambda: None)
    monkeypatch.setattr(session, "started", started)
    monkeypatch.setattr(slices, "SLICE_FILES", FILES_A_SLICE)
    return found


@pytest.fixture
def many(tmp_path: Path) -> Path:
    """Files, a third of which another one repeats, with their licences and without."""
    folder, chance = tmp_path / "many", random.Random(17)
    folder.mkdir()
    for number in range(FILES):
        body = f"def f{number - number % 3 // 2}(a, b):\n    return {' + '.join(chance.choices('abcd', k=20))}\n"
        if number % 3 == 2:
            body = (folder / f"{number - 1:02}.py").read_text()
        (folder / f"{number:02}.py").write_text(body)
    (folder / "00.py").write_text("# SPDX-License-Identifier: MIT\n" + (folder / "00.py").read_text())
    return folder


def spark(tmp_path: Path) -> SparkEngine:
    return SparkEngine(None, tmp_path / "parts")


def build(code: Path, output: Path, chosen: BuildEngine = LOCAL, *, with_text: bool = False) -> Any:
    source = Source("many")
    with collect([code]) as corpus:
        addition = IndexAddition(corpus, (source,), lambda _: (source,), lambda old: old.name == source.name)
        return add(addition, output, {}, in_silence, chosen, with_text=with_text)


@pytest.mark.parametrize("with_text", [False, True])
def test_the_index_is_that_of_this_machine(threads: Threads, many: Path, tmp_path: Path, *, with_text: bool) -> None:
    local = build(many, tmp_path / "local.db", with_text=with_text)
    with spark(tmp_path) as chosen:
        report = build(many, tmp_path / "spark.db", chosen, with_text=with_text)
    assert report == local
    assert (tmp_path / "spark.db").read_bytes() == (tmp_path / "local.db").read_bytes()
    assert len(threads.ran) == SLICES
    assert chosen.stop() is None


def test_what_is_in_the_index_is_not_done_again(threads: Threads, many: Path, tmp_path: Path) -> None:
    build(many, tmp_path / "a.db")
    (many / "new.py").write_text((many / "00.py").read_text().replace("a", "c"))
    (tmp_path / "b.db").write_bytes((tmp_path / "a.db").read_bytes())
    rows: list[int] = []

    def counting(record: bytes) -> bytes:
        rows.append(len(unpacked_part(record).rows))
        return record

    threads.change = counting
    local = build(many, tmp_path / "a.db")
    with spark(tmp_path) as chosen:
        assert build(many, tmp_path / "b.db", chosen) == local
    assert sum(rows) == 1
    assert (tmp_path / "a.db").read_bytes() == (tmp_path / "b.db").read_bytes()


def test_a_build_goes_on_where_it_was_stopped(threads: Threads, many: Path, tmp_path: Path) -> None:
    threads.most = 6
    with pytest.raises(BaseException, match="interrupted") as stopped, spark(tmp_path) as chosen:
        build(many, tmp_path / "spark.db", chosen)
    kept = spark(tmp_path).stop()
    assert kept is not None
    assert kept in str(stopped.value)
    number = int(kept.partition(" ")[0])
    assert 0 < number <= 6
    threads.most, threads.ran = 1000, []
    with spark(tmp_path) as chosen:
        report = build(many, tmp_path / "spark.db", chosen)
    assert (report.parts, len(threads.ran)) == (number, SLICES - number)
    build(many, tmp_path / "local.db")
    assert (tmp_path / "spark.db").read_bytes() == (tmp_path / "local.db").read_bytes()


def test_parts_count_only_with_those_that_they_rely_on(threads: Threads, many: Path, tmp_path: Path) -> None:
    # One core, so each slice is known to the next but few.
    chosen = spark(tmp_path)
    chosen.forget = lambda: None  # type: ignore[method-assign]
    with chosen:
        build(many, tmp_path / "spark.db", chosen)
    parts = sorted((tmp_path / "parts").iterdir())
    assert len(parts) == SLICES
    for part in parts:
        content = part.read_bytes()
        part.unlink()
        (tmp_path / "again.db").unlink(missing_ok=True)
        with spark(tmp_path) as again:
            again.forget = lambda: None  # type: ignore[method-assign]
            build(many, tmp_path / "again.db", again)
        assert (tmp_path / "again.db").read_bytes() == (tmp_path / "spark.db").read_bytes()
        part.write_bytes(content)


def build_begun(many: Path, output: Path, chosen: BuildEngine) -> bytes:
    """An index of two sources with the same files, both of which are begun with before the first is added."""
    with rewritten(output, lambda old: (Parameters(), None), chosen) as index:
        additions = []
        for name in ("first", "second"):
            source = Source(name)
            corpus = collect([many])
            addition = IndexAddition(corpus, (source,), lambda _, one=source: (one,), lambda _: False)
            additions.append(index.begin(addition, lambda done, total: None))
        for addition in additions:
            index.add(addition, lambda done, total: None)
        index.write(lambda done, total: None)
    chosen.stop()
    return output.read_bytes()


def test_sources_begun_before_the_first_is_added(threads: Threads, many: Path, tmp_path: Path) -> None:
    on_spark = build_begun(many, tmp_path / "spark.db", spark(tmp_path))
    assert on_spark == build_begun(many, tmp_path / "local.db", LOCAL)
    # The second source has the same slices, and so the same parts.
    assert len(threads.ran) == SLICES


def test_what_came_before_the_first_is_added_is_known_then(
    threads: Threads, many: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A slice is sent when the one before has come, so the last one is without what the first has, too.
    monkeypatch.setattr(engine, "SLICES_A_CORE", 1)
    threads.cores, without = 1, []
    (many / f"{FILES - 1}.py").write_text((many / "01.py").read_text())

    def looked_at(record: bytes) -> bytes:
        without.append(bool(unpacked_part(record).known))
        return record

    threads.change = looked_at
    on_spark = build_begun(many, tmp_path / "spark.db", spark(tmp_path))
    assert on_spark == build_begun(many, tmp_path / "local.db", LOCAL)
    assert any(without)


OTHER = '{"winnow-ci": "0.0.1"}'


@pytest.mark.parametrize(
    ("answer", "problem"),
    [
        (framed(slices.OTHER, OTHER.encode()), "an executor has winnow-ci 0.0.1, but this machine has"),
        (framed(slices.FAILED, b'["no process", "free memory"]'), "on an executor: no process"),
        (b"", "something other than its part"),
        (framed(b"part", b"nothing"), "something other than its part"),
        (framed(b"part", b"nothing")[:-1], "something other than its part"),
    ],
)
def test_what_is_no_part_ends_the_build(
    answer: bytes, problem: str, threads: Threads, many: Path, tmp_path: Path
) -> None:
    threads.change = lambda record: answer
    with pytest.raises(EngineError, match=problem), spark(tmp_path) as chosen:
        build(many, tmp_path / "spark.db", chosen)
    assert not (tmp_path / "spark.db").exists()


def test_the_part_of_another_slice_ends_the_build(threads: Threads, many: Path, tmp_path: Path) -> None:
    first: list[bytes] = []

    def always_the_first(record: bytes) -> bytes:
        first.append(record)
        return first[0]

    threads.change = always_the_first
    with pytest.raises(EngineError, match="something other than its part"), spark(tmp_path) as chosen:
        build(many, tmp_path / "spark.db", chosen)


def test_a_cluster_without_executors_is_waited_for_only_so_long(
    threads: Threads, many: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engine, "EXECUTOR_PATIENCE", 0.01)
    threads.run = lambda name, given, then: Future()  # type: ignore[method-assign]
    idle: Future[bool] = Future()
    idle.set_result(False)
    threads.works = lambda: idle  # type: ignore[attr-defined]
    with pytest.raises(EngineError, match="no executor has made progress"), spark(tmp_path) as chosen:
        build(many, tmp_path / "spark.db", chosen)
