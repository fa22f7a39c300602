"""How much it says that two programs share something, in bits.

``) ; }`` and ``for ( int`` are in every program, ``self`` and ``0`` in most: that two programs share them says nothing.
How common they are was learnt once for all, so that a finding does not depend on what else an index holds, from 96
million tokens of 229 projects: 23 million of C and what is read like it, 10 of Go, 27 of Java, 14 of JavaScript and
TypeScript, 23 of Python. ``python tools/tables`` makes the five tables again, byte for byte. They fit the
tokens of the front ends as these are now: a change of what a front end yields calls for new tables.

- ``grams.npy``: structural 4-grams, −log2 of the share of their first three tokens' occurrences that go on with the
  fourth. The average is 1.7 bits a token. A 4-gram that is not in the table, as fewer than three projects have it or
  it is not likelier than that, is worth ``RARE`` bits.
- ``texts.npy``: names, numbers and strings, −log2 of their share of all names, numbers or strings of their language.
  One that is not in the table is rarer than ``RAREST`` bits.

These two are sorted by the upper 32 bits of the hash, each with its bits in sixteenths.

A chain of common 4-grams is not all that programmers have in common: nobody copies the comparison function for
``qsort`` or Go's ``Len``, ``Less`` and ``Swap``. So there is a third table:

- ``common.npy``: structural 16-grams that five or more of the projects have, as the distances between the upper 32 bits
  of their sorted hashes, 16 bits each; a longer distance is several, and the hashes in between stand for nothing.

And two of words that say less than their rarity, as they go with what is done: ``queue`` and ``popleft``, ``args`` and
``kwargs``. They hold upper 32 bits of hashes, sorted:

- ``everyday.npy``: names, numbers and strings that eight or more of the projects have.
- ``phrases.npy``: phrases of comments, strings and long names that two or more have.
"""

from __future__ import annotations

from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from winnow_ci.winnowing.kgrams import among, nearest

if TYPE_CHECKING:
    from numpy.typing import NDArray

RARE = 7.0
RAREST = 13.0
AVERAGE = 1.7
COMMON = 16
ROW = np.dtype([("hash", "<u4"), ("sixteenths", "u1")])


def gram_bits(grams: NDArray[np.uint64]) -> NDArray[np.float64]:
    """Bits of the last token of each structural 4-gram, after the three before it.

    Args:
        grams: uint64, shape (n,); hashes of the 4-grams, as ``kgram_hashes(structural, GRAM)`` makes them.

    Returns:
        float64, shape (n,); at most ``RARE``.
    """
    return np.minimum(_table("grams").bits(grams, RARE), RARE)


def text_bits(texts: NDArray[np.uint64]) -> NDArray[np.float64]:
    """Bits of names, numbers or strings, given by their verbatim ids: float64, shape (n,); at most ``RAREST``."""
    return _table("texts").bits(texts, RAREST)


def is_common(sixteen_grams: NDArray[np.uint64]) -> NDArray[np.bool_]:
    """Tell which 16-grams are common property: bool, shape (n,)."""
    return among((sixteen_grams >> np.uint64(32)).astype(np.uint32), _common())


def is_everyday(texts: NDArray[np.uint64]) -> NDArray[np.bool_]:
    """Tell which names, numbers or strings everybody uses, given their verbatim ids: bool, shape (n,)."""
    return among((texts >> np.uint64(32)).astype(np.uint32), _hashes("everyday"))


def is_common_phrase(phrases: NDArray[np.uint64]) -> NDArray[np.bool_]:
    """Tell which phrases are common property, given their hashes: bool, shape (n,)."""
    return among((phrases >> np.uint64(32)).astype(np.uint32), _hashes("phrases"))


class _Table(NamedTuple):
    hashes: NDArray[np.uint32]
    sixteenths: NDArray[np.uint8]

    def bits(self, hashes: NDArray[np.uint64], unknown: float) -> NDArray[np.float64]:
        upper = (hashes >> np.uint64(32)).astype(np.uint32)
        places = nearest(upper, self.hashes)
        return np.where(self.hashes[places] == upper, self.sixteenths[places] / 16, unknown)


@cache
def _table(name: str) -> _Table:
    rows = _read(name)
    return _Table(np.ascontiguousarray(rows["hash"]), rows["sixteenths"])


@cache
def _common() -> NDArray[np.uint32]:
    return np.cumsum(_read("common"), dtype=np.uint32)


@cache
def _hashes(name: str) -> NDArray[np.uint32]:
    return _read(name)


def _read(name: str) -> NDArray[Any]:
    with resources.as_file(resources.files(__package__) / f"{name}.npy") as file:
        rows: NDArray[Any] = np.load(file)
    return rows
