"""Copies are found with exact edges; what is not a copy, or not new, is not."""

from __future__ import annotations

import random
import re
from typing import TYPE_CHECKING

import numpy as np
from hypothesis import assume, given
from hypothesis import strategies as st

from winnow_ci.evidence.model import evidence_model
from winnow_ci.evidence.weights import (
    common_grams,
    common_kgrams,
    distinctive_phrases,
    grams,
    in_further_rows,
    informative,
    literal_bits,
    new_literal_bits,
    text_grams,
    token_bits,
)
from winnow_ci.fingerprint import all_kgrams, fingerprint, index_fingerprints
from winnow_ci.languages import tokenize
from winnow_ci.matching.constants import Thresholds
from winnow_ci.matching.hits import FileHits, FileKgrams, shared_contents
from winnow_ci.matching.regions import find_regions
from winnow_ci.model import PHRASE, Fingerprints, Hits, Parameters, TokenMap, Tokens
from winnow_ci.start_up import replace

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from winnow_ci.model.regions import Region

PARAMETERS = Parameters()
NAMES = [f"name{n}" for n in range(40)]
WORDS = [
    *NAMES,
    *"if for while return else in not and or is ( ) [ ] { } : , . + - * / % == != <= = 1 2 'a' 'b'".split(),
]


def words(seed: int, count: int) -> list[str]:
    return random.Random(seed).choices(WORDS, k=count)


def tokens_of(words: Sequence[str]) -> Tokens:
    """One token a line, so that lines and tokens are numbered alike."""
    tokens = tokenize("python", "\n".join(words).encode())
    assert len(tokens) == len(words)
    return tokens


def laid_out(lines: Sequence[str]) -> Tokens:
    """What stands on some lines."""
    return tokenize("python", "\n".join(lines).encode())


def looked_up(hashes: NDArray[np.uint64], kept: Fingerprints) -> Hits:
    """All places of some hashes, by a lookup written out naively."""
    pairs = [(q, p) for q, h in enumerate(hashes) for p in np.flatnonzero(kept.hashes == h)]
    queries, places = np.array(pairs, np.int64).reshape(-1, 2).T
    return Hits(queries, np.zeros(len(queries), np.uint32), kept.positions[places], kept.checks[places])


def regions(change: Tokens, source: Tokens, added: slice = slice(None)) -> list[Region]:
    """Match a change with one known content."""
    asked, small, spoken = all_kgrams(change, PARAMETERS), grams(change), distinctive_phrases(change)
    hits, kept = looked_up(asked.hashes, fingerprint(source, PARAMETERS)), index_fingerprints(source, PARAMETERS)
    places = looked_up(spoken.hashes, Fingerprints(kept.hashes, kept.checks, kept.positions - np.uint32(PHRASE)))
    on_added = np.zeros(len(change), np.bool_)
    on_added[added] = True
    none = np.zeros(len(change), np.bool_)
    says_something = informative(small, PARAMETERS.k)
    text_says = informative(text_grams(change, none), PARAMETERS.k)
    common = common_grams(change)
    telling = says_something & ~common_kgrams(change, PARAMETERS.k, common)
    said, same = token_bits(change, "python", common), literal_bits(change)
    kgrams = FileKgrams(change, asked, small, says_something, text_says, none, none, on_added, spoken)
    cumulative = np.concatenate([[0.0], np.cumsum(said)])
    rows = in_further_rows(change)
    file = FileHits(kgrams, hits, places, said, same, new_literal_bits(change, same), rows, telling, cumulative)
    known_map = TokenMap(source.first_lines, source.last_lines, source.sketch)
    return find_regions(file, shared_contents(file, PARAMETERS.k), lambda _: known_map, PARAMETERS, Thresholds())


@given(seed=st.integers(0, 10**6), before=st.integers(0, 60), after=st.integers(0, 60), at=st.integers(0, 100))
def test_every_informative_verbatim_run_of_t_tokens_is_found(seed: int, before: int, after: int, at: int) -> None:
    t = PARAMETERS.guarantee
    known = words(seed, 200)
    change = words(seed + 1, before) + known[at : at + t] + words(seed + 2, after)
    tokens = tokens_of(change)
    telling = informative(grams(tokens), PARAMETERS.k) & ~common_kgrams(tokens, PARAMETERS.k, common_grams(tokens))
    assume(telling[before : before + PARAMETERS.w].all())
    found = regions(tokens, tokens_of(known))
    assert any(r.start <= before and r.end >= before + t for r in found)


def test_a_copy_has_exact_edges() -> None:
    known = words(1, 300)
    change = ["alpha", "beta", *known[70:130], "gamma", "delta"]
    (region,) = regions(tokens_of(change), tokens_of(known))
    assert (region.start, region.end, region.source_start, region.source_end) == (2, 62, 70, 130)
    assert (region.kind, region.matched_verbatim) == ("verbatim", region.tokens)


def test_a_renamed_copy_is_found_as_renamed() -> None:
    known = words(2, 300)
    renamed = [f"other{word}" if word in NAMES else word for word in known[50:120]]
    (region,) = regions(tokens_of(["1", "if", *renamed, "while", "2"]), tokens_of(known))
    assert (region.kind, region.matched) == ("renamed", region.tokens)
    assert region.start <= 2
    assert region.end >= 72


def test_names_that_do_not_correspond_make_a_copy_less_likely() -> None:
    known, chance = words(3, 300), random.Random(3)
    alike = [chance.choice(NAMES) if word in NAMES else word for word in known[50:150]]
    renamed = [f"other{word}" if word in NAMES else word for word in known[50:150]]
    (one,) = regions(tokens_of(alike), tokens_of(known))
    (other,) = regions(tokens_of(renamed), tokens_of(known))
    assert one.matched == other.matched
    assert evidence_model().log_odds(one) < evidence_model().log_odds(other)


def test_edits_do_not_cut_a_copy_into_pieces() -> None:
    known = words(4, 300)
    change = [*known[20:60], "inserted", "inserted", *known[60:95], "changed", *known[96:140]]
    (region,) = regions(tokens_of(change), tokens_of(known))
    assert (region.start, region.end) == (0, len(change))
    assert (region.source_start, region.source_end) == (20, 140)
    assert 0.9 * region.tokens < region.matched < region.tokens


def test_only_added_lines_count() -> None:
    known = words(5, 200)
    change, source = tokens_of([*words(6, 50), *known[40:100]]), tokens_of(known)
    assert regions(change, source, slice(0, 50)) == []
    assert regions(change, source, slice(50, 62)) == []
    assert len(regions(change, source, slice(60, 90))) == 1


def test_rows_of_one_statement_are_no_copy() -> None:
    known = [word for n in range(30) for word in ("self", ".", f"name{n}", "=", f"name{n}")]
    change = [word for n in range(30) for word in ("self", ".", f"field{n}", "=", f"field{n}")]
    assert regions(tokens_of(change), tokens_of(known)) == []


def test_a_content_with_too_few_tokens_gives_nothing() -> None:
    assert regions(tokens_of(words(7, 10)), tokens_of(words(7, 200))) == []


def test_a_seed_that_the_map_contradicts_is_ignored() -> None:
    known = tokens_of(words(8, 200))
    other = replace(known, sketch=tokens_of(words(9, 200)).sketch)
    assert regions(known, other) == []


def test_a_table_of_strings_is_found_by_its_text() -> None:
    """Its structure repeats one short pattern and says nothing."""
    table = [f"'key{n}': 'value{n}'," for n in range(60)]
    known = laid_out([*words(10, 50), "{", *table, "}", *words(11, 50)])
    (region,) = regions(laid_out(["x", "=", "{", *table, "}"]), known)
    assert (region.kind, region.source_start) == ("verbatim", 50)
    assert len(regions(laid_out(["x", "=", "{", *table[:6], "}"]), known)) == 1
    assert regions(laid_out(["x", "=", "{", *table[:4], "}"]), known) == []


def test_a_table_of_numbers_is_no_copy() -> None:
    table = [word for n in range(200) for word in (str(n), ",")]
    assert regions(tokens_of(table), tokens_of(table)) == []


def test_two_copies_side_by_side_are_both_found() -> None:
    known = words(12, 600)
    change = tokens_of([*known[400:460], *known[50:120]])
    assert [(r.start, r.end) for r in sorted(regions(change, tokens_of(known)), key=lambda r: r.start)] == [
        (0, 60),
        (60, 130),
    ]


KNOWN = """
def settle(account, limit):
    total = sum(entry.amount for entry in account.entries)
    if total > limit:
        raise Overdrawn(account, total - limit)
    for entry in account.entries:
        entry.settled = True
    return total
""".splitlines()
NEW_NAMES = str.maketrans({"a": "x", "e": "y", "t": "z", "i": "w"})
KEYWORDS = {"def", "for", "in", "if", "raise", "return", "True", "sum"}


def renamed(line: str) -> str:
    return re.sub(r"\w+", lambda name: name[0] if name[0] in KEYWORDS else name[0].translate(NEW_NAMES), line)


def test_lines_that_are_where_they_were_are_evidence() -> None:
    """Whoever renames the names of a copy leaves its lines; the same tokens in other lines may be there by chance."""
    known, copy = laid_out(KNOWN), [renamed(line) for line in KNOWN[3:]]
    (region,) = regions(laid_out(copy), known)
    assert region.kind == "renamed"
    other_lines = laid_out([re.sub(r"([(.=]|for|if)", r"\1\\\n", line) for line in copy])
    assert all(other.bits < region.bits - 20 for other in regions(other_lines, known))
