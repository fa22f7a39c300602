"""Records of a journal: written with a digest, and checked when read.

A record is its kind (4 bytes), the length of its payload (u64), XXH3-128 of kind and payload, and the payload.
"""

from __future__ import annotations

import os
import struct
from typing import TYPE_CHECKING, TypeAlias

import xxhash

from winnow_ci.index.rows import ContentRow
from winnow_ci.index.schema import PackedMap, PackedText
from winnow_ci.named_tuples import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

Bytes: TypeAlias = "bytes | memoryview"

_FRAME = struct.Struct("<4sQ16s")
_CONTENT = struct.Struct("<16s16sIIBB")
_TEXT = struct.Struct("<16sI")

HEADER = _FRAME.size
# Linux and macOS take as many in one call.
MOST_PARTS = 1024


class JournalRecord(NamedTuple):
    """A checked record; ``start`` and ``end`` are offsets in the file."""

    kind: bytes
    payload: bytes
    start: int
    end: int


def framed(kind: bytes, payload: bytes) -> bytes:
    """The bytes of a record."""
    return frame(kind, payload) + payload


def frame(kind: bytes, *payload: Bytes) -> bytes:
    """What stands before the payload of a record, which is given in parts."""
    return _FRAME.pack(kind, sum(map(len, payload)), _digest(kind, *payload))


def record_at(descriptor: int, start: int) -> JournalRecord:
    """The record that starts at an offset.

    Raises:
        ValueError: there is none, or it is damaged.
    """
    kind, length, digest = _FRAME.unpack(read(descriptor, start, HEADER))
    end = start + HEADER + length
    if end > os.fstat(descriptor).st_size:
        raise ValueError("cut off")
    payload = read(descriptor, start + HEADER, length)
    if _digest(kind, payload) != digest:
        raise ValueError("not as it was written")
    return JournalRecord(kind, payload, start, end)


def sound_records(descriptor: int) -> Iterator[JournalRecord]:
    """The records from the start of a file up to the first damaged one."""
    start = 0
    while True:
        try:
            record = record_at(descriptor, start)
        except ValueError:
            return
        yield record
        start = record.end


def read(descriptor: int, offset: int, length: int) -> bytes:
    """Read ``length`` bytes.

    Raises:
        ValueError: the file ends before.
    """
    parts: list[bytes] = []
    while length:
        part = os.pread(descriptor, length, offset)
        if not part:
            raise ValueError("cut off")
        parts.append(part)
        offset, length = offset + len(part), length - len(part)
    return b"".join(parts)


def write(descriptor: int, offset: int, parts: Sequence[Bytes]) -> None:
    """Write all of some parts, one after the other; they are not copied."""
    for first in range(0, len(parts), MOST_PARTS):
        some = parts[first : first + MOST_PARTS]
        length = sum(map(len, some))
        written = os.pwritev(descriptor, some, offset)
        if written < length:
            _write_rest(descriptor, offset + written, memoryview(b"".join(some))[written:])
        offset += length


def _write_rest(descriptor: int, offset: int, rest: memoryview) -> None:
    while rest:
        written = os.pwrite(descriptor, rest, offset)
        rest, offset = rest[written:], offset + written


def packed_content(row: ContentRow) -> tuple[bytes, ...]:
    """The payload of a record for a content's row, without its files, in parts."""
    language, front_end = row.language.encode(), row.front_end.encode()
    fixed = _CONTENT.pack(row.key, row.map.digest, row.tokens, row.fingerprints, len(language), len(front_end))
    return fixed + language + front_end, row.map.packed


def unpacked_content(payload: bytes) -> ContentRow:
    """Undo ``packed_content``.

    Raises:
        ValueError, struct.error: it is not such a payload.
    """
    key, map_digest, tokens, fingerprints, language, front_end = _CONTENT.unpack_from(payload)
    names = _CONTENT.size + language
    end = names + front_end
    language, front_end = payload[_CONTENT.size : names].decode(), payload[names:end].decode()
    token_map = PackedMap(map_digest, payload[end:])
    return ContentRow(key, language, front_end, tokens, fingerprints, token_map, ())


def packed_text(key: bytes, text: PackedText) -> tuple[bytes, ...]:
    """The payload of a record for a text and the key of its content, in parts."""
    return _TEXT.pack(key, text.size), text.packed


def unpacked_text(payload: bytes) -> tuple[bytes, PackedText]:
    """Undo ``packed_text``.

    Raises:
        struct.error: it is not such a payload.
    """
    key, size = _TEXT.unpack_from(payload)
    return key, PackedText(size, payload[_TEXT.size :])


def _digest(kind: bytes, *payload: Bytes) -> bytes:
    state = xxhash.xxh3_128(kind)
    for part in payload:
        state.update(part)
    return state.digest()
