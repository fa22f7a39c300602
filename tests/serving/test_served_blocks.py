"""Sorting postings into blocks, against sorting all of them at once."""

from __future__ import annotations

import numpy as np
import pytest

from winnow_ci.index import journal, schema
from winnow_ci.index.blocks import PostingSpool
from winnow_ci.serving.publishing import served_blocks
from winnow_ci.serving.sealing import SERVED_POSTING, known_bits, whole_hash


@pytest.mark.parametrize("count", [0, 1, 63, 64, 5_000])
@pytest.mark.parametrize("run", [50, 1 << 17])
def test_blocks_are_those_of_all_postings_in_order(monkeypatch: pytest.MonkeyPatch, count: int, run: int) -> None:
    monkeypatch.setattr(journal, "RUN_POSTINGS", run)
    chance = np.random.default_rng(count)
    made = np.empty(count, schema.POSTING)
    made["hash"] = chance.choice(chance.integers(0, 1 << 64, max(1, count // 2), dtype=np.uint64), count)
    for field in ("position", "check"):
        made[field] = chance.integers(0, 4, count)
    made["content"] = chance.integers(-3, 3, count)
    spool = PostingSpool()
    for start in range(0, count, 700):
        spool.put(made[start : start + 700])
    bits = schema.block_bits(count)
    blocks = [np.frombuffer(block, SERVED_POSTING) for block in served_blocks(spool, bits)]
    assert len(blocks) == 1 << bits
    made["hash"] = known_bits(made["hash"], bits)
    expected = made[np.lexsort([made[name] for name in reversed(schema.ORDER)])]
    numbers = np.repeat(np.arange(len(blocks), dtype=np.uint64), [*map(len, blocks)])
    packed = np.concatenate(blocks)
    assert np.array_equal(whole_hash(numbers, packed["hash"], bits), expected["hash"])
    for field in ("content", "position", "check"):
        assert np.array_equal(packed[field], expected[field]), field


def test_hashes_that_look_the_same_once_they_are_stored_are_ordered_together() -> None:
    # The two hashes differ in the last bit, which no posting has.
    made = np.zeros(4, schema.POSTING)
    made["hash"] = np.array([8, 8, 9, 9], np.uint64) + np.uint64(1 << 60)
    made["check"] = [1, 5, 2, 4]
    spool = PostingSpool()
    spool.put(made)
    (block,) = served_blocks(spool, 0)
    assert np.frombuffer(block, SERVED_POSTING)["check"].tolist() == [1, 2, 4, 5]
