"""The stored format: one SQLite file, version 5.

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
``content``   one row for each distinct content in one language, however many files have it. ``key`` is XXH3-128 of
              language and bytes. The id follows from the key (``content_id``), so it stays when an index grows or is
              merged with another one. ``map``: zlib-compressed line numbers and sketches of the tokens
              (``coding.pack_map``): enough to give exact edges, lines and similarity of a region, but not to read the
              code. ``map_digest``: XXH3-128 of the map before it is compressed. What the fallback tokenizer makes of a
              file is a content of its own, in the language ``generic``, with the same files; if Pygments could read the
              file, there is a content of the file's own language as well. Boilerplate, too, is in a language of its own
              (``BOILERPLATE`` before the name); its ids are negative, and it has a posting for each of its k-grams.
``file``      the files of each source that have a content. ``path`` is the path's bytes. ``license``: that of the file
              if it has its own, else NULL; then the licence of the source holds. ``license_from``: where it was read.
``block``     the postings that a scan reads. A posting is 24 bytes, little endian: hash u64, content i64, position
              u32, check u32 (``POSTING``). The hash is ``spread`` of the k-gram's. A phrase (``languages``) has a
              posting like a k-gram's, with a check of 0 and ``PHRASE`` added to the position. Each content has one
              more posting, of its whole file: hash and check are made of its key (``whole_file_posting``), the position
              is ``WHOLE``; so whether a file is known is one more hash to ask for. Block b holds the postings whose
              hash has b in its upper ``bits`` bits, in the order ``ORDER``. There are 2^bits such blocks; an empty one
              has a row too, so that a lost row is noticed. 2^crowd_bits more blocks follow, of crowds.
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

Why blocks instead of a row for each posting: the upper bits give the block without a search, a lookup reads blocks of
1 KB and searches them with NumPy, a posting takes 24 bytes instead of 32.5, and each block has a digest. Why
``spread``: minima of windows are small numbers, so that by their own upper bits the first blocks would hold a hundred
times the average. Why text has a table of its own: a scan that shows no text reads none of it.

Digests: SQLite does not notice rotten contents, so every row has an XXH3-128 digest of everything in it (that of a
content covers its file rows too; that of a block is ``block_digest``), which is checked whenever the row is read. So a
scan trusts nothing that it has not checked, and reads nothing that it does not need.

The digest of the whole is the root of a tree: rows → shards of a table → root (``rows.DigestTree``). A shard has the
rows of a table whose id begins with the same 8 bits (those of ``source`` and ``overflow``, which are few, have one
shard). Its digest is XXH3-128 of the leaves of its rows, in their order; so whoever has one shard can check it alone,
and two indexes differ only in the shards in which their rows differ. The leaf of a row is its digest, but for what is
compressed: the leaf of a content has ``map_digest`` instead of the map, and that of a text its size (``text_leaf``), as
the key of the content says what the text is.

The same inputs give the same root, however they were put together and whatever release of zlib compressed them, and
with one release the same file: ids follow from names and contents, never from the order of building, and nothing stores
a time. An index is written beside its place, synced, and renamed; SQLite never has a journal or a write-ahead log of
it, and opens it immutable, so that files planted beside it are not read.

History: version 1, the first. Version 2: ``text``, ``source.text``, ``texts``. Version 3: ``spread``, smaller blocks,
``block_digest``. Version 4: ``file.license``, ``purl``, ``license_from``, ``inputs``; boilerplate. Version 5: ids from
keys, crowds, postings of whole files, the tree of digests, ``map_digest``, ``file.license_from``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import xxhash

if TYPE_CHECKING:
    from numpy.typing import NDArray

APPLICATION_ID = 0x57494E4E  # "WINN"
FORMAT_VERSION = 5
ALGORITHM = "2"
BOILERPLATE = "boilerplate:"

TABLES = {
    "meta": "CREATE TABLE meta (key TEXT NOT NULL PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID",
    "source": (
        "CREATE TABLE source (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, version TEXT, license TEXT NOT NULL,"
        " url TEXT, purl TEXT, license_from TEXT, inputs TEXT, boilerplate INTEGER NOT NULL, text INTEGER NOT NULL,"
        " digest BLOB NOT NULL)"
    ),
    "content": (
        "CREATE TABLE content (id INTEGER PRIMARY KEY, key BLOB NOT NULL, language TEXT NOT NULL,"
        " front_end TEXT NOT NULL, tokens INTEGER NOT NULL, fingerprints INTEGER NOT NULL,"
        " map_digest BLOB NOT NULL, map BLOB NOT NULL, digest BLOB NOT NULL)"
    ),
    "file": (
        "CREATE TABLE file (content INTEGER NOT NULL REFERENCES content, source INTEGER NOT NULL REFERENCES source,"
        " path BLOB NOT NULL, license TEXT, license_from TEXT, PRIMARY KEY (content, source, path)) WITHOUT ROWID"
    ),
    "text": (
        "CREATE TABLE text (content INTEGER PRIMARY KEY REFERENCES content, size INTEGER NOT NULL,"
        " packed BLOB NOT NULL, digest BLOB NOT NULL)"
    ),
    "block": "CREATE TABLE block (id INTEGER PRIMARY KEY, postings BLOB NOT NULL, digest BLOB NOT NULL)",
    "overflow": "CREATE TABLE overflow (id INTEGER PRIMARY KEY, postings BLOB NOT NULL, digest BLOB NOT NULL)",
}
COUNTS = ("bits", "crowd_bits", "sources", "contents", "postings", "texts", "boilerplate", "crowded", "cut")
META = {"k", "w", "selection", "front_ends", "algorithm", "tables", "digest", *COUNTS}  # besides meta_digest

POSTING = np.dtype([("hash", "<u8"), ("content", "<i8"), ("position", "<u4"), ("check", "<u4")])
ORDER = ("hash", "check", "content", "position")
BLOCK_POSTINGS = 64
# The most postings of one hash that a scan reads. Of an index of 20 packages, 0.007 % of the hashes have more places,
# and these are 3 % of all places.
CROWD = 256
# Is added to the position of a posting of a crowd in its block.
CROWDED = 1 << 30
# The position of a whole file.
WHOLE = CROWDED - 1
OVERFLOW_POSTINGS = 2048
# A row of ``BLOCK_POSTINGS`` fills its page well.
PAGE_SIZE = 8192
# 2^64 divided by the golden ratio, odd: Knuth's multiplicative hashing (The Art of Computer Programming 3, 6.4).
_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
# A multiplier of xxHash (its second 64-bit prime), and its inverse modulo 2^64.
_SILVER = np.uint64(0xC2B2AE3D27D4EB4F)
_SILVER_INVERSE = np.uint64(pow(0xC2B2AE3D27D4EB4F, -1, 1 << 64))
# No row has a float, but damage can turn a number into one.
_TYPE_NAMES = {bytes: b"bytes", str: b"str", int: b"int", float: b"float", type(None): b"NoneType"}


def digest(*fields: bytes | str | int | None) -> bytes:
    """Return XXH3-128 of a row's fields."""
    return xxhash.xxh3_128_digest(as_bytes(*fields))


def as_bytes(*fields: bytes | str | int | None) -> bytes:
    """Return a row's fields, each with its type and length so that different rows are different bytes."""
    parts: list[bytes] = []
    for value in fields:
        data = value if isinstance(value, bytes) else str(value).encode("utf-8", "surrogateescape")
        parts += (b"%b:%d:" % (_TYPE_NAMES[type(value)], len(data)), data)
    return b"".join(parts)


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

    With the content's id they are all of the key.
    """
    return int.from_bytes(key[8:], "little"), int.from_bytes(key[4:8], "little")


def spread(hashes: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Map hashes one to one to numbers whose upper bits depend on all bits: uint64, shape of ``hashes``."""
    return hashes * _GOLDEN


def verbatim_hash(hashes: NDArray[np.uint64], checks: NDArray[np.uint32]) -> NDArray[np.uint64]:
    """Return the hash under which the verbatim places of a crowd stand; uint64. ``hashes`` are as stored."""
    return (hashes ^ checks * _SILVER) * _SILVER


def crowd_hash(verbatim: NDArray[np.uint64], checks: NDArray[np.uint32]) -> NDArray[np.uint64]:
    """Undo ``verbatim_hash``: return the hash of the crowd."""
    return verbatim * _SILVER_INVERSE ^ checks * _SILVER


def block_bits(postings: int) -> int:
    """Return how many bits of a hash give its block: on average, a block has 32 to 64 postings."""
    return max(0, (postings // BLOCK_POSTINGS).bit_length())


def block_numbers(hashes: NDArray[np.uint64], bits: int) -> NDArray[np.int64]:
    """Return the block of each hash; int64, shape of ``hashes``."""
    if bits == 0:
        return np.zeros(len(hashes), np.int64)
    return (hashes >> np.uint64(64 - bits)).astype(np.int64)
