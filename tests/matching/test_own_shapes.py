"""A shape that the changed file has again and again makes weak evidence of a renamed copy."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from support.file_hits import file_hits, tokens_on
from winnow_ci.matching.own_shapes import less_own_shapes
from winnow_ci.model.regions import Evidence, Region, Stretch

if TYPE_CHECKING:
    from collections.abc import Sequence

    from winnow_ci.matching import FileHits

# Twenty tokens of one shape, and so many of others between them.
LONG, BETWEEN = 20, 10


def file_with(times: int, *, apart: bool = True) -> FileHits:
    """A file that has one shape at 0, at 30, at 60 …, or without anything between them."""
    step = LONG + BETWEEN * apart
    count = step * times + LONG
    grams = 1000 + np.arange(count)
    for start in range(0, step * times, step):
        grams[start : start + LONG] = np.arange(LONG)
    return file_hits(tokens_on([1] * count), grams=grams)


def region(
    start: int = 0,
    tokens: int = LONG,
    *,
    kind: str = "renamed",
    weight: float = 40.0,
    lines: int = 1,
    stretches: Sequence[tuple[int, int]] | None = None,
) -> Region:
    parts = tuple(Stretch(at, at, length) for at, length in stretches or [(start, tokens)])
    matched, end = sum(part.tokens for part in parts), max(part.start + part.tokens for part in parts)
    return Region(
        content=0,
        start=start,
        end=end,
        source_start=start,
        source_end=end,
        matched=matched,
        matched_verbatim=0,
        fingerprints=1,
        kind="renamed" if kind == "renamed" else "verbatim",
        stretches=parts,
        bits=80.0,
        weight=weight,
        strength="strong",
        evidence=Evidence(lines=lines),
    )


def weight_of(found: Region, file: FileHits) -> tuple[float, str]:
    (one,) = less_own_shapes([found], file)
    return one.weight, one.strength


def test_a_shape_that_stands_twice_elsewhere_takes_ten_bits() -> None:
    assert weight_of(region(), file_with(3)) == (30.0, "weak")
    assert weight_of(region(), file_with(2)) == (40.0, "strong")


def test_a_heavy_copy_stays_strong() -> None:
    assert weight_of(region(weight=44.0), file_with(3)) == (34.0, "strong")
    assert weight_of(region(weight=43.9), file_with(3))[1] == "weak"


def test_a_copy_that_repeats_itself_loses_nothing() -> None:
    assert weight_of(region(tokens=90), file_with(3)) == (40.0, "strong")
    assert weight_of(region(tokens=60), file_with(3, apart=False)) == (40.0, "strong")


def test_two_whole_lines_of_equal_text_are_more_than_a_shape() -> None:
    assert weight_of(region(lines=2), file_with(3)) == (40.0, "strong")
    assert weight_of(region(kind="verbatim"), file_with(3)) == (40.0, "strong")


@pytest.mark.parametrize(("tokens", "expected"), [(40, "weak"), (41, "strong")])
def test_half_of_the_matched_tokens_count(tokens: int, expected: str) -> None:
    """Twenty tokens of the usual shape come before the region's other ones."""
    file = file_with(4)
    first = file.tokens.first_lines.size - LONG
    assert first == 120
    found = region(90, stretches=[(90, LONG), (first - 1, tokens - LONG)])
    assert weight_of(found, file)[1] == expected


def test_a_shape_has_twelve_tokens_in_one_stretch() -> None:
    whole = region(stretches=[(0, 12)])
    assert weight_of(whole, file_with(3))[1] == "weak"
    assert weight_of(region(stretches=[(0, 11)]), file_with(3))[1] == "strong"
    assert weight_of(region(stretches=[(0, 6), (6, 6)]), file_with(3))[1] == "strong"


def test_a_file_shorter_than_a_shape_has_none() -> None:
    assert weight_of(region(tokens=11), file_hits(tokens_on([1] * 11)))[1] == "strong"
