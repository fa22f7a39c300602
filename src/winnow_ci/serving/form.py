"""The form of an index on a server: hashes under a key, rows encrypted and sealed (see ``index.store.Form``)."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from winnow_ci.index import schema
from winnow_ci.index.store import first_unsound
from winnow_ci.serving.packing import POSTING, known_bits, pack_fields, whole_hash
from winnow_ci.serving.sealing import RowSealer
from winnow_ci.serving.siphash import siphash

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from winnow_ci.index import ContentRow
    from winnow_ci.index.store import StoredBlock
    from winnow_ci.serving.index_key import RowKeys
    from winnow_ci.serving.packing import Field


class SealedForm:
    """How hashes, postings and seals are written on a server.

    Args:
        keys: of the version.
        bits: how many upper bits of a keyed hash name its block.
        crowd_bits: the same of the blocks of crowds, which follow the others.
    """

    def __init__(self, keys: RowKeys, bits: int, crowd_bits: int) -> None:
        self._keys = keys
        self._bits = bits
        self._crowd_bits = crowd_bits
        self._sealer = lru_cache(None)(lambda table: RowSealer(keys, table))

    def stored(self, hashes: NDArray[np.uint64], bits: int) -> NDArray[np.uint64]:
        """The keyed hashes, as far as postings have them."""
        return known_bits(siphash(self._keys.hashes, hashes), bits)

    def postings(self, blocks: Sequence[StoredBlock]) -> NDArray[np.void]:
        """The postings of blocks, decrypted: ``schema.POSTING``, in order."""
        numbers = [number for number, _, _ in blocks]
        rows = [postings for _, postings, _ in blocks]
        packed = self._sealer("block").crypted_rows(numbers, rows).view(POSTING)
        sizes = [len(row) // POSTING.itemsize for row in rows]
        postings = np.empty(len(packed), schema.POSTING)
        for field in ("content", "position", "check"):
            postings[field] = packed[field]
        postings["hash"] = self._hashes(np.repeat(np.array(numbers, np.int64), sizes), packed["hash"])
        return postings

    def is_id(self, content: int, row: ContentRow) -> bool:
        """Whether the id may be the rank of the content."""
        return (content < 0) == row.boilerplate

    def unsound_block(self, blocks: Sequence[StoredBlock]) -> int | None:
        """The number of the first encrypted block that has another seal."""
        return first_unsound(blocks, self._sealer("block").seal, POSTING.itemsize)

    def seal(self, table: str, number: int, fields: Sequence[Field]) -> bytes:
        """The seal of another row, given its decrypted fields."""
        sealer = self._sealer(table)
        return sealer.seal(number, sealer.crypted(number, pack_fields(fields)))

    def _hashes(self, blocks: NDArray[np.int64], parts: NDArray[np.uint32]) -> NDArray[np.uint64]:
        """The keyed hashes of postings, given the number of each one's block."""
        ordinary = 1 << self._bits
        cut = int(np.searchsorted(blocks, ordinary))
        kinds = ((blocks[:cut], parts[:cut], self._bits), (blocks[cut:] - ordinary, parts[cut:], self._crowd_bits))
        return np.concatenate([whole_hash(number.astype(np.uint64), part, bits) for number, part, bits in kinds])
