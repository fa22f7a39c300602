"""``winnow-ci index``: what is built, what is refused, and what an index says of itself."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING, Any

import pytest

from support.command import build, winnow
from support.donor import INNOCENT, KNOWN, LOGS, ROUTES, write_known

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


@pytest.fixture
def work(tmp_path: Path) -> Path:
    """A folder with a source, and with folders that are none."""
    write_known(tmp_path / "source")
    for folder in ("empty", "data", "short"):
        (tmp_path / folder).mkdir()
    (tmp_path / "data" / "package.json").write_text("{}")
    (tmp_path / "data" / "LICENSE").write_text("Do what you like.")
    (tmp_path / "short" / "__init__.py").write_text("from .a import b\n")
    (tmp_path / "file.py").write_text(INNOCENT)
    return tmp_path


def test_neither_the_order_of_files_nor_that_of_sources_shows(work: Path) -> None:
    one, other = work / "one.db", work / "other.db"
    (work / "backwards" / "roads").mkdir(parents=True)
    for name in sorted(KNOWN, reverse=True):
        (work / "backwards" / name).write_text(KNOWN[name])
    (work / "short" / "greetings.py").write_text(INNOCENT)
    build(work / "source", one)
    build(work / "short", one, name="greetings")
    build(work / "short", other, name="greetings")
    build(work / "backwards", other)
    assert one.read_bytes() == other.read_bytes()


def test_worker_processes_give_the_same_index_each_time(tmp_path: Path) -> None:
    texts = {f"f{number}.py": f"SIZE = {number}\n" + ROUTES * 4 + LOGS * (number % 3) for number in range(120)}
    assert sum(map(len, texts.values())) > 1 << 20
    for folder, order in (("one", sorted(texts)), ("other", sorted(texts, reverse=True))):
        (tmp_path / folder).mkdir()
        for name in order:
            (tmp_path / folder / name).write_text(texts[name])
        build(tmp_path / folder, tmp_path / f"{folder}.db")
    assert (tmp_path / "one.db").read_bytes() == (tmp_path / "other.db").read_bytes()


# ---- damage ----------------------------------------------------------------------------------------------------


def _truncate(index: Path) -> None:
    os.truncate(index, index.stat().st_size // 2)


def _statement(statement: str) -> Callable[[Path], None]:
    def execute(index: Path) -> None:
        with closing(sqlite3.connect(index)) as connection:
            connection.execute(statement)
            connection.commit()

    return execute


DAMAGE: list[Any] = [
    pytest.param(_truncate, "damaged", id="truncated"),
    pytest.param(_statement("UPDATE source SET license = 'MIT'"), "damaged: a source", id="licence"),
    pytest.param(
        _statement("UPDATE pack SET chunk = zeroblob(length(chunk))"), "damaged: pack 0 of contents", id="contents"
    ),
    pytest.param(_statement("UPDATE block SET postings = zeroblob(20)"), "damaged: block 0", id="block"),
    pytest.param(_statement("UPDATE meta SET value = '17' WHERE key = 'k'"), "damaged: its description", id="meta"),
]


@pytest.mark.parametrize(("damage", "problem"), DAMAGE)
def test_verify_finds_damage(known: Path, tmp_path: Path, damage: Callable[[Path], None], problem: str) -> None:
    index = tmp_path / "i.db"
    index.write_bytes(known.read_bytes())
    damage(index)
    said, remedy = winnow("index", "verify", "i.db", cwd=tmp_path).complaint(3)
    assert said.startswith("the index i.db is ")
    assert problem in said
    assert "build it again" in remedy


@pytest.mark.parametrize("action", ["list", "verify", "build"])
def test_a_truncated_index_is_refused_and_left_alone(work: Path, known: Path, action: str) -> None:
    index = work / "i.db"
    index.write_bytes(known.read_bytes())
    _truncate(index)
    damaged = index.read_bytes()
    arguments = ("source", "--output", index, "--name", "roads") if action == "build" else (index,)
    problem, _ = winnow("index", action, *arguments, cwd=work).complaint(3)
    assert f"{index} is damaged" in problem
    assert index.read_bytes() == damaged
