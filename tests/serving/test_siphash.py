"""SipHash-2-4 against the paper and against a definition written out plainly."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from winnow_ci.serving.siphash import KEY_BYTES, siphash

WORD = (1 << 64) - 1
KEY = bytes(range(KEY_BYTES))


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
    assert plain(KEY, bytes(range(15))) == 0xA129CA6149BE45E5


def test_eight_bytes_hash_as_in_the_reference_implementation() -> None:
    # The ninth of the vectors that its authors publish beside it: 62 24 93 9a 79 f5 f5 93.
    (found,) = siphash(KEY, np.frombuffer(bytes(range(8)), "<u8"))
    assert int(found) == int.from_bytes(bytes.fromhex("6224939a79f5f593"), "little") == plain(KEY, bytes(range(8)))


@given(
    st.binary(min_size=KEY_BYTES, max_size=KEY_BYTES),
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
    hashes = siphash(KEY, numbers)
    for number in (0, 8_191, 8_192, 16_384, 19_999):
        assert hashes[number] == plain(KEY, number.to_bytes(8, "little"))
