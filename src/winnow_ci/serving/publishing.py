"""Publishing an index: its rows, encrypted and sealed, become the tables of a new version on a server.

One transaction makes the tables, fills them and names the version, so what is interrupted leaves nothing. Whoever reads
an older version goes on reading it: its tables are dropped later, when no transaction uses them.
"""

from __future__ import annotations

import hashlib
import secrets
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
import psycopg

from winnow_ci.errors import IndexFileError
from winnow_ci.index import schema, verify
from winnow_ci.index.rows import source_fields
from winnow_ci.named_tuples import NamedTuple
from winnow_ci.serving import database
from winnow_ci.serving.connection import connect, explained
from winnow_ci.serving.index_key import SALT_BYTES
from winnow_ci.serving.packing import pack_fields
from winnow_ci.serving.sealing import RowSealer
from winnow_ci.serving.siphash import siphash
from winnow_ci.serving.spilling import KEYED, PostingBuckets
from winnow_ci.serving.store import DESCRIPTION, LICENCES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from numpy.typing import NDArray

    from winnow_ci.index import WholeIndex
    from winnow_ci.model import Counting
    from winnow_ci.serving.connection import BoundedConnection
    from winnow_ci.serving.index_key import IndexKey
    from winnow_ci.serving.packing import Field

    _Progress: TypeAlias = Callable[[int, int], None]

# Versions before the newest that stay: whoever scans pins a root, and moves on some time later.
KEPT_VERSIONS = 3


class Publication(NamedTuple):
    """What publishing an index did.

    Attributes:
        version: the version.
        is_new: whether it was not there before.
        dropped: how many old versions were removed.
        in_use: how many would have been, were they not being read.
    """

    version: database.Version
    is_new: bool
    dropped: int
    in_use: int


def publish(
    index: WholeIndex, server: str, name: str, key: IndexKey, counting: Counting, kept: int = KEPT_VERSIONS
) -> Publication:
    """Publish an index, after checking all of it.

    Args:
        index: the index.
        server: URI of the database, without a password.
        name: of the index on the server.
        key: under which it is published.
        counting: shows the progress.
        kept: how many older versions stay.

    Raises:
        IndexFileError: the index is damaged, or the server refuses it; nothing has changed on the server.
    """
    called = f"{server}#{name}"
    with counting("checking", " rows") as progress:
        verify(index, progress)
    version = database.Version(name, index.digest, key.name)
    with connect(server, called) as connection:
        connection.allow(float("inf"), float("inf"))
        is_new = version not in database.versions(connection, name, called)
        connection.commit()
        if is_new:
            with explained(called, "cannot publish"), _as_only_publisher(connection, version):
                _Publisher(index, connection, version, key).fill(counting)
        old = [one for one in database.versions(connection, name, called) if one != version]
        connection.commit()
        with explained(called, "old versions cannot be dropped"):
            dropped = [_dropped(connection, one) for one in old[kept:]]
    return Publication(version, is_new, sum(dropped), len(dropped) - sum(dropped))


@contextmanager
def _as_only_publisher(connection: BoundedConnection, version: database.Version) -> Iterator[None]:
    """A transaction of the role that owns all tables, while nobody else publishes under the name.

    Raises:
        IndexFileError: somebody does.
    """
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
            connection.execute(database.lock(version, "ACCESS EXCLUSIVE MODE NOWAIT"))
            connection.execute(database.drop(version))
            connection.execute(database.DELETE_VERSION, version)
    except psycopg.errors.LockNotAvailable:
        return False
    return True


class _Publisher:
    """Fills the tables of a version.

    Args:
        index: what is published.
        connection: in the transaction that makes the version.
        version: that version.
        key: under which it is published.
    """

    def __init__(
        self, index: WholeIndex, connection: BoundedConnection, version: database.Version, key: IndexKey
    ) -> None:
        self._index = index
        self._connection = connection
        self._version = version
        self._salt = secrets.token_bytes(SALT_BYTES)
        self._keys = key.keys_of(version.root, self._salt)
        self._ids = index.content_ids()

    def fill(self, counting: Counting) -> None:
        """Make and fill all tables, and name the version."""
        expected = self._index.postings + self._index.contents
        with PostingBuckets(expected) as ordinary, PostingBuckets(0) as crowds:
            with counting("sorting", " fingerprints") as progress:
                self._sort(ordinary, crowds, progress)
            bits = ordinary.block_bits(), crowds.block_bits()
            blocks = (row for kind, of in zip((ordinary, crowds), bits, strict=True) for row in kind.blocks(of))
            rows = sum(1 << of for of in bits)
            with counting("writing", " rows") as progress:
                self._fill("block", enumerate(blocks), progress, (0, rows + len(self._ids)))
                self._fill("content", self._contents(), progress, (rows, rows + len(self._ids)))
        self._fill("source", self._sources(), lambda done, total: None, (0, 0))  # noqa: ARG005
        self._describe(*bits)

    def _sort(self, ordinary: PostingBuckets, crowds: PostingBuckets, progress: _Progress) -> None:
        for is_crowd, buckets in ((False, ordinary), (True, crowds)):
            for postings in self._index.all_blocks(crowds=is_crowd):
                buckets.add(self._keyed(postings))
                progress(ordinary.postings, self._index.postings + len(self._ids))

    def _keyed(self, postings: NDArray[np.void]) -> NDArray[np.void]:
        keyed = np.empty(len(postings), KEYED)
        keyed["hash"] = siphash(self._keys.hashes, np.ascontiguousarray(postings["hash"]))
        keyed["content"] = np.searchsorted(self._ids, postings["content"]) - self._index.boilerplate
        for field in ("position", "check"):
            keyed[field] = postings[field]
        return keyed

    def _contents(self) -> Iterator[tuple[int, bytes]]:
        for rank, (_, row) in enumerate(self._index.all_contents(), -self._index.boilerplate):
            yield rank, pack_fields([*row.fields(), *(part for file in row.files for part in file)])

    def _sources(self) -> Iterator[tuple[int, bytes]]:
        own = {licence for of_source in self._index.own_licences().values() for licence in of_source}
        yield LICENCES, pack_fields(sorted(own))
        for number, source in enumerate(self._index.sources):
            # No text is published, whatever the file has.
            yield number, pack_fields(source_fields(source, text=False))

    def _fill(self, kind: str, rows: Iterable[tuple[int, bytes]], progress: _Progress, counts: tuple[int, int]) -> None:
        """Make a table of these rows; ``counts``: how many rows were written before, and are in all."""
        sealer = RowSealer(self._keys, kind)
        for statement in database.create(self._version, kind):
            self._connection.execute(statement)
        with self._connection.cursor().copy(database.copy(self._version, kind)) as copy:
            copy.set_types(["int8", "bytea", "bytea"])
            for done, (number, row) in enumerate(rows, counts[0] + 1):
                encrypted = sealer.crypted(number, row)
                copy.write_row((number, encrypted, sealer.seal(number, encrypted)))
                progress(done, counts[1])
        for statement in database.complete(self._version, kind):
            self._connection.execute(statement)

    def _describe(self, bits: int, crowd_bits: int) -> None:
        """Name the version: from the end of the transaction on, it is there."""
        changed = {"bits": str(bits), "crowd_bits": str(crowd_bits), "texts": "0"}
        meta = sorted((self._index.described() | changed).items())
        fields: list[Field] = [part for row in meta for part in row]
        fields += ["meta_digest", schema.digest(*fields).hex()]
        sealer = RowSealer(self._keys, "version")
        encrypted = sealer.crypted(DESCRIPTION, pack_fields(fields))
        sealed = encrypted, sealer.seal(DESCRIPTION, encrypted)
        row = *self._version, database.LAYOUT, self._version.suffix, self._salt, *sealed
        self._connection.execute(database.INSERT_VERSION, row)
