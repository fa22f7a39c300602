"""Rows as a server has them: encrypted, and sealed under a key that it does not have.

A row is XORed with a stream of SHAKE-256 (FIPS 202) over a key, the table and the number of the row, and its seal is
keyed BLAKE2b-128 (RFC 7693) over table, number and the encrypted bytes. The keys depend on a salt that each publication
draws, so no two rows ever have one stream, and on the root, so only rows of the index that was pinned have seals. A row
of another table, number, publication or index has another seal: a server can neither read rows, nor change, exchange or
empty them.
"""

from __future__ import annotations

import hashlib
import struct
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from winnow_ci.serving.index_key import RowKeys

SEAL_BYTES = 16
_PLACE = struct.Struct("<8sq")


class RowSealer:
    """Encrypts and seals the rows of one table of one version of an index.

    Args:
        keys: of the version.
        table: name of the table, at most eight ASCII characters.
    """

    def __init__(self, keys: RowKeys, table: str) -> None:
        self._table = table.encode()
        # Copying a state that has taken in its key is twice as fast as making one.
        self._streams = hashlib.shake_256(keys.streams)
        self._seals = hashlib.blake2b(key=keys.seals, digest_size=SEAL_BYTES)

    def seal(self, number: int, encrypted: bytes) -> bytes:
        """The seal of an encrypted row: ``SEAL_BYTES`` bytes."""
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
