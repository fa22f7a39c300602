"""What an index keeps of a document: fingerprints, and of its phrases those that tell it from others."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from winnow_ci.evidence.tables import is_common_phrase
from winnow_ci.evidence.weights import distinctive_phrases
from winnow_ci.fingerprint import all_kgrams, fingerprint, index_fingerprints
from winnow_ci.languages import tokenize
from winnow_ci.languages.phrase_extraction import phrases_in
from winnow_ci.model import PHRASE, Fingerprints, Parameters, Tokens

if TYPE_CHECKING:
    from collections.abc import Sequence

PARAMETERS = Parameters(k=4, w=3)
COMMON = "# licensed under the apache license version 2 0 the license"


def tokens_of(lines: Sequence[str]) -> Tokens:
    return tokenize("python", "\n".join(lines).encode())


def hash_of(text: str) -> int:
    (phrase,) = phrases_in(text.encode())
    return phrase.hash


def postings(kept: Fingerprints) -> list[tuple[int, int]]:
    """The phrases that are kept, and their tokens."""
    is_phrase = kept.positions >= PHRASE
    assert not kept.checks[is_phrase].any()
    return list(zip(kept.hashes[is_phrase].tolist(), (kept.positions[is_phrase] - PHRASE).tolist(), strict=True))


def kgrams(kept: Fingerprints) -> list[list[int]]:
    own = kept.positions < PHRASE
    return [column[own].tolist() for column in (kept.hashes, kept.checks, kept.positions)]


def test_phrases_are_kept_beside_the_fingerprints() -> None:
    tokens = tokens_of(["a = b + c", "# what the winnow is for", "d = e - f"])
    kept = index_fingerprints(tokens, PARAMETERS)
    assert kgrams(kept) == kgrams(fingerprint(tokens, PARAMETERS))
    assert postings(kept) == [(hash_of("what the winnow is for"), 5)]
    assert [str(column.dtype) for column in (kept.hashes, kept.checks, kept.positions)] == [
        "uint64",
        "uint32",
        "uint32",
    ]


def test_what_stands_before_the_first_token_or_after_the_last_is_not_kept() -> None:
    lines = ["# owned by the winnow people", "a = b + c", "# the winnow ends right here"]
    tokens = tokens_of(lines)
    assert tokens.phrases is not None
    assert len(tokens.phrases) == 2
    assert postings(index_fingerprints(tokens, PARAMETERS)) == []
    assert len(distinctive_phrases(tokens)) == 0
    assert len(postings(index_fingerprints(tokens_of([*lines, "d = 1"]), PARAMETERS))) == 1


def test_of_a_long_comment_a_few_lines_are_kept() -> None:
    comment = [f"# line of the winnow comment no {n}" for n in range(20)]
    tokens = tokens_of(["a = b + c", *comment, "d = e", *comment[:2], "f = g"])
    hashes = sorted(hash_of(line) for line in comment)
    again = sorted(hash_of(line) for line in comment[:2])
    wanted = [(hash_, 5) for hash_ in hashes[:3]] + [(hash_, 8) for hash_ in again]
    assert sorted(postings(index_fingerprints(tokens, PARAMETERS))) == sorted(wanted)


def test_of_a_phrase_that_recurs_the_first_place_and_the_last_are_kept() -> None:
    tokens = tokens_of(["a = b + c", *["x = 1  # what the winnow is for"] * 9, "y = 2"])
    hash_ = hash_of("what the winnow is for")
    assert postings(index_fingerprints(tokens, PARAMETERS)) == [(hash_, 8), (hash_, 32)]


def test_what_several_projects_say_is_not_kept() -> None:
    said = '# Licensed under the Apache License, Version 2.0 (the "License");'
    tokens = tokens_of(["a = b + c", said, "d = 1"])
    assert tokens.phrases is not None
    assert len(tokens.phrases) == 1
    assert len(distinctive_phrases(tokens)) == 0
    assert postings(index_fingerprints(tokens, PARAMETERS)) == []
    assert postings(index_fingerprints(tokens, PARAMETERS, dense=True)) == []


@pytest.mark.parametrize("dense", [False, True])
def test_nothing_is_kept_of_less_than_a_kgram(dense: bool) -> None:
    lines = ["a = b", "# what the winnow is for", "c"]
    assert len(index_fingerprints(tokens_of(lines), Parameters(k=5, w=3), dense=dense)) == 0
    assert len(postings(index_fingerprints(tokens_of(lines), PARAMETERS, dense=dense))) == 1


def test_of_boilerplate_all_is_kept() -> None:
    comment = [f"# line of the winnow comment no {n}" for n in range(20)]
    tokens = tokens_of(["a = b + c", *comment, *["x = 1  # what the winnow is for"] * 9, "y = 2"])
    kept = index_fingerprints(tokens, PARAMETERS, dense=True)
    assert kgrams(kept) == kgrams(all_kgrams(tokens, PARAMETERS))
    assert len(postings(kept)) == 29


def test_what_the_front_end_does_not_tell_is_not_kept() -> None:
    html = tokenize("html", b"<p>a b c d</p><!-- what the winnow is for --><p>e</p>")
    assert index_fingerprints(html, PARAMETERS).positions.max() < PHRASE
    assert len(distinctive_phrases(html)) == 0


# ---- against a plain definition --------------------------------------------------------------------------------

COMMENTS = [f"# {what} of the winnow {n}" for what in ("speed", "sound", "scent") for n in range(4)]
LINES = [*COMMENTS, COMMON, '"the winnow says this"', "x = 1", "the_winnow_of_names()", "y", ""]


def plainly(tokens: Tokens, *, dense: bool) -> list[tuple[int, int]]:
    said = tokens.phrases
    assert said is not None
    common = is_common_phrase(said.hashes).tolist()
    told = [
        (hash_, position)
        for hash_, position, known_to_all in zip(said.hashes.tolist(), said.positions.tolist(), common, strict=True)
        if 0 < position < len(tokens) and not known_to_all
    ]
    if len(tokens) < PARAMETERS.k:
        return []
    if dense:
        return told
    at_one = {position: sorted(hash_ for hash_, other in told if other == position)[:3] for _, position in told}
    least = [(hash_, position) for position, hashes in at_one.items() for hash_ in hashes]
    places = {hash_: [position for other, position in least if other == hash_] for hash_, _ in least}
    # Of a phrase that a token has more than once both may be its outermost places.
    return [(hash_, place) for hash_, own in places.items() for place in ([own[0], own[-1]] if own[1:] else own)]


@given(lines=st.lists(st.sampled_from(LINES), max_size=40), dense=st.booleans())
def test_what_is_kept_agrees_with_a_plain_definition(lines: list[str], dense: bool) -> None:
    tokens = tokens_of(lines)
    kept = index_fingerprints(tokens, PARAMETERS, dense=dense)
    assert sorted(postings(kept)) == sorted(plainly(tokens, dense=dense))
    assert kgrams(kept) == kgrams((all_kgrams if dense else fingerprint)(tokens, PARAMETERS))


def test_the_order_of_lines_at_one_token_does_not_matter() -> None:
    comments = [f"# line of the winnow comment no {n}" for n in range(9)]
    shuffled = random.Random(1).sample(comments, len(comments))
    one, other = (
        index_fingerprints(tokens_of(["a = b + c", *lines, "d = 1"]), PARAMETERS) for lines in (comments, shuffled)
    )
    assert sorted(postings(one)) == sorted(postings(other))
    assert np.array_equal(one.hashes[one.positions < PHRASE], other.hashes[other.positions < PHRASE])
