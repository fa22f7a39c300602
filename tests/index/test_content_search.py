"""Contents are found by their keys, and damage is noticed on the way."""

from __future__ import annotations

import random
import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from support.indexes import entry, write_index
from winnow_ci.errors import IndexFileError
from winnow_ci.index import ContentSearch, IndexReader, schema
from winnow_ci.model import Source

if TYPE_CHECKING:
    from pathlib import Path

COUNT = 300


@pytest.fixture
def known(tmp_path: Path) -> Path:
    everybodys = entry([COUNT])
    everybodys = everybodys._replace(row=everybodys.row._replace(language=f"{schema.BOILERPLATE}python"))
    files = {f"{number}.py": entry([number]) for number in range(COUNT)}
    write_index(tmp_path / "i.db", {Source("all", boilerplate=True): {"all.py": everybodys}, Source("s"): files})
    return tmp_path / "i.db"


def keys(path: Path) -> list[bytes]:
    with IndexReader(path) as index:
        return [index.key(content) for content in range(index.contents)]


def test_every_content_is_found_by_its_key_and_no_other(known: Path) -> None:
    chance = random.Random(3)
    own = keys(known)
    with IndexReader(known) as index:
        search = ContentSearch(index)
        assert [search.find(key) for key in own] == [None, *range(1, COUNT + 1)]
        assert [search.find(key, boilerplate=True) for key in own] == [0, *[None] * COUNT]
        assert [search.find(key) for key in (b"\0" * 16, b"\xff" * 16, chance.randbytes(16))] == [None] * 3


def test_few_contents_are_looked_at(known: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    looks, key_of = [], IndexReader.key
    monkeypatch.setattr(IndexReader, "key", lambda self, content: looks.append(content) or key_of(self, content))
    own = keys(known)
    looks.clear()
    with IndexReader(known) as index:
        search = ContentSearch(index)
        for key in own[1:]:
            search.find(key)
    assert len(looks) < 4 * COUNT


@pytest.mark.parametrize("byte", [0, 1, 8, 15])
def test_a_key_that_was_damaged_is_an_error_and_hides_nothing(known: Path, byte: int) -> None:
    own = keys(known)
    for number in (1, 2, COUNT // 2, COUNT):
        damaged = bytearray(own[number])
        damaged[byte] ^= 1
        with closing(sqlite3.connect(known)) as connection, connection:
            connection.execute("UPDATE content SET key = ? WHERE id = ?", [bytes(damaged), number])
        with IndexReader(known) as index, pytest.raises(IndexFileError, match="damaged"):
            ContentSearch(index).find(own[number])
        with closing(sqlite3.connect(known)) as connection, connection:
            connection.execute("UPDATE content SET key = ? WHERE id = ?", [own[number], number])


def test_an_index_without_contents_of_a_kind_has_none(tmp_path: Path) -> None:
    write_index(tmp_path / "i.db", {Source("s"): {"a.py": entry([1])}})
    with IndexReader(tmp_path / "i.db") as index:
        assert ContentSearch(index).find(b"\x80" * 16, boilerplate=True) is None


def test_keys_that_are_not_spread_take_few_looks_too(known: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    forged = [(1 << number % 128).to_bytes(16, "big") for number in range(128)]
    looks: list[int] = []
    with IndexReader(known) as index:
        monkeypatch.setattr(IndexReader, "boilerplate", 0)
        monkeypatch.setattr(IndexReader, "contents", 128)
        monkeypatch.setattr(IndexReader, "key", lambda _, content: looks.append(content) or forged[content])
        monkeypatch.setattr(IndexReader, "content", lambda *_: None)
        search = ContentSearch(index)
        assert [search.find(key) for key in forged] == [*range(128)]
    assert len(looks) < 20 * 128
