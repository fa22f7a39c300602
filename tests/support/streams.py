"""Streams of items as code has them: short patterns, each repeated some times."""

from __future__ import annotations

from typing import TypeVar

from hypothesis import strategies as st

Item = TypeVar("Item")


def streams(items: st.SearchStrategy[Item], min_size: int = 0) -> st.SearchStrategy[list[Item]]:
    """Lists of some 60 items on average; a plain list of hypothesis has 6."""
    patterns = st.tuples(st.lists(items, min_size=1, max_size=8), st.integers(1, 7))
    return st.lists(patterns, min_size=min_size, max_size=12).map(
        lambda parts: [item for pattern, times in parts for item in pattern * times]
    )
