"""Document → tokens → fingerprints, for building an index and for scanning alike.

This is the only place where front ends and winnowing meet, so that building and scanning cannot drift apart.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from winnow_ci.evidence import distinctive_phrases
from winnow_ci.model import PHRASE, Fingerprints, Parameters, Phrases, Tokens
from winnow_ci.winnowing import kgram_hashes, select

if TYPE_CHECKING:
    from numpy.typing import NDArray

# An index keeps this many of the phrases that stand at one token, the lines of a long comment.
LINES_AT_ONE = 3


def all_kgrams(tokens: Tokens, parameters: Parameters) -> Fingerprints:
    """Hash every k-gram of a document: what a change asks an index for."""
    hashes = kgram_hashes(tokens.structural, parameters.k)
    return Fingerprints(hashes, _checks(tokens, parameters.k), np.arange(len(hashes), dtype=np.uint32))


def index_fingerprints(tokens: Tokens, parameters: Parameters, *, dense: bool = False) -> Fingerprints:
    """What an index keeps of a document: its fingerprints, or all k-grams if it is to be ``dense``, and its phrases.

    Of long comments it keeps as many lines as are needed to know them again, of a phrase that recurs the first place
    and the last. A document of fewer than k tokens has neither fingerprints nor phrases.
    """
    kgrams = all_kgrams(tokens, parameters) if dense else fingerprint(tokens, parameters)
    said = distinctive_phrases(tokens)
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


def fingerprint(tokens: Tokens, parameters: Parameters) -> Fingerprints:
    """Select the fingerprints of a document: what is compared of it."""
    hashes = kgram_hashes(tokens.structural, parameters.k)
    chosen = select(hashes, parameters.w, parameters.selection, tokens.structural)
    checks = _checks(tokens, parameters.k, chosen)
    return Fingerprints(hashes[chosen], checks, chosen.astype(np.uint32))


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


def _checks(tokens: Tokens, k: int, at: NDArray[np.int64] | None = None) -> NDArray[np.uint32]:
    return (kgram_hashes(tokens.verbatim, k, at) >> np.uint64(32)).astype(np.uint32)
