"""What a build has done so far, in a file: to save memory, and for the next build to go on from.

A build puts its contents and their postings here, and makes the index of them at the end. If it is interrupted or
killed at any moment, the next build of that index does not fingerprint those contents again.

A record of the file is its kind (4 bytes), the length of its payload (u64), XXH3-128 of kind and payload, and the
payload. The kinds are:

``head``  a description of what the fingerprints depend on; a file with another description is emptied.
``cont``  a content's row, without its files (``rows.pack_fields``). Contents count from 0.
``text``  the text of a content: its key, number of bytes, compressed bytes, in the same form.
``runs``  the postings of all contents since the last such record, ordered by hash (``schema.POSTING``).

Nothing unchecked is believed: if a file is cut off or damaged, everything before the damage counts, up to the last run.
The file is not synced; what is lost when the power fails is done again.
"""

from __future__ import annotations

import errno
import os
import struct
import tempfile
import weakref
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from functools import cached_property
from itertools import accumulate
from typing import IO, Any, cast

import numpy as np
import xxhash
from numpy.typing import NDArray

from winnow_ci import system
from winnow_ci.index import schema
from winnow_ci.index.coding import PackedText
from winnow_ci.index.rows import ContentBatch, ContentRow, pack_fields, unpack_fields
from winnow_ci.named_tuples import NamedTuple

_VERSION = 2
_FRAME = struct.Struct("<4sQ16s")
RECORD_HEADER = _FRAME.size
RUN_POSTINGS = 1 << 17  # postings that wait in memory before they are written
RUN_BYTES = 1 << 22  # the same of anything else, in bytes
READ_AHEAD = 1 << 17  # postings of all runs together that are read ahead


class Journal:
    """Contents, texts and runs of postings in a file; ``OSError`` may come from every method.

    The file with this descriptor is closed in the end; no other program writes to it. Its contents are kept if it has
    the same ``description`` of what fingerprints depend on. None: a temporary file, made when something is written.
    """

    def __init__(self, descriptor: int | None = None, description: str = "") -> None:
        self.is_temporary = descriptor is None
        self.numbers: dict[bytes, int] = {}
        self.texts: dict[bytes, int] = {}
        self._places: list[int] = []
        self._runs: list[tuple[int, int]] = []  # offset in bytes, number of postings
        self._batches: list[ContentBatch] = []
        self._waiting_texts: dict[bytes, PackedText] = {}
        self._waiting = 0.0
        self._end = 0
        self._closing = ExitStack()
        self.close = weakref.finalize(self, self._closing.close)
        if descriptor is not None:
            self._file = self._closing.enter_context(open(descriptor, "r+b", buffering=0))  # noqa: PTH123, SIM115
            self._recover(f"{_VERSION} {schema.FORMAT_VERSION} {schema.ALGORITHM} {description}".encode())

    @cached_property
    def _file(self) -> IO[bytes]:
        return self._closing.enter_context(tempfile.TemporaryFile(buffering=0))

    @property
    def kept(self) -> int:
        """Number of contents in the file."""
        return len(self._places)

    def add(self, batch: ContentBatch) -> None:
        """Add contents that the journal lacks."""
        self._batches.append(batch)
        for row in batch.rows:
            self.numbers[row.key] = len(self.numbers)
        self._count(len(batch.postings) / RUN_POSTINGS + sum(len(row.token_map) for row in batch.rows) / RUN_BYTES)

    def add_text(self, key: bytes, text: PackedText) -> None:
        """Add a text that the journal lacks."""
        self._waiting_texts[key] = text
        self.texts[key] = -1
        self._count(len(text.packed) / RUN_BYTES)

    def flush(self) -> None:
        """Write what waits in memory; an interrupted flush leaves the file as it was before."""
        if not (self._batches or self._waiting_texts):
            return
        rows = [row for batch in self._batches for row in batch.rows]
        postings = self._ordered()
        records = [framed(b"cont", pack_fields(row[:-1])) for row in rows]
        records += [framed(b"text", pack_fields([key, *text])) for key, text in self._waiting_texts.items()]
        records.append(framed(b"runs", postings.tobytes()))
        *starts, run, end = accumulate(map(len, records), initial=self._end)
        texts = dict(zip(self._waiting_texts, starts[len(rows) :], strict=True))
        # ^C between the two would leave a run in the file that no list has.
        with system.held_back("SIGINT"):
            write_at(self._file, self._end, b"".join(records))
            self._batches, self._waiting_texts, self._waiting = [], {}, 0.0
            self._accept(end, starts[: len(rows)], texts, (run + RECORD_HEADER, len(postings)))

    def _count(self, share: float) -> None:
        self._waiting += share
        if self._waiting >= 1:
            self.flush()

    def _ordered(self) -> NDArray[np.void]:
        """Return the waiting postings, ordered by hash, with the numbers of their contents in the journal."""
        postings = np.concatenate([np.empty(0, schema.POSTING), *(batch.postings for batch in self._batches)])
        contents, first, content = postings["content"], 0, len(self._places)
        for batch in self._batches:
            contents[first : first + len(batch.postings)] += content
            first, content = first + len(batch.postings), content + len(batch.rows)
        return np.take(postings, np.argsort(postings["hash"]))

    def _accept(self, end: int, places: list[int], texts: dict[bytes, int], run: tuple[int, int]) -> None:
        self._end = end
        self._places += places
        self.texts |= texts
        self._runs.append(run)

    def content(self, number: int) -> ContentRow:
        """Return the row of a content that has been flushed, without its files."""
        return _unpacked_content(self._payload(self._places[number]))

    def packed_text(self, key: bytes) -> PackedText:
        """Return the text of a content that has been flushed."""
        return PackedText(*_unpacked_text(self._payload(self.texts[key]))[1:])

    def runs(self) -> list[Iterator[NDArray[np.void]]]:
        """Return all postings in runs that are ordered by hash, part by part."""
        return [
            iter([self._ordered()]),
            *(self._parts(*run, max(1, READ_AHEAD // len(self._runs))) for run in self._runs),
        ]

    def _parts(self, offset: int, postings: int, size: int) -> Iterator[NDArray[np.void]]:
        width = schema.POSTING.itemsize
        for first in range(0, postings, size):
            with _whole():
                data = read_at(self._file, offset + first * width, min(size, postings - first) * width)
            yield np.frombuffer(data, schema.POSTING)

    def _payload(self, start: int) -> bytes:
        with _whole():
            return _record_at(self._file, start).payload

    def _recover(self, description: bytes) -> None:
        """Take over the sound part of the file, and cut off the rest."""
        found = _sound_records(self._file)
        head = next(found, None)
        begin = framed(b"head", description)
        if head and (head.kind, head.payload) == (b"head", description):
            self._end = head.end
            # A sound record may still be no row; the records before it count.
            with suppress(ValueError):
                self._take_over(found)
        self._file.truncate(self._end)
        if not self._end:
            write_at(self._file, 0, begin)
            self._end = len(begin)

    def _take_over(self, found: Iterator[_Record]) -> None:
        places: list[int] = []
        rows: list[tuple[bytes, int]] = []
        texts: dict[bytes, int] = {}
        for record in found:
            if record.kind == b"cont":
                row = _unpacked_content(record.payload)
                rows.append((row.key, row.fingerprints))
                places.append(record.start)
            elif record.kind == b"text":
                texts[_unpacked_text(record.payload)[0]] = record.start
            elif self._fits(record, rows):
                for key, _ in rows:
                    self.numbers[key] = len(self.numbers)
                run = record.start + RECORD_HEADER, len(record.payload) // schema.POSTING.itemsize
                self._accept(record.end, places, texts, run)
                places, rows, texts = [], [], {}
            else:
                return

    def _fits(self, record: _Record, rows: list[tuple[bytes, int]]) -> bool:
        """Return whether a record is the run of these contents: of each as many fingerprints as its row says."""
        keys = {key for key, _ in rows}
        if record.kind != b"runs" or len(record.payload) % schema.POSTING.itemsize:
            return False
        if len(keys) < len(rows) or keys & self.numbers.keys():
            return False
        postings = np.frombuffer(record.payload, schema.POSTING)
        contents = postings["content"].astype(np.int64) - len(self.numbers)
        hashes = postings["hash"]
        in_order = (contents >= 0).all() and (contents < len(rows)).all() and (hashes[1:] >= hashes[:-1]).all()
        counts = [count for _, count in rows]
        return bool(in_order) and np.bincount(contents, minlength=len(rows)).tolist() == counts


@contextmanager
def _whole() -> Iterator[None]:
    """Raise ``OSError`` for a record that was sound when it was written or recovered, and no longer is."""
    try:
        yield
    except ValueError as error:
        raise OSError(errno.EIO, "the work kept so far was damaged meanwhile") from error


class _Record(NamedTuple):
    """A checked record; ``start`` and ``end`` are offsets in the file."""

    kind: bytes
    payload: bytes
    start: int
    end: int


def framed(kind: bytes, payload: bytes) -> bytes:
    """Return the bytes of a record."""
    return _FRAME.pack(kind, len(payload), xxhash.xxh3_128_digest(kind + payload)) + payload


def _record_at(file: IO[bytes], start: int) -> _Record:
    """Return the record that starts at an offset; raise ``ValueError`` if there is none, or it is damaged."""
    header = read_at(file, start, RECORD_HEADER)
    kind, length, _ = _FRAME.unpack(header)
    end = start + RECORD_HEADER + length
    if end > os.fstat(file.fileno()).st_size:
        raise ValueError("cut off")
    payload = read_at(file, start + RECORD_HEADER, length)
    if framed(kind, payload) != header + payload:
        raise ValueError("changed since it was written")
    return _Record(kind, payload, start, end)


def _sound_records(file: IO[bytes]) -> Iterator[_Record]:
    """Yield the records from the start of a file up to the first damaged one."""
    start = 0
    with suppress(ValueError):
        while True:
            record = _record_at(file, start)
            yield record
            start = record.end


def read_at(file: IO[bytes], offset: int, length: int) -> bytes:
    """Read all of ``length`` bytes; raise ``ValueError`` if the file ends before."""
    file.seek(offset)
    data = file.read(length)
    while len(data) < length:
        if not (more := file.read(length - len(data))):
            raise ValueError("cut off")
        data += more
    return data


def write_at(file: IO[bytes], offset: int, data: bytes) -> None:
    """Write all of some bytes to a file without a buffer."""
    file.seek(offset)
    rest = memoryview(data)
    while rest:
        rest = rest[file.write(rest) :]


def _unpacked_content(payload: bytes) -> ContentRow:
    key, language, front_end, tokens, fingerprints, token_map = cast("Any", unpack_fields(payload))
    row = ContentRow(key, language, front_end, tokens, fingerprints, token_map, ())
    if not row.fits(0):
        raise ValueError("no content")
    return row


def _unpacked_text(payload: bytes) -> tuple[bytes, int, bytes]:
    key, size, packed = cast("Any", unpack_fields(payload))
    return key, size, packed
