"""Pairs of sequences that have stretches in common: of sequences drawn each on its own, hardly two do."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, TypeVar

from hypothesis import strategies as st

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    Letter = TypeVar("Letter", bound=Hashable)


@st.composite
def alike(draw: st.DrawFn, letters: st.SearchStrategy[int], most: int = 60) -> tuple[list[int], list[int]]:
    """A sequence, and another that is made of a few stretches of it with a few letters between them."""
    here = draw(st.lists(letters, min_size=most // 3, max_size=most))
    between = st.lists(letters, max_size=4)
    stretches = st.tuples(st.integers(0, len(here) - 1), st.integers(4, most // 2), between)
    there = draw(between)
    for start, length, other in draw(st.lists(stretches, min_size=1, max_size=4)):
        there = [*there, *here[start : start + length], *other]
    return here, there


def equal_kgrams(here: Sequence[Letter], there: Sequence[Letter], k: int) -> list[tuple[int, int]]:
    """Position and diagonal of all k-grams of a sequence that stand in another, in order."""
    places: dict[tuple[Letter, ...], list[int]] = defaultdict(list)
    for at in range(len(there) - k + 1):
        places[tuple(there[at : at + k])].append(at)
    return [(n, at - n) for n in range(len(here) - k + 1) for at in places.get(tuple(here[n : n + k]), ())]
