"""The root says what is inside of an index, and not how that was compressed."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from support.forged_indexes import change_first_content
from support.indexes import FRONT_ENDS, PARAMETERS, TABLES, add_source, entry, write_index, write_texts
from winnow_ci.errors import IndexFileError
from winnow_ci.index import IndexDraft, WholeIndex, coding, content_packs, replacing, schema, verify
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
        draft.keep(kept)
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
    monkeypatch.setattr(content_packs, "PACK_COMPRESSION", 1)
    write_texts(tmp_path / "other.db", ROADS, TEXTS)
    assert (tmp_path / "other.db").read_bytes() != index.read_bytes()
    assert root(tmp_path / "other.db") == root(index)
    # Of an index from elsewhere, whose old texts are not compressed again.
    grow(index, tmp_path / "mixed.db")
    assert (tmp_path / "mixed.db").read_bytes() != (tmp_path / "grown.db").read_bytes()
    assert root(tmp_path / "mixed.db") == root(tmp_path / "grown.db")


def test_the_root_is_that_of_other_machines_and_versions(tmp_path: Path) -> None:
    first = entry([*range(1, 1 << 62, 1 << 54)], [7] * 256)
    usual = first._replace(row=first.row._replace(key=b"usual" * 3 + b"!", language=f"{schema.BOILERPLATE}python"))
    write_index(
        tmp_path / "i.db",
        {ROADS: {"a.py": first, "b.py": entry([1, 2, 3])}, Source("u", boilerplate=True): {"u.py": usual}},
    )
    assert root(tmp_path / "i.db") == "fd90328bf919d3e3ad9c300cd8a5ca95"


def test_a_map_that_is_exchanged_is_found_by_the_root(index: Path) -> None:
    tokens = coding.unpack_map(entry([1, 2, 3]).row.token_map)
    forged = coding.pack_map(tokens._replace(sketch=tokens.sketch[::-1].copy()))
    with closing(sqlite3.connect(index)) as connection, connection:
        content = change_first_content(connection, token_map=forged)
    with WholeIndex(index) as reader:
        # Its length alone would not tell.
        assert reader.token_map(content).sketch.tolist() == tokens.sketch[::-1].tolist()
        with pytest.raises(IndexFileError, match="its digest is wrong"):
            verify(reader)
