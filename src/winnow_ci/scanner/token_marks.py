"""What became of each token of a copy: the same, another name, another literal, or there on one side only.

Tokens that matching has paired are compared by their text. Between two stretches, where it has paired none, the tokens
of both sides are compared once more (``gaps``), since a few may be the same there. The others are on one side only.
"""

from __future__ import annotations

from collections import Counter
from itertools import islice, pairwise
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from winnow_ci.languages import names_in
from winnow_ci.model import IDENTIFIER_SKETCH, Tokens
from winnow_ci.named_tuples import NamedTuple
from winnow_ci.scanner.correspondence import are_there
from winnow_ci.scanner.gaps import GapComparison

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray

    from winnow_ci.model import I32, U8
    from winnow_ci.model.regions import Stretch
    from winnow_ci.model.side_by_side import Mark
    from winnow_ci.scanner.side_text import SideText

MOST_RENAMES = 500

ONE_SIDED, SAME, RENAMED, LITERAL = range(4)
MARKS: tuple[Mark | None, ...] = (None, "same", "renamed", "literal")
"""The mark of each of these; ``ONE_SIDED`` is another one on each side."""


Renames: TypeAlias = "tuple[tuple[str, str, int], ...]"
_Numbers: TypeAlias = "NDArray[np.int64]"


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
    renames: Renames


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
    if not are_there(stretches, len(here.tokens.sketch), len(there.tokens.sketch)):
        return None
    ours = np.concatenate([np.arange(part.start, part.start + part.tokens) for part in stretches])
    theirs = np.concatenate([np.arange(part.source_start, part.source_start + part.tokens) for part in stretches])
    lines = np.stack([here.tokens.first_lines[ours], there.tokens.first_lines[theirs]], axis=1)
    marks, pairs, renames = _compared_pairs(here, there, ours, theirs)
    both = _blank(len(here.tokens.sketch)), _blank(len(there.tokens.sketch))
    if isinstance(here.tokens, Tokens) and isinstance(there.tokens, Tokens):
        for one, other in _same_in_gaps(stretches, here.tokens, there.tokens):
            both[0].marks[one] = both[1].marks[other] = SAME
    for side, numbers in zip(both, (ours, theirs), strict=True):
        side.marks[numbers], side.pairs[numbers] = marks, pairs
    return ComparedTokens(*both, lines, renames)


def _blank(count: int) -> TokenMarks:
    return TokenMarks(np.full(count, ONE_SIDED, np.uint8), np.full(count, -1, np.int32))


def _compared_pairs(here: SideText, there: SideText, ours: _Numbers, theirs: _Numbers) -> tuple[U8, I32, Renames]:
    """The mark of each pair of matched tokens, its number among the renames, and the renames."""
    assert here.tokens is not None
    assert there.tokens is not None
    sketches, pairs = here.tokens.sketch[ours], np.full(len(ours), -1, np.int32)
    are_names = (sketches >= IDENTIFIER_SKETCH.start) & (sketches < IDENTIFIER_SKETCH.stop)
    different = np.where(are_names, RENAMED, LITERAL).astype(np.uint8)
    if not (isinstance(here.tokens, Tokens) and isinstance(there.tokens, Tokens)):
        return np.where(sketches == there.tokens.sketch[theirs], np.uint8(SAME), different), pairs, ()
    are_same = here.tokens.verbatim[ours] == there.tokens.verbatim[theirs]
    renamed = np.flatnonzero(are_names & ~are_same)
    pairs[renamed], renames = _renames(here, there, ours[renamed], theirs[renamed])
    return np.where(are_same, np.uint8(SAME), different), pairs, renames


def _renames(here: SideText, there: SideText, ours: _Numbers, theirs: _Numbers) -> tuple[list[int], Renames]:
    """The number of each pair of tokens with other names among the renames, or -1, and the renames."""
    new, old = _named(here, ours), _named(there, theirs)
    ids = list(zip(old.ids, new.ids, strict=True))
    counted = ((pair, count, old.name(pair[0]), new.name(pair[1])) for pair, count in Counter(ids).most_common())
    told = list(islice((each for each in counted if each[2] and each[3]), MOST_RENAMES))
    numbers = {pair: number for number, (pair, *_) in enumerate(told)}
    return [numbers.get(pair, -1) for pair in ids], tuple((one, other, count) for _, count, one, other in told)


class _Names(NamedTuple):
    """Tokens that are names: their verbatim ids, and what gives the name of an id, empty if it is not known."""

    ids: list[int]
    name: Callable[[int], str]


def _named(side: SideText, numbers: _Numbers) -> _Names:
    """The names of some tokens of a side."""
    assert isinstance(side.tokens, Tokens)
    ids: list[int] = side.tokens.verbatim[numbers].tolist()
    if side.places is None:
        lines = side.tokens.first_lines[numbers]
        known = names_in(side.between(int(lines.min()), int(lines.max())), side.front_end) if len(lines) else {}
        return _Names(ids, lambda own: known.get(own, ""))
    places, text, first = (
        side.places,
        side.text or b"",
        dict(zip(reversed(ids), reversed(numbers.tolist()), strict=True)),
    )
    return _Names(ids, lambda own: text[places.starts[first[own]] : places.ends[first[own]]].decode("utf-8", "replace"))


def _same_in_gaps(stretches: Sequence[Stretch], here: Tokens, there: Tokens) -> Iterator[tuple[int, int]]:
    """Pairs of tokens with the same text between stretches that follow each other on both sides."""
    comparison = GapComparison(here.verbatim.item, there.verbatim.item)
    for before, after in pairwise(stretches):
        ours = range(before.start + before.tokens, after.start)
        yield from comparison.same(ours, range(before.source_start + before.tokens, after.source_start))
