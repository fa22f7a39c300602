"""Longest shared runs, against their definitions: equal tokens, and a one-to-one renaming (Baker 1993)."""

from __future__ import annotations

from itertools import product

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st

from winnow_ci.exact_runs import _Text, exact_runs
from winnow_ci.languages import tokenize
from winnow_ci.model import IDENTIFIER_SKETCH, Tokens

# "a" to "d" are names, the others stand for themselves.
TEXTS = st.lists(st.sampled_from("abcd(+"), max_size=14)


def tokens(letters: list[str]) -> Tokens:
    codes = np.array([ord(letter) for letter in letters], np.uint64)
    is_name = codes >= ord("a")
    lines = np.arange(1, len(codes) + 1, dtype=np.int32)
    sketch = np.where(is_name, IDENTIFIER_SKETCH.start, 1).astype(np.uint8)
    return Tokens(np.where(is_name, 1, codes).astype(np.uint64), codes, lines, lines, sketch)


def is_renamed(one: list[str], other: list[str]) -> bool:
    there, back = {}, {}
    return all(
        mine == theirs
        if mine in "(+" or theirs in "(+"
        else there.setdefault(mine, theirs) == theirs and back.setdefault(theirs, mine) == mine
        for mine, theirs in zip(one, other, strict=True)
    )


def longest(one, other, is_shared):
    """The length of the longest shared run, and all places that have one of that length."""
    for length in range(min(len(one), len(other)), 0, -1):
        starts = product(range(len(one) - length + 1), range(len(other) - length + 1))
        found = [at for at in starts if is_shared(one[at[0] : at[0] + length], other[at[1] : at[1] + length])]
        if found:
            return length, found
    return 0, []


@given(TEXTS, TEXTS)
@example(list("a+bb(ab"), list("(c+dd(cd"))  # a run in which a name recurs from before it begins
@example(list("aab"), list("aba"))
def test_the_longest_runs_are_found(one, other):
    found = exact_runs(tokens(one), tokens(other))

    for run, is_shared in ((found.equal, list.__eq__), (found.renamed, is_renamed)):
        length, places = longest(one, other, is_shared)
        if run is None:
            assert length == 0
        else:
            assert run.tokens == length
            assert (run.lines.first - 1, run.lines_there.first - 1) in places
            assert run.lines.first == min(places)[0] + 1
            assert run.lines.last - run.lines.first == run.lines_there.last - run.lines_there.first == length - 1


@given(TEXTS, st.integers(1, 14))
def test_runs_have_equal_hashes_if_and_only_if_one_is_the_other_renamed(letters, length):
    """All pairs of runs of one text, so that many of them match."""
    if length > len(letters):
        return
    runs = [letters[start : start + length] for start in range(len(letters) - length + 1)]

    hashes = _Text.parameterised(tokens(letters)).hashes(length).tolist()

    for (one, mine), (other, theirs) in product(zip(runs, hashes, strict=True), repeat=2):
        assert (mine == theirs) == is_renamed(one, other)


def test_a_renamed_function_is_one_run_and_an_inconsistent_one_is_not():
    known = b"def area(w, h):\n    if w < h:\n        return w * h\n    return h - w * 2\n"
    renamed = known.replace(b"area", b"size").replace(b"w", b"x").replace(b"h", b"y").replace(b"2", b"3")
    inconsistent = renamed.replace(b"y - x", b"x - y")
    ours = tokenize("python", known)

    assert exact_runs(ours, tokenize("python", renamed)).renamed.tokens == len(ours)
    other = exact_runs(ours, tokenize("python", inconsistent)).renamed
    assert other.tokens < len(ours)
    assert (other.lines.first, other.lines_there.last) == (1, 4)
