"""What the tokens, names, literals and phrases of one document are worth as evidence, in bits, by the learnt tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from winnow_ci.evidence.information import GRAM, grams
from winnow_ci.evidence.tables import AVERAGE, COMMON, gram_bits, is_common, is_common_phrase, is_everyday, text_bits
from winnow_ci.model import IDENTIFIER_SKETCH, NUMBER_SKETCH, STRING_SKETCH, Phrases
from winnow_ci.winnowing import kgram_hashes

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from winnow_ci.model import Tokens

# Front ends whose tokens the tables were learnt from; a token of any other is worth the average.
LEARNT = frozenset({"c", "go", "java", "javascript", "python"})
# A name or literal says nothing new if it occurred no more than this many tokens before.
SHORTLY = 120
# Names and literals that many projects use keep this share of their bits: they go with what the code does.
EVERYDAY = 0.3
# Names, numbers and strings of no more bits than these are so common that sharing them says nothing.
SAID_BY_ALL = {IDENTIFIER_SKETCH: 5.0, NUMBER_SKETCH: 2.0, STRING_SKETCH: 5.0}


def distinctive_phrases(tokens: Tokens) -> Phrases:
    """The phrases of a document that tell it from others.

    Left out are phrases that several of the learnt projects have, and those before the first token: every file of a
    project begins with its owners and its licence.
    """
    phrases = tokens.phrases
    if phrases is None:
        return _NO_PHRASES
    distinctive = (phrases.positions > 0) & (phrases.positions < len(tokens))
    distinctive[distinctive] = ~is_common_phrase(phrases.hashes[distinctive])
    return phrases.part(distinctive)


def common_grams(tokens: Tokens) -> NDArray[np.bool_]:
    """Which structural 16-grams of a document are common property: bool, one a 16-gram."""
    return is_common(kgram_hashes(tokens.structural, COMMON))


def common_kgrams(tokens: Tokens, k: int, common: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Which k-grams consist of 16-grams that are common property: bool, one a k-gram; none if k is less than 16."""
    count = max(0, len(tokens) - k + 1)
    if k < COMMON or count == 0:
        return np.zeros(count, np.bool_)
    before = np.concatenate([[0], np.cumsum(common)])
    inside = k - COMMON + 1
    return np.asarray(before[inside:] - before[:-inside] == inside, np.bool_)


def token_bits(tokens: Tokens, front_end: str, common: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Bits of each token after the three before it: float64, one a token.

    The first three tokens are worth nothing, nor is one that ends a 16-gram of common property (``common_grams``).
    """
    bits = np.zeros(len(tokens))
    if len(tokens) >= GRAM:
        bits[GRAM - 1 :] = gram_bits(grams(tokens)) if front_end in LEARNT else AVERAGE
    bits[len(tokens) - len(common) :][common] = 0
    return bits


def literal_bits(tokens: Tokens) -> NDArray[np.float64]:
    """Bits of each name, number or string if another document has the same one: float64, one a token, else 0.

    A sketch byte tells few texts of a class apart, so two of them are often equal by chance: no text is worth more
    bits than its sketch can tell.
    """
    bits = np.zeros(len(tokens))
    for sketches, worthless in SAID_BY_ALL.items():
        own = (tokens.sketch >= sketches.start) & (tokens.sketch < sketches.stop)
        texts = tokens.verbatim[own]
        rarity = np.clip(text_bits(texts) - worthless, 0, np.log2(len(sketches)))
        bits[own] = np.where(is_everyday(texts), EVERYDAY * rarity, rarity)
    return bits


def new_literal_bits(tokens: Tokens, bits: NDArray[np.float64]) -> NDArray[np.float64]:
    """``literal_bits``, but 0 for a text that occurred shortly before: float64, one a token."""
    order = np.argsort(tokens.verbatim, kind="stable")
    recurs = tokens.verbatim[order[1:]] == tokens.verbatim[order[:-1]]
    new = bits.copy()
    new[order[1:][recurs & (np.diff(order) <= SHORTLY)]] = 0
    return new


_NO_PHRASES = Phrases(
    np.empty(0, np.uint64), np.empty(0, np.uint8), np.empty(0, np.bool_), np.empty(0, np.int32), np.empty(0, np.int32)
)
