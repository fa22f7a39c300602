"""Text that an index keeps is what was put into it, and never more than it says it is."""

from __future__ import annotations

import sqlite3
import zlib
from contextlib import closing
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from support.indexes import entry, only, write_index, write_texts
from winnow_ci.errors import IndexFileError
from winnow_ci.index import PackedText, WholeIndex, coding, pack_text, schema, verify
from winnow_ci.model import Source

if TYPE_CHECKING:
    from pathlib import Path

ROADS = Source("roads")


def rewrite(path: Path, statement: str, *values: object) -> None:
    """Change a row as an attacker would who gives it the digest that it must have."""
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(statement, values)
        for content, size, packed in connection.execute("SELECT content, size, packed FROM text").fetchall():
            digest = schema.digest(content, size, packed)
            connection.execute("UPDATE text SET digest = ? WHERE content = ?", (digest, content))


@given(texts=st.dictionaries(st.text("ab", min_size=1), st.binary(max_size=200), min_size=1, max_size=5))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_texts_come_back_as_they_were(texts: dict[str, bytes], tmp_path: Path) -> None:
    texts = {name: text for name, text in texts.items() if list(texts.values()).count(text) == 1} or {"a": b"one"}
    write_texts(tmp_path / "i.db", ROADS, texts)
    with WholeIndex(tmp_path / "i.db") as index:
        verify(index)
        assert index.texts == len(texts)
        kept = {
            index.files_of_row(index.content(content))[0].path: index.text(content)
            for content in index.content_ids().tolist()
        }
    assert kept == texts


def test_an_index_without_text_says_so(tmp_path: Path) -> None:
    write_index(tmp_path / "i.db", {ROADS: {"x.py": entry([1, 2])}})
    with WholeIndex(tmp_path / "i.db") as index:
        verify(index)
        assert (index.text(only(index)), index.texts, index.summaries()[0].text) == (None, 0, False)


@pytest.mark.parametrize(
    "hostile",
    [
        PackedText(3, zlib.compress(bytes(100 << 20))),
        PackedText(coding.LARGEST_TEXT + 1, zlib.compress(b"")),
        PackedText(-1, zlib.compress(b"")),
        PackedText(0, zlib.compress(b"x")),
        PackedText(9, zlib.compress(b"too short")[:-1]),
        PackedText(10, zlib.compress(b"too short")),
        PackedText(4, zlib.compress(b"more") + b"behind"),
        PackedText(4, b"not compressed"),
        PackedText("4", zlib.compress(b"more")),  # type: ignore[arg-type]
        PackedText(4, "more"),  # type: ignore[arg-type]
    ],
)
def test_a_text_that_is_not_what_it_says_is_refused(hostile: PackedText) -> None:
    with pytest.raises((ValueError, zlib.error)):
        coding.unpack_text(hostile)


@pytest.mark.parametrize(
    ("statement", "values"),
    [
        ("UPDATE text SET size = ?, packed = ?", pack_text(b"another text")),
        ("UPDATE text SET size = 5", ()),
        ("UPDATE text SET packed = ?", (zlib.compress(bytes(1 << 20)),)),
        ("UPDATE text SET size = 'many'", ()),
        ("DELETE FROM text", ()),
    ],
)
def test_a_text_that_is_not_that_of_its_content_is_damage(
    tmp_path: Path, statement: str, values: tuple[object, ...]
) -> None:
    write_texts(tmp_path / "i.db", ROADS, {"x.py": b"the text of it"})
    rewrite(tmp_path / "i.db", statement, *values)
    with WholeIndex(tmp_path / "i.db") as index:
        with pytest.raises(IndexFileError, match="damaged: "):
            index.text(only(index))
        with pytest.raises(IndexFileError, match="damaged: "):
            verify(index)


def test_a_flipped_bit_in_a_text_is_noticed_before_it_is_decompressed(tmp_path: Path) -> None:
    write_texts(tmp_path / "i.db", ROADS, {"x.py": b"the text of it"})
    with closing(sqlite3.connect(tmp_path / "i.db")) as connection, connection:
        connection.execute("UPDATE text SET packed = zeroblob(length(packed))")
    with WholeIndex(tmp_path / "i.db") as index, pytest.raises(IndexFileError, match="damaged: text of content"):
        index.text(only(index))


def test_an_index_of_the_first_format_is_refused_with_the_command_that_builds_it_again(tmp_path: Path) -> None:
    write_index(tmp_path / "i.db", {ROADS: {"x.py": entry([1, 2])}})
    with closing(sqlite3.connect(tmp_path / "i.db")) as connection, connection:
        connection.execute("PRAGMA user_version = 1")
    with pytest.raises(IndexFileError, match="index format 1, this winnow-ci reads format 6") as error:
        WholeIndex(tmp_path / "i.db")
    assert "build it again" in error.value.remedy
    assert "winnow-ci index build DIR" in error.value.remedy


@pytest.mark.parametrize(("size", "problem"), [(64 << 20, "whose size is wrong"), ((64 << 20) + 1, "impossible size")])
def test_a_text_has_64_mib_at_most(size: int, problem: str) -> None:
    with pytest.raises(ValueError, match=problem):
        coding.unpack_text(PackedText(size, pack_text(b"short").packed))
