"""The kernel orders postings as Python does."""

from __future__ import annotations

import numpy as np
import pytest

from support.kernels import need_kernel, without_kernel
from winnow_ci.index import schema
from winnow_ci.index.coding import postings_in_order


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
    native = postings_in_order(postings)
    with without_kernel():
        reference = postings_in_order(postings)
    assert native.dtype == reference.dtype
    assert native.tobytes() == reference.tobytes()
