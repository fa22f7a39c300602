"""The table of known texts is what its reader sums up again."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from packing import packed_hashes


@given(st.lists(st.integers(0, 2**32 - 1), max_size=30))
def test_the_table_holds_all_hashes_and_splits(hashes: list[int]) -> None:
    table = np.cumsum(packed_hashes(np.array(hashes, np.uint32)), dtype=np.uint32).tolist()
    assert table == sorted(table)
    assert set(hashes) <= set(table)
    before = [0, *table]
    added = [one for last, one in zip(before, table, strict=False) if one not in hashes and one - last != 2**16 - 1]
    assert added == []
