"""The values that the parts of the benchmark exchange: plants, overlaps, detectors, the files of a round."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

LENGTHS = ("6", "10", "20", "40", "function")


class Overlap(NamedTuple):
    """What a detector reports: lines of a changed file that are also in a known file.

    Attributes:
        path: below changed/.
        start: first line, from 1.
        end: last line, included.
        known: path below known/.
        known_start: first line there; 0 if the detector does not say.
        known_end: last line there.
        also: further known files that are named beside it; only for the score of attribution.
    """

    path: str
    start: int
    end: int
    known: str
    known_start: int = 0
    known_end: int = 0
    also: tuple[str, ...] = ()


class Plant(NamedTuple):
    """Copied code in a changed file; lines are 1-based and inclusive.

    Attributes:
        path: below changed/.
        start: first planted line.
        end: last planted line.
        length: one of LENGTHS.
        donor: path below known/.
        donor_start: first line that was copied.
        donor_end: last line that was copied.
    """

    path: str
    start: int
    end: int
    length: str
    donor: str
    donor_start: int
    donor_end: int


class Round(NamedTuple):
    """A pull request for each changed file, all of one language and one mutation.

    Attributes:
        folder: has known/, base/ and changed/.
        language: one of projects.CASTS.
        mutation: one of mutations.MUTATIONS.
        plants: one a file.
        innocent: changed files without a plant.
        added: the lines that the change adds, for every changed file.
    """

    folder: Path
    language: str
    mutation: str
    plants: tuple[Plant, ...]
    innocent: tuple[str, ...]
    added: dict[str, list[list[int]]]


Detector = Callable[[Path, Path], list[Overlap]]


def write(made: Round) -> None:
    content = {
        "language": made.language,
        "mutation": made.mutation,
        "plants": [plant._asdict() for plant in made.plants],
        "innocent": list(made.innocent),
        "added": made.added,
    }
    (made.folder / "round.json").write_text(json.dumps(content, indent=1, ensure_ascii=False))


def read(folder: Path) -> Round:
    content = json.loads((folder / "round.json").read_text())
    plants = tuple(Plant(**plant) for plant in content["plants"])
    innocent = tuple(content["innocent"])
    return Round(folder, content["language"], content["mutation"], plants, innocent, content["added"])
