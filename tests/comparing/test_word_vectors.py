"""SCAM's measure against its definition (Shivakumar and Garcia-Molina 1995)."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import event, given
from hypothesis import strategies as st

from winnow_ci.comparing.word_vectors import word_likeness
from winnow_ci.model import IDENTIFIER_SKETCH, Tokens

# "a" to "d" are words, "(" is none.
TEXTS = st.lists(st.sampled_from("aaabbcd("), max_size=25).map("".join)


def tokens(letters: str) -> Tokens:
    codes = np.array([ord(letter) for letter in letters], np.uint64)
    lines = np.ones(len(codes), np.int32)
    sketch = np.where(codes >= ord("a"), IDENTIFIER_SKETCH.start, 1).astype(np.uint8)
    return Tokens(codes, codes, lines, lines, sketch)


def expected(one: str, other: str) -> Fraction:
    ours, theirs = (Counter(text.replace("(", "")) for text in (one, other))
    close = [
        word
        for word in set(ours) & set(theirs)
        if Fraction(5, 2) - (Fraction(ours[word], theirs[word]) + Fraction(theirs[word], ours[word])) > 0
    ]
    if not close:
        return Fraction(0)
    parts = [
        Fraction(sum(ours[word] * theirs[word] for word in close), sum(n * n for n in counts.values()))
        for counts in (ours, theirs)
    ]
    return min(Fraction(1), max(parts))


@given(TEXTS, TEXTS)
def test_words_that_occur_about_equally_often_count(one: str, other: str) -> None:
    found = word_likeness(tokens(one), tokens(other))
    event(f"{'none' if not found else 'capped' if found == 1 else 'between'}")
    assert found == pytest.approx(float(expected(one, other)))


def test_the_limit_itself_is_not_close() -> None:
    assert word_likeness(tokens("a"), tokens("aa")) == 0
    assert word_likeness(tokens("aa"), tokens("aaa")) == 1
    assert word_likeness(tokens("aabb"), tokens("bbaa")) == 1
