"""The kernel makes of blocks and postings what Python makes."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from support.evidence_cases import block_case, chosen_both_ways, packed_both_ways, postings_case
from support.kernels import need_kernel, without_kernel
from winnow_ci.index import schema
from winnow_ci.index.coding import (
    BlockLayout,
    Chosen,
    Ranges,
    chosen_hits,
    first_unsound,
    pack_blocks,
    postings_in_order,
    unpack_blocks,
)

if TYPE_CHECKING:
    from winnow_ci.index.coding import StoredBlock

CASES = 200


def test_it_chooses_as_python_does() -> None:
    need_kernel()
    reached: Counter[str] = Counter()
    for seed in range(CASES):
        case = postings_case(seed)
        assert chosen_both_ways(case) == "", f"case {seed}"
        of_shapes = chosen_hits(case.queries, case.shapes, Chosen(case.texts.postings, []))
        hits = chosen_hits(*case)
        given = sum(int((stops - starts).sum()) for starts, stops in (*case.shapes.ranges, *case.texts.ranges))
        reached["nothing"] += not len(hits)
        reached["a text of its own"] += len(hits) > len(of_shapes)
        reached["left out"] += len(hits) < given
    assert len(reached) == 3
    assert not {what for what, times in reached.items() if times < 3}


@pytest.mark.parametrize(("start", "stop"), [(-1, 0), (1, 0), (0, 3)])
def test_ranges_outside_of_the_postings_are_refused(start: int, stop: int) -> None:
    need_kernel()
    postings, one = np.zeros(2, schema.POSTING), np.zeros(1, np.int64)
    with pytest.raises(ValueError, match="outside"):
        chosen_hits(one, Chosen(postings, [Ranges(one + start, one + stop)]), Chosen(postings, []))


def _sealed(number: int, block: bytes) -> StoredBlock:
    return number, block, schema.block_digest(number, block)


BLOCK = bytes(range(48))


@pytest.mark.parametrize(
    "block",
    [
        (7, BLOCK, _sealed(8, BLOCK)[2]),
        (7, BLOCK[::-1], _sealed(7, BLOCK)[2]),
        (7, BLOCK, _sealed(7, BLOCK)[2][:-1]),
        (7, BLOCK.hex(), _sealed(7, BLOCK)[2]),
        (7, None, None),
        (7, BLOCK, "a digest"),
    ],
)
def test_the_first_unsound_block_is_found(block: Any) -> None:
    sound = [_sealed(0, b""), _sealed(1, BLOCK), _sealed(1 << 40, BLOCK)]
    others = [block, _sealed(9, BLOCK), (9, b"", b"")]
    for blocks in ([], sound, [block], [*sound, *others]):
        assert first_unsound(blocks, schema.block_digest) == (7 if block in blocks else None)


def test_blocks_survive_packing_with_and_without_the_kernel() -> None:
    need_kernel()
    reached: Counter[str] = Counter()
    for seed in range(CASES):
        number, postings, layout = block_case(seed)
        assert packed_both_ways(number, postings, layout) == "", f"case {seed}"
        packed = pack_blocks(postings, np.array([0, len(postings)]), layout)
        asked = np.unique(np.append(postings["hash"][::7], [np.uint64(0), np.uint64((1 << 64) - 1)]))
        some = postings[np.isin(postings["hash"], asked)]
        assert unpack_blocks([(number, packed[0])], layout).tobytes() == postings.tobytes()
        assert unpack_blocks([(number, packed[0])], layout, asked).tobytes() == some.tobytes()
        with without_kernel():
            assert unpack_blocks([(number, packed[0])], layout, asked).tobytes() == some.tobytes()
        reached["empty"] += not len(postings)
        reached["equal hashes"] += len(np.unique(postings["hash"])) < len(postings)
        reached["some asked"] += 0 < len(some) < len(postings)
        reached["crowds"] += bool(postings["position"].max(initial=0) & schema.CROWDED)
        lower, upper = layout.rest_bits(len(postings))
        reached["as many lower bits as upper ones"] += lower == upper
    assert len(reached) == 5
    assert not {what for what, times in reached.items() if times < 9}


def test_a_damaged_block_is_refused_or_read_alike_with_and_without_the_kernel() -> None:
    need_kernel()
    verdicts: Counter[bool] = Counter()
    for seed in range(3 * CASES):
        number, postings, layout = block_case(seed)
        chance = np.random.default_rng(seed)
        (packed,) = pack_blocks(postings[:70], np.array([0, min(70, len(postings))]), layout)
        damaged = bytearray(packed or b"\1")
        for at in chance.integers(0, len(damaged), int(chance.integers(0, 3))):
            damaged[at] = chance.integers(0, 256)
        cut = bytes(damaged[: int(chance.choice([len(damaged), len(damaged) - 1]))])
        read = _read_or_refused(number, cut, layout)
        with without_kernel():
            assert _read_or_refused(number, cut, layout) == read
        verdicts[read is None] += 1
    assert min(verdicts.values()) > 50


def _read_or_refused(number: int, block: bytes, layout: BlockLayout) -> bytes | None:
    try:
        return unpack_blocks([(number, block)], layout).tobytes()
    except ValueError:
        return None


@pytest.mark.parametrize("layout", [BlockLayout(49, 9), BlockLayout(0, 57)])
def test_the_kernel_refuses_an_impossible_layout(layout: BlockLayout) -> None:
    need_kernel()
    with pytest.raises((ValueError, OverflowError)):
        unpack_blocks([(0, b"x")], layout)


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
