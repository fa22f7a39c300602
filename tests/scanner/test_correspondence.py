"""Which lines and tokens of a copy are the source's, told of arrays: a test decides on which line each token stands."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from support.file_hits import tokens_on
from winnow_ci.model import LineRange, TokenMap
from winnow_ci.model.findings import Agreement
from winnow_ci.model.regions import Region, Stretch
from winnow_ci.scanner.files import token_lines
from winnow_ci.scanner.match import agreement, aligned_lines
from winnow_ci.scanner.show import exactly

if TYPE_CHECKING:
    from collections.abc import Sequence

    from winnow_ci.model import Tokens


def region(*stretches: tuple[int, int, int], verbatim: int | None = None) -> Region:
    parts = tuple(Stretch(*stretch) for stretch in stretches)
    matched = sum(part.tokens for part in parts)
    ends = parts[-1].start + parts[-1].tokens, max(part.source_start + part.tokens for part in parts)
    starts = parts[0].start, min(part.source_start for part in parts)
    same = matched if verbatim is None else verbatim
    return Region(0, starts[0], ends[0], starts[1], ends[1], matched, same, 1, "verbatim", parts)


def known(lines: Sequence[int]) -> TokenMap:
    tokens = tokens_on(lines)
    return TokenMap(tokens.first_lines, tokens.last_lines, tokens.sketch)


def pairs(here: Sequence[int], there: Sequence[int], *stretches: tuple[int, int, int]) -> list[tuple[int, ...]]:
    """The aligned lines of stretches, as JSON has them."""
    return [(*one.here, *one.there) for one in aligned_lines(tokens_on(here), known(there), region(*stretches))]


ONE_A_LINE = range(1, 31)


def test_an_unbroken_copy_is_aligned_as_a_whole() -> None:
    assert pairs(ONE_A_LINE, ONE_A_LINE, (4, 10, 8)) == [(5, 12, 11, 18)]


@pytest.mark.parametrize(
    ("second", "aligned"),
    [
        ((4, 14, 4), [(1, 8, 11, 18)]),
        ((5, 14, 4), [(1, 4, 11, 14), (6, 9, 15, 18)]),
        ((4, 15, 4), [(1, 4, 11, 14), (5, 8, 16, 19)]),
        ((4, 0, 4), [(1, 4, 11, 14), (5, 8, 1, 4)]),
        ((4, 9, 1), [(1, 4, 11, 14), (5, 5, 10, 10)]),
    ],
)
def test_lines_between_stretches_divide_them(second: tuple[int, int, int], aligned: list[tuple[int, ...]]) -> None:
    assert pairs(ONE_A_LINE, ONE_A_LINE, (0, 10, 4), second) == aligned


def test_an_edit_within_a_line_divides_nothing() -> None:
    lines = [line for line in range(1, 5) for _ in range(3)]
    assert pairs(lines, lines, (0, 0, 4), (5, 5, 7)) == [(1, 4, 1, 4)]
    assert pairs([1] * 12, [1] * 12, (0, 6, 6), (6, 0, 6)) == [(1, 1, 1, 1)]


def test_other_tokens_on_the_lines_of_a_copy_are_counted() -> None:
    """Of ten lines with three tokens each, the copy has the last token of the second to the first of the fifth."""
    tokens = tokens_on([line for line in range(1, 11) for _ in range(3)])
    assert token_lines(tokens, 5, 13) == LineRange(2, 5)
    assert agreement(tokens, region((5, 0, 8))) == Agreement(8, 8, others=4)
    assert agreement(tokens, region((3, 0, 9))) == Agreement(9, 9)
    assert agreement(tokens, region((0, 0, 30), verbatim=21)) == Agreement(30, 21)


def test_a_string_of_several_lines_stands_on_all_of_them() -> None:
    tokens = tokens_on([1, 2, 5, 6])
    tokens.last_lines[1] = 5
    assert agreement(tokens, region((2, 0, 2))).others == 1
    assert agreement(tokens, region((0, 0, 2))) == Agreement(2, 2, others=1)


def test_tokens_that_the_copy_lacks_are_counted_but_not_between_blocks_in_another_order() -> None:
    tokens = tokens_on(ONE_A_LINE)
    assert agreement(tokens, region((0, 0, 5), (5, 8, 5), (10, 13, 2))).missing == 3
    assert agreement(tokens, region((0, 20, 5), (5, 0, 5), (10, 6, 2))).missing == 1


def test_tokens_in_another_order_are_told_also_on_one_line() -> None:
    tokens = tokens_on([1] * 12)
    assert agreement(tokens, region((0, 0, 6), (6, 9, 3))).in_order
    assert agreement(tokens, region((0, 6, 6), (6, 0, 6))) == Agreement(12, 12, in_order=False)


@pytest.mark.parametrize(("there", "missing"), [(5, 0), (6, 0), (7, 0), (8, 1), (9, 2)])
def test_tokens_that_the_copy_has_instead_are_not_missing(there: int, missing: int) -> None:
    """In the gap between its stretches the copy has two tokens."""
    assert agreement(tokens_on(ONE_A_LINE), region((0, 0, 5), (7, there, 5))).missing == missing


def test_whole_texts_tell_exactly_what_is_the_same() -> None:
    here: Tokens = tokens_on([1] * 8, verbatim=[0, 1, 2, 3, 4, 5, 6, 7])
    there: Tokens = tokens_on([1] * 10, verbatim=[9, 9, 2, 3, 8, 5, 9, 9, 6, 7])
    found = Agreement(6, 6, 1, 2)
    told = exactly(found, region((2, 2, 4), (6, 8, 2)).stretches, here.copied(2, 8), there, 2)
    assert told == Agreement(6, 5, 1, 2, exact=True)
