"""Document → tokens → fingerprints, for building an index and for scanning alike.

This is the only place where front ends and winnowing meet, so that building and scanning cannot drift apart.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from winnow_ci.model import NUMBER_SKETCH, Fingerprints, Parameters, Tokens
from winnow_ci.winnowing import GRAM, kgram_hashes, select

if TYPE_CHECKING:
    from numpy.typing import NDArray


def all_kgrams(tokens: Tokens, parameters: Parameters) -> Fingerprints:
    """Hash every k-gram of a document: what a change asks an index for."""
    hashes = kgram_hashes(tokens.structural, parameters.k)
    return Fingerprints(hashes, _checks(tokens, parameters.k), np.arange(len(hashes), dtype=np.uint32))


def fingerprint(tokens: Tokens, parameters: Parameters) -> Fingerprints:
    """Select the fingerprints of a document: what an index keeps."""
    hashes = kgram_hashes(tokens.structural, parameters.k)
    chosen = select(hashes, parameters.w, parameters.selection)
    checks = _checks(tokens, parameters.k)
    return Fingerprints(hashes[chosen], checks[chosen], chosen.astype(np.uint32))


def grams(tokens: Tokens) -> NDArray[np.uint64]:
    """Hash every structural 4-gram of a document: the measure of how much its structure says."""
    return kgram_hashes(tokens.structural, GRAM)


def text_grams(tokens: Tokens) -> NDArray[np.uint64]:
    """Hash every 4-gram of a document's text: the measure of how much its text says.

    All numbers are one: tables of numbers are often equal without being copied, as 0, 1, 2, 3 … are.
    """
    is_number = (tokens.sketch >= NUMBER_SKETCH.start) & (tokens.sketch < NUMBER_SKETCH.stop)
    return kgram_hashes(np.where(is_number, tokens.structural, tokens.verbatim), GRAM)


def _checks(tokens: Tokens, k: int) -> NDArray[np.uint32]:
    return (kgram_hashes(tokens.verbatim, k) >> np.uint64(32)).astype(np.uint32)
