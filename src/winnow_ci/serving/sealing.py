"""Pack, encrypt and seal rows as a server has them, and hash fingerprints under a key that it does not have.

A version never changes once it is published, so its rows are more compact than those of a file. A posting has 16 bytes,
little endian (``SERVED_POSTING``): of its keyed hash the 32 bits below those that name its block, the rank of its
content, position and check. Contents are ranked by their ids; boilerplate, whose ids are negative, has the ranks below
0. Any other row is a list of fields (``index.rows.pack_fields``).

A row is XORed with a stream of SHAKE-256 (FIPS 202) over a key, the table and the number of the row, and its seal is
keyed BLAKE2b-128 (RFC 7693) over table, number and the encrypted bytes. The keys depend on a salt that each publication
draws, so no two rows ever have one stream, and on the root, so only rows of the index that was pinned have seals. A
server can neither read rows, nor change, exchange or empty them.

All these keys follow from the 32 bytes of an organisation's key, which builder and clients have in a file and the
server has not, from the root of the index and from the salt, by keyed BLAKE2b. So no two publications share a key, even
if somebody makes two indexes with one root, or another zlib compresses the rows of one index differently. The salt lies
on the server beside the rows. A server gains nothing by changing it: no row has a seal under the keys that then follow.
"""

from __future__ import annotations

import hashlib
import os
import re
import secrets
import struct
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from winnow_ci import run_log, system
from winnow_ci.ci import service
from winnow_ci.errors import IndexKeyError, UsageError
from winnow_ci.index import schema
from winnow_ci.index.store import BlockKind
from winnow_ci.regular_file import open_regular
from winnow_ci.start_up import field, record

SERVED_POSTING = np.dtype([("hash", "<u4"), ("content", "<i4"), ("position", "<u4"), ("check", "<u4")])
# Bits of a hash that a posting has; as many again name its block at most.
_HASH_BITS = 32
SEAL_BYTES = 16
_PLACE = struct.Struct("<8sq")


class RowSealer:
    """Encrypts and seals the rows of one table of a version; the table's name has at most eight ASCII characters."""

    def __init__(self, keys: RowKeys, table: str) -> None:
        self._table = table.encode()
        # Copying a state that has taken in its key is twice as fast as making one.
        self._streams = hashlib.shake_256(keys.streams)
        self._seals = hashlib.blake2b(key=keys.seals, digest_size=SEAL_BYTES)

    def seal(self, number: int, encrypted: bytes) -> bytes:
        """Return the seal of an encrypted row: ``SEAL_BYTES`` bytes."""
        state = self._seals.copy()
        state.update(_PLACE.pack(self._table, number))
        state.update(encrypted)
        return state.digest()

    def crypted(self, number: int, row: bytes) -> bytes:
        """Encrypt or decrypt a row, which is the same."""
        return self.crypted_rows([number], [row]).tobytes()

    def crypted_rows(self, numbers: Sequence[int], rows: Sequence[bytes]) -> np.ndarray[tuple[int], np.dtype[np.uint8]]:
        """Encrypt or decrypt rows, and join them: uint8."""
        stream = b"".join(self._stream(number, len(row)) for number, row in zip(numbers, rows, strict=True))
        return np.frombuffer(b"".join(rows), np.uint8) ^ np.frombuffer(stream, np.uint8)

    def _stream(self, number: int, size: int) -> bytes:
        state = self._streams.copy()
        state.update(_PLACE.pack(self._table, number))
        return state.digest(size)


def unsealed_postings(sealer: RowSealer, rows: Sequence[tuple[int, bytes, bytes]], kind: BlockKind) -> NDArray[np.void]:
    """Decrypt blocks of one kind to ``schema.POSTING``, in order; ValueError if a posting is cut off."""
    numbers = [number for number, _, _ in rows]
    packed = sealer.crypted_rows(numbers, [row for _, row, _ in rows]).view(SERVED_POSTING)
    sizes = [len(row) // SERVED_POSTING.itemsize for _, row, _ in rows]
    postings = np.empty(len(packed), schema.POSTING)
    for name in ("content", "position", "check"):
        postings[name] = packed[name]
    blocks = np.repeat(np.array(numbers, np.int64) - kind.first, sizes).astype(np.uint64)
    postings["hash"] = whole_hash(blocks, packed["hash"], kind.bits)
    return postings


# ---- keyed hashes; ``bits`` of them name a block ---------------------------------------------------------------------


def known_bits(hashes: NDArray[np.uint64], bits: int) -> NDArray[np.uint64]:
    """Set the bits of hashes that no posting has to 0."""
    lost = max(0, 64 - _HASH_BITS - bits)
    return hashes >> np.uint64(lost) << np.uint64(lost)


def lower_part(hashes: NDArray[np.uint64], bits: int) -> NDArray[np.uint32]:
    """Return what postings have of their hashes: uint32."""
    return (hashes >> np.uint64(64 - _HASH_BITS - bits)).astype(np.uint32)


def whole_hash(blocks: NDArray[np.uint64], parts: NDArray[np.uint32], bits: int) -> NDArray[np.uint64]:
    """Undo ``lower_part``, given the number of each posting's block; what is lost is 0."""
    return (blocks << np.uint64(_HASH_BITS) | parts) << np.uint64(64 - _HASH_BITS - bits)


# "somepseudorandomlygeneratedbytes" (section 2.1).
_START = (0x736F6D6570736575, 0x646F72616E646F6D, 0x6C7967656E657261, 0x7465646279746573)
# The last word of a message of eight bytes: its length, in the upper byte (section 2.2).
_LAST_WORD = np.uint64(8 << 56)
# The state of this many numbers stays in the processor's cache.
_PART = 1 << 13


def siphash(key: bytes, numbers: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Hash each number, taken as eight bytes, little endian, by SipHash-2-4 under a key of 16 bytes.

    Aumasson and Bernstein, "SipHash: a fast short-input PRF", 2012. Fingerprints are made by public arithmetic, so
    whoever sees them can chain them to the k-grams around them. Without the key they are random numbers.
    """
    halves = np.frombuffer(key, "<u8").tolist()
    hashes = np.empty(len(numbers), np.uint64)
    for start in range(0, len(numbers), _PART):
        words = numbers[start : start + _PART]
        v = [np.full(len(words), first ^ half, np.uint64) for first, half in zip(_START, halves * 2, strict=True)]
        for word in (words, _LAST_WORD):
            v[3] ^= word
            _rounds(2, *v)
            v[0] ^= word
        v[2] ^= np.uint64(0xFF)
        _rounds(4, *v)
        hashes[start : start + _PART] = v[0] ^ v[1] ^ v[2] ^ v[3]
    return hashes


def _rounds(
    count: int, v0: NDArray[np.uint64], v1: NDArray[np.uint64], v2: NDArray[np.uint64], v3: NDArray[np.uint64]
) -> None:
    """Run SipRounds (section 2.3) in place."""
    for _ in range(count):
        _mix(v0, v1, 13)
        _rotate(v0, 32)
        _mix(v2, v3, 16)
        _mix(v0, v3, 21)
        _mix(v2, v1, 17)
        _rotate(v2, 32)


def _mix(added: NDArray[np.uint64], rotated: NDArray[np.uint64], bits: int) -> None:
    added += rotated
    _rotate(rotated, bits)
    rotated ^= added


def _rotate(words: NDArray[np.uint64], bits: int) -> None:
    upper = words >> np.uint64(64 - bits)
    words <<= np.uint64(bits)
    words |= upper


# ---- the key -----------------------------------------------------------------------------------------------------

VARIABLE = "WINNOW_CI_INDEX_KEY"
_KEY_BYTES = 32
SALT_BYTES = hashlib.blake2b.SALT_SIZE
# Part of all that is derived: change it when what is stored under the keys changes its form.
_FORM = b"1"
# A key with its line end, and room for the line end of another system.
_LONGEST_FILE = 2 * _KEY_BYTES + 2
_WRITTEN = re.compile(rb"[0-9a-fA-F]{%d}\s{0,2}" % (2 * _KEY_BYTES))
_PRIVATE = 'icacls "{}" /inheritance:r /grant:r *S-1-3-4:F' if os.name == "nt" else "chmod 600 {}"
_ASK = "ask whoever publishes the index for its key"


@record(frozen=True, slots=True)
class RowKeys:
    """What protects one publication of an index on a server; none of it may be shown."""

    hashes: bytes = field(repr=False)  # 16 bytes; under it fingerprints are hashed
    streams: bytes = field(repr=False)  # 32 bytes; under it rows are encrypted
    seals: bytes = field(repr=False)  # 32 bytes; under it rows are authenticated


@record(frozen=True, slots=True)
class IndexKey:
    """A key, and the file that it was read from."""

    secret: bytes = field(repr=False)
    path: Path

    @property
    def name(self) -> bytes:
        """Return 8 bytes that may be shown: they tell one key from another, and nothing more."""
        return self._derived(b"name", 8, "", b"")

    def keys_of(self, root: str, salt: bytes) -> RowKeys:
        """Derive the keys for a publication of the index with this root; its salt has ``SALT_BYTES`` bytes."""
        sizes = {b"hashes": 16, b"streams": 32, b"seals": 32}
        return RowKeys(*(self._derived(purpose, size, root, salt) for purpose, size in sizes.items()))

    def _derived(self, purpose: bytes, size: int, root: str, salt: bytes) -> bytes:
        person = b"winnow " + purpose
        state = hashlib.blake2b(key=self.secret, digest_size=size, person=person, salt=salt)
        state.update(_FORM + root.encode())
        return state.digest()


def write_key(path: Path) -> None:
    """Write 32 random bytes, in hexadecimal, to a new file that only its owner can read; UsageError if it cannot be."""
    try:
        descriptor = system.open_file(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError as error:
        problem = f"{path} already exists: overwriting a key would lose it, and every index published under it"
        raise UsageError(problem, "name a new file") from error
    except OSError as error:
        raise UsageError(f"cannot write {path}: {error.strerror}", "name a file in an existing folder") from error
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(secrets.token_hex(_KEY_BYTES).encode() + b"\n")
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        with suppress(OSError):
            path.unlink()
        raise UsageError(f"cannot write {path}: {error.strerror}", "make room, or name another file") from error


def read_key(environment: Mapping[str, str]) -> IndexKey:
    """Read the key in the file that the environment names.

    Raises ``IndexKeyError`` if no file is named, or it cannot be read, holds no key, or could be read by others, as ssh
    and libpq do; but a CI puts a job's secrets where it likes, on a machine that is the job's alone.
    """
    if not (named := environment.get(VARIABLE)):
        problem = f"an index on a server needs its key, but {VARIABLE} is not set"
        raise IndexKeyError(problem, f"set {VARIABLE} to the file of the key; {_ASK}")
    path = Path(named)
    try:
        with open_regular(path) as file:
            is_open = not service(environment) and system.others_may(file.fileno(), group_of_root=True)
            written = file.read(_LONGEST_FILE + 1)
    except OSError as error:
        problem = f"cannot read the index key {path}, which {VARIABLE} names: {error.strerror}"
        raise IndexKeyError(problem, f"set {VARIABLE} to the file of the key; {_ASK}") from error
    if not _WRITTEN.fullmatch(written):
        problem = f"{path}, which {VARIABLE} names, is not an index key: a key has {2 * _KEY_BYTES} hexadecimal digits"
        raise IndexKeyError(problem, f"{_ASK}, or make one: winnow-ci index key FILE")
    if is_open:
        problem = f"others can read or change the index key {path}"
        raise IndexKeyError(problem, f"let only its owner read it: {_PRIVATE.format(path)}")
    key = IndexKey(bytes.fromhex(written.decode()), path)
    run_log.tell(f"index key {key.name.hex()} from {path}")
    return key
