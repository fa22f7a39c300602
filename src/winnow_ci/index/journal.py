"""What a build has done so far, in a file beside the index: to save memory, and for the next build to go on from.

A build puts its contents and their postings here, and makes the index of them at the end. If it is interrupted or
killed at any moment, the next build of that index does not fingerprint those contents again.

The file is a sequence of records (``index.records``) of these kinds:

``head``  a description of what the fingerprints depend on; a file with another description is emptied.
``cont``  a content's row: key, digest of the token map, tokens and fingerprints (u32), lengths of the two names that
          follow (u8), language, front end, token map. Contents count from 0.
``text``  the text of a content: its key, number of bytes (u32), compressed bytes.
``runs``  the postings of all contents since the last such record, ordered by hash (``schema.POSTING``).

Nothing unchecked is believed: if a file is cut off or damaged, everything before the damage counts, up to the last run.
The file is not synced; what is lost when the power fails is done again.
"""

from __future__ import annotations

import errno
import os
import signal
import struct
import tempfile
import weakref
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

import numpy as np

from winnow_ci.index import records, schema
from winnow_ci.named_tuples import NamedTuple
from winnow_ci.processes import held_back

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from winnow_ci.index.rows import ContentBatch, ContentRow

VERSION = 1
# Postings, or bytes of anything else, that wait in memory before they are written.
RUN_POSTINGS = 1 << 17
RUN_BYTES = 1 << 22
# Postings of all runs together that are read ahead.
READ_AHEAD = 1 << 17


class PostingRun(NamedTuple):
    """Where a run of postings is in the file: offset in bytes, number of postings."""

    offset: int
    postings: int


class _WaitingRecords:
    """Records to be written one after the other, the first at an offset.

    Attributes:
        parts: their bytes.
        end: the offset after the last one.
    """

    def __init__(self, start: int) -> None:
        self.parts: list[records.Bytes] = []
        self.end = start

    def add(self, kind: bytes, *payload: records.Bytes) -> int:
        """Add a record, and give the offset at which it starts."""
        start = self.end
        self.parts += records.frame(kind, *payload), *payload
        self.end += records.HEADER + sum(map(len, payload))
        return start


class Journal:
    """Contents, texts and runs of postings in a file.

    Args:
        descriptor: of the file, to which nobody else writes; it is duplicated. None: a temporary file.
        description: of what the fingerprints depend on; the contents of a file with the same description are kept.

    Raises:
        OSError: also from every method.
    """

    def __init__(self, descriptor: int | None = None, description: str = "") -> None:
        self._descriptor = _temporary() if descriptor is None else os.dup(descriptor)
        self._close = weakref.finalize(self, os.close, self._descriptor)
        self.numbers: dict[bytes, int] = {}
        self.texts: dict[bytes, int] = {}
        self._places: list[int] = []
        self._runs: list[PostingRun] = []
        self._batches: list[ContentBatch] = []
        self._waiting_texts: list[tuple[bytes, schema.PackedText]] = []
        self._waiting = 0.0
        self._end = 0
        self._recover(f"{VERSION} {schema.VERSION} {schema.ALGORITHM} {description}".encode())

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
        self._count(len(batch.postings) / RUN_POSTINGS + sum(len(row.map.packed) for row in batch.rows) / RUN_BYTES)

    def add_text(self, key: bytes, text: schema.PackedText) -> None:
        """Add a text that the journal lacks."""
        self._waiting_texts.append((key, text))
        self.texts[key] = -1
        self._count(len(text.packed) / RUN_BYTES)

    def flush(self) -> None:
        """Write what waits in memory; an interrupted flush leaves the file as it was before."""
        if not (self._batches or self._waiting_texts):
            return
        waiting = _WaitingRecords(self._end)
        places = [waiting.add(b"cont", *records.packed_content(row)) for batch in self._batches for row in batch.rows]
        texts = {key: waiting.add(b"text", *records.packed_text(key, text)) for key, text in self._waiting_texts}
        postings = self._ordered()
        run = PostingRun(waiting.add(b"runs", postings.view(np.uint8).data) + records.HEADER, len(postings))
        # ^C between the two would leave in the file what nobody knows to be there.
        with held_back(signal.SIGINT):
            records.write(self._descriptor, self._end, waiting.parts)
            self._batches, self._waiting_texts, self._waiting = [], [], 0.0
            self._accept(waiting.end, places, texts, run)

    def _count(self, share: float) -> None:
        self._waiting += share
        if self._waiting >= 1:
            self.flush()

    def _ordered(self) -> NDArray[np.void]:
        """The waiting postings, ordered by hash, with the numbers that their contents have in the journal."""
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
        """The row of a content, without its files."""
        return records.unpacked_content(self._payload(self._places[number]))

    def packed_text(self, key: bytes) -> schema.PackedText:
        """The text of a content."""
        return records.unpacked_text(self._payload(self.texts[key]))[1]

    def runs(self) -> list[Iterator[NDArray[np.void]]]:
        """The postings of each run, part by part."""
        return [self._parts(run, max(1, READ_AHEAD // len(self._runs))) for run in self._runs]

    def _parts(self, run: PostingRun, size: int) -> Iterator[NDArray[np.void]]:
        width = schema.POSTING.itemsize
        for first in range(0, run.postings, size):
            count = min(size, run.postings - first)
            with _whole():
                data = records.read(self._descriptor, run.offset + first * width, count * width)
            yield np.frombuffer(data, schema.POSTING)

    def _payload(self, start: int) -> bytes:
        with _whole():
            return records.record_at(self._descriptor, start).payload

    # ---- going on ----------------------------------------------------------------------------------------------

    def _recover(self, description: bytes) -> None:
        """Take over the sound part of the file, and cut off the rest."""
        found = records.sound_records(self._descriptor)
        head = next(found, None)
        if head and (head.kind, head.payload) == (b"head", description):
            self._end = head.end
            # A sound record may still be no row; the records before it count.
            with suppress(ValueError, struct.error):
                self._take_over(found)
            os.ftruncate(self._descriptor, self._end)
        else:
            os.ftruncate(self._descriptor, 0)
            begin = records.framed(b"head", description)
            records.write(self._descriptor, 0, [begin])
            self._end = len(begin)

    def _take_over(self, found: Iterator[records.JournalRecord]) -> None:
        places: list[int] = []
        rows: list[tuple[bytes, int]] = []
        texts: dict[bytes, int] = {}
        for record in found:
            if record.kind == b"cont":
                row = records.unpacked_content(record.payload)
                rows.append((row.key, row.fingerprints))
                places.append(record.start)
            elif record.kind == b"text":
                texts[records.unpacked_text(record.payload)[0]] = record.start
            elif self._fits(record, rows):
                for key, _ in rows:
                    self.numbers[key] = len(self.numbers)
                run = PostingRun(record.start + records.HEADER, len(record.payload) // schema.POSTING.itemsize)
                self._accept(record.end, places, texts, run)
                places, rows, texts = [], [], {}
            else:
                return

    def _fits(self, record: records.JournalRecord, rows: list[tuple[bytes, int]]) -> bool:
        """Whether a record is the run of these contents: of each as many fingerprints as its row says."""
        keys = {key for key, _ in rows}
        if record.kind != b"runs" or len(record.payload) % schema.POSTING.itemsize:
            return False
        if len(keys) < len(rows) or keys & self.numbers.keys():
            return False
        postings = np.frombuffer(record.payload, schema.POSTING)
        contents = postings["content"].astype(np.int64) - len(self.numbers)
        hashes = postings["hash"]
        return bool(
            (contents >= 0).all() and (contents < len(rows)).all() and (hashes[1:] >= hashes[:-1]).all()
        ) and np.bincount(contents, minlength=len(rows)).tolist() == [count for _, count in rows]


@contextmanager
def _whole() -> Iterator[None]:
    """Raise ``OSError`` for a record that was sound when it was written or recovered, and no longer is."""
    try:
        yield
    except ValueError as error:
        raise OSError(errno.EIO, "what it had done so far was damaged meanwhile") from error


def _temporary() -> int:
    with tempfile.TemporaryFile() as file:
        return os.dup(file.fileno())
