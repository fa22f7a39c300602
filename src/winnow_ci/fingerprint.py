"""From tokens of a document to k-grams, fingerprints and the rows of an index.

Only here do front ends and winnowing meet, so that building and scanning an index cannot drift apart. The kernel, if
there is one, does the same in one call.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from winnow_ci.evidence.weights import distinctive_phrases
from winnow_ci.model import PHRASE, WORD, Fingerprints, Parameters, Phrases, Tokens
from winnow_ci.native import kernel
from winnow_ci.winnowing import kgram_hashes, select
from winnow_ci.winnowing.schemes import ANCHORED, BOTTOM, SHORTEST_GRAM

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from winnow_ci.model import I32

# An index keeps this many of the phrases that stand at one token, the lines of a long comment, and this many words of
# each of these stretches of tokens.
LINES_AT_ONE = 3
WORDS_OF_STRETCH, STRETCH = 18, 512
_NUMBERS = {
    "anchored": ANCHORED,
    "shortest_gram": SHORTEST_GRAM,
    "bottom": BOTTOM,
    "lines_at_one": LINES_AT_ONE,
    "phrase": PHRASE,
}


def all_kgrams(tokens: Tokens, parameters: Parameters) -> Fingerprints:
    """Return every k-gram of a document, which a scan looks up."""
    if native := kernel():
        hashes, checks = native.all_kgrams(tokens, parameters.k)
    else:
        hashes, checks = kgram_hashes(tokens.structural, parameters.k), _checks(tokens, parameters.k)
    return Fingerprints(hashes, checks, np.arange(len(hashes), dtype=np.uint32))


def index_fingerprints(tokens: Tokens, parameters: Parameters, *, dense: bool = False) -> Fingerprints:
    """Return what an index keeps of a document: its fingerprints, or all k-grams if ``dense``, phrases and words.

    Only distinctive phrases and words are kept. Unless dense, it keeps only ``LINES_AT_ONE`` lines of a long comment,
    ``WORDS_OF_STRETCH`` words of each stretch, and the first and last place of a phrase that recurs. A document of
    fewer than k tokens has none.
    """
    phrases = distinctive_phrases(tokens)
    if not dense:
        phrases = phrases.part((phrases.words != WORD) | _sampled(phrases))
    if (native := kernel()) and (found := native.index_fingerprints(tokens, phrases, parameters, dense, _NUMBERS)):
        return Fingerprints(*found)
    return _index_fingerprints(tokens, phrases, parameters, dense=dense)


def _index_fingerprints(tokens: Tokens, phrases: Phrases, parameters: Parameters, *, dense: bool) -> Fingerprints:
    kgrams = all_kgrams(tokens, parameters) if dense else fingerprint(tokens, parameters)
    if not len(kgrams) or not len(phrases):
        return kgrams
    if not dense:
        phrases = phrases.part(_least(phrases, phrases.positions, LINES_AT_ONE))
        phrases = phrases.part(_outermost(phrases))
    return Fingerprints(
        np.concatenate([kgrams.hashes, phrases.hashes]),
        np.concatenate([kgrams.checks, np.zeros(len(phrases), np.uint32)]),
        np.concatenate([kgrams.positions, phrases.positions.astype(np.uint32) + np.uint32(PHRASE)]),
    )


def fingerprint(tokens: Tokens, parameters: Parameters) -> Fingerprints:
    """Return the selected k-grams of a document."""
    hashes = kgram_hashes(tokens.structural, parameters.k)
    chosen = select(hashes, parameters.w, parameters.selection, tokens.structural)
    checks = _checks(tokens, parameters.k, chosen)
    return Fingerprints(hashes[chosen], checks, chosen.astype(np.uint32))


def _sampled(phrases: Phrases) -> NDArray[np.bool_]:
    """The words of least hash in each stretch of tokens, without phrases: bool. A scan asks for all of its own."""
    are_words = phrases.words == WORD
    own = phrases.part(are_words)
    sampled = np.zeros(len(phrases), np.bool_)
    sampled[are_words] = _least(own, own.positions // STRETCH, WORDS_OF_STRETCH)
    return sampled


def _least(phrases: Phrases, groups: I32, most: int) -> NDArray[np.bool_]:
    """The phrases of least hash in each group: bool. A copy of part of a comment mostly has one of them."""
    order = np.lexsort((phrases.hashes, groups))
    ordered = groups[order]
    least = np.ones(len(phrases), np.bool_)
    least[order[most:]] = ordered[most:] != ordered[:-most]
    return least


def _outermost(phrases: Phrases) -> NDArray[np.bool_]:
    """The first and the last place of each phrase: bool."""
    order = np.lexsort((phrases.positions, phrases.hashes))
    differ = phrases.hashes[order[1:]] != phrases.hashes[order[:-1]]
    outermost = np.zeros(len(phrases), np.bool_)
    outermost[order] = np.append(True, differ) | np.append(differ, True)
    return outermost


def _checks(tokens: Tokens, k: int, at: NDArray[np.int64] | None = None) -> NDArray[np.uint32]:
    return (kgram_hashes(tokens.verbatim, k, at) >> np.uint64(32)).astype(np.uint32)
