"""Indexes whose rows were changed by hand: every digest above the rows is made anew, as a forger would."""

from __future__ import annotations

from typing import TYPE_CHECKING

from winnow_ci.index import schema
from winnow_ci.index.tree import DigestTree, shard_of_block, shard_of_content

if TYPE_CHECKING:
    import sqlite3


def give_the_root(connection: sqlite3.Connection) -> None:
    """Give an index the root and the digest of the description that its rows should have."""
    meta = dict(connection.execute("SELECT key, value FROM meta WHERE key NOT IN ('digest', 'meta_digest')"))
    bits, crowd_bits, tree = int(meta["bits"]), int(meta["crowd_bits"]), DigestTree()
    for table in ("source", "content", "block", "overflow", "text"):
        key = "content" if table == "text" else "id"
        for number, digest in connection.execute(f"SELECT {key}, digest FROM {table} ORDER BY {key}"):
            if table == "block" and number >= 1 << bits:
                tree.add("crowd", shard_of_block(number - (1 << bits), crowd_bits), digest)
            elif table == "block":
                tree.add("block", shard_of_block(number, bits), digest)
            else:
                tree.add(table, shard_of_content(number) if table in {"content", "text"} else 0, digest)
    meta["digest"] = tree.root(meta)
    described = schema.digest(*(part for key in sorted(meta) for part in (key, meta[key]))).hex()
    values = [(meta["digest"], "digest"), (described, "meta_digest")]
    connection.executemany("UPDATE meta SET value = ? WHERE key = ?", values)
