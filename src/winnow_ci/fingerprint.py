"""Document → tokens → fingerprints, for building an index and for scanning alike.

This is the only place where front ends and winnowing meet, so that building and scanning cannot drift apart.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from winnow_ci.model import (
    IDENTIFIER_SKETCH,
    NUMBER_SKETCH,
    PHRASE,
    STRING_SKETCH,
    Fingerprints,
    Parameters,
    Phrases,
    Tokens,
)
from winnow_ci.winnowing import (
    AVERAGE,
    COMMON,
    GRAM,
    gram_bits,
    is_common,
    is_common_phrase,
    is_everyday,
    kgram_hashes,
    select,
    text_bits,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

# Front ends whose tokens ``surprisal`` has learnt; a token of the others is worth the average.
LEARNT = frozenset({"c", "go", "java", "javascript", "python"})
# So many phrases that stand at one token, lines of a long comment, are kept of it.
LINES_AT_ONE = 3
# A text says nothing new if it stands so few tokens before, too.
SHORTLY = 120
# Words that everybody uses go with what is done: this share of their bits is left.
EVERYDAY = 0.3
# Bits of names, numbers and strings so common that it says nothing if two documents share them.
SAID_BY_ALL = {IDENTIFIER_SKETCH: 5.0, NUMBER_SKETCH: 2.0, STRING_SKETCH: 5.0}


def all_kgrams(tokens: Tokens, parameters: Parameters) -> Fingerprints:
    """Hash every k-gram of a document: what a change asks an index for."""
    hashes = kgram_hashes(tokens.structural, parameters.k)
    return Fingerprints(hashes, _checks(tokens, parameters.k), np.arange(len(hashes), dtype=np.uint32))


def known(tokens: Tokens, parameters: Parameters, *, dense: bool = False) -> Fingerprints:
    """What an index keeps of a document: its fingerprints, or all k-grams if it is to be ``dense``, and its phrases.

    Of long comments it keeps as many lines as are needed to know them again, of a phrase that recurs the first place
    and the last. A document of fewer than k tokens has neither fingerprints nor phrases.
    """
    kgrams = all_kgrams(tokens, parameters) if dense else fingerprint(tokens, parameters)
    said = phrases(tokens)
    if not len(kgrams) or not len(said):
        return kgrams
    if not dense:
        said = said.part(_least(said))
        said = said.part(_outermost(said))
    return Fingerprints(
        np.concatenate([kgrams.hashes, said.hashes]),
        np.concatenate([kgrams.checks, np.zeros(len(said), np.uint32)]),
        np.concatenate([kgrams.positions, said.positions.astype(np.uint32) + np.uint32(PHRASE)]),
    )


def phrases(tokens: Tokens) -> Phrases:
    """The phrases of a document that tell it from others.

    Those before its first token are of every file of a project: names of its owners, its licence. What stands in
    several of the projects that ``surprisal`` has learnt from is common property.
    """
    said = tokens.phrases
    if said is None:
        return _NO_PHRASES
    tells = (said.positions > 0) & (said.positions < len(tokens))
    tells[tells] = ~is_common_phrase(said.hashes[tells])
    return said.part(tells)


def fingerprint(tokens: Tokens, parameters: Parameters) -> Fingerprints:
    """Select the fingerprints of a document: what is compared of it."""
    hashes = kgram_hashes(tokens.structural, parameters.k)
    chosen = select(hashes, parameters.w, parameters.selection, tokens.structural)
    checks = _checks(tokens, parameters.k, chosen)
    return Fingerprints(hashes[chosen], checks, chosen.astype(np.uint32))


def grams(tokens: Tokens) -> NDArray[np.uint64]:
    """Hash every structural 4-gram of a document: the measure of how much its structure says."""
    return kgram_hashes(tokens.structural, GRAM)


def text_grams(tokens: Tokens) -> NDArray[np.uint64]:
    """Hash every 4-gram of a document's text: the measure of how much its text says.

    All numbers are one: tables of numbers are often equal without being copied, as 0, 1, 2, 3 … are.
    """
    is_number = (tokens.sketch >= NUMBER_SKETCH.start) & (tokens.sketch < NUMBER_SKETCH.stop)
    return kgram_hashes(np.where(is_number, tokens.structural, tokens.verbatim), GRAM)


def common_grams(tokens: Tokens) -> NDArray[np.bool_]:
    """Which structural 16-grams of a document are common property: bool, one a 16-gram."""
    return is_common(kgram_hashes(tokens.structural, COMMON))


def bits(tokens: Tokens, front_end: str, common: NDArray[np.bool_]) -> NDArray[np.float64]:
    """How much each token of a document says, in bits: float64, one a token.

    The first three say nothing, nor does one that ends a 16-gram which is common property (``common_grams``).
    """
    said = np.zeros(len(tokens))
    if len(tokens) >= GRAM:
        said[GRAM - 1 :] = gram_bits(grams(tokens)) if front_end in LEARNT else AVERAGE
    said[len(tokens) - len(common) :][common] = 0
    return said


def common_kgrams(tokens: Tokens, k: int, common: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Which k-grams consist of 16-grams that are common property: bool, one a k-gram; none if k is less than 16."""
    count = max(0, len(tokens) - k + 1)
    if k < COMMON or count == 0:
        return np.zeros(count, np.bool_)
    before = np.concatenate([[0], np.cumsum(common)])
    inside = k - COMMON + 1
    return np.asarray(before[inside:] - before[:-inside] == inside, np.bool_)


def same_bits(tokens: Tokens) -> NDArray[np.float64]:
    """How much it says that another document has the very name, number or string: float64, one a token.

    Nothing for other tokens. A sketch has few values for each class, so that two of them are equal by chance quite
    often: more bits than that cannot be had.
    """
    worth = np.zeros(len(tokens))
    for sketches, common in SAID_BY_ALL.items():
        own = (tokens.sketch >= sketches.start) & (tokens.sketch < sketches.stop)
        texts = tokens.verbatim[own]
        told = np.clip(text_bits(texts) - common, 0, np.log2(len(sketches)))
        worth[own] = np.where(is_everyday(texts), EVERYDAY * told, told)
    return worth


def fresh_bits(tokens: Tokens, same: NDArray[np.float64]) -> NDArray[np.float64]:
    """``same_bits`` without what was said shortly before: float64, one a token; nothing for a text that recurs."""
    order = np.argsort(tokens.verbatim, kind="stable")
    recurs = tokens.verbatim[order[1:]] == tokens.verbatim[order[:-1]]
    fresh = same.copy()
    fresh[order[1:][recurs & (np.diff(order) <= SHORTLY)]] = 0
    return fresh


def _least(said: Phrases) -> NDArray[np.bool_]:
    """The phrases of least hash at each token: bool; a copy of a part of a comment mostly has one of them."""
    order = np.lexsort((said.hashes, said.positions))
    positions = said.positions[order]
    least = np.ones(len(said), np.bool_)
    least[order[LINES_AT_ONE:]] = positions[LINES_AT_ONE:] != positions[:-LINES_AT_ONE]
    return least


def _outermost(said: Phrases) -> NDArray[np.bool_]:
    """The first and the last place of each phrase: bool."""
    order = np.lexsort((said.positions, said.hashes))
    differ = said.hashes[order[1:]] != said.hashes[order[:-1]]
    outermost = np.zeros(len(said), np.bool_)
    outermost[order] = np.append(True, differ) | np.append(differ, True)
    return outermost


_NO_PHRASES = Phrases(
    np.empty(0, np.uint64), np.empty(0, np.uint8), np.empty(0, np.bool_), np.empty(0, np.int32), np.empty(0, np.int32)
)


def _checks(tokens: Tokens, k: int, at: NDArray[np.int64] | None = None) -> NDArray[np.uint32]:
    return (kgram_hashes(tokens.verbatim, k, at) >> np.uint64(32)).astype(np.uint32)
