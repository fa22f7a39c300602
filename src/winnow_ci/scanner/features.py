"""A changed file → its k-grams for the look-up, and the weights of its tokens for matching."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from winnow_ci.arrays import among
from winnow_ci.evidence import are_numbers, distinctive_phrases, kgram_information, rare_numbers, weighed
from winnow_ci.fingerprint import all_kgrams
from winnow_ci.languages import DATA, TextNumbers, in_imports, normalise
from winnow_ci.matching import FileHits, FileKgrams
from winnow_ci.scanner.added import on_lines

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from winnow_ci.model import Hits, Parameters, Phrases, Tokens
    from winnow_ci.scanner.values import PreparedFile

# With fewer numbers than these, nothing in a file is a table of them.
FEWEST_NUMBERS = 16
# Numbers that are no more tokens apart are near each other.
NEAR_NUMBERS = 6


def file_kgrams(file: PreparedFile, parameters: Parameters, boilerplate: NDArray[np.uint64]) -> FileKgrams:
    """The k-grams of a file; those of data are no evidence.

    Args:
        file: the file.
        parameters: of the index.
        boilerplate: uint64, sorted; hashes of k-grams that are no evidence.
    """
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
    return without(every, among(kgrams.hashes, boilerplate), k)


def file_hits(
    file: PreparedFile, kgrams: FileKgrams, hits: Hits, phrase_hits: Hits, identical: tuple[int, ...], k: int
) -> FileHits:
    """Weigh the tokens of a file that an index has something of."""
    silent = _in_tables(kgrams, k) & ~kgrams.rare_numbers
    said = weighed(file.tokens, file.front_end.name, k, silent, kgrams.imported)
    return FileHits(
        kgrams=kgrams,
        hits=hits,
        phrase_hits=phrase_hits,
        token_bits=said.token_bits,
        literal_bits=said.literal_bits,
        new_literal_bits=said.new_literal_bits,
        further_rows=said.further_rows & ~kgrams.rare_numbers,
        telling=kgrams.informative & ~said.common & ~_with_any(kgrams.imported, k),
        cumulative=np.concatenate([[0.0], np.cumsum(said.token_bits)]),
        identical=identical,
    )


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


def _in_tables(kgrams: FileKgrams, k: int) -> NDArray[np.bool_]:
    """Which tokens are numbers where the structure says nothing, as in rows of numbers: bool, one a token."""
    return are_numbers(kgrams.tokens) & ~_covered(kgrams.informative, k, len(kgrams.tokens))


def _added_phrases(file: PreparedFile, imported: NDArray[np.bool_]) -> Phrases:
    """The phrases of a file that stand on added lines, and not in what it imports."""
    phrases = distinctive_phrases(file.tokens)
    # A comment stands before the token after it.
    is_token = phrases.lines >= file.tokens.first_lines[phrases.positions]
    is_imported = imported[phrases.positions] & is_token
    return phrases.part(on_lines(phrases.lines, phrases.lines, file.added_lines) & ~is_imported)


def phrases_beside_added(kgrams: FileKgrams) -> NDArray[np.bool_]:
    """Which phrases stand in or beside a token that counts as added: bool, one a phrase."""
    at = kgrams.phrases.positions
    return np.asarray(kgrams.added[at] | kgrams.added[at - 1], np.bool_)


def without(kgrams: FileKgrams, boilerplate: NDArray[np.bool_], k: int) -> FileKgrams:
    """The file without the evidence of boilerplate.

    A copy beside boilerplate extends into it, so tokens of boilerplate do not count as added.
    """
    if not boilerplate.any():
        return kgrams
    return kgrams._replace(
        informative=kgrams.informative & ~boilerplate,
        informative_text=kgrams.informative_text & ~boilerplate,
        added=kgrams.added & ~_covered(boilerplate, k, len(kgrams.tokens)),
    )


def _with_any(tokens: NDArray[np.bool_], k: int) -> NDArray[np.bool_]:
    """Which of a file's k-grams have one of these tokens: bool, shape (k-grams,)."""
    before = np.append(0, np.cumsum(tokens))
    return np.asarray(before[k:] > before[:-k], np.bool_)


def _covered(kgrams: NDArray[np.bool_], k: int, tokens: int) -> NDArray[np.bool_]:
    """Which of a file's tokens lie in one of these k-grams: bool, shape (tokens,)."""
    change = np.zeros(tokens + 1, np.int64)
    starts = np.flatnonzero(kgrams)
    change[starts] += 1
    change[starts + k] -= 1
    return np.asarray(change.cumsum()[:-1] > 0, np.bool_)
