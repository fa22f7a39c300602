"""The declared data as examples: what the program finds in it, the features of each finding, and whether it is true."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

QUALITY = Path(__file__).resolve().parents[2] / "benchmarks" / "quality"
sys.path.append(str(QUALITY))

import noise  # noqa: E402 - of benchmarks/quality
import ours  # noqa: E402
from labels import label_of  # noqa: E402
from scoring import of_plant  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Iterable

    from contract import Round


class Example(NamedTuple):
    """A finding with what is known of it.

    Attributes:
        kind: "plants", "unrelated" or "framework".
        language: of the code.
        features: by name, those that are not 0.
        label: "copy" or "false".
        filter: the filter that applies to it, which decides whatever the model says.
        place: where it is, for a reader.
    """

    kind: str
    language: str
    features: dict[str, float]
    label: str
    filter: str | None
    place: str


class Part(NamedTuple):
    """What one round of plants or one pair of projects gives: its examples, its lines, and its plants, found or not."""

    of: str
    kind: str
    language: str
    lines: int
    plants: int
    examples: tuple[Example, ...]


def observe_with(model: Path, *, unlearnt: bool) -> None:
    """Have all scans of this process judge by a model, and know no language if they are to be unlearnt."""
    observing = Path(__file__).with_name("observing.py")
    noise.WINNOW = ours.WINNOW = (sys.executable, str(observing), str(model), *["unlearnt"] * unlearnt)


def of_round(of: str, made: Round, work: Path) -> Part:
    """What is found of one round of plants."""
    work.mkdir(parents=True, exist_ok=True)
    found = [(finding, of_plant(made, finding)) for finding in ours.findings(made.folder, work)]
    examples = (_example("plants", made.language, finding, label) for finding, label in found if label)
    lines = sum(last - first + 1 for ranges in made.added.values() for first, last in ranges)
    return Part(of, "plants", made.language, lines, len(made.plants), tuple(examples))


def of_pair(of: str, kind: str, pair: tuple[str, str, str], work: Path) -> Part:
    """What is found in one project, looked up in an index of another one."""
    language, known, changed = pair
    seen = noise.looked_up(work, (), pair)
    examples = (_example(kind, language, finding, label_of(known, changed, finding)) for finding in seen.findings)
    return Part(of, kind, language, seen.lines, 0, tuple(examples))


def written(part: Part) -> str:
    """A part as JSON."""
    return json.dumps(part._asdict() | {"examples": [one._asdict() for one in part.examples]})


def read(text: str) -> Part:
    """The part that ``written`` wrote."""
    value = json.loads(text)
    return Part(**value | {"examples": tuple(Example(**one) for one in value["examples"])})


def all_examples(parts: Iterable[Part]) -> list[Example]:
    """The examples of all parts, in order."""
    return [one for part in parts for one in part.examples]


def _example(kind: str, language: str, finding: dict, label: str) -> Example:
    values = {reason["feature"]: reason["value"] for reason in finding["evidence"]["reasons"]}
    source = finding["source"]
    here = f"{finding['path']}:{finding['start_line']}-{finding['end_line']}"
    there = f"{source['path']}:{source['start_line']}-{source['end_line']}"
    return Example(kind, language, values, label, finding["evidence"]["filter"], f"{here} {there}")
