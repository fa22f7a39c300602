"""Tables of one shape whose names differ are no strong evidence of a copy; a table that was copied is found."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from support.command import build, winnow
from support.shaped_tables import ROWS, names, table

if TYPE_CHECKING:
    from pathlib import Path

    from support.repository import Checkout

COUNT = 200


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An index with one table in each language."""
    source = tmp_path_factory.mktemp("tables") / "source"
    source.mkdir()
    for ending in ROWS:
        (source / f"known.{ending}").write_text(table(ending, names(0, COUNT)))
    build(source, source.parent / "tables.db")
    return source.parent / "tables.db"


def test_other_names_in_rows_of_one_shape_fail_nothing(checkout: Checkout, tables: Path) -> None:
    for ending in ROWS:
        checkout.write(f"own.{ending}", table(ending, names(1, COUNT)))
    ended = winnow("scan", "--index", tables, "--format", "json", cwd=checkout.root)
    assert (ended.status, {finding["strength"] for finding in ended.findings()} - {"weak"}) == (0, set())


@pytest.mark.parametrize("ending", ROWS)
def test_rows_that_were_copied_are_found(checkout: Checkout, tables: Path, ending: str) -> None:
    checkout.write(f"own.{ending}", table(ending, names(0, COUNT)[50:80]))
    ended = winnow("scan", "--index", tables, "--format", "json", cwd=checkout.root)
    (found,) = ended.findings()
    assert (ended.status, found["strength"]) == (1, "strong")
    assert found["end_line"] - found["start_line"] >= 29
