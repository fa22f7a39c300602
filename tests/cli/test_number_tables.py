"""Tables of numbers: a copied one is found, in parts and in another layout; others of the same form are not."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest

from support.command import build, winnow
from support.number_tables import FORMS, part, random_numbers, table

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from support.repository import Checkout

SEEDS = {ending: number for number, ending in enumerate(FORMS)}
OTHERS = 40


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An index with one table in each language, and beside each very many others of its form."""
    source = tmp_path_factory.mktemp("tables") / "source"
    source.mkdir()
    for ending, seed in SEEDS.items():
        (source / f"known.{ending}").write_text(table(ending, "known", random_numbers(seed)))
        for other in range(20):
            (source / f"other{other}.{ending}").write_text(
                table(ending, "other", random_numbers(seed + 10 * other + 10))
            )
    build(source, source.parent / "tables.db")
    return source.parent / "tables.db"


def found(checkout: Checkout, index: Path) -> list[tuple[str, int, int, str, int, int]]:
    """Path and lines of each finding, and of its source."""
    ended = winnow("scan", "--index", index, "--format", "json", cwd=checkout.root)
    assert ended.status in (0, 1), ended
    keys = "path", "start_line", "end_line"
    return [
        (*(one[key] for key in keys), *(one["source"][key] for key in keys))  # type: ignore[misc]
        for one in ended.findings()
    ]


@pytest.mark.parametrize("ending", FORMS)
def test_three_quarters_of_a_table_are_found_in_any_layout(checkout: Checkout, tables: Path, ending: str) -> None:
    copied = part(random_numbers(SEEDS[ending]))
    first = FORMS[ending][0].count("\n") + 1
    rows = {1: "  ", 5: "\t", 8: "    "}
    for row, indent in rows.items():
        checkout.write(f"own{row}.{ending}", table(ending, "own", copied, row=row, indent=indent))
    assert found(checkout, tables) == [
        (f"own{row}.{ending}", first, first - 1 + -(-len(copied) // row), f"known.{ending}", first + 16, first + 111)
        for row in rows
    ]


@pytest.mark.parametrize("ending", FORMS)
def test_random_tables_of_the_same_form_are_not_found(checkout: Checkout, tables: Path, ending: str) -> None:
    for number in range(OTHERS):
        checkout.write(f"own{number}.{ending}", table(ending, "own", random_numbers(5000 + number)))
    assert found(checkout, tables) == []


def sequences() -> Iterator[tuple[str, list[int]]]:
    """Tables that people write without copying them."""
    shuffled = list(range(256))
    random.Random(1).shuffle(shuffled)
    yield "bytes", shuffled
    yield "counted", list(range(10_000, 11_000))
    yield "years", list(range(1900, 2100))
    yield "powers", [1 << number for number in range(32)] + [(1 << number) - 1 for number in range(32)]
    yield "round", [number * 10_000 for number in range(300)]
    yield "units", [int(row == column) for row in range(30) for column in range(30)]


@pytest.mark.parametrize("ending", FORMS)
def test_tables_that_anyone_would_write_alike_are_not_found(checkout: Checkout, tmp_path: Path, ending: str) -> None:
    source = tmp_path / "source"
    source.mkdir()
    for name, numbers in sequences():
        (source / f"{name}.{ending}").write_text(table(ending, "known", numbers))
        checkout.write(f"{name}.{ending}", table(ending, "own", numbers, row=10, indent="\t"))
    build(source, tmp_path / "known.db")
    assert found(checkout, tmp_path / "known.db") == []
