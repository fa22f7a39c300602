"""Documents, contents and postings made by chance, for comparing two implementations of what a look-up makes of them.

Tokens are those of real code, of which the learnt tables know much, in pieces that repeat themselves. Few different
postings, bits and places make ties frequent.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from support.golden_tokens import code
from support.kernels import without_kernel
from support.matching_cases import matching_case
from winnow_ci.evidence.weights import are_numbers, kgram_information, line_hashes, weighed
from winnow_ci.index import schema
from winnow_ci.index.coding import BlockLayout, Chosen, Ranges, chosen_hits, pack_blocks, unpack_blocks
from winnow_ci.languages import tokenize
from winnow_ci.languages.families import FAMILY_OF
from winnow_ci.matching.regions import told_contents
from winnow_ci.model import PHRASE, Tokens

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.random import Generator
    from numpy.typing import NDArray

# The tables have not learnt the last one.
LANGUAGES = ("c", "go", "java", "javascript", "python", "rust", "zig")
# Common property, as many programs have it.
EVERYBODYS = (
    b"""
func (s byName) Len() int           { return len(s) }
func (s byName) Less(i, j int) bool { return s[i] < s[j] }
func (s byName) Swap(i, j int)      { s[i], s[j] = s[j], s[i] }
"""
    * 20
)
KS = (4, 5, 7, 15, 16, 17, 23)


class WeighingCase(NamedTuple):
    """A document to be weighed.

    Attributes:
        tokens: its tokens.
        front_end: that read it, as far as the weights know.
        k: length of k-grams.
        marks: bool, one a token, of chance.
    """

    tokens: Tokens
    front_end: str
    k: int
    marks: NDArray[np.bool_]


class PostingsCase(NamedTuple):
    """What ``chosen_hits`` is given."""

    queries: NDArray[np.int64]
    shapes: Chosen
    texts: Chosen


@cache
def _real(language: str) -> Tokens:
    return tokenize(language, code(FAMILY_OF[language]) + (EVERYBODYS if language == "go" else b""))


def weighing_case(seed: int) -> WeighingCase:
    """A document; the same for the same seed."""
    chance = np.random.default_rng(seed)
    language = LANGUAGES[seed % len(LANGUAGES)]
    real, parts = _real(language), [np.empty(0, np.int64)]
    for _ in range(int(chance.integers(0, 8))):
        start, length = chance.integers(0, len(real)), int(chance.choice([1, 3, 20, 200]))
        part = np.arange(start, min(start + length, len(real)))
        parts += [part] * int(chance.choice([1, 1, 2, 9]))
    at = np.concatenate(parts)
    lines = (1 + np.cumsum(chance.integers(0, 2, len(at)) * (chance.random() < 0.8))).astype(np.int32)
    tokens = Tokens(real.structural[at], real.verbatim[at], lines, lines, real.sketch[at])
    return WeighingCase(tokens, language, int(chance.choice(KS)), chance.random(len(at)) < chance.random())


def postings_case(seed: int) -> PostingsCase:
    """Postings of shapes and texts, and ranges of them for some queries; the same for the same seed."""
    chance = np.random.default_rng(seed)
    count = int(chance.integers(0, 30))
    queries = np.flatnonzero(chance.random(3 * count) < 0.4)
    shapes, texts = _postings(chance), _postings(chance)
    ranges = [_ranges(chance, len(shapes), len(queries)) for _ in range(int(chance.choice([1, 3])))]
    of_texts = [_ranges(chance, len(texts), len(queries))] if chance.random() < 0.7 else []
    return PostingsCase(queries, Chosen(shapes, ranges), Chosen(texts, of_texts))


def block_case(seed: int) -> tuple[int, NDArray[np.void], BlockLayout]:
    """A block's number, its postings with places and marks, in order, and its layout; the same for the same seed."""
    chance = np.random.default_rng(seed)
    layout = BlockLayout(int(chance.choice([0, 1, 12, 40, 40])), int(chance.choice([1, 9, 30, 56])))
    number = int(chance.integers(0, 1 << layout.block_bits))
    postings = np.zeros(int(chance.choice([0, 1, 2, 9, 70, 2000])), schema.POSTING)
    rests = chance.integers(0, 1 << int(chance.choice([0, 3, 48 - layout.block_bits])), len(postings), dtype=np.uint64)
    hashes = np.uint64(number << (48 - layout.block_bits)) | np.sort(rests)
    postings["hash"] = hashes << np.uint64(16)
    postings["content"] = chance.integers(0, 1 << layout.place_bits, len(postings))
    marks = [0, PHRASE, schema.WHOLE, *([m + schema.CROWDED for m in (0, PHRASE, schema.WHOLE)] if seed % 2 else [])]
    postings["position"] = chance.choice(marks, len(postings))
    is_phrase = postings["position"] >= PHRASE
    postings["check"] = np.where(is_phrase, 0, chance.integers(0, 1 << 16, len(postings)))
    return number, postings, layout


def _postings(chance: Generator) -> NDArray[np.void]:
    postings = np.empty(int(chance.integers(0, 60)), schema.POSTING)
    postings["hash"] = chance.integers(0, 1 << 63, len(postings))
    postings["content"] = chance.integers(-2, 4, len(postings)) << int(chance.choice([0, 40]))
    positions = [0, 1, 2, schema.WHOLE, schema.CROWDED, schema.CROWDED + 1, schema.CROWDED + schema.WHOLE, 1 << 31]
    postings["position"] = chance.choice(positions, len(postings))
    postings["check"] = chance.integers(0, 2, len(postings))
    return postings


def _ranges(chance: Generator, postings: int, count: int) -> Ranges:
    edges = np.sort(chance.integers(0, postings + 1, (2, count)), axis=0)
    is_there = chance.random(count) < 0.7
    return Ranges(edges[0] * is_there, edges[1] * is_there)


def weighed_both_ways(case: WeighingCase) -> str:
    """What differs; empty if nothing does."""
    of_text = are_numbers(case.tokens) & case.marks
    return (
        _difference(weighed, *case, np.roll(case.marks, 1))
        or _difference(kgram_information, case.tokens, of_text, case.k)
        or _difference(line_hashes, case.tokens)
        or _difference(line_hashes, case.tokens, 1)
    )


def ranked_both_ways(seed: int) -> str:
    """What differs in the contents of a matching case; empty if nothing does."""
    case = matching_case(seed)
    return _difference(told_contents, case.shared, case.file, case.parameters.k)


def chosen_both_ways(case: PostingsCase) -> str:
    """What differs; empty if nothing does."""
    return _difference(lambda *given: _columns(chosen_hits(*given)), *case)


def packed_both_ways(number: int, postings: NDArray[np.void], layout: BlockLayout) -> str:
    """What differs between both ways to write a block and to read it; empty if nothing does."""
    (block,) = pack_blocks(postings, np.array([0, len(postings)]), layout)
    with without_kernel():
        (reference,) = pack_blocks(postings, np.array([0, len(postings)]), layout)
    if block != reference:
        return "the bytes of the block"
    return _difference(lambda: (unpack_blocks([(number, block)], layout),))


def _columns(hits: Any) -> tuple[NDArray[Any], ...]:
    return hits.queries, hits.contents, hits.positions, hits.checks


def _difference(work: Callable[..., tuple[NDArray[Any], ...]], *given: Any) -> str:
    native = work(*given)
    with without_kernel():
        reference = work(*given)
    for number, (one, other) in enumerate(zip(native, reference, strict=True)):
        # As bytes, numbers of another type differ, too.
        if one.dtype != other.dtype or one.tobytes() != other.tobytes():
            return f"{work.__name__}, array {number}: {one} and {other}"
    return ""
