"""Publish an index: its rows, encrypted and sealed, become the tables of a new version on a server.

One transaction creates the tables, fills them and names the version, so an interruption leaves nothing. Whoever reads
an older version goes on reading it: its tables are dropped later, when no transaction uses them.
"""

from __future__ import annotations

import hashlib
import secrets
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from itertools import chain, pairwise

import numpy as np
import psycopg
from numpy.typing import NDArray

from winnow_ci.errors import IndexFileError
from winnow_ci.index import WholeIndex, schema, verify
from winnow_ci.index.blocks import PostingSpool, merged
from winnow_ci.index.coding import COMPRESSION_LEVEL
from winnow_ci.index.rows import StoredValue, pack_fields, source_fields
from winnow_ci.model import Counting, Progress, no_progress
from winnow_ci.named_tuples import NamedTuple
from winnow_ci.serving import database, sealing
from winnow_ci.serving.database import BoundedConnection, connect, explained
from winnow_ci.serving.sealing import IndexKey
from winnow_ci.serving.store import DESCRIPTION_ROW

# Versions before the newest that stay: whoever scans pins a root, and moves on some time later.
KEPT_VERSIONS = 3


class Publication(NamedTuple):
    """What publishing an index did."""

    version: database.Version
    is_new: bool  # whether it was not there before
    dropped: int  # old versions that were removed
    in_use: int  # old versions that were not, because somebody reads them


def publish(
    index: WholeIndex, server: str, name: str, key: IndexKey, counting: Counting, kept: int = KEPT_VERSIONS
) -> Publication:
    """Publish an index under a name, after checking all of it; ``kept`` older versions stay.

    ``server`` is the URI of the database, without a password, and the key protects the rows. If the index is damaged or
    the server refuses it, this raises IndexFileError, and nothing has changed on the server.
    """
    called = f"{server}#{name}"
    with counting("checking", " rows") as progress:
        verify(index, progress)
    version = database.Version(name, index.digest, key.name)
    with connect(server, called) as connection:
        connection.allow(float("inf"), float("inf"))
        is_new = version not in database.published_versions(connection, name, called)
        connection.commit()
        if is_new:
            with explained(called, "cannot publish"), _as_only_publisher(connection, version):
                _Publisher(index, connection, version, key).fill(counting)
        old = [one for one in database.published_versions(connection, name, called) if one != version]
        connection.commit()
        with explained(called, "old versions cannot be dropped"):
            dropped = [_dropped(connection, one) for one in old[kept:]]
    return Publication(version, is_new, sum(dropped), len(dropped) - sum(dropped))


@contextmanager
def _as_only_publisher(connection: BoundedConnection, version: database.Version) -> Iterator[None]:
    """Run a transaction of the role that owns all tables, as the only publisher under the name."""
    number = int.from_bytes(hashlib.blake2b(version.name.encode(), digest_size=8).digest(), "big", signed=True)
    with connection.transaction():
        connection.execute(f"SET LOCAL ROLE {database.PUBLISHER}")
        if connection.execute("SELECT pg_try_advisory_xact_lock(%s)", [number]).fetchone() != (True,):
            problem = f"another process is publishing an index under the name {version.name}"
            raise IndexFileError(problem, "wait until it has finished, then run this again")
        yield


def _dropped(connection: BoundedConnection, version: database.Version) -> bool:
    """Remove a version, unless somebody is reading it."""
    try:
        with connection.transaction():
            connection.execute(f"SET LOCAL ROLE {database.PUBLISHER}")
            connection.execute(version.statement(database.LOCK_TO_DROP))
            connection.execute(version.statement(database.DROP))
            connection.execute(database.DELETE_VERSION, version)
    except psycopg.errors.LockNotAvailable:
        return False
    return True


class _Publisher:
    """Fills the tables of a version, in the transaction of a connection."""

    def __init__(
        self, index: WholeIndex, connection: BoundedConnection, version: database.Version, key: IndexKey
    ) -> None:
        self._index, self._connection, self._version = index, connection, version
        self._salt = secrets.token_bytes(sealing.SALT_BYTES)
        self._keys = key.keys_of(version.root, self._salt)
        self._ids = index.content_ids()

    def fill(self, counting: Counting) -> None:
        """Create and fill all tables, and name the version."""
        expected = self._index.postings + self._index.contents
        ordinary, crowds = PostingSpool(), PostingSpool()
        with counting("sorting", " fingerprints") as progress:
            for kind, spool in ((self._index.blocks, ordinary), (self._index.crowd_blocks, crowds)):
                for postings in self._index.all_blocks(kind):
                    spool.put(self._keyed(postings))
                    progress(ordinary.postings, expected)
        bits = schema.block_bits(ordinary.postings), schema.block_bits(crowds.postings)
        blocks = chain(served_blocks(ordinary, bits[0]), served_blocks(crowds, bits[1]))
        rows = sum(1 << of for of in bits)
        with counting("writing", " rows") as progress:
            self._fill("block", enumerate(blocks), progress, (0, rows + len(self._ids)))
            self._fill("content", self._contents(), progress, (rows, rows + len(self._ids)))
        # No text is published, whatever the file has.
        sources = (pack_fields(source_fields(source, text=False)) for source in self._index.sources)
        self._fill("source", enumerate(sources), no_progress, (0, 0))
        self._describe(*bits)

    def _keyed(self, postings: NDArray[np.void]) -> NDArray[np.void]:
        keyed = postings.copy()
        keyed["hash"] = sealing.siphash(self._keys.hashes, np.ascontiguousarray(postings["hash"]))
        keyed["content"] = np.searchsorted(self._ids, postings["content"]) - self._index.boilerplate
        return keyed

    def _contents(self) -> Iterator[tuple[int, bytes]]:
        for content, row in self._index.all_contents():
            rank = int(np.searchsorted(self._ids, content)) - self._index.boilerplate
            token_map = zlib.compress(row.token_map, COMPRESSION_LEVEL)
            yield rank, pack_fields([*row[:5], token_map, *(part for file in row.files for part in file)])

    def _fill(self, table: str, rows: Iterable[tuple[int, bytes]], progress: Progress, counts: tuple[int, int]) -> None:
        """Create a table with these rows; ``counts``: how many rows were written before, and are in all."""
        sealer = sealing.RowSealer(self._keys, table)
        for statement in database.CREATE:
            self._connection.execute(self._version.statement(statement, table))
        with self._connection.cursor().copy(self._version.statement(database.FILL, table)) as copy:
            copy.set_types(["int8", "bytea", "bytea"])
            for done, (number, row) in enumerate(rows, counts[0] + 1):
                encrypted = sealer.crypted(number, row)
                copy.write_row((number, encrypted, sealer.seal(number, encrypted)))
                progress(done, counts[1])
        for statement in database.COMPLETE:
            self._connection.execute(self._version.statement(statement, table))

    def _describe(self, bits: int, crowd_bits: int) -> None:
        """Name the version: it exists from the end of the transaction on."""
        changed = {"bits": str(bits), "crowd_bits": str(crowd_bits), "texts": "0"}
        meta = sorted((self._index.described() | changed).items())
        fields: list[StoredValue] = [part for row in meta for part in row]
        fields += ["meta_digest", schema.digest(*fields).hex()]
        sealer = sealing.RowSealer(self._keys, "version")
        encrypted = sealer.crypted(DESCRIPTION_ROW, pack_fields(fields))
        sealed = encrypted, sealer.seal(DESCRIPTION_ROW, encrypted)
        row = *self._version, database.LAYOUT, self._version.suffix, self._salt, *sealed
        self._connection.execute(database.INSERT_VERSION, row)


def served_blocks(spool: PostingSpool, bits: int) -> Iterator[bytes]:
    """Yield the postings (``SERVED_POSTING``) of each of 2^bits blocks, given those of keyed hashes.

    They are ordered by what a posting has of its hash, then by check, content and position.
    """
    for part in merged([map(partial(_with_known_bits, bits), run) for run in spool.runs()], bits):
        packed = np.empty(len(part.postings), sealing.SERVED_POSTING)
        for name in ("content", "position", "check"):
            packed[name] = part.postings[name]
        packed["hash"] = sealing.lower_part(part.postings["hash"], bits)
        for start, stop in pairwise(part.edges(bits).tolist()):
            yield packed[start:stop].tobytes()


def _with_known_bits(bits: int, postings: NDArray[np.void]) -> NDArray[np.void]:
    known = postings.copy()
    known["hash"] = sealing.known_bits(postings["hash"], bits)
    return known
