"""How much is found by clone type, as papers on clone detection count it.

    python benchmarks/quality/clone_types.py [--work DIR] [--languages A,B] [--each N] [--detectors A,B]

The plants are those of the main program. The type of each is measured, whatever its mutation is called: Pygments reads
the copied lines and the planted ones.

- *Type 1*: the same tokens, apart from layout and comments.
- *Type 2*: the same tokens, once all names, numbers and strings are taken for equal.
- *Type 3*: all others, by the share of tokens that both have in the same order, of the longer side and with names and
  literals taken for equal: *very strongly* from 90%, *strongly* from 70%, *moderately* from 50%, *weakly* below.

The limits are those of BigCloneBench (Svajlenko and others 2014), which is a set of Java functions that no package
registry has; nor have they NiCad's or SourcererCC's sets and programs. So these figures cannot be set beside theirs.
"""

from __future__ import annotations

import argparse
import tempfile
from collections import defaultdict
from contextlib import ExitStack
from difflib import SequenceMatcher
from pathlib import Path
from typing import TYPE_CHECKING

from detectors import detector_named, names
from lexing import SYNTAX, Lexeme, lex
from rounds import make, options
from scoring import score
from tables import percent, table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from contract import Plant, Round
    from scoring import Outcome

TYPES = ("1", "2", "very strongly 3", "strongly 3", "moderately 3", "weakly 3")
LIMITS = ((0.9, "very strongly 3"), (0.7, "strongly 3"), (0.5, "moderately 3"), (0.0, "weakly 3"))
ALIKE = {"name": "name", "builtin": "name", "number": "literal", "string": "literal"}


def clone_type(one: str, other: str, syntax: str) -> str:
    """The type of two pieces of code, one of ``TYPES``."""
    sides = [[lexeme for lexeme in lex(text, syntax) if lexeme.significant] for text in (one, other)]
    if _texts(sides[0]) == _texts(sides[1]):
        return "1"
    ours, theirs = (_shape(side) for side in sides)
    if ours == theirs:
        return "2"
    same = sum(block.size for block in SequenceMatcher(None, ours, theirs, autojunk=False).get_matching_blocks())
    share = same / max(len(ours), len(theirs))
    return next(name for least, name in LIMITS if share >= least)


def _texts(side: Sequence[Lexeme]) -> list[str]:
    return [lexeme.text.strip() for lexeme in side]


def _shape(side: Sequence[Lexeme]) -> list[str]:
    return [ALIKE.get(lexeme.kind, lexeme.text.strip()) for lexeme in side]


def type_of(made: Round, plant: Plant) -> str:
    """The type of a plant."""
    copied = _lines(made.folder / "known" / plant.donor, plant.donor_start, plant.donor_end)
    planted = _lines(made.folder / "changed" / plant.path, plant.start, plant.end)
    return clone_type(copied, planted, SYNTAX[Path(plant.donor).suffix])


def _lines(file: Path, start: int, end: int) -> str:
    text = file.read_bytes().decode("utf-8", "replace").replace("\r\n", "\n")
    return "\n".join(text.split("\n")[start - 1 : end])


def main() -> None:
    arguments = _parser().parse_args()
    found: dict[str, dict[str, list[Outcome]]] = {name: defaultdict(list) for name in arguments.detectors}
    with ExitStack() as stack:
        work = arguments.work or Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="winnow-quality-")))
        for language in arguments.languages:
            for mutation in arguments.mutations:
                made = make(language, mutation, arguments.each, work.resolve())
                types = {plant: type_of(made, plant) for plant in made.plants}
                for name, by_type in found.items():
                    scratch = work.resolve() / "detectors" / name / language
                    scratch.mkdir(parents=True, exist_ok=True)
                    for outcome in score(made, detector_named(name)(made.folder, scratch)).outcomes:
                        by_type[types[outcome.plant]].append(outcome)
    print(described(found))


def described(found: dict[str, dict[str, list[Outcome]]]) -> str:
    """Plants by type, and the share that each detector finds, as one overlap or in pieces."""

    def cell(row: str, column: str) -> str:
        own = found[column if column in found else next(iter(found))][row]
        if column == "plants":
            return str(len(own))
        shares = [sum(getattr(one, what) for one in own) / len(own) if own else None for what in ("found", "pieces")]
        return " / ".join(map(percent, shares))

    return table(TYPES, ["plants", *found], cell, "type")


def _parser() -> argparse.ArgumentParser:
    kind = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=kind, parents=[options()])
    named = "ours, and those in peers/"
    parser.add_argument("--detectors", type=names, default=("ours",), metavar="A,B", help=named)
    return parser


if __name__ == "__main__":
    main()
