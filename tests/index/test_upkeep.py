"""Drafts that keep several indexes, against a naive definition."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import HealthCheck, event, given, settings
from hypothesis import strategies as st

from support.indexes import FRONT_ENDS, PARAMETERS, TABLES, entry, write_index
from winnow_ci.index import (
    IndexDraft,
    WholeIndex,
    journal,
    replacing,
    schema,
    verify,
)
from winnow_ci.model import Source

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    import pytest

    from winnow_ci.index import NewContent

HASHES = st.lists(st.tuples(st.integers(0, 9), st.integers(0, 2)), min_size=1, max_size=12)
# Some contents, and for each of up to five sources the numbers of those that it has.
SHOPS = st.lists(HASHES, min_size=1, max_size=6, unique_by=repr).flatmap(
    lambda rows: st.tuples(
        st.just(rows),
        st.lists(st.lists(st.integers(0, len(rows) - 1), min_size=1, max_size=4, unique=True), min_size=1, max_size=5),
    )
)
Shop = tuple[list[list[tuple[int, int]]], list[list[int]]]
UNBOUND = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])


def sources_of(shop: Shop) -> dict[Source, Mapping[str, NewContent]]:
    rows, holdings = shop
    contents = [entry([h for h, _ in row], [c for _, c in row]) for row in rows]
    return {Source(f"s{n}"): {f"{c}.py": contents[c] for c in held} for n, held in enumerate(holdings)}


@given(shop=SHOPS, split=st.integers(1, 4))
@UNBOUND
def test_indexes_kept_together_are_as_if_built_together(
    shop: Shop, split: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(schema, "BLOCK_POSTINGS", 4)
    monkeypatch.setattr(schema, "CROWD", 2)
    monkeypatch.setattr(schema, "OVERFLOW_POSTINGS", 2)
    monkeypatch.setattr(journal, "RUN_POSTINGS", 3)
    monkeypatch.setattr(journal, "READ_AHEAD", 2)
    sources = sources_of(shop)
    parts = [dict(list(sources.items())[n::split]) for n in range(min(split, len(sources)))]
    for number, part in enumerate(parts):
        write_index(tmp_path / f"{number}.db", part)
    write_index(tmp_path / "all.db", sources)
    kept = [WholeIndex(tmp_path / f"{number}.db") for number in range(len(parts))]
    draft = IndexDraft(PARAMETERS, FRONT_ENDS, TABLES)
    for index in kept:
        draft.keep(index)
    with replacing(tmp_path / "merged.db") as unfinished:
        draft.write(unfinished)
    for index in kept:
        index.__exit__(None, None, None)
    assert (tmp_path / "merged.db").read_bytes() == (tmp_path / "all.db").read_bytes()
    with WholeIndex(tmp_path / "merged.db") as merged:
        verify(merged)
        event(f"crowded: {bool(merged.crowded)}, cut: {bool(merged.cut)}")
