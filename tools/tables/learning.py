"""What was counted → the rows of the five tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from generators_lines import generators_lines

from winnow_ci.evidence.tables import RARE_GRAM, RAREST, ROW

if TYPE_CHECKING:
    from collections.abc import Mapping

    from counts import Counted, Counts
    from numpy.typing import NDArray

FEWEST = 8
# What fewer projects have may be theirs alone, or one's copy of the other.
FEWEST_PROJECTS = 3
FEWEST_TO_BE_COMMON = 5
# Families of more projects than others, or whose code is more alike: five would make the table much longer. Where the
# corpus has few tokens, five projects rarely have the same code.
FEWEST_OF_FAMILY = {"c": 8, "go": 6, "java": 8, "python": 6, "rust": 6, "scala": 4} | dict.fromkeys(
    ("csharp", "kotlin", "php", "ruby", "shell", "swift"), FEWEST_PROJECTS
)
FEWEST_TO_BE_A_COMMON_PHRASE = 2
FEWEST_TO_BE_EVERYDAY = 8
FEWEST_TO_BE_A_COMMON_LINE = 4
LONGEST_DISTANCE = 65535


def grams_table(families: Mapping[str, Counted]) -> NDArray[np.void]:
    """−log2 of the share of a 4-gram's first three tokens' occurrences that go on with the fourth."""
    return _table([_rows(family.grams, FEWEST, RARE_GRAM) for family in families.values()])


def texts_table(families: Mapping[str, Counted]) -> NDArray[np.void]:
    """−log2 of the share of all names, numbers or strings of a family that are this one."""
    return _table([_rows(family.texts, 1, RAREST) for family in families.values()])


def common_table(families: Mapping[str, Counted]) -> NDArray[np.uint16]:
    """Distances between the 16-grams and the lines that several projects have, or generators write."""
    common = [_had_by_so_many(name, family.runs) for name, family in families.items()]
    lines = [_had_by([family.lines], FEWEST_TO_BE_A_COMMON_LINE) for family in families.values()]
    return _distances(np.concatenate([*(_upper(runs) for runs in common), *lines, _upper(generators_lines())]))


def everyday_table(families: Mapping[str, Counted]) -> NDArray[np.uint32]:
    """Names, numbers and strings that many projects have."""
    return _had_by([family.texts for family in families.values()], FEWEST_TO_BE_EVERYDAY)


def phrases_table(families: Mapping[str, Counted]) -> NDArray[np.uint16]:
    """Phrases that several projects have."""
    return _distances(_had_by([family.phrases for family in families.values()], FEWEST_TO_BE_A_COMMON_PHRASE))


def _had_by_so_many(name: str, runs: Counts) -> NDArray[np.uint64]:
    """The 16-grams of a family that enough of its projects have."""
    return runs.things[runs.projects >= FEWEST_OF_FAMILY.get(name, FEWEST_TO_BE_COMMON)]


def _had_by(parts: list[Counts], fewest: int) -> NDArray[np.uint32]:
    """What so many projects have: upper 32 bits of the hashes, sorted."""
    things = np.concatenate([part.things for part in parts])
    projects = np.concatenate([part.projects for part in parts])
    once, places = np.unique(things, return_inverse=True)
    had = np.bincount(places, weights=projects) >= fewest
    return np.unique(_upper(once[had]))


def _distances(hashes: NDArray[np.uint32]) -> NDArray[np.uint16]:
    """The distances between hashes; one that is too long is made of several."""
    steps, rests = np.divmod(np.diff(np.unique(hashes).astype(np.int64), prepend=0), LONGEST_DISTANCE)
    distances = np.full(int((steps + 1).sum()), LONGEST_DISTANCE, np.uint16)
    distances[np.cumsum(steps + 1) - 1] = rests
    return distances


def _upper(things: NDArray[np.uint64]) -> NDArray[np.uint32]:
    return (things >> np.uint64(32)).astype("<u4")


def _rows(counts: Counts, fewest: int, unknown: float) -> NDArray[np.void]:
    """Rows of one family; things that are as rare as those that no table has need none."""
    _, places = np.unique(counts.contexts, return_inverse=True)
    shares = counts.counts / np.bincount(places, weights=counts.counts)[places]
    sixteenths = np.round(-np.log2(shares) * 16)
    kept = (counts.counts >= fewest) & (counts.projects >= FEWEST_PROJECTS) & (sixteenths < unknown * 16)
    rows = np.zeros(np.count_nonzero(kept), ROW)
    rows["hash"] = counts.things[kept] >> np.uint64(32)
    rows["sixteenths"] = sixteenths[kept]
    return rows


def _table(parts: list[NDArray[np.void]]) -> NDArray[np.void]:
    """Of two things with one hash, the more common one has the row: saying too little is the safer mistake."""
    rows = np.concatenate(parts)
    rows = rows[np.lexsort((rows["sixteenths"], rows["hash"]))]
    _, first = np.unique(rows["hash"], return_index=True)
    return rows[first]
