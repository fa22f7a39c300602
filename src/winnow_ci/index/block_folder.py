"""Keep an index on any web server: a scan downloads its head, and asks for some of its blocks.

``ROOT.head`` is a SQLite file with the tables ``meta``, ``source`` and ``directory`` of an index (``schema``), without
texts, and with two tables of its own. ROOT is its sha256, in hexadecimal. ``ROOT.blocks`` has the *parts* of the index,
one after the other: all rows of ``block`` by their numbers, then all packs. What no scan reads is in neither file.

``part``      ``PARTS`` parts a row: where the first one begins in ``ROOT.blocks``, the sizes of all (u4), and BLAKE2b
              of each, 16 bytes. So who has the root can check every byte of a server that nobody trusts.
``filter``    a Bloom filter (Bloom, "Space/time trade-offs in hash coding with allowable errors", 1970) of the hashes
              in the blocks among these parts: ``HASHES`` bits are set for each, of ``BITS`` times as many. It says of
              one hash in 120 that it may be there although it is not. There is no row if there are no hashes.

Most hashes of a change are in no index, so a scan asks for few blocks. A new version of the index lies beside the old
one under its own root, so whoever still has the old head can go on.
"""

from __future__ import annotations

import hashlib
import sqlite3
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from itertools import chain, groupby, islice
from operator import itemgetter
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from winnow_ci import system
from winnow_ci.errors import IndexFileError
from winnow_ci.index import BLOCKS, HEAD, schema
from winnow_ci.index.coding import StoredBlock
from winnow_ci.index.publishing import IndexTables, filling
from winnow_ci.index.rows import StoredValue, source_fields
from winnow_ci.index.store import BlockKind, SqliteStore
from winnow_ci.index.whole_index import WholeIndex
from winnow_ci.model import FilePart, Progress, no_progress

PARTS = 4096
HASHES, BITS = 7, 10
_DIGEST_BYTES = 16
_TABLES = {
    **{name: schema.TABLES[name] for name in ("meta", "source", "directory")},
    "part": (
        "CREATE TABLE part (id INTEGER PRIMARY KEY, start INTEGER NOT NULL, sizes BLOB NOT NULL,"
        " digests BLOB NOT NULL, digest BLOB NOT NULL)"
    ),
    "filter": "CREATE TABLE filter (id INTEGER PRIMARY KEY, bits BLOB NOT NULL, digest BLOB NOT NULL)",
}


def part_digest(part: bytes) -> bytes:
    """Return BLAKE2b of a part: 16 bytes."""
    return hashlib.blake2b(part, digest_size=_DIGEST_BYTES).digest()


def write_block_folder(index: WholeIndex, folder: Path, progress: Progress = no_progress) -> str:
    """Write head and blocks of an index into a folder, and return their root; raise ``IndexFileError`` if that fails.

    ``progress`` is called after each row of ``part`` with the number of parts done and of all parts.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=".winnow-ci-", dir=folder) as scratch:
            head, blocks = Path(scratch, "head"), Path(scratch, "blocks")
            with blocks.open("wb") as file, filling(head, BlockFolderStore.application, _TABLES) as tables:
                _fill(tables, index, _part_rows(index, file.write, progress))
            root = hashlib.sha256(head.read_bytes()).hexdigest()
            # In this order, so that no head is ever without its blocks.
            for written, ending in ((blocks, BLOCKS), (head, HEAD)):
                written.chmod(0o644)
                system.rename_over(written, folder / f"{root}{ending}")
    except (OSError, sqlite3.Error) as error:
        problem = f"cannot write the index into {folder}: {getattr(error, 'strerror', None) or error}"
        raise IndexFileError(problem, "make room, or name another folder") from error
    return root


def _fill(tables: IndexTables, index: WholeIndex, parts: Iterable[tuple[StoredValue, ...]]) -> None:
    sources = ((number, *source_fields(source, text=False)) for number, source in enumerate(index.sources))
    tables.add("source", ((number, *fields, schema.digest(*fields)) for number, *fields in sources))
    tables.add_digested("directory", index.directory.rows())
    tables.add("part", parts)
    tables.add("filter", _filter_rows(index))
    tables.add_description(index.described() | {"texts": "0"})


def _part_rows(
    index: WholeIndex, write: Callable[[bytes], object], progress: Progress
) -> Iterator[tuple[int, int, bytes, bytes, bytes]]:
    """Write all parts, and yield the rows of ``part``."""
    blocks = (block for kind in (index.blocks, index.crowd_blocks) for _, block, _ in index.block_rows(kind))
    parts, start, expected = chain(blocks, index.all_packs()), 0, index.crowd_blocks.first + index.crowd_blocks.how_many
    expected += len(index.directory.packs) - 1
    for number in range(-(-expected // PARTS)):
        some = list(islice(parts, PARTS))
        for part in some:
            write(part)
        sizes = np.array([len(part) for part in some], "<u4")
        fields = number, start, sizes.tobytes(), b"".join(map(part_digest, some))
        yield *fields, schema.digest(*fields)
        start += int(sizes.sum())
        progress(number * PARTS + len(some), expected)


def _filter_rows(index: WholeIndex) -> Iterator[tuple[int, bytes, bytes]]:
    for number, of_row in groupby(_hashes_by_row(index), key=itemgetter(0)):
        hashes = np.concatenate([hashes for _, hashes in of_row])
        bits = np.zeros(-(-len(hashes) * BITS // 8) * 8, np.bool_)
        bits[_places(hashes, len(bits))] = True
        packed = np.packbits(bits, bitorder="little").tobytes()
        yield number, packed, schema.digest(number, packed)


def _hashes_by_row(index: WholeIndex) -> Iterator[tuple[int, NDArray[np.uint64]]]:
    """Yield the hashes in all blocks, with the row of ``filter`` to which they belong."""
    for kind in (index.blocks, index.crowd_blocks):
        for postings in index.all_blocks(kind):
            hashes = np.unique(postings["hash"])
            rows = (kind.first + schema.block_numbers(hashes, kind.bits)) // PARTS
            yield from ((row, hashes[rows == row]) for row in np.unique(rows).tolist())


def _places(hashes: NDArray[np.uint64], size: int) -> NDArray[np.uint64]:
    """Return which of ``size`` bits stand for hashes: uint64, shape (n, ``HASHES``)."""
    mixed = schema.spread(hashes ^ hashes >> np.uint64(32))
    mixed = (mixed ^ mixed >> np.uint64(32)) * np.uint64(0x9E3779B97F4A7C15)
    first, step = mixed >> np.uint64(32), mixed & np.uint64(0xFFFFFFFF) | np.uint64(1)
    return np.asarray((first[:, None] + step[:, None] * np.arange(HASHES, dtype=np.uint64)) % np.uint64(size))


class BlockFolderStore(SqliteStore):
    """An index in a folder of blocks, opened for reading (``store.Store``), given the file of its head.

    ``fetch`` returns parts of ``ROOT.blocks``, each with the digest that ``FilePart`` has, or raises.
    """

    application, tables = 0x57494E48, _TABLES  # "WINH"
    # Each question costs a round trip.
    blocks_a_query = PARTS

    def __init__(self, head: Path, name: str, fetch: Callable[[Sequence[FilePart]], list[bytes]]) -> None:
        self._fetch = fetch
        super().__init__(head, name)

    def damaged(self, what: str) -> IndexFileError:  # noqa: D102
        return IndexFileError(f"the index {self.name} is damaged: {what}", "publish it again, with its new root")

    def postings(  # noqa: D102
        self, numbers: Sequence[int], kind: BlockKind, hashes: NDArray[np.uint64] | None = None
    ) -> NDArray[np.void]:
        if hashes is not None:
            hashes = self._likely(hashes, kind)
            numbers = np.unique(schema.block_numbers(hashes, kind.bits)).tolist()
        return super().postings(numbers, kind, hashes)

    def blocks(self, numbers: Sequence[int], kind: BlockKind) -> list[StoredBlock]:  # noqa: D102
        ids = [kind.first + number for number in numbers]
        return [(number, block, b"") for number, block in zip(ids, self._parts(ids), strict=True)]

    def packed(self, numbers: Sequence[int]) -> Iterable[bytes]:  # noqa: D102
        return self._parts([self._first_pack + number for number in numbers])

    @cached_property
    def _first_pack(self) -> int:
        meta = dict(self.meta())
        return sum(1 << int(meta[bits]) for bits in ("bits", "crowd_bits"))

    def _likely(self, hashes: NDArray[np.uint64], kind: BlockKind) -> NDArray[np.uint64]:
        rows = (kind.first + schema.block_numbers(hashes, kind.bits)) // PARTS
        likely = np.zeros(len(hashes), np.bool_)
        for number in np.unique(rows).tolist():
            own = rows == number
            for bits, digest in self.query("SELECT bits, digest FROM filter WHERE id = ?", [number]):
                if schema.digest(number, bits) != digest or not bits:
                    raise self.damaged(f"row {number} of the filter")
                places = _places(hashes[own], 8 * len(bits))
                read = np.frombuffer(bits, np.uint8)[places >> np.uint64(3)] >> (places & np.uint64(7)).astype(np.uint8)
                likely[own] = (read & 1).all(axis=1)
        return hashes[likely]

    def _parts(self, numbers: Sequence[int]) -> list[bytes]:
        """Return parts by their numbers, which rise."""
        wanted: list[FilePart] = []
        for row, some in groupby(numbers, key=lambda number: number // PARTS):
            found = self.query("SELECT id, start, sizes, digests, digest FROM part WHERE id = ?", [row])
            if len(found) != 1 or schema.digest(*found[0][:-1]) != found[0][-1]:
                raise self.damaged(f"row {row} of the parts")
            _, start, sizes, digests, _ = found[0]
            with self.guard():
                ends = start + np.cumsum(np.frombuffer(sizes, "<u4"), dtype=np.int64)
                for place in (number % PARTS for number in some):
                    begin, end = int(ends[place - 1]) if place else start, int(ends[place])
                    digest = digests[_DIGEST_BYTES * place : _DIGEST_BYTES * (place + 1)]
                    wanted.append(FilePart(begin, end - begin, digest))
        return self._fetch(wanted)
