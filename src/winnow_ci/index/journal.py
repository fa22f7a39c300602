"""What a build has done so far, in a file: to save memory, and for the next build to go on from.

A build puts its contents and their postings here, and makes the index of them at the end. If it is interrupted or
killed at any moment, the next build of that index does not fingerprint those contents again.

The file is a sequence of records. A record is its kind (4 bytes), the length of its payload (u64), XXH3-128 of kind and
payload, and the payload. The kinds are:

``head``  a description of what the fingerprints depend on; a file with another description is emptied.
``cont``  a content's row: key, tokens and fingerprints (u32), lengths of the two names that
          follow (u8), language, front end, token map. Contents count from 0.
``text``  the text of a content: its key, number of bytes (u32), compressed bytes.
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
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
import xxhash

from winnow_ci import system
from winnow_ci.index import schema
from winnow_ci.index.coding import PackedText
from winnow_ci.index.rows import ContentRow
from winnow_ci.named_tuples import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from winnow_ci.index.rows import ContentBatch

RecordBytes: TypeAlias = "bytes | memoryview"

_VERSION = 1
_FRAME = struct.Struct("<4sQ16s")
_CONTENT = struct.Struct("<16sIIBB")
_TEXT = struct.Struct("<16sI")
RECORD_HEADER = _FRAME.size
# Linux and macOS take as many in one call.
MOST_PARTS = 1024
# Postings, or bytes of anything else, that wait in memory before they are written.
RUN_POSTINGS = 1 << 17
RUN_BYTES = 1 << 22
# Postings of all runs together that are read ahead.
READ_AHEAD = 1 << 17


class PostingRun(NamedTuple):
    """Where a run of postings is in the file: offset in bytes, number of postings."""

    offset: int
    postings: int


class Journal:
    """Contents, texts and runs of postings in a file.

    Args:
        descriptor: of the file; no other program writes to it. It is duplicated. None: a temporary file.
        description: of what the fingerprints depend on; the contents of a file with the same description are kept.

    Raises:
        OSError: also from every method.
    """

    def __init__(self, descriptor: int | None = None, description: str = "") -> None:
        self.is_temporary = descriptor is None
        self._descriptor = temporary_file() if descriptor is None else os.dup(descriptor)
        self._close = weakref.finalize(self, os.close, self._descriptor)
        self.numbers: dict[bytes, int] = {}
        self.texts: dict[bytes, int] = {}
        self._places: list[int] = []
        self._runs: list[PostingRun] = []
        self._batches: list[ContentBatch] = []
        self._waiting_texts: list[tuple[bytes, PackedText]] = []
        self._waiting = 0.0
        self._end = 0
        self._recover(f"{_VERSION} {schema.FORMAT_VERSION} {schema.ALGORITHM} {description}".encode())

    @property
    def kept(self) -> int:
        """Number of contents in the file."""
        return len(self._places)

    def close(self) -> None:
        """Close the file; anything not flushed is lost."""
        self._close()

    # ---- writing -----------------------------------------------------------------------------------------------

    def add(self, batch: ContentBatch) -> None:
        """Add contents that the journal lacks."""
        self._batches.append(batch)
        for row in batch.rows:
            self.numbers[row.key] = len(self.numbers)
        self._count(len(batch.postings) / RUN_POSTINGS + sum(len(row.token_map) for row in batch.rows) / RUN_BYTES)

    def add_text(self, key: bytes, text: PackedText) -> None:
        """Add a text that the journal lacks."""
        self._waiting_texts.append((key, text))
        self.texts[key] = -1
        self._count(len(text.packed) / RUN_BYTES)

    def flush(self) -> None:
        """Write what waits in memory; an interrupted flush leaves the file as it was before."""
        if not (self._batches or self._waiting_texts):
            return
        waiting = _WaitingRecords(self._end)
        places = [waiting.add(b"cont", *_packed_content(row)) for batch in self._batches for row in batch.rows]
        texts = {
            key: waiting.add(b"text", _TEXT.pack(key, text.size), text.packed) for key, text in self._waiting_texts
        }
        postings = self._ordered()
        run = PostingRun(waiting.add(b"runs", postings.view(np.uint8).data) + RECORD_HEADER, len(postings))
        # ^C between the two would leave a run in the file that no list has.
        with system.held_back("SIGINT"):
            write_at(self._descriptor, self._end, waiting.parts)
            self._batches, self._waiting_texts, self._waiting = [], [], 0.0
            self._accept(waiting.end, places, texts, run)

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

    def _accept(self, end: int, places: list[int], texts: dict[bytes, int], run: PostingRun) -> None:
        self._end = end
        self._places += places
        self.texts |= texts
        self._runs.append(run)

    # ---- reading what has been flushed -------------------------------------------------------------------------

    def content(self, number: int) -> ContentRow:
        """Return the row of a content, without its files."""
        return _unpacked_content(self._payload(self._places[number]))

    def packed_text(self, key: bytes) -> PackedText:
        """Return the text of a content."""
        return _unpacked_text(self._payload(self.texts[key]))[1]

    def runs(self) -> list[Iterator[NDArray[np.void]]]:
        """Return the postings of each run, part by part."""
        return [self._parts(run, max(1, READ_AHEAD // len(self._runs))) for run in self._runs]

    def _parts(self, run: PostingRun, size: int) -> Iterator[NDArray[np.void]]:
        width = schema.POSTING.itemsize
        for first in range(0, run.postings, size):
            count = min(size, run.postings - first)
            with _whole():
                data = read_at(self._descriptor, run.offset + first * width, count * width)
            yield np.frombuffer(data, schema.POSTING)

    def _payload(self, start: int) -> bytes:
        with _whole():
            return _record_at(self._descriptor, start).payload

    # ---- going on ----------------------------------------------------------------------------------------------

    def _recover(self, description: bytes) -> None:
        """Take over the sound part of the file, and cut off the rest."""
        found = _sound_records(self._descriptor)
        head = next(found, None)
        if head and (head.kind, head.payload) == (b"head", description):
            self._end = head.end
            # A sound record may still be no row; the records before it count.
            with suppress(ValueError, struct.error):
                self._take_over(found)
            os.ftruncate(self._descriptor, self._end)
        else:
            os.ftruncate(self._descriptor, 0)
            begin = framed(b"head", description)
            write_at(self._descriptor, 0, [begin])
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
                run = PostingRun(record.start + RECORD_HEADER, len(record.payload) // schema.POSTING.itemsize)
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


class _WaitingRecords:
    """The bytes of records to be written one after the other, and the offset after the last one."""

    def __init__(self, start: int) -> None:
        self.parts: list[RecordBytes] = []
        self.end = start

    def add(self, kind: bytes, *payload: RecordBytes) -> int:
        """Add a record, and return the offset at which it starts."""
        start = self.end
        self.parts += _frame(kind, *payload), *payload
        self.end += RECORD_HEADER + sum(map(len, payload))
        return start


@contextmanager
def _whole() -> Iterator[None]:
    """Raise ``OSError`` for a record that was sound when it was written or recovered, and no longer is."""
    try:
        yield
    except ValueError as error:
        raise OSError(errno.EIO, "the work kept so far was damaged meanwhile") from error


def temporary_file() -> int:
    """Return the descriptor of an empty file without a name."""
    with tempfile.TemporaryFile() as file:
        return os.dup(file.fileno())


# ---- records ---------------------------------------------------------------------------------------------------


class _Record(NamedTuple):
    """A checked record; ``start`` and ``end`` are offsets in the file."""

    kind: bytes
    payload: bytes
    start: int
    end: int


def framed(kind: bytes, payload: bytes) -> bytes:
    """Return the bytes of a record."""
    return _frame(kind, payload) + payload


def _frame(kind: bytes, *payload: RecordBytes) -> bytes:
    """Return the header of a record, whose payload is given in parts."""
    return _FRAME.pack(kind, sum(map(len, payload)), _digest(kind, *payload))


def _digest(kind: bytes, *payload: RecordBytes) -> bytes:
    state = xxhash.xxh3_128(kind)
    for part in payload:
        state.update(part)
    return state.digest()


def _record_at(descriptor: int, start: int) -> _Record:
    """Return the record that starts at an offset.

    Raises:
        ValueError: there is none, or it is damaged.
    """
    kind, length, digest = _FRAME.unpack(read_at(descriptor, start, RECORD_HEADER))
    end = start + RECORD_HEADER + length
    if end > os.fstat(descriptor).st_size:
        raise ValueError("cut off")
    payload = read_at(descriptor, start + RECORD_HEADER, length)
    if _digest(kind, payload) != digest:
        raise ValueError("changed since it was written")
    return _Record(kind, payload, start, end)


def _sound_records(descriptor: int) -> Iterator[_Record]:
    """Yield the records from the start of a file up to the first damaged one."""
    start = 0
    with suppress(ValueError):
        while True:
            record = _record_at(descriptor, start)
            yield record
            start = record.end


def read_at(descriptor: int, offset: int, length: int) -> bytes:
    """Read ``length`` bytes.

    Raises:
        ValueError: the file ends before.
    """
    parts: list[bytes] = []
    while length:
        part = system.read_part(descriptor, length, offset)
        if not part:
            raise ValueError("cut off")
        parts.append(part)
        offset, length = offset + len(part), length - len(part)
    return b"".join(parts)


def write_at(descriptor: int, offset: int, parts: Sequence[RecordBytes]) -> None:
    """Write all of some parts, one after the other; they are not copied."""
    for first in range(0, len(parts), MOST_PARTS):
        some = parts[first : first + MOST_PARTS]
        end = offset + sum(map(len, some))
        offset += system.write_parts(descriptor, some, offset)
        if offset < end:
            rest = memoryview(b"".join(some))[offset - end :]
            while rest:
                written = system.write_parts(descriptor, [rest], offset)
                rest, offset = rest[written:], offset + written


def _packed_content(row: ContentRow) -> tuple[bytes, ...]:
    """Return the payload of a record for a content's row, without its files, in parts."""
    language, front_end = row.language.encode(), row.front_end.encode()
    fixed = _CONTENT.pack(row.key, row.tokens, row.fingerprints, len(language), len(front_end))
    return fixed + language + front_end, row.token_map


def _unpacked_content(payload: bytes) -> ContentRow:
    """Undo ``_packed_content``; may raise ``ValueError`` or ``struct.error``."""
    key, tokens, fingerprints, language, front_end = _CONTENT.unpack_from(payload)
    names = _CONTENT.size + language
    end = names + front_end
    language, front_end = payload[_CONTENT.size : names].decode(), payload[names:end].decode()
    return ContentRow(key, language, front_end, tokens, fingerprints, payload[end:], ())


def _unpacked_text(payload: bytes) -> tuple[bytes, PackedText]:
    """Return the key of the content, and its text; may raise ``struct.error``."""
    key, size = _TEXT.unpack_from(payload)
    return key, PackedText(size, payload[_TEXT.size :])
