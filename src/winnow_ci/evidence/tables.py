"""Look up how rare tokens, names and lines are in common code, in bits.

``) ; }`` and ``for ( int`` are in every program, ``self`` and ``0`` in most: sharing them is no evidence of a copy.
How common they are was learnt once from 210 million tokens of 562 projects: 76 million of C and C++, 28 of Java, 26 of
Python, 20 of JavaScript and TypeScript, 15 of Go, 14 of Rust, 9 of HTML, 7 of PHP, 4 of Scala, 3 of C#, 2 each of
Kotlin, Ruby and shell, 1 of Swift. So a finding does not depend on what else an index holds. ``python tools/tables``
makes the tables again, byte for byte; a front end that yields other tokens needs new ones.

- ``grams.npy``: structural 4-grams, −log2 of the share of their first three tokens' occurrences that go on with the
  fourth. The average is 1.7 bits a token. A 4-gram that is not in the table, as fewer than three projects have it or
  it is not likelier than that, is worth ``RARE_GRAM`` bits.
- ``texts.npy``: names, numbers and strings, −log2 of their share of all names, numbers or strings of their language.
  A text that is not in the table is rarer than ``RAREST`` bits.
- ``common.npy``: structural 16-grams that five or more of the projects have (more where more projects were learnt,
  three where few tokens were), and whole lines, by their text, that four or more have or that generators write
  (``lines``): as the distances between the upper 32 bits of their sorted hashes, 16 bits each. A longer distance is
  split; the hashes at the splits stand for nothing. Nobody copies the comparison function for ``qsort``.
- ``everyday.npy``: names, numbers and strings that eight or more of the projects have, as the sorted upper 32 bits of
  their hashes. They go with the purpose of code: ``queue`` and ``popleft``, ``args`` and ``kwargs``.
- ``phrases.npy``: phrases of comments, strings and long names that two or more have, as distances like the 16-grams.

The first two are sorted by the upper 32 bits of the hash, each with its bits in sixteenths. An index leaves out the
phrases of ``phrases.npy``, and a finding is judged by all tables, so an index has their digest. The tables hold counts
and hashes, from which no code can be read: they are facts about those projects, and stand under the licence of this
one, Apache-2.0.
"""

from __future__ import annotations

from functools import cache
from mmap import ACCESS_READ, mmap
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import xxhash
from numpy.lib.format import read_array_header_1_0, read_magic

from winnow_ci.arrays import STEPS, among, nearest
from winnow_ci.named_tuples import NamedTuple
from winnow_ci.native import kernel

if TYPE_CHECKING:
    from numpy.typing import NDArray

NAMES = ("common", "everyday", "grams", "phrases", "texts")
RARE_GRAM = 7.0
RAREST = 13.0
AVERAGE = round(1.7 * STEPS) / STEPS
COMMON = 16
ROW = np.dtype([("hash", "<u4"), ("sixteenths", "u1")])


@cache
def tables_digest() -> str:
    """XXH3-128 of the tables, in hexadecimal: of the digests of their files, by name."""
    return xxhash.xxh3_128_hexdigest(b"".join(_file(name)[1] for name in NAMES))


def gram_bits(grams: NDArray[np.uint64]) -> NDArray[np.float64]:
    """Bits of the last token of each structural 4-gram, after the three before it: float64, at most ``RARE_GRAM``."""
    return np.minimum(_table("grams").bits(grams, RARE_GRAM), RARE_GRAM)


def text_bits(texts: NDArray[np.uint64]) -> NDArray[np.float64]:
    """Bits of names, numbers or strings, given by their verbatim ids: float64, shape (n,); at most ``RAREST``."""
    return _table("texts").bits(texts, RAREST)


def is_common(hashes: NDArray[np.uint64]) -> NDArray[np.bool_]:
    """Return which 16-grams, or lines (``lines.line_hashes``), are common property: bool, shape (n,)."""
    return _are_in("common", hashes)


def is_everyday(texts: NDArray[np.uint64]) -> NDArray[np.bool_]:
    """Return which names, numbers or strings many projects use, given their verbatim ids: bool, shape (n,)."""
    return _are_in("everyday", texts)


def is_common_phrase(phrases: NDArray[np.uint64]) -> NDArray[np.bool_]:
    """Return which phrases are common property, given their hashes: bool, shape (n,)."""
    return _are_in("phrases", phrases)


def weight_tables() -> tuple[Any, Any, Any, Any]:
    """What the kernel weighs by: the tables of 4-grams and texts, and what is common property and everyday."""
    return _table("grams"), _table("texts"), _known_hashes("common"), _known_hashes("everyday")


class _Table(NamedTuple):
    hashes: NDArray[np.uint32]
    sixteenths: NDArray[np.uint8]

    def bits(self, hashes: NDArray[np.uint64], unknown: float) -> NDArray[np.float64]:
        upper = _upper(hashes)
        places = nearest(upper, self.hashes)
        return np.where(self.hashes[places] == upper, self.sixteenths[places] / 16, unknown)


def _upper(hashes: NDArray[np.uint64]) -> NDArray[np.uint32]:
    return (hashes >> np.uint64(32)).astype(np.uint32)


@cache
def _table(name: str) -> _Table:
    rows, _ = _file(name)
    return _Table(np.ascontiguousarray(rows["hash"]), np.ascontiguousarray(rows["sixteenths"]))


def _are_in(name: str, hashes: NDArray[np.uint64]) -> NDArray[np.bool_]:
    """Return which hashes are in a table without bits; the kernel finds out in less time."""
    if kernel():
        known: NDArray[np.bool_] = _known_hashes(name).among(np.ascontiguousarray(hashes))
        return known
    return among(_upper(hashes), _hashes(name))


@cache
def _known_hashes(name: str) -> Any:
    """A table without bits, as the kernel has it: it takes distances, too."""
    return kernel().KnownHashes(_file(name)[0])


@cache
def _hashes(name: str) -> NDArray[np.uint32]:
    """The sorted hashes of a table without bits, which may have the distances between them."""
    rows, _ = _file(name)
    if rows.dtype == np.uint32:
        return rows
    hashes: NDArray[np.uint32] = rows.astype(np.uint32)
    # In place, NumPy takes a sixth of the time that it takes to add numbers of another type.
    return hashes.cumsum(dtype=np.uint32, out=hashes)


@cache
def _file(name: str) -> tuple[NDArray[Any], bytes]:
    """The rows and the digest of a file, which is read once for both."""
    # ``np.load`` would copy the rows, in several times the time; so would reading the file, into new pages of memory.
    with Path(__file__).with_name(f"{name}.npy").open("rb") as file:
        read_magic(file)
        _, _, dtype = read_array_header_1_0(file)
        begin = file.tell()  # Windows moves it
        content = mmap(file.fileno(), 0, access=ACCESS_READ)
        return np.frombuffer(content, dtype, offset=begin), xxhash.xxh3_128_digest(content)
