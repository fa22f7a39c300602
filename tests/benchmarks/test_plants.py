"""benchmarks/quality: the sets of projects, where functions are in each language, and what becomes of a finding."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from contract import Overlap, Plant, Round
from lexing import LANGUAGES
from noise_pairs import PAIRS, PEOPLE
from packages import PACKAGES
from scoring import of_plant, score
from sets import SETS
from structure import outline
from tables import overshoots

if TYPE_CHECKING:
    from projects import Cast, Project

CORPUS = Path(__file__).parents[2] / "tools" / "tables" / "corpus.json"
NINE = {"c", "python", "javascript", "typescript", "go", "java", "rust", "cpp", "php"}
# A function of three lines from the third line on, and nothing else.
FUNCTIONS = {
    "rust": "use a::B;\n\npub fn add(one: u8) -> u8 {\n    one + 1\n}\nconst C: u8 = 1;",
    "php": "<?php\n\nfunction add(int $one): int {\n    return $one + 1;\n}\n$two = 2;",
    "ruby": "require 'a'\n\ndef add(one)\n  one + 1\nend\ntwo = 2",
    "kotlin": "import a.B\n\nfun add(one: Int): Int {\n    return one + 1\n}\nval two = 2",
    "csharp": "using A;\n\nstatic int Add(int one) {\n    return one + 1;\n}\nint two = 2;",
}
KNOWN = "\n".join(f"known line {number}" for number in range(1, 31))


def projects(cast: Cast) -> set[Project]:
    return {project for role in cast for project in role}


def packages(name: str) -> set[str]:
    return {project.package for cast in SETS[name].values() for project in projects(cast)}


def packages_of_pairs(name: str) -> set[str]:
    return {PEOPLE[project].package for _, *pair in PAIRS[name] for project in pair}


def test_nothing_of_the_sets_aside_is_anywhere_else() -> None:
    aside = packages("aside") | packages_of_pairs("aside") | packages_of_pairs("framework-aside")
    plants = (packages(name) for name in SETS if name != "aside")
    pairs = (packages_of_pairs(name) for name in PAIRS if name not in {"aside", "framework-aside"})
    others = set(json.loads(CORPUS.read_text())).union(*plants, *pairs)
    assert not aside & others


@pytest.mark.parametrize("name", ["evidence", "aside"])
def test_plants_are_made_in_nine_languages_of_pinned_packages(name: str) -> None:
    assert set(LANGUAGES) >= set(SETS[name]) >= NINE
    assert packages(name) <= set(PACKAGES)


@pytest.mark.parametrize("syntax", FUNCTIONS)
def test_a_function_is_found_with_its_last_line(syntax: str) -> None:
    (block,) = outline(FUNCTIONS[syntax], syntax).blocks
    assert (block.first, block.last, block.function) == (2, 4, True)


@pytest.fixture
def made(tmp_path: Path) -> Round:
    """A round with one plant of ten lines, which begins in line 11, and an innocent file."""
    (tmp_path / "known" / "p").mkdir(parents=True)
    for name in ("a.c", "b.c"):
        (tmp_path / "known" / "p" / name).write_text(KNOWN.replace("known", name[0]))
    plant = Plant("host.c", 11, 20, "10", "p/a.c", 1, 10)
    return Round(tmp_path, "c", "verbatim", (plant,), ("other.c",), {"host.c": [[11, 20]], "other.c": [[1, 5]]})


@pytest.mark.parametrize(
    ("path", "start", "end", "known", "label"),
    [
        ("host.c", 11, 20, "a.c", "copy"),
        ("host.c", 13, 15, "a.c", "copy"),
        ("host.c", 16, 60, "a.c", "copy"),
        ("host.c", 11, 20, "b.c", None),
        ("host.c", 17, 60, "a.c", None),
        ("host.c", 21, 60, "a.c", "false"),
        ("other.c", 1, 5, "a.c", "false"),
    ],
)
def test_a_finding_is_a_copy_false_or_neither(
    made: Round, path: str, start: int, end: int, known: str, label: str | None
) -> None:
    finding = {"path": path, "start_line": start, "end_line": end, "source": {"name": "p", "path": known}}
    assert of_plant(made, finding) == label


def test_lines_beside_a_copy_are_counted(made: Round) -> None:
    told = [Overlap("host.c", 11, 20, "p/a.c"), Overlap("host.c", 1, 20, "p/a.c"), Overlap("other.c", 1, 10, "p/a.c")]
    spans = score(made, told).spans
    assert spans == ((10, 0), (20, 10), (10, 10))
    assert overshoots(spans) == {"span_precision": 0.5, "hits": 2, "overshooting": 1, "overshoot": 0.5}
