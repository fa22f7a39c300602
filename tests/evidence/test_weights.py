"""What names, literals and tokens are worth, at both sides of each constant."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import event, given
from hypothesis import strategies as st

from winnow_ci.evidence.tables import gram_bits, text_bits
from winnow_ci.evidence.weights import common_grams, common_kgrams, literal_bits, new_literal_bits, token_bits
from winnow_ci.languages import tokenize

if TYPE_CHECKING:
    from winnow_ci.model import Tokens

NOBODYS = np.array([2**64 - 1], np.uint64)


def python(code: str) -> Tokens:
    return tokenize("python", code.encode())


def test_what_no_table_has_is_rare() -> None:
    assert gram_bits(NOBODYS).tolist() == [7.0]
    assert text_bits(NOBODYS).tolist() == [13.0]


def test_a_token_of_a_language_that_was_not_learnt_is_worth_the_average() -> None:
    tokens = tokenize("dart", b"int zwirbel(int a) { return a; }")
    bits = token_bits(tokens, "dart", np.zeros(0, np.bool_))
    assert bits.tolist() == [0, 0, 0] + [1741 / 1024] * (len(tokens) - 3)


# Bits by the table, in whole steps of 1/1024.
# Of those, 5 say nothing of a name or string and 2 of a number; what many projects use keeps 0.3.
@pytest.mark.parametrize(
    ("code", "rarity", "bits"),
    [
        ("index", 8.8125, 0.3 * (8.8125 - 5)),
        ("self", 3.625, 0),
        ("0", 2.5625, 0.3 * (2.5625 - 2)),
        ("'a'", 6.8125, 0.3 * (6.8125 - 5)),
        # No more than a sketch byte can tell: 80 values of names, 22 of numbers, 26 of strings.
        ("popleft", 13, 0.3 * np.log2(80)),
        ("zwirbel", 13, np.log2(80)),
        ("255", 9.4375, 0.3 * np.log2(22)),
        ("90210", 13, np.log2(22)),
        ("'error'", 10.0625, 0.3 * np.log2(26)),
        ("'zwirbel'", 13, np.log2(26)),
        ("return", 13, 0),
    ],
)
def test_bits_of_a_name_or_literal(code: str, rarity: float, bits: float) -> None:
    tokens = python(code)
    assert text_bits(tokens.verbatim).tolist() == [rarity]
    assert literal_bits(tokens) == [round(1024 * bits) / 1024]


@pytest.mark.parametrize(("distance", "is_new"), [(1, False), (119, False), (120, False), (121, True)])
def test_a_name_is_new_again_after_120_tokens(distance: int, is_new: bool) -> None:
    tokens = python(" ".join(["zwirbel", *[";"] * (distance - 1), "zwirbel"]))
    bits = literal_bits(tokens)
    assert bits[0] == bits[-1] > 0
    new = new_literal_bits(tokens, bits)
    assert (new[0], new[-1]) == (bits[0], bits[-1] if is_new else 0)


@given(words=st.lists(st.sampled_from(["zwirbel", "queue", "17", ";"]), min_size=1, max_size=300))
def test_new_names_are_those_that_did_not_occur_in_the_120_tokens_before(words: list[str]) -> None:
    tokens = python(" ".join(words))
    bits = literal_bits(tokens)
    expected = [0 if word in words[max(0, n - 120) : n] else bits[n] for n, word in enumerate(words)]
    event(f"some recur: {len(set(words)) < len(words)}, some are new again: {np.count_nonzero(expected) > 3}")
    assert new_literal_bits(tokens, bits).tolist() == expected


@given(common=st.lists(st.booleans(), max_size=60) | st.lists(st.just(value=True), max_size=60), k=st.integers(4, 40))
def test_a_kgram_is_common_if_all_16_grams_in_it_are(common: list[bool], k: int) -> None:
    tokens = python(" ".join([";"] * (len(common) + 15)))
    expected = [k >= 16 and all(common[n : n + k - 15]) for n in range(len(tokens) - k + 1)]
    event("common" if any(expected) else "none common")
    assert common_kgrams(tokens, k, np.array(common, np.bool_)).tolist() == expected


def test_a_token_that_ends_a_common_16_gram_is_worth_nothing() -> None:
    tokens = python("a = b ( c ) ; d = e ( f ) ; g = h ( i ) ; j = k")
    free = np.zeros(len(tokens) - 15, np.bool_)
    assert len(common_grams(tokens)) == len(free)
    bits = token_bits(tokens, "python", free)
    common = free.copy()
    common[2] = True
    assert (bits != token_bits(tokens, "python", common)).nonzero()[0].tolist() == [17]
