"""How often 4-grams, the 3-grams before their last tokens, 16-grams, lines, phrases and texts occur."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from winnow_ci.evidence.tables import COMMON
from winnow_ci.evidence.weights import GRAM, line_hashes
from winnow_ci.languages import Untokenizable, tokenize
from winnow_ci.model import IDENTIFIER_SKETCH, NUMBER_SKETCH, STRING_SKETCH, WORD
from winnow_ci.winnowing import kgram_hashes

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray
    from sources import Source

    from winnow_ci.model import Tokens

KINDS = (IDENTIFIER_SKETCH, NUMBER_SKETCH, STRING_SKETCH)
FEWEST_TOKENS = 50


class Counts(NamedTuple):
    """How often things occur, and in how many projects; all arrays have one element a thing.

    Attributes:
        things: uint64, sorted, each once; hashes or verbatim ids.
        contexts: uint64; for a 4-gram the hash of its first three tokens, for a text its kind (0 to 2), else 0.
        counts: int64; occurrences.
        projects: int64; how many projects they occur in.
    """

    things: NDArray[np.uint64]
    contexts: NDArray[np.uint64]
    counts: NDArray[np.int64]
    projects: NDArray[np.int64]


class Counted(NamedTuple):
    """What was counted in some code of one family of languages.

    Attributes:
        tokens: how many there were.
        grams: structural 4-grams.
        texts: names, numbers and strings.
        runs: structural 16-grams.
        phrases: what comments and strings say.
        lines: whole lines, by their text.
    """

    tokens: int
    grams: Counts
    texts: Counts
    runs: Counts
    phrases: Counts
    lines: Counts


def counted(files: Sequence[Source]) -> Counted:
    """Count in some files; those that cannot be read or that are tiny are left out."""
    streams = [tokens for file in files if (tokens := _read(file)) is not None]
    four = [kgram_hashes(tokens.structural, GRAM) for tokens in streams]
    three = [kgram_hashes(tokens.structural, GRAM - 1)[:-1] for tokens in streams]
    texts = [_texts(tokens) for tokens in streams]
    runs = _joined(kgram_hashes(tokens.structural, COMMON) for tokens in streams)
    spoken = [tokens.phrases for tokens in streams if tokens.phrases is not None]
    phrases = _joined(own.hashes[own.words != WORD] for own in spoken)
    lines = _joined(line_hashes(tokens).hashes for tokens in streams)
    return Counted(
        sum(map(len, streams)),
        _once(_joined(four), _joined(three)),
        _once(_joined(ids for ids, _ in texts), _joined(kinds for _, kinds in texts)),
        _once(runs, np.zeros_like(runs)),
        _once(phrases, np.zeros_like(phrases)),
        _once(lines, np.zeros_like(lines)),
    )


def of_one_project(parts: Sequence[Counted]) -> Counted:
    """What was counted in all files of a project: each thing occurs in one project."""
    tokens, *counts = added(parts)
    return Counted(tokens, *(each._replace(projects=np.ones_like(each.projects)) for each in counts))


def added(parts: Sequence[Counted]) -> Counted:
    """Sum of what was counted here and there."""
    return Counted(
        sum(part.tokens for part in parts),
        _sum([part.grams for part in parts]),
        _sum([part.texts for part in parts]),
        _sum([part.runs for part in parts]),
        _sum([part.phrases for part in parts]),
        _sum([part.lines for part in parts]),
    )


def _read(file: Source) -> Tokens | None:
    try:
        tokens = tokenize(file.language, file.content)
    except Untokenizable:
        return None
    return tokens if len(tokens) >= FEWEST_TOKENS else None


def _texts(tokens: Tokens) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
    kinds = np.digitize(tokens.sketch, [sketches.start for sketches in KINDS])
    is_text = kinds > 0
    return tokens.verbatim[is_text], (kinds[is_text] - 1).astype(np.uint64)


def _joined(arrays: Iterable[NDArray[np.uint64]]) -> NDArray[np.uint64]:
    return np.concatenate([np.empty(0, np.uint64), *arrays])


def _once(things: NDArray[np.uint64], contexts: NDArray[np.uint64]) -> Counts:
    once, first, counts = np.unique(things, return_index=True, return_counts=True)
    return Counts(once, contexts[first], counts, np.ones_like(counts))


def _sum(parts: Sequence[Counts]) -> Counts:
    things, contexts, counts, projects = (np.concatenate(column) for column in zip(*parts, strict=True))
    once, first, places = np.unique(things, return_index=True, return_inverse=True)
    return Counts(once, contexts[first], _total(places, counts), _total(places, projects))


def _total(places: NDArray[np.intp], values: NDArray[np.int64]) -> NDArray[np.int64]:
    total: NDArray[np.int64] = np.bincount(places, weights=values).astype(np.int64)
    return total
