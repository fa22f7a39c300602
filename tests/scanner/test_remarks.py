"""Which remarks a changed file shares with a content; tests/cases/extent has copies that take them."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from winnow_ci.model import Hits, LineRange, Phrases, TokenMap
from winnow_ci.scanner.remarks import shared_remarks

OURS, THEIRS = 7, 8
# A line each; the comment stands on line 3, above the token with number 2.
LINES = np.array([1, 2, 5, 6], np.int32)
KNOWN = TokenMap(LINES + 10, LINES + 10, np.zeros(4, np.uint8))


def found(content: int, place: int, shared: int = 1, lines: int = 1) -> Any:
    """A file with some lines of comment; those of least hash stand at a place of a content."""
    texts = [np.full(lines, one) for one in (5, 0, 2, 3)]
    words, names, positions, at = (text.astype(kind) for text, kind in zip(texts, "B?ii", strict=True))
    phrases = Phrases(np.arange(lines, dtype=np.uint64), words, names, positions, at)
    places = np.full(shared, content, np.uint32), np.full(shared, place, np.uint32), np.zeros(shared, np.uint32)
    hits, tokens = Hits(np.arange(shared), *places), SimpleNamespace(first_lines=LINES, last_lines=LINES)
    return SimpleNamespace(phrase_hits=hits, kgrams=SimpleNamespace(phrases=phrases), tokens=tokens)


def test_it_is_as_far_from_the_nearer_token_on_both_sides() -> None:
    (remark,) = shared_remarks(found(OURS, 2), OURS, KNOWN)
    assert remark.lines == (LineRange(3, 3), LineRange(13, 13))


def test_what_another_content_has_is_not_shared() -> None:
    assert shared_remarks(found(THEIRS, 2), OURS, KNOWN) == []


@pytest.mark.parametrize("place", [4, 1 << 31, (1 << 32) - 1])
def test_a_place_that_the_content_lacks_is_passed_over(place: int) -> None:
    assert shared_remarks(found(OURS, place), OURS, KNOWN) == []


@pytest.mark.parametrize(("shared", "is_same"), [(1, False), (2, True)])
def test_half_of_the_lines_of_least_hash_are_enough(shared: int, is_same: bool) -> None:
    assert bool(shared_remarks(found(OURS, 2, shared, lines=9), OURS, KNOWN)) == is_same
