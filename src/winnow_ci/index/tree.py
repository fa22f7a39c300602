"""The tree of digests: rows → shards of a table → the root, which is the digest of the whole index.

A shard has the rows of a table whose id begins with the same 8 bits (those of ``source`` and ``overflow``, which are
few, have one shard). Its digest is XXH3-128 of the leaves of its rows, in their order; so whoever has one shard can
check it alone, and two indexes differ only in the shards in which their rows differ. The leaf of a row is its digest,
or, of a row that holds compressed bytes, a digest of what they stand for (``schema``).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import xxhash

from winnow_ci.index.schema import digest

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

SHARD_BITS = 8
# ``crowd``: the blocks of crowds, which are in the table ``block``.
BRANCHES = ("source", "content", "block", "crowd", "overflow", "text")


def shard_of_content(content: int) -> int:
    """The shard of a content or text, by its id."""
    return (content >> (64 - SHARD_BITS)) & ((1 << SHARD_BITS) - 1)


def shard_of_block(number: int, bits: int) -> int:
    """The shard of a block, by its number among the 2^bits blocks of its kind."""
    return number >> max(0, bits - SHARD_BITS)


def blocks_by_shard(first: int, end: int, bits: int) -> Iterator[tuple[int, range]]:
    """The shards of the blocks from ``first`` to ``end``, among 2^bits of their kind, and the blocks in each."""
    width = 1 << max(0, bits - SHARD_BITS)
    for shard in range(first // width, -(-end // width)):
        yield shard, range(max(first, shard * width), min(end, (shard + 1) * width))


class DigestTree:
    """The digests of an index, collected row by row; the rows of one shard must come in the order of their ids."""

    def __init__(self) -> None:
        self._shards: dict[tuple[str, int], xxhash.xxh3_128] = {}

    def add(self, branch: str, shard: int, leaves: bytes) -> None:
        """Add the leaf of a row, or those of several, one after the other."""
        state = self._shards.get((branch, shard))
        if state is None:
            state = self._shards[branch, shard] = xxhash.xxh3_128()
        state.update(leaves)

    def shards(self, branch: str) -> dict[int, bytes]:
        """The digests of the shards of a branch that have rows, by number."""
        return {shard: self._shards[of, shard].digest() for of, shard in sorted(self._shards) if of == branch}

    def root(self, meta: Mapping[str, str]) -> str:
        """Digest of the whole index, in hexadecimal: of its description, and of all shards."""
        described = [part for key in sorted(meta.keys() - {"digest"}) for part in (key, meta[key])]
        branches: list[bytes | str | int] = []
        for branch in BRANCHES:
            branches += [branch, *(part for shard in self.shards(branch).items() for part in shard)]
        return digest(*described, *branches).hex()
