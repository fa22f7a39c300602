"""The stored format: one SQLite file, version 6.

An index maps fingerprints of known code to the places where they stand. It keeps the text of a source only if that was
asked for.

``meta``      one row a key. ``k``, ``w``, ``selection``: the parameters. ``front_ends``: JSON, family → revision,
              of the front ends whose tokens are inside. ``algorithm``: revision of hashing and selection. ``tables``:
              digest of the learnt tables (``evidence.tables``) with which the index was made. ``bits``,
              ``crowd_bits``: see ``block``. ``sources``, ``contents``, ``postings``, ``texts``: how many there are.
              ``boilerplate``: how many of the contents are boilerplate. ``crowded``: how many hashes are; ``cut``: how
              many postings no scan sees. ``digest``: of the whole index, its root. ``meta_digest``: of all other rows
              of this table.
``source``    a body of known code (``model.Source``). Ids count from 0 in the order of the names. ``text``: 1 if the
              index keeps the text of its contents, else 0. ``boilerplate``: 1 or 0.
``pack``      the contents, in packs (``content_packs``). There is one for each distinct content in one language,
              however many files have it. Its *key* is XXH3-128 of language and bytes, and its *id* follows from the key
              (``content_id``), so it stays when an index grows or is merged. With it are its files, their own licences,
              and its *token map*: lines and sketches of the tokens (``coding.pack_map``), enough to give exact edges,
              lines and similarity of a region, but not to read the code. What the fallback tokenizer makes of a file is
              a content of its own, in the language ``generic``. So is boilerplate (``BOILERPLATE`` before the name of
              the language): its ids are negative, and it has a posting for each of its k-grams.
``directory`` the ids of the contents, how many tokens each has, and the sizes of the packs, in the order of the packs:
              that of the first file (source, path), so that neighbours are alike. All contents together have a *place*
              for each token, and one more each; a content begins at the sum of those before it.
``block``     the postings that a scan reads (``coding.pack_block``). A posting is a hash, a place, and a check.
              Of ``spread`` of the k-gram's hash the upper ``HASH_BITS`` bits are kept. A phrase (``languages``) has a
              posting like a k-gram's, without a check. Each content has one more posting, of its whole file: hash and
              check are made of its key (``whole_file_posting``), so a file is known by one more hash. Block b holds the
              postings whose hash has b in its upper ``bits`` bits, in the order ``ORDER``. There are 2^bits such
              blocks; an empty one has a row, too, so that a lost row is noticed. 2^crowd_bits more follow, of crowds.
              In memory (``POSTING``) a posting has the id of the content, and the position in it, with ``PHRASE`` added
              for a phrase, and ``WHOLE`` for a whole file.
``overflow``  postings of crowds that no scan reads, in the order ``ORDER``, ``OVERFLOW_POSTINGS`` a row.
``text``      one row for each content of a source with ``text``, whoever else has the content, and no other row: the
              bytes of the file, zlib-compressed, and their number. They are that content's text if its ``key`` fits.

Crowds: a hash with more than ``CROWD`` places is weak evidence of where a copy comes from, and without a bound one
block could hold a large part of an index. So only ``CROWD`` of its postings stay in its block (``blocks.in_sample``),
with ``CROWDED`` added to the position. All of them stand once more under the hash that ``verbatim_hash`` makes of hash
and check: each text of a crowd keeps ``CROWD`` places of its own, so a bounded look-up loses no verbatim copy. These
are in the blocks after the first 2^bits, by the upper ``crowd_bits`` bits of that hash. What is beyond ``CROWD`` there,
and the whole crowd of a phrase, is in ``overflow``. So an index still has every posting, and growing, removing and
merging are exact; ``postings`` counts each once, and no whole files.

The upper bits of a hash give its block without a search, and a block has one digest. Without ``spread``, the first
blocks would hold a hundred times the average, since minima of windows are small. SQLite fills pages badly with rows of
half a page, hence chunks. What each part takes is in decision 53.

Digests: SQLite does not notice rotten contents, so every row, and every pack, has an XXH3-128 digest of everything in
it (that of a block is ``block_digest``), which is checked whenever it is read.

The digest of the whole is the root of a tree: rows → shards of a table → root (``rows.DigestTree``). A shard has the
rows of a table, or the contents, whose id begins with the same 8 bits (those of ``source``, ``directory`` and
``overflow``, which are few, have one shard). Its digest is XXH3-128 of the leaves of its rows, in their order; so
whoever has one shard can check it alone. The leaf of a row is its digest, but for what is compressed: the leaf of a
content is ``ContentRow.leaf``, that of a row of the directory leaves the sizes of packs out, and that of a text is its
size (``text_leaf``), as the key of the content says what the text is. Two indexes differ only in the shards of contents
and texts in which they differ; their blocks all differ, as places move.

The same inputs give the same root, however they were put together and whatever release of zlib compressed them, and
with one release the same file: ids follow from names and contents, never from the order of building, and nothing stores
a time. SQLite never has a journal or a write-ahead log of an index, and opens it immutable, so that files planted
beside it are not read.

History: version 2 added texts; 3 ``spread`` and smaller blocks; 4 boilerplate and licences of files; 5 ids from keys,
crowds, postings of whole files and the tree of digests; 6 shorter hashes and checks, places, packed blocks and packs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import xxhash

if TYPE_CHECKING:
    from numpy.typing import NDArray

APPLICATION_ID = 0x57494E4E  # "WINN"
FORMAT_VERSION = 6
ALGORITHM = "2"
BOILERPLATE = "boilerplate:"

TABLES = {
    "meta": "CREATE TABLE meta (key TEXT NOT NULL PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID",
    "source": (
        "CREATE TABLE source (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, version TEXT, license TEXT NOT NULL,"
        " url TEXT, purl TEXT, license_from TEXT, inputs TEXT, boilerplate INTEGER NOT NULL, text INTEGER NOT NULL,"
        " digest BLOB NOT NULL)"
    ),
    "pack": "CREATE TABLE pack (id INTEGER PRIMARY KEY, chunk BLOB NOT NULL)",
    "directory": (
        "CREATE TABLE directory (id INTEGER PRIMARY KEY, ids BLOB NOT NULL, tokens BLOB NOT NULL, packs BLOB NOT NULL,"
        " digest BLOB NOT NULL)"
    ),
    "text": (
        "CREATE TABLE text (content INTEGER PRIMARY KEY, size INTEGER NOT NULL,"
        " packed BLOB NOT NULL, digest BLOB NOT NULL)"
    ),
    "block": "CREATE TABLE block (id INTEGER PRIMARY KEY, postings BLOB NOT NULL, digest BLOB NOT NULL)",
    "overflow": "CREATE TABLE overflow (id INTEGER PRIMARY KEY, postings BLOB NOT NULL, digest BLOB NOT NULL)",
}
COUNTS = ("bits", "crowd_bits", "sources", "contents", "postings", "texts", "boilerplate", "crowded", "cut")
META = {"k", "w", "selection", "front_ends", "algorithm", "tables", "digest", *COUNTS}  # besides meta_digest

POSTING = np.dtype([("hash", "<u8"), ("content", "<i8"), ("position", "<u4"), ("check", "<u4")])
ORDER = ("hash", "check", "content", "position")
BLOCK_POSTINGS = 128
HASH_BITS = 48  # what an index keeps of a hash: the upper bits
CHECK_BITS = 16  # and of a check: the lower bits
# The most postings of one hash that a scan reads. Of an index of 20 packages, 0.007 % of the hashes have more places,
# and these are 3 % of all places.
CROWD = 256
CROWDED = 1 << 30  # is added to the position of a posting of a crowd in its block
WHOLE = CROWDED - 1  # the position of a whole file
OVERFLOW_POSTINGS = 2048
PAGE_SIZE = 16384  # rows of ``BLOCK_POSTINGS`` fill their pages well
PACK_CHUNK = PAGE_SIZE - 48  # fills a page
PACK = 32  # contents of a pack
DIRECTORY = 128 * PACK  # contents of a row of the directory: whole packs
# 2^64 divided by the golden ratio, odd: Knuth's multiplicative hashing (The Art of Computer Programming 3, 6.4).
_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_SILVER = np.uint64(0xC2B2AE3D27D4EB4F)  # the second 64-bit prime of xxHash
_SILVER_INVERSE = np.uint64(pow(0xC2B2AE3D27D4EB4F, -1, 1 << 64))
_LOST = np.uint64(64 - HASH_BITS)
# No row has a float, but damage can turn a number into one.
_TYPE_NAMES = {bytes: b"bytes", str: b"str", int: b"int", float: b"float", type(None): b"NoneType"}


def digest(*fields: bytes | str | int | None) -> bytes:
    """Return XXH3-128 of a row's fields, each with its type and length so that different rows are different bytes."""
    parts: list[bytes] = []
    for value in fields:
        data = value if isinstance(value, bytes) else str(value).encode("utf-8", "surrogateescape")
        parts += (b"%b:%d:" % (_TYPE_NAMES[type(value)], len(data)), data)
    return xxhash.xxh3_128_digest(b"".join(parts))


def block_digest(number: int, postings: bytes) -> bytes:
    """Return XXH3-128 of a block's postings with its number as the seed, which is quick: a scan checks thousands."""
    return xxhash.xxh3_128_digest(postings, number)


def overflow_digest(number: int, postings: bytes) -> bytes:
    """Return the same of a row of ``overflow``, which is no block's."""
    return xxhash.xxh3_128_digest(postings, number | 1 << 63)


def text_leaf(content: int, size: int) -> bytes:
    """Return the leaf of a text in the tree of digests."""
    return digest(content, size)


def content_key(language: str, content: bytes) -> bytes:
    """Return the key of a content in one language: 16 bytes."""
    return xxhash.xxh3_128(language.encode() + b"\0" + content).digest()


def content_id(key: bytes, *, boilerplate: bool) -> int:
    """Return the id of a content: 63 bits of its key; −1 − x instead of x if it is boilerplate."""
    number = int.from_bytes(key[:8], "big") >> 1
    return -1 - number if boilerplate else number


def whole_file_posting(key: bytes) -> tuple[int, int]:
    """Return hash (as stored) and check of the posting of a content's whole file, given the content's key.

    Of keys with one id and one hash, no two that differ in one byte have the same check.
    """
    lost = 64 - HASH_BITS
    hashed = int.from_bytes(key[8:], "little") >> lost << lost
    return hashed, int.from_bytes(key[6:8], "little") ^ int.from_bytes(key[8:10], "little")


def spread(hashes: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Map hashes to numbers whose upper bits depend on all bits, without those that no index keeps: uint64."""
    return hashes * _GOLDEN >> _LOST << _LOST


def kept_checks(checks: NDArray[np.uint32]) -> NDArray[np.uint32]:
    """Return what an index keeps of checks: uint32."""
    return checks & np.uint32((1 << CHECK_BITS) - 1)


def verbatim_hash(hashes: NDArray[np.uint64], checks: NDArray[np.uint32]) -> NDArray[np.uint64]:
    """Return the hash under which the verbatim places of a crowd stand; uint64. Both are given as stored."""
    return (((hashes >> _LOST) ^ checks * _SILVER) * _SILVER) << _LOST


def crowd_hash(verbatim: NDArray[np.uint64], checks: NDArray[np.uint32]) -> NDArray[np.uint64]:
    """Undo ``verbatim_hash``: return the hash of the crowd."""
    return (((verbatim >> _LOST) * _SILVER_INVERSE) ^ checks * _SILVER) << _LOST


def block_bits(postings: int) -> int:
    """Return how many bits of a hash give its block: on average, a block has 64 to 128 postings."""
    return max(0, (postings // BLOCK_POSTINGS).bit_length())


def block_numbers(hashes: NDArray[np.uint64], bits: int) -> NDArray[np.int64]:
    """Return the block of each hash; int64, shape of ``hashes``."""
    if bits == 0:
        return np.zeros(len(hashes), np.int64)
    return (hashes >> np.uint64(64 - bits)).astype(np.int64)
