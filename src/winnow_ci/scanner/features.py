"""A changed file → what is asked of an index about it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from winnow_ci.evidence import (
    common_grams,
    common_kgrams,
    distinctive_phrases,
    grams,
    informative,
    literal_bits,
    new_literal_bits,
    text_grams,
    token_bits,
)
from winnow_ci.fingerprint import all_kgrams
from winnow_ci.matching import FileKgrams, WeightedFile
from winnow_ci.scanner.preparation import on_lines
from winnow_ci.winnowing import among

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from winnow_ci.model import Hits, Parameters, Phrases
    from winnow_ci.scanner.preparation import PreparedFile


def question_of(file: PreparedFile, parameters: Parameters, boilerplate: NDArray[np.uint64]) -> FileKgrams:
    """What is asked about a file.

    Args:
        file: the file.
        parameters: of the index.
        boilerplate: uint64, sorted; hashes of k-grams that are no evidence.
    """
    k = parameters.k
    kgrams, structure = all_kgrams(file.tokens, parameters), grams(file.tokens)
    question = FileKgrams(
        tokens=file.tokens,
        kgrams=kgrams,
        grams=structure,
        informative=informative(structure, k),
        informative_text=informative(text_grams(file.tokens), k),
        added=file.added,
        phrases=_added_phrases(file),
    )
    return without(question, among(kgrams.hashes, boilerplate), k)


def query_of(file: PreparedFile, question: FileKgrams, places: Hits, k: int) -> WeightedFile:
    """What the tokens of a file say, given where its phrases stand in the index."""
    common = common_grams(file.tokens)
    said, same = token_bits(file.tokens, file.front_end.name, common), literal_bits(file.tokens)
    return WeightedFile(
        question=question,
        bits=said,
        same_bits=same,
        fresh_bits=new_literal_bits(file.tokens, same),
        telling=question.informative & ~common_kgrams(file.tokens, k, common),
        cumulative=np.concatenate([[0.0], np.cumsum(said)]),
        phrase_places=places,
    )


def _added_phrases(file: PreparedFile) -> Phrases:
    """The phrases of a file that stand on added lines."""
    said = distinctive_phrases(file.tokens)
    return said.part(on_lines(said.lines, said.lines, file.added_lines))


def beside(question: FileKgrams) -> NDArray[np.bool_]:
    """Which phrases stand in or beside a token that counts as added: bool, one a phrase."""
    at = question.phrases.positions
    return np.asarray(question.added[at] | question.added[at - 1], np.bool_)


def without(question: FileKgrams, boilerplate: NDArray[np.bool_], k: int) -> FileKgrams:
    """A question in which k-grams of boilerplate are no evidence.

    A copy beside boilerplate is extended into it, so what stands in there does not count as added.
    """
    return question._replace(
        informative=question.informative & ~boilerplate,
        informative_text=question.informative_text & ~boilerplate,
        added=question.added & ~_covered(boilerplate, k, len(question.tokens)),
    )


def _covered(kgrams: NDArray[np.bool_], k: int, tokens: int) -> NDArray[np.bool_]:
    """Which of so many tokens lie in one of some k-grams."""
    change = np.zeros(tokens + 1, np.int64)
    starts = np.flatnonzero(kgrams)
    change[starts] += 1
    change[starts + k] -= 1
    return np.asarray(change.cumsum()[:-1] > 0, np.bool_)
