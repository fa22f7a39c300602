"""Rows on a server: each change of a row, or of its place, shows. And SipHash against its definition."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from winnow_ci.index.rows import pack_fields, unpack_fields
from winnow_ci.serving.sealing import SEAL_BYTES, IndexKey, RowSealer, siphash

KEY = IndexKey(bytes(range(32)), Path("org.key"))
ROOT = "5" * 32
SALT = bytes(range(16))
ROW = bytes(range(256)) * 2
PLACES = [(table, root, number) for table in ("block", "content") for root in (ROOT, "6" * 32) for number in range(20)]

FIELDS = st.lists(st.none() | st.integers(-(2**63), 2**63 - 1) | st.text() | st.binary(), max_size=8)


def sealer(table: str = "block", root: str = ROOT, key: IndexKey = KEY, salt: bytes = SALT) -> RowSealer:
    return RowSealer(key.keys_of(root, salt), table)


@given(st.integers(-(2**63), 2**63 - 1), st.binary(max_size=300))
def test_a_row_comes_back_as_it_was(number: int, row: bytes) -> None:
    encrypted = sealer().crypted(number, row)
    assert len(encrypted) == len(row)
    assert sealer().crypted(number, encrypted) == row
    assert len(sealer().seal(number, encrypted)) == SEAL_BYTES


@given(st.lists(st.binary(max_size=40), max_size=6))
def test_rows_together_are_those_one_by_one(rows: list[bytes]) -> None:
    one_by_one = [sealer().crypted(number, row) for number, row in enumerate(rows)]
    assert sealer().crypted_rows(range(len(rows)), rows).tobytes() == b"".join(one_by_one)


@given(st.integers(0, 8 * len(ROW) - 1))
def test_a_bit_that_flips_changes_the_seal(bit: int) -> None:
    data = bytearray(ROW)
    data[bit // 8] ^= 1 << bit % 8
    assert sealer().seal(7, bytes(data)) != sealer().seal(7, ROW)


def test_a_seal_is_of_one_table_number_index_publication_and_key() -> None:
    seals = [
        *(sealer(table, root).seal(number, ROW) for table, root, number in PLACES),
        sealer(key=IndexKey(bytes(32), Path("other.key"))).seal(0, ROW),
        sealer(salt=bytes(16)).seal(0, ROW),
        *(sealer().seal(0, row) for row in (b"", ROW[:-16], ROW + ROW[:16])),
    ]
    assert len(set(seals)) == len(seals) == 85


def test_equal_rows_look_different_in_each_place() -> None:
    rows = [sealer(table, root).crypted(number, bytes(64)) for table, root, number in PLACES]
    assert len(set(rows)) == len(rows) == 80
    assert bytes(64) not in rows
    assert all(len({row[part : part + 16] for part in range(0, 64, 16)}) == 4 for row in rows)


@given(FIELDS)
def test_fields_come_back_as_they_were(fields: list[bytes | str | int | None]) -> None:
    assert unpack_fields(pack_fields(fields)) == fields


@given(st.binary(max_size=60))
def test_what_are_no_fields_is_refused_or_is_something_else(row: bytes) -> None:
    try:
        fields = unpack_fields(row)
    except ValueError:
        return
    assert pack_fields(fields) == row


@pytest.mark.parametrize(
    "row", [b"x", b"i1234567", b"t\x05\0\0\0four", b"b\xff\xff\xff\xff", b"t\x01\0", b"n" * 9 + b"?"]
)
def test_fields_that_are_cut_off_are_refused(row: bytes) -> None:
    with pytest.raises(ValueError, match=r"a truncated field|a field of unknown type"):
        unpack_fields(row)


# ---- SipHash-2-4 ----

WORD = (1 << 64) - 1
HASH_KEY = bytes(range(16))


def rotated(word: int, bits: int) -> int:
    return (word << bits | word >> 64 - bits) & WORD


def rounds(v: list[int], count: int) -> None:
    for _ in range(count):
        v[0] = v[0] + v[1] & WORD
        v[2] = v[2] + v[3] & WORD
        v[1], v[3] = rotated(v[1], 13) ^ v[0], rotated(v[3], 16) ^ v[2]
        v[0] = rotated(v[0], 32) + v[3] & WORD
        v[2] = v[2] + v[1] & WORD
        v[1], v[3] = rotated(v[1], 17) ^ v[2], rotated(v[3], 21) ^ v[0]
        v[2] = rotated(v[2], 32)


def plain(key: bytes, message: bytes) -> int:
    """Section 2 of the paper, for messages of any length."""
    k = [int.from_bytes(key[start : start + 8], "little") for start in (0, 8)]
    text = [b"somepseu", b"dorandom", b"lygenera", b"tedbytes"]
    v = [int.from_bytes(word, "big") ^ k[n % 2] for n, word in enumerate(text)]
    padded = message + bytes(7 - len(message) % 8) + bytes([len(message) % 256])
    for start in range(0, len(padded), 8):
        word = int.from_bytes(padded[start : start + 8], "little")
        v[3] ^= word
        rounds(v, 2)
        v[0] ^= word
    v[2] ^= 0xFF
    rounds(v, 4)
    return v[0] ^ v[1] ^ v[2] ^ v[3]


def test_the_plain_definition_is_that_of_the_paper() -> None:
    # Appendix A: a message of fifteen bytes.
    assert plain(HASH_KEY, bytes(range(15))) == 0xA129CA6149BE45E5


def test_eight_bytes_hash_as_in_the_reference_implementation() -> None:
    # The ninth of the vectors that its authors publish beside it: 62 24 93 9a 79 f5 f5 93.
    (found,) = siphash(HASH_KEY, np.frombuffer(bytes(range(8)), "<u8"))
    assert int(found) == int.from_bytes(bytes.fromhex("6224939a79f5f593"), "little") == plain(HASH_KEY, bytes(range(8)))


@given(
    st.binary(min_size=16, max_size=16),
    st.lists(st.integers(0, WORD) | st.sampled_from([0, 1, WORD, 1 << 63]), max_size=8),
)
def test_arrays_hash_as_the_plain_definition_says(key: bytes, numbers: list[int]) -> None:
    before = np.array(numbers, np.uint64)
    hashes = siphash(key, before)
    assert hashes.dtype == np.uint64
    assert hashes.tolist() == [plain(key, number.to_bytes(8, "little")) for number in numbers]
    assert before.tolist() == numbers


def test_long_arrays_hash_like_their_parts() -> None:
    numbers = np.arange(20_000, dtype=np.uint64)
    hashes = siphash(HASH_KEY, numbers)
    for number in (0, 8_191, 8_192, 16_384, 19_999):
        assert hashes[number] == plain(HASH_KEY, number.to_bytes(8, "little"))
