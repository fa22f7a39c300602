"""What became of each token of a copy: the same, another name, another literal, or there on one side only.

Tokens that matching has paired are compared by their text. Between two stretches, where it has paired none, the tokens
of both sides are compared once more, since a few may be the same there. That is bounded: difflib may take time cubic in
what it compares, so it gets ``MOST_IN_GAP`` tokens of each side at most, and all gaps of a copy ``MOST_COMPARED`` pairs
of tokens. What is not compared counts as being on one side only.
"""

from __future__ import annotations

from collections import Counter
from difflib import SequenceMatcher
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from winnow_ci.languages import names_in
from winnow_ci.model import IDENTIFIER_SKETCH, Tokens

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from winnow_ci.model import I32, U8
    from winnow_ci.model.regions import Stretch
    from winnow_ci.model.side_by_side import Mark
    from winnow_ci.scanner.side_text import SideText

MOST_RENAMES = 500
MOST_IN_GAP = 64
MOST_COMPARED = 100_000

ONE_SIDED, SAME, RENAMED, LITERAL = range(4)
MARKS: tuple[Mark | None, ...] = (None, "same", "renamed", "literal")
"""The mark of each of these; ``ONE_SIDED`` is another one on each side."""


class TokenMarks(NamedTuple):
    """What became of the tokens on one side; arrays with one element a token.

    Attributes:
        marks: uint8; ``ONE_SIDED``, ``SAME``, ``RENAMED`` or ``LITERAL``.
        pairs: int32; the number among the renames, of those that are renamed; otherwise -1.
    """

    marks: U8
    pairs: I32


class ComparedTokens(NamedTuple):
    """The tokens of a copy and of its source.

    Attributes:
        here, there: their marks.
        lines: int32, two columns: the lines that each pair of matched tokens begins on, here and there.
        renames: names of the source, their names in the change, and how often; the most frequent first.
    """

    here: TokenMarks
    there: TokenMarks
    lines: NDArray[np.int32]
    renames: tuple[tuple[str, str, int], ...]


def compared(stretches: Sequence[Stretch], here: SideText, there: SideText) -> ComparedTokens | None:
    """Compare the tokens of a copy with those of its source.

    Args:
        stretches: the tokens that matched.
        here: the change.
        there: the source; if its text is not known, tokens are compared by their sketches.

    Returns:
        What became of each; None if a side has not these tokens.
    """
    if here.tokens is None or there.tokens is None:
        return None
    stretches = [part._replace(start=part.start - here.first_token) for part in stretches]
    if not _are_there(stretches, len(here.tokens.sketch), len(there.tokens.sketch)):
        return None
    ours = np.concatenate([np.arange(part.start, part.start + part.tokens) for part in stretches])
    theirs = np.concatenate([np.arange(part.source_start, part.source_start + part.tokens) for part in stretches])
    lines = np.stack([here.tokens.first_lines[ours], there.tokens.first_lines[theirs]], axis=1)
    marks, pairs, renames = _compared_pairs(here, there, ours, theirs, lines)
    both = _blank(len(here.tokens.sketch)), _blank(len(there.tokens.sketch))
    if isinstance(here.tokens, Tokens) and isinstance(there.tokens, Tokens):
        for one, other in _same_in_gaps(stretches, here.tokens, there.tokens):
            both[0].marks[one] = both[1].marks[other] = SAME
    for side, numbers in zip(both, (ours, theirs), strict=True):
        side.marks[numbers], side.pairs[numbers] = marks, pairs
    return ComparedTokens(*both, lines, renames)


def _are_there(stretches: Sequence[Stretch], count: int, source_count: int) -> bool:
    """Whether the stretches rise, and lie inside so many tokens; those of a stored report may be anybody's."""
    ends = [0, *(part.start + part.tokens for part in stretches)]
    return bool(stretches) and all(
        part.tokens > 0
        and before <= part.start <= count - part.tokens
        and 0 <= part.source_start <= source_count - part.tokens
        for before, part in zip(ends, stretches, strict=False)
    )


def _blank(count: int) -> TokenMarks:
    return TokenMarks(np.full(count, ONE_SIDED, np.uint8), np.full(count, -1, np.int32))


def _compared_pairs(
    here: SideText, there: SideText, ours: NDArray[np.int64], theirs: NDArray[np.int64], lines: NDArray[np.int32]
) -> tuple[U8, I32, tuple[tuple[str, str, int], ...]]:
    """The mark of each pair of matched tokens, its number among the renames, and the renames."""
    assert here.tokens is not None and there.tokens is not None  # noqa: PT018 - for the types
    sketches, pairs = here.tokens.sketch[ours], np.full(len(ours), -1, np.int32)
    different = np.where((sketches >= IDENTIFIER_SKETCH.start) & (sketches < IDENTIFIER_SKETCH.stop), RENAMED, LITERAL)
    if not (isinstance(here.tokens, Tokens) and isinstance(there.tokens, Tokens)):
        marks = np.where(sketches == there.tokens.sketch[theirs], SAME, different)
        return marks.astype(np.uint8), pairs, ()
    old, new = there.tokens.verbatim[theirs], here.tokens.verbatim[ours]
    marks = np.where(old == new, SAME, different)
    renamed = np.flatnonzero(marks == RENAMED)
    if not len(renamed):
        return marks.astype(np.uint8), pairs, ()
    new_names, old_names = (
        names_in(side.between(int(column.min()), int(column.max())), side.front_end)
        for side, column in zip((here, there), lines.T, strict=True)
    )
    ids = list(zip(old[renamed].tolist(), new[renamed].tolist(), strict=True))
    told = [
        (pair, count) for pair, count in Counter(ids).most_common() if pair[0] in old_names and pair[1] in new_names
    ]
    numbers = {pair: number for number, (pair, _) in enumerate(told[:MOST_RENAMES])}
    pairs[renamed] = [numbers.get(pair, -1) for pair in ids]
    renames = tuple((old_names[one], new_names[other], count) for (one, other), count in told[:MOST_RENAMES])
    return marks.astype(np.uint8), pairs, renames


def _same_in_gaps(stretches: Sequence[Stretch], here: Tokens, there: Tokens) -> Iterator[tuple[int, int]]:
    """Pairs of tokens with the same text between stretches that follow each other on both sides."""
    left = MOST_COMPARED
    for before, after in pairwise(stretches):
        start, source_start = before.start + before.tokens, before.source_start + before.tokens
        ours, theirs = (
            here.verbatim[start : after.start].tolist(),
            there.verbatim[source_start : after.source_start].tolist(),
        )
        size = len(ours) * len(theirs)
        if 0 < size <= left and max(len(ours), len(theirs)) <= MOST_IN_GAP:
            left -= size
            for block in SequenceMatcher(None, ours, theirs, autojunk=False).get_matching_blocks():
                for number in range(block.size):
                    yield start + block.a + number, source_start + block.b + number
