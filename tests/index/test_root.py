"""The root says what is inside of an index, and not how that was compressed."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from support.forged_indexes import give_contents_their_digests, give_the_root
from support.indexes import FRONT_ENDS, PARAMETERS, TABLES, add_source, entry, write_texts
from winnow_ci.errors import IndexFileError
from winnow_ci.index import IndexDraft, WholeIndex, coding, replacing, verify
from winnow_ci.model import Source

if TYPE_CHECKING:
    from pathlib import Path

ROADS = Source("roads", "1", "MIT")
TEXTS = {f"{number}.py": b"route = %d\n" % number * 99 for number in range(9)}


@pytest.fixture
def index(tmp_path: Path) -> Path:
    write_texts(tmp_path / "i.db", ROADS, TEXTS)
    return tmp_path / "i.db"


def grow(old: Path, grown: Path) -> None:
    """Make an index of an old one and another source."""
    with WholeIndex(old) as kept, replacing(grown) as unfinished:
        draft = IndexDraft(PARAMETERS, FRONT_ENDS, TABLES)
        draft.keep(kept, without="")
        add_source(draft, Source("more"), {"a.py": entry([7, 8, 9] * 50)})
        draft.write(unfinished)


def root(path: Path) -> str:
    """The root, after everything has been checked."""
    with WholeIndex(path) as index:
        verify(index)
        return index.digest


def test_the_root_does_not_depend_on_how_maps_and_texts_are_compressed(
    index: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    grow(index, tmp_path / "grown.db")
    monkeypatch.setattr(coding, "COMPRESSION_LEVEL", 1)
    write_texts(tmp_path / "other.db", ROADS, TEXTS)
    assert (tmp_path / "other.db").read_bytes() != index.read_bytes()
    assert root(tmp_path / "other.db") == root(index)
    # Of an index from elsewhere, whose old contents are not compressed again.
    grow(index, tmp_path / "mixed.db")
    assert (tmp_path / "mixed.db").read_bytes() != (tmp_path / "grown.db").read_bytes()
    assert root(tmp_path / "mixed.db") == root(tmp_path / "grown.db")


def exchange(path: Path, columns: str, *values: bytes) -> int:
    """Change columns of a content and give its row a digest to match; returns its id."""
    with closing(sqlite3.connect(path)) as connection, connection:
        ((content,),) = connection.execute("SELECT id FROM content LIMIT 1")
        connection.execute(f"UPDATE content SET {columns} WHERE id = ?", (*values, content))
        give_contents_their_digests(connection)
    return int(content)


def test_a_map_that_is_that_of_another_content_is_found_where_it_is_read(index: Path) -> None:
    other = entry([5, 6, 7]).row
    packed = coding.pack_map(
        coding.unpack_map(other.map)._replace(sketch=coding.unpack_map(other.map).sketch[::-1].copy())
    )
    content = exchange(index, "map = ?", packed.packed)
    with closing(sqlite3.connect(index)) as connection, connection:
        give_the_root(connection)
    with WholeIndex(index) as reader:
        # Its length alone would not tell.
        assert len(coding.unpack_map(packed).sketch) == reader.content(content).tokens
        for read in (lambda: reader.token_map(content), lambda: verify(reader)):
            with pytest.raises(IndexFileError, match="damaged: the token map of another content"):
                read()


def test_a_map_that_is_exchanged_with_its_digest_is_found_by_the_root(index: Path) -> None:
    tokens = coding.unpack_map(entry([5, 6, 7]).row.map)
    exchange(index, "map_digest = ?, map = ?", *coding.pack_map(tokens._replace(sketch=tokens.sketch[::-1].copy())))
    with WholeIndex(index) as reader, pytest.raises(IndexFileError, match="its digest is wrong"):
        verify(reader)


def test_a_map_that_is_compressed_again_is_the_same(index: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = root(index)
    with WholeIndex(index) as reader:
        tokens = reader.token_map(reader.content_ids().tolist()[0])
    monkeypatch.setattr(coding, "COMPRESSION_LEVEL", 0)
    exchange(index, "map = ?", coding.pack_map(tokens).packed)
    assert root(index) == before
