"""The k-grams of a changed file: what they say, and which of them an index is asked for.

If both sides of a run of t tokens select the same k-gram in it, asking for what the change selects is enough: it is one
of the fingerprints that the index keeps. ``robust``, ``winnowing`` and ``mod-minimizer`` promise that, and what
``mod-p`` does not select is in no index that it made. The selection is made over *all* k-grams of the file, as the
index made it, and what is no evidence is left out afterwards. All places of a selected hash are looked up: among equal
hashes, each side may have selected another place, and only one has the right text.

An index of another selection relies on being asked for all: with ``anchored``, one of the w k-grams of such a run is in
it, and the change cannot know which.

**Boilerplate.** An index has each k-gram of boilerplate, so for all k-grams that were asked for it is known whether
they are boilerplate. Those between two that were asked for, if no run of t tokens could begin there, are boilerplate
if both are. A run of w other k-grams holds one that was asked for, so no part of it is ever taken for boilerplate.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from winnow_ci.arrays import among, covered
from winnow_ci.evidence.information import are_numbers, kgram_information, rare_numbers
from winnow_ci.evidence.weights import distinctive_phrases, weighed
from winnow_ci.fingerprint import all_kgrams
from winnow_ci.languages import DATA, TextNumbers, in_imports, normalise
from winnow_ci.matching.hits import FileHits, FileKgrams
from winnow_ci.model import WORD
from winnow_ci.scanner.files import PreparedFile, on_lines
from winnow_ci.winnowing import select

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from winnow_ci.model import Hits, Parameters, Phrases, Selection, Tokens

# Selections with which both sides make the same choice in a run of t tokens, or none (``winnowing.schemes``).
SHARED: frozenset[Selection] = frozenset({"winnowing", "robust", "mod-minimizer", "mod-p"})
# With fewer numbers, nothing in a file is a table of them.
FEWEST_NUMBERS = 16
# Numbers that are no more tokens apart are near each other.
NEAR_NUMBERS = 6


def file_kgrams(file: PreparedFile, parameters: Parameters, boilerplate: NDArray[np.uint64]) -> FileKgrams:
    """Make the k-grams of a file; those of data and of boilerplate (sorted hashes) are no evidence."""
    k = parameters.k
    rare, is_code = _rare_numbers(file), file.front_end.name != DATA
    imported = in_imports(file.tokens, file.front_end.name)
    kgrams = all_kgrams(file.tokens, parameters)
    carried = kgram_information(file.tokens, rare | _are_lone_numbers(file.tokens), k)
    every = FileKgrams(
        tokens=file.tokens,
        kgrams=kgrams,
        grams=carried.grams,
        informative=carried.structure & is_code,
        informative_text=carried.text & is_code,
        rare_numbers=rare,
        imported=imported,
        added=file.added,
        phrases=_added_phrases(file, imported),
    )
    return without_boilerplate(every, among(kgrams.hashes, boilerplate), k)


def asked_kgrams(file: FileKgrams, parameters: Parameters, *, all_near: bool) -> NDArray[np.bool_]:
    """Mark the k-grams that are looked up in an index: bool, one a k-gram.

    With ``all_near``, k-grams that say nothing are looked up too, as some may turn out to be boilerplate.
    """
    wanted, hashes = file.reachable if all_near else file.asked, file.kgrams.hashes
    if not wanted.any() or parameters.selection not in SHARED:
        return wanted
    chosen = select(hashes, parameters.w, parameters.selection, file.tokens.structural)
    return wanted & among(hashes, np.sort(hashes[chosen]))


def known_boilerplate(found: NDArray[np.bool_], asked: NDArray[np.bool_], shortest: int) -> NDArray[np.bool_]:
    """Mark the k-grams that are boilerplate, given which of those that were asked for the index has as boilerplate.

    Nothing is inferred between k-grams that are further apart than ``shortest``, the shortest w of the indexes.
    """
    if not found.any():
        return found
    at = np.flatnonzero(asked)
    inside = found[at[:-1]] & found[at[1:]] & (np.diff(at) <= shortest)
    return found | covered(at[:-1][inside], at[1:][inside], len(found))


def without_boilerplate(kgrams: FileKgrams, boilerplate: NDArray[np.bool_], k: int) -> FileKgrams:
    """Drop the evidence of boilerplate.

    A copy beside boilerplate extends into it, so tokens of boilerplate do not count as added.
    """
    if not boilerplate.any():
        return kgrams
    return kgrams._replace(
        informative=kgrams.informative & ~boilerplate,
        informative_text=kgrams.informative_text & ~boilerplate,
        added=kgrams.added & ~_in_kgrams(boilerplate, k, len(kgrams.tokens)),
    )


def file_hits(
    file: PreparedFile, kgrams: FileKgrams, hits: Hits, phrase_hits: Hits, identical: tuple[int, ...], k: int
) -> FileHits:
    """Weigh the tokens of a file with hits in an index."""
    # Numbers where the structure says nothing, as in rows of numbers.
    in_tables = are_numbers(kgrams.tokens) & ~_in_kgrams(kgrams.informative, k, len(kgrams.tokens))
    said = weighed(file.tokens, file.front_end.name, k, in_tables & ~kgrams.rare_numbers, kgrams.imported)
    imported_before = np.append(0, np.cumsum(kgrams.imported))
    return FileHits(
        kgrams=kgrams,
        hits=hits,
        phrase_hits=phrase_hits,
        token_bits=said.token_bits,
        literal_bits=said.literal_bits,
        new_literal_bits=said.new_literal_bits,
        further_rows=said.further_rows & ~kgrams.rare_numbers,
        telling=kgrams.informative & ~said.common & ~np.asarray(imported_before[k:] > imported_before[:-k], np.bool_),
        cumulative=np.concatenate([[0.0], np.cumsum(said.token_bits)]),
        identical=identical,
    )


def phrases_beside_added(kgrams: FileKgrams) -> NDArray[np.bool_]:
    """Mark the words in a token that counts as added, and the phrases in or beside one: bool, one a phrase."""
    at, are_phrases = kgrams.phrases.positions, kgrams.phrases.words != WORD
    return np.asarray(kgrams.added[at] | (are_phrases & kgrams.added[at - 1]), np.bool_)


def _rare_numbers(file: PreparedFile) -> NDArray[np.bool_]:
    """Which tokens are rare numbers: bool, one a token; in a file with few numbers none, nor in a part of one."""
    if file.in_text or file.is_lean or are_numbers(file.tokens).sum() < FEWEST_NUMBERS:
        return np.zeros(len(file.tokens), np.bool_)
    return rare_numbers(file.tokens, TextNumbers(normalise(file.content), file.front_end.name))


def _are_lone_numbers(tokens: Tokens) -> NDArray[np.bool_]:
    """Which tokens are numbers with no other near: bool, one a token.

    Rows of numbers are often equal by chance; rows of calls, each with its number, are not.
    """
    lone = are_numbers(tokens)
    at = np.flatnonzero(lone)
    near = np.diff(at) <= NEAR_NUMBERS
    lone[at[1:][near]] = lone[at[:-1][near]] = False
    return lone


def _added_phrases(file: PreparedFile, imported: NDArray[np.bool_]) -> Phrases:
    phrases = distinctive_phrases(file.tokens)
    # A comment stands before the token after it.
    is_token = phrases.lines >= file.tokens.first_lines[phrases.positions]
    is_imported = imported[phrases.positions] & is_token
    return phrases.part(on_lines(phrases.lines, phrases.lines, file.added_lines) & ~is_imported)


def _in_kgrams(kgrams: NDArray[np.bool_], k: int, tokens: int) -> NDArray[np.bool_]:
    """Which of a file's tokens lie in one of these k-grams: bool, one a token."""
    starts = np.flatnonzero(kgrams)
    return covered(starts, starts + k, tokens)
