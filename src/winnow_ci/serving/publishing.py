"""Publish an index: its rows, encrypted and sealed, become the tables of a new version on a server.

One transaction creates the tables, fills them and names the version, so an interruption leaves nothing. Whoever reads
an older version goes on reading it: its tables are dropped later, when no transaction uses them.
"""

from __future__ import annotations

import hashlib
import secrets
import tempfile
import zlib
from contextlib import ExitStack, contextmanager
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
import psycopg

from winnow_ci import system
from winnow_ci.errors import IndexFileError
from winnow_ci.index import schema, verify
from winnow_ci.index.coding import COMPRESSION_LEVEL
from winnow_ci.index.rows import source_fields
from winnow_ci.model import no_progress
from winnow_ci.named_tuples import NamedTuple
from winnow_ci.serving import database, sealing
from winnow_ci.serving.database import connect, explained
from winnow_ci.serving.store import DESCRIPTION_ROW

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from numpy.typing import NDArray
    from typing_extensions import Self

    from winnow_ci.index import WholeIndex
    from winnow_ci.model import Counting, Progress
    from winnow_ci.serving.database import BoundedConnection
    from winnow_ci.serving.sealing import Field, IndexKey

# Versions before the newest that stay: whoever scans pins a root, and moves on some time later.
KEPT_VERSIONS = 3

KEYED = np.dtype([("hash", "<u8"), ("content", "<i4"), ("position", "<u4"), ("check", "<u4")])
# Most postings of a bucket, on average; sorting it takes some 100 MB.
BUCKET_POSTINGS = 1 << 20
# Buckets take half of the files that a process may have open. Where that is 1,024, buckets grow from 5 · 10^8 postings
# on (``ulimit -n`` allows more).
_SHARE_OF_FILES = 2
_MOST_BUCKET_BITS = 12
_BUFFER = 1 << 14  # bytes that wait for each file


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
        with PostingBuckets(expected) as ordinary, PostingBuckets(0) as crowds:
            with counting("sorting", " fingerprints") as progress:
                for kind, buckets in ((self._index.blocks, ordinary), (self._index.crowd_blocks, crowds)):
                    for postings in self._index.all_blocks(kind):
                        buckets.add(self._keyed(postings))
                        progress(ordinary.postings, expected)
            bits = ordinary.block_bits(), crowds.block_bits()
            blocks = (row for kind, of in zip((ordinary, crowds), bits, strict=True) for row in kind.blocks(of))
            rows = sum(1 << of for of in bits)
            with counting("writing", " rows") as progress:
                self._fill("block", enumerate(blocks), progress, (0, rows + len(self._ids)))
                self._fill("content", self._contents(), progress, (rows, rows + len(self._ids)))
        # No text is published, whatever the file has.
        sources = (sealing.pack_fields(source_fields(source, text=False)) for source in self._index.sources)
        self._fill("source", enumerate(sources), no_progress, (0, 0))
        self._describe(*bits)

    def _keyed(self, postings: NDArray[np.void]) -> NDArray[np.void]:
        keyed = np.empty(len(postings), KEYED)
        keyed["hash"] = sealing.siphash(self._keys.hashes, np.ascontiguousarray(postings["hash"]))
        keyed["content"] = np.searchsorted(self._ids, postings["content"]) - self._index.boilerplate
        for field in ("position", "check"):
            keyed[field] = postings[field]
        return keyed

    def _contents(self) -> Iterator[tuple[int, bytes]]:
        for content, row in self._index.all_contents():
            rank = int(np.searchsorted(self._ids, content)) - self._index.boilerplate
            token_map = zlib.compress(row.token_map, COMPRESSION_LEVEL)
            yield rank, sealing.pack_fields([*row[:5], token_map, *(part for file in row.files for part in file)])

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
        fields: list[Field] = [part for row in meta for part in row]
        fields += ["meta_digest", schema.digest(*fields).hex()]
        sealer = sealing.RowSealer(self._keys, "version")
        encrypted = sealer.crypted(DESCRIPTION_ROW, sealing.pack_fields(fields))
        sealed = encrypted, sealer.seal(DESCRIPTION_ROW, encrypted)
        row = *self._version, database.LAYOUT, self._version.suffix, self._salt, *sealed
        self._connection.execute(database.INSERT_VERSION, row)


class PostingBuckets:
    """Sorts postings by their keyed hashes in bounded memory: they come in any order, and leave as blocks.

    Keyed hashes are spread evenly, so their upper bits deal postings out to buckets, each a file, and each bucket is
    sorted in memory: a distribution sort (Knuth, The Art of Computer Programming 3, 5.2.5) of one pass. Postings of one
    hash must come in the order of check, content and position. About ``expected`` are expected; ``postings`` have come.
    """

    def __init__(self, expected: int) -> None:
        most = system.most_open_files() // _SHARE_OF_FILES
        self._bits = min((expected // BUCKET_POSTINGS).bit_length(), most.bit_length() - 1, _MOST_BUCKET_BITS)
        self._open = ExitStack()
        self._files = [
            self._open.enter_context(tempfile.TemporaryFile(buffering=_BUFFER))  # noqa: SIM115 - it does
            for _ in range(1 << self._bits)
        ]
        self.postings = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._open.close()

    def add(self, postings: NDArray[np.void]) -> None:
        """Add postings (``KEYED``)."""
        buckets = schema.block_numbers(postings["hash"], self._bits)
        order = np.argsort(buckets, kind="stable")
        edges = np.searchsorted(buckets[order], np.arange(len(self._files) + 1))
        dealt = np.take(postings, order)
        for file, (start, stop) in zip(self._files, pairwise(edges.tolist()), strict=True):
            if stop > start:
                file.write(dealt[start:stop].data)
        self.postings += len(postings)

    def block_bits(self) -> int:
        """Return how many bits should name a block: as many as in a file."""
        return max(self._bits, schema.block_bits(self.postings))

    def blocks(self, bits: int) -> Iterator[bytes]:
        """Yield the postings (``SERVED_POSTING``) of each of 2^bits blocks; ``bits`` as ``block_bits`` says."""
        for number, file in enumerate(self._files):
            file.seek(0)
            bucket = _in_order(np.frombuffer(file.read(), KEYED), bits)
            first = number << (bits - self._bits)
            blocks = schema.block_numbers(bucket["hash"], bits)
            edges = np.searchsorted(blocks, np.arange(first, first + (1 << (bits - self._bits)) + 1))
            packed = np.empty(len(bucket), sealing.SERVED_POSTING)
            for name in ("content", "position", "check"):
                packed[name] = bucket[name]
            packed["hash"] = sealing.lower_part(bucket["hash"], bits)
            for start, stop in pairwise(edges.tolist()):
                yield packed[start:stop].tobytes()


def _in_order(postings: NDArray[np.void], bits: int) -> NDArray[np.void]:
    """Order postings by the bits of their hash that are kept, then check, content and position."""
    hashes = sealing.known_bits(postings["hash"], bits)
    order = np.argsort(hashes, kind="stable")
    ordered = np.take(postings, order)
    # Those of one hash are in order; those of two hashes that look the same once their lower bits are lost are not.
    lost = ordered["hash"][1:] != ordered["hash"][:-1]
    same = np.zeros(len(ordered) + 1, np.bool_)
    same[1:-1] = lost & (hashes[order][1:] == hashes[order][:-1])
    ordered["hash"] = hashes[order]
    if same.any():
        tied = np.isin(ordered["hash"], ordered["hash"][same[1:]])
        ties = ordered[tied]
        ordered[tied] = np.take(ties, np.lexsort([ties[name] for name in reversed(schema.ORDER)]))
    return ordered
