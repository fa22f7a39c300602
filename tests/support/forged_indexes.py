"""Indexes whose rows were changed by hand: every digest above the rows is made anew, as a forger would."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING, Any

import numpy as np

from winnow_ci.index import ContentRow, schema
from winnow_ci.index.coding import BlockLayout, pack_blocks, unpack_blocks
from winnow_ci.index.content_packs import Directory, chunks, pack, packs_in, unpack
from winnow_ci.index.rows import DigestTree, shard_of_block, shard_of_content

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from numpy.typing import NDArray


def directory_of(connection: sqlite3.Connection) -> Directory:
    """The directory of an index."""
    return Directory.read(connection.execute("SELECT * FROM directory ORDER BY id").fetchall())


def content_rows(connection: sqlite3.Connection) -> dict[int, ContentRow]:
    """All contents by id, in the order of the directory."""
    directory = directory_of(connection)
    stored = [chunk for (chunk,) in connection.execute("SELECT chunk FROM pack ORDER BY id")]

    def some(numbers: Sequence[int]) -> list[bytes]:
        return [stored[number] for number in numbers]

    edges = list(zip(directory.packs[:-1].tolist(), directory.packs[1:].tolist(), strict=True))
    rows = []
    for number, packed in enumerate(packs_in(some, edges)):
        rows += unpack(number, packed, directory.tokens(schema.PACK * number, schema.PACK * (number + 1)))
    return dict(zip(directory.ids.tolist(), rows, strict=True))


def change_first_content(connection: sqlite3.Connection, **changed: Any) -> int:
    """Give the first content of an index other values; return its id."""
    rows = content_rows(connection)
    content = next(iter(rows))
    rows[content] = rows[content]._replace(**changed)
    by_pack = [list(rows.values())[start : start + schema.PACK] for start in range(0, len(rows), schema.PACK)]
    packs = [pack(number, some) for number, some in enumerate(by_pack)]
    tokens, sizes = [row.tokens for row in rows.values()], [*map(len, packs)]
    directory = Directory(np.array([*rows]), np.array(tokens), np.array(sizes))
    connection.execute("DELETE FROM pack")
    connection.execute("DELETE FROM directory")
    connection.executemany("INSERT INTO pack VALUES (?, ?)", chunks(iter(packs)))
    rows_now = [(*row.fields, row.digest) for row in directory.rows()]
    connection.executemany("INSERT INTO directory VALUES (?, ?, ?, ?, ?)", rows_now)
    return content


def change_blocks(connection: sqlite3.Connection, change: Callable[[NDArray[np.void]], None]) -> None:
    """Change the postings of all blocks of an index, which have places and marks (``Directory.placed``)."""
    described = dict(connection.execute("SELECT key, value FROM meta"))
    bits, places = int(described["bits"]), directory_of(connection).place_bits
    for number, packed in connection.execute("SELECT id, postings FROM block").fetchall():
        crowds = number >> bits
        layout = BlockLayout(int(described["crowd_bits"]) if crowds else bits, places)
        postings = unpack_blocks([(number - (crowds << bits), packed)], layout).copy()
        change(postings)
        (forged,) = pack_blocks(postings, np.array([0, len(postings)]), layout)
        row = forged, schema.block_digest(number, forged), number
        connection.execute("UPDATE block SET postings = ?, digest = ? WHERE id = ?", row)


def give_the_root(connection: sqlite3.Connection) -> None:
    """Give an index the root and the digest of the description that its rows should have."""
    meta = dict(connection.execute("SELECT key, value FROM meta WHERE key NOT IN ('digest', 'meta_digest')"))
    bits, crowd_bits, tree = int(meta["bits"]), int(meta["crowd_bits"]), DigestTree()
    for table in ("source", "block", "overflow"):
        for number, digest in connection.execute(f"SELECT id, digest FROM {table} ORDER BY id"):
            if table == "block" and number >= 1 << bits:
                tree.add("crowd", shard_of_block(number - (1 << bits), crowd_bits), digest)
            elif table == "block":
                tree.add("block", shard_of_block(number, bits), digest)
            else:
                tree.add(table, 0, digest)
    directory = directory_of(connection)
    for (number,) in connection.execute("SELECT id FROM directory ORDER BY id"):
        tree.add("directory", 0, directory.leaf(number))
    for content, row in sorted(content_rows(connection).items()):
        tree.add("content", shard_of_content(content), row.leaf())
    for content, size in connection.execute("SELECT content, size FROM text ORDER BY content"):
        tree.add("text", shard_of_content(content), schema.digest(content, size))
    meta["digest"] = tree.root(meta)
    described = schema.digest(*(part for key in sorted(meta) for part in (key, meta[key]))).hex()
    values = [(meta["digest"], "digest"), (described, "meta_digest")]
    connection.executemany("UPDATE meta SET value = ? WHERE key = ?", values)


def describe_source(index: Path, **changed: str | None) -> None:
    """Describe the one source of an index in other words."""
    with closing(sqlite3.connect(index)) as connection, connection:
        columns = [name for _, name, *_ in connection.execute("PRAGMA table_info(source)")]
        (row,) = connection.execute("SELECT * FROM source").fetchall()
        values = {**dict(zip(columns, row, strict=True)), **changed}
        *fields, _ = list(values.values())[1:]
        sets = ", ".join(f"{name} = ?" for name in columns[1:])
        connection.execute(f"UPDATE source SET {sets}", (*fields, schema.digest(*fields)))
        give_the_root(connection)
