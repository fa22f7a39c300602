"""The kernel orders postings, and puts them into blocks, as Python does."""

from __future__ import annotations

import numpy as np
import pytest

from support.kernels import need_kernel, without_kernel
from winnow_ci.index import schema
from winnow_ci.index.merging import HashRange, in_order


@pytest.mark.parametrize(("count", "hashes"), [(0, 1), (1, 1), (2000, 1), (2000, 40), (2000, 1 << 63)])
def test_it_orders_postings_as_python_does(count: int, hashes: int) -> None:
    need_kernel()
    chance = np.random.default_rng(count + hashes)
    postings = np.empty(count, schema.POSTING)
    # Upper bits, too: hashes are unsigned.
    postings["hash"] = chance.integers(0, hashes, count, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    postings["content"] = chance.integers(-3, 4, count) << 40
    postings["position"] = chance.integers(0, 3, count) << 31
    postings["check"] = chance.integers(0, 2, count)
    native = in_order(postings)
    with without_kernel():
        reference = in_order(postings)
    assert native.dtype == reference.dtype
    assert native.tobytes() == reference.tobytes()


@pytest.mark.parametrize(("bits", "first", "end"), [(0, 0, 1), (3, 0, 8), (3, 2, 5), (9, 500, 512), (3, 2, 2)])
def test_it_makes_the_rows_of_blocks_that_python_makes(bits: int, first: int, end: int) -> None:
    need_kernel()
    chance = np.random.default_rng(bits + first)
    postings = np.zeros(300, schema.POSTING)
    postings["hash"] = np.sort(chance.integers(0, 1 << 64, 300, dtype=np.uint64))
    # Some blocks are empty.
    numbers = schema.block_numbers(postings["hash"], bits)
    inside = postings[(numbers >= first) & (numbers < end) & (numbers % 5 != 2)]
    part = HashRange(first, end, inside)
    for higher in (0, 1 << bits):
        native = part.rows(bits, higher)
        with without_kernel():
            assert part.rows(bits, higher) == native
        assert [number for number, _, _ in native] == [*range(first + higher, end + higher)]
        assert b"".join(block for _, block, _ in native) == inside.tobytes()


@pytest.mark.parametrize(("end", "bits", "higher"), [(9, 3, 0), (1, 41, 0), (1, 64, 0), (1, 3, 1 << 41)])
def test_rows_of_blocks_that_cannot_be_are_refused(end: int, bits: int, higher: int) -> None:
    need_kernel()
    with pytest.raises(ValueError, match="cannot be"):
        HashRange(0, end, np.zeros(1, schema.POSTING)).rows(bits, higher)
