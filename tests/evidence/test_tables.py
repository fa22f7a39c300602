"""Bits of 4-grams and texts against the tables read row by row."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from winnow_ci.evidence import tables
from winnow_ci.evidence.tables import (
    RARE_GRAM,
    RAREST,
    ROW,
    gram_bits,
    is_common,
    is_common_phrase,
    tables_digest,
    text_bits,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

UNKNOWN = {"grams": RARE_GRAM, "texts": RAREST}
BITS: dict[str, Callable[[NDArray[np.uint64]], NDArray[np.float64]]] = {"grams": gram_bits, "texts": text_bits}


FOLDER = Path(tables.__file__).parent


def rows(table: str) -> NDArray[np.void]:
    loaded: NDArray[np.void] = np.load(FOLDER / f"{table}.npy")
    return loaded


NAIVE = {table: {int(upper): sixteenths / 16 for upper, sixteenths in rows(table).tolist()} for table in BITS}


def hashes(table: str) -> st.SearchStrategy[list[int]]:
    known = st.builds(lambda upper, lower: upper << 32 | lower, st.sampled_from(sorted(NAIVE[table])), _32_BITS)
    return st.lists(known | st.integers(0, 2**64 - 1), max_size=40)


_32_BITS = st.integers(0, 2**32 - 1)


@pytest.mark.parametrize("table", BITS)
@given(data=st.data())
def test_bits_are_those_of_the_row_with_the_hash_s_upper_half(table: str, data: st.DataObject) -> None:
    asked = data.draw(hashes(table))
    expected = [min(NAIVE[table].get(one >> 32, UNKNOWN[table]), UNKNOWN[table]) for one in asked]
    assert BITS[table](np.array(asked, np.uint64)).tolist() == expected


@pytest.mark.parametrize("table", BITS)
def test_the_smallest_and_the_greatest_hash_find_no_row_of_their_neighbours(table: str) -> None:
    edges = [0, min(NAIVE[table]) - 1, max(NAIVE[table]) + 1, 2**32 - 1]
    asked = np.array([edge << 32 for edge in edges if edge not in NAIVE[table]], np.uint64)
    assert set(BITS[table](asked).tolist()) == {UNKNOWN[table]}


@pytest.mark.parametrize("table", BITS)
def test_a_table_has_one_row_a_hash_in_order_and_fits_into_a_wheel(table: str) -> None:
    uppers = rows(table)["hash"].astype(np.int64)
    assert rows(table).dtype == ROW
    assert (np.diff(uppers) > 0).all()
    assert rows(table).nbytes < 1_000_000
    assert (rows(table)["sixteenths"] < UNKNOWN[table] * 16).all()  # another row would say nothing


COMMON = set(np.cumsum(rows("common"), dtype=np.int64).tolist())


@given(asked=st.lists(st.sampled_from(sorted(COMMON)[:5000]) | _32_BITS, max_size=40))
def test_common_16_grams_are_those_of_the_table(asked: list[int]) -> None:
    assert is_common(np.array([one << 32 for one in asked], np.uint64)).tolist() == [one in COMMON for one in asked]


PHRASES = sorted(set(np.cumsum(rows("phrases"), dtype=np.int64).tolist()))


@given(asked=st.lists(st.sampled_from(PHRASES) | _32_BITS, max_size=40), lower=_32_BITS)
def test_common_phrases_are_those_of_the_table(asked: list[int], lower: int) -> None:
    hashes = np.array([one << 32 | lower for one in asked], np.uint64)
    assert is_common_phrase(hashes).tolist() == [one in PHRASES for one in asked]


def test_the_table_of_phrases_has_distances_and_fits_into_a_wheel() -> None:
    assert rows("phrases").dtype == np.uint16
    assert PHRASES[-1] < 2**32
    assert rows("phrases").nbytes < 300_000


@pytest.fixture
def copied(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder with copies of the tables, which are read from there."""
    for table in tables.NAMES:
        shutil.copy(FOLDER / f"{table}.npy", tmp_path)
    monkeypatch.setattr(tables, "__file__", str(tmp_path / "tables.py"))
    forget()
    yield tmp_path
    monkeypatch.undo()
    forget()


def forget() -> None:
    tables._file.cache_clear()
    tables_digest.cache_clear()


def test_every_table_is_part_of_the_digest() -> None:
    assert sorted(file.stem for file in FOLDER.glob("*.npy")) == sorted(tables.NAMES)


@pytest.mark.parametrize("table", tables.NAMES)
@pytest.mark.parametrize("at", [-1, 1000])
def test_a_byte_of_a_table_changes_the_digest(copied: Path, table: str, at: int) -> None:
    before, file = tables_digest(), copied / f"{table}.npy"
    content = bytearray(file.read_bytes())
    content[at] ^= 1
    file.write_bytes(content)
    forget()
    assert tables_digest() != before
