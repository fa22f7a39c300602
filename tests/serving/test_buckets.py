"""Sorting postings into blocks, against sorting all of them at once."""

from __future__ import annotations

import numpy as np
import pytest

from winnow_ci.index import schema
from winnow_ci.serving import publishing
from winnow_ci.serving.publishing import KEYED, PostingBuckets
from winnow_ci.serving.sealing import SERVED_POSTING, known_bits, whole_hash


def postings(count: int, seed: int, hash_bits: int = 64) -> np.ndarray:
    """Postings of which some share a hash, in the order in which an index gives those of one hash."""
    chance = np.random.default_rng(seed)
    made = np.empty(count, KEYED)
    made["hash"] = chance.choice(chance.integers(0, 1 << hash_bits, max(1, count // 2), dtype=np.uint64), count)
    made["hash"] <<= np.uint64(64 - hash_bits)
    for field in ("position", "check"):
        made[field] = chance.integers(0, 4, count)
    made["content"] = chance.integers(-3, 3, count)
    return made[np.lexsort([made[name] for name in reversed(schema.ORDER)])]


@pytest.mark.parametrize("count", [0, 1, 63, 64, 5_000])
@pytest.mark.parametrize("bucket", [50, 1 << 20])
def test_blocks_are_those_of_all_postings_in_order(monkeypatch: pytest.MonkeyPatch, count: int, bucket: int) -> None:
    monkeypatch.setattr(publishing, "BUCKET_POSTINGS", bucket)
    made = postings(count, count)
    with PostingBuckets(count) as buckets:
        for start in range(0, count, 700):
            buckets.add(made[start : start + 700])
        assert buckets.postings == count
        bits = buckets.block_bits()
        blocks = [np.frombuffer(block, SERVED_POSTING) for block in buckets.blocks(bits)]
    assert len(blocks) == 1 << bits
    assert sum(map(len, blocks)) == count
    numbers = np.repeat(np.arange(len(blocks), dtype=np.uint64), [*map(len, blocks)])
    packed = np.concatenate(blocks)
    assert np.array_equal(whole_hash(numbers, packed["hash"], bits), known_bits(made["hash"], bits))
    for field in ("content", "position", "check"):
        assert np.array_equal(packed[field], made[field]), field


def test_hashes_that_look_the_same_once_they_are_stored_are_ordered_together() -> None:
    # The two hashes differ in the last bit, which no posting has.
    made = np.zeros(4, KEYED)
    made["hash"] = np.array([8, 8, 9, 9], np.uint64) + np.uint64(1 << 60)
    made["check"] = [1, 5, 2, 4]
    with PostingBuckets(0) as buckets:
        buckets.add(made)
        (block,) = buckets.blocks(0)
    assert np.frombuffer(block, SERVED_POSTING)["check"].tolist() == [1, 2, 4, 5]


def test_a_process_may_have_few_files_open(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(publishing.system, "most_open_files", lambda: 64)
    with PostingBuckets(1 << 40) as buckets:
        assert len(buckets._files) == 32
