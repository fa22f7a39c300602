"""Indexes whose rows were changed by hand: every digest above the rows is made anew, as a forger would."""

from __future__ import annotations

from typing import TYPE_CHECKING

from winnow_ci.index import ContentRow, PackedMap, schema
from winnow_ci.index.rows import DigestTree, FileRow, shard_of_block, shard_of_content

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator


def give_contents_their_digests(connection: sqlite3.Connection) -> None:
    """Give each content the digest that its row and files should have."""
    for content, row in list(content_rows(connection)):
        connection.execute("UPDATE content SET digest = ? WHERE id = ?", (row.digest(), content))


def content_rows(connection: sqlite3.Connection) -> Iterator[tuple[int, ContentRow]]:
    """All contents, by id, unchecked."""
    for content, *columns, map_digest, packed, _ in connection.execute("SELECT * FROM content ORDER BY id"):
        query = "SELECT source, path, license, license_from FROM file WHERE content = ? ORDER BY source, path"
        files = tuple(FileRow(*row) for row in connection.execute(query, (content,)))
        yield content, ContentRow(*columns, PackedMap(map_digest, packed), files)


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
    for content, row in content_rows(connection):
        tree.add("content", shard_of_content(content), row.leaf())
    for content, size in connection.execute("SELECT content, size FROM text ORDER BY content"):
        tree.add("text", shard_of_content(content), schema.text_leaf(content, size))
    meta["digest"] = tree.root(meta)
    described = schema.digest(*(part for key in sorted(meta) for part in (key, meta[key]))).hex()
    values = [(meta["digest"], "digest"), (described, "meta_digest")]
    connection.executemany("UPDATE meta SET value = ? WHERE key = ?", values)
