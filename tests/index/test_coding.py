"""The kernel makes of blocks and postings what Python makes."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from support.evidence_cases import chosen_both_ways, found_both_ways, found_case, postings_case
from support.kernels import need_kernel, without_kernel
from winnow_ci.index import schema
from winnow_ci.index.coding import Chosen, Ranges, chosen_hits, postings_among, postings_in_order
from winnow_ci.index.store import PlainForm

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


def test_it_takes_the_postings_of_the_same_hashes() -> None:
    need_kernel()
    reached: Counter[str] = Counter()
    for seed in range(CASES):
        postings, hashes = found_case(seed)
        assert found_both_ways(postings, hashes) == "", f"case {seed}"
        _, counts = postings_among(postings, hashes)
        reached["nothing asked"] += not len(hashes)
        reached["some"] += 0 < counts.sum() < len(postings)
        reached["several of one hash"] += counts.max(initial=0) > 1
        reached["none of one hash"] += counts.min(initial=1) == 0
    assert len(reached) == 4
    assert not {what for what, times in reached.items() if times < 3}


def _sealed(number: int, postings: bytes) -> StoredBlock:
    return number, postings, schema.block_digest(number, postings)


POSTINGS = bytes(range(2 * schema.POSTING.itemsize))


@pytest.mark.parametrize(
    "block",
    [
        _sealed(7, POSTINGS[:-1]),
        (7, POSTINGS, _sealed(8, POSTINGS)[2]),
        (7, POSTINGS[::-1], _sealed(7, POSTINGS)[2]),
        (7, POSTINGS, _sealed(7, POSTINGS)[2][:-1]),
        (7, POSTINGS.hex(), _sealed(7, POSTINGS)[2]),
        (7, None, None),
        (7, POSTINGS, "a digest"),
    ],
)
def test_it_finds_the_first_unsound_block(block: Any) -> None:
    need_kernel()
    sound = [_sealed(0, b""), _sealed(1, POSTINGS), _sealed(1 << 40, POSTINGS)]
    others = [block, _sealed(9, POSTINGS), (9, b"", b"")]
    for blocks in ([], sound, [block], [*sound, *others]):
        found = PlainForm().unsound_block(blocks)
        assert found == (7 if block in blocks else None)
        with without_kernel():
            assert PlainForm().unsound_block(blocks) == found


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
