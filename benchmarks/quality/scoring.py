"""How much of the truth a detector reports, and how much else.

Overlaps are cut to the lines that the change adds, since most detectors know nothing of a change. A plant counts as
found if one overlap covers at least half of its lines and names the file that it was copied from, or one that holds the
very same lines. A detector that reports a copy in pieces loses by that; ``pieces`` is the same with all overlaps of the
right file taken together.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from snippets import squeezed

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from contract import Overlap, Plant, Round


class Outcome(NamedTuple):
    """What became of one plant.

    Attributes:
        language: of the round.
        mutation: of the round.
        plant: where it is.
        found: one overlap covers half of it and names the right file.
        pieces: the overlaps that name the right file cover half of it together.
        seen: one overlap covers half of it, whatever it names.
        attributed: the overlap that covers most of it names the right file first; None if not seen.
        also: or names the right file at all.
        iou: lines in both / lines in either, of the plant and the overlaps that name the right file, uncut.
    """

    language: str
    mutation: str
    plant: Plant
    found: bool
    pieces: bool
    seen: bool
    attributed: bool | None
    also: bool | None
    iou: float


class Score(NamedTuple):
    """A detector on one round.

    Attributes:
        outcomes: one a plant.
        false: overlaps in innocent code, as (language, mutation, overlap).
        reported: added lines that some overlap reports.
        planted: how many of those are planted.
        innocent: number of innocent files.
        spans: of every overlap, uncut, as (its lines, those that nobody copied).
    """

    outcomes: tuple[Outcome, ...]
    false: tuple[tuple[str, str, Overlap], ...]
    reported: int
    planted: int
    innocent: int
    spans: tuple[tuple[int, int], ...]


def score(made: Round, overlaps: Sequence[Overlap]) -> Score:
    added = {path: _lines(ranges) for path, ranges in made.added.items()}
    told = [(one, set(range(one.start, one.end + 1)) & added.get(one.path, set())) for one in overlaps]
    told = [(one, lines) for one, lines in told if lines]
    planted = {plant.path: set(range(plant.start, plant.end + 1)) for plant in made.plants}
    reported: dict[str, set[int]] = {}
    for one, lines in told:
        reported.setdefault(one.path, set()).update(lines)
    return Score(
        tuple(_outcome(made, plant, [pair for pair in told if pair[0].path == plant.path]) for plant in made.plants),
        tuple((made.language, made.mutation, one) for one, _ in told if one.path in made.innocent),
        sum(map(len, reported.values())),
        sum(len(lines & planted.get(path, set())) for path, lines in reported.items()),
        len(made.innocent),
        tuple(_span(one, planted.get(one.path, set())) for one, _ in told),
    )


def _span(one: Overlap, planted: set[int]) -> tuple[int, int]:
    lines = set(range(one.start, one.end + 1))
    return len(lines), len(lines - planted)


def _lines(ranges: Sequence[Sequence[int]]) -> set[int]:
    return {line for start, end in ranges for line in range(start, end + 1)}


def _outcome(made: Round, plant: Plant, told: list[tuple[Overlap, set[int]]]) -> Outcome:
    lines = set(range(plant.start, plant.end + 1))
    half = len(lines) / 2
    right = [(one, there) for one, there in told if _is_right(made, plant, one.known)]
    best = max(told, key=lambda pair: len(pair[1]), default=None)
    seen = best is not None and len(best[1]) >= half
    together = set().union(*(there for _, there in right))
    uncut = set().union(*(range(one.start, one.end + 1) for one, _ in right))
    named = (best[0].known, *getattr(best[0], "also", ())) if seen else ()
    return Outcome(
        made.language,
        made.mutation,
        plant,
        found=any(len(there) >= half for _, there in right),
        pieces=len(together) >= half,
        seen=seen,
        attributed=_is_right(made, plant, best[0].known) if seen else None,
        also=any(_is_right(made, plant, known) for known in named) if seen else None,
        iou=len(uncut & lines) / len(uncut | lines),
    )


def of_plant(made: Round, finding: dict) -> str | None:
    """Whether a finding is a copy or false; None if it can be said to be neither.

    It is a copy if it names the right file, and it has half of the lines of a plant, or the plant half of its lines.
    It is false if it has no line of a plant.
    """
    plants = [plant for plant in made.plants if plant.path == finding["path"]]
    for plant in plants:
        shared = min(plant.end, finding["end_line"]) - max(plant.start, finding["start_line"]) + 1
        lines = min(plant.end - plant.start, finding["end_line"] - finding["start_line"]) + 1
        if 2 * shared >= lines:
            known = f"{finding['source']['name']}/{finding['source']['path']}"
            return "copy" if _is_right(made, plant, known) else None
        if shared > 0:
            return None
    return "false"


def _is_right(made: Round, plant: Plant, known: str) -> bool:
    if known == plant.donor:
        return True
    folder = made.folder / "known"
    copied = _text(folder / plant.donor).split("\n")[plant.donor_start - 1 : plant.donor_end]
    return squeezed(copied) in _squeezed(folder / known)


@lru_cache(maxsize=500)
def _squeezed(file: Path) -> str:
    return squeezed(_text(file).split("\n"))


@lru_cache(maxsize=500)
def _text(file: Path) -> str:
    return file.read_bytes().decode("utf-8", "replace").removeprefix("\ufeff").replace("\r\n", "\n")
