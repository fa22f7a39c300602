"""Numbers that stand both in Python and in the kernel's sources are the same.

Cases of chance seldom meet a threshold: a number that somebody changes on one side only would often pass them.
"""

from __future__ import annotations

import re
from ast import literal_eval
from functools import cache
from importlib import import_module
from operator import lshift, truediv
from pathlib import Path
from pkgutil import iter_modules
from typing import TYPE_CHECKING, NamedTuple

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

SOURCES = Path(__file__).parents[1] / "kernel" / "crates"
# One that is reckoned from others is not told here.
CONSTANT = re.compile(r"^(?:pub )?const ([A-Z_]+): [fiu]\w+ = (-?[0-9][\d_.]*(?: (?:<<|/) [\d_.]+)?);", re.MULTILINE)
# The packages of Python whose numbers each part of the kernel has.
HOMES = {
    "evidence": ("evidence", "languages"),
    "fingerprints": ("fingerprint", "winnowing", "model"),
    "index": ("index",),
    "matching": ("matching",),
    "tokens": ("languages",),
}
OPERATIONS = {"<<": lshift, "/": truediv}
# Where a module of Python has another name, and its package more than one number of that name.
NAMESAKES = {
    "idle": "statements",
    "imports": "statements",
    "phrases": "shared_phrases",
    "region": "copies",
}
# Where Python has another name for a number, but for an underscore before it.
RENAMED = {
    "evidence/idle.rs CLOSES": "_CLOSE",
    "evidence/idle.rs NEAR": "NEXT_IDLE",
    "evidence/idle.rs OPENS": "_OPEN",
    "evidence/idle.rs SHORTEST": "SHORTEST_IDLE",
    "evidence/imports.rs LONGEST": "LONGEST_IMPORT",
    "fingerprints/selection.rs SKETCH": "BOTTOM",
    "tokens/code_passages.rs NEAR": "PASSAGE_LINES",
}
# How the kernel stores what it works with, when it lets Python work, and what is part of an expression in Python.
OWN = {
    "fingerprints/hash_table.rs BUCKET_BITS",
    *(f"fingerprints/known_hashes.rs {name}" for name in ("STEPS", "MOST_BITS")),
    *(f"index/{place}" for place in ("packing.rs LARGEST", "packing.rs USUAL", "postings.rs SIZE")),
    *(f"matching/values.rs {name}" for name in ("IDENTIFIER", "NUMBER", "STRING")),
    *(f"tokens/{place}" for place in ("careful_reading.rs AROUND", "normalisation.rs TOGETHER")),
    "tokens/preparation.rs ALWAYS_KEPT",
    *(f"tokens/recent.rs {name}" for name in ("LONGEST", "WIDTH", "BITS")),
    *(f"tokens/vocabulary.rs {name}" for name in ("FLAG_BITS", "IS_TOKEN", "IS_SPECIAL", "MOST_ROOM")),
}


class Number(NamedTuple):
    """A number in the kernel's sources."""

    file: str
    name: str
    value: float

    def __str__(self) -> str:
        return f"{self.file} {self.name}"


def numbers() -> Iterator[Number]:
    for part in sorted(HOMES):
        for path in sorted((SOURCES / part / "src").rglob("*.rs")):
            for name, value in CONSTANT.findall(path.read_text()):
                yield Number(f"{part}/{path.name}", name, valued(value))


def valued(expression: str) -> float:
    """What ``1 << 31``, ``2.0 / 3.0`` or a number is."""
    first, *rest = expression.split()
    return OPERATIONS[rest[0]](literal_eval(first), literal_eval(rest[1])) if rest else literal_eval(first)


def in_python(number: Number) -> list[object]:
    """The values of that name: that of the module of the same name, if it has one, or those of its package."""
    part, file = number.file.split("/")
    stem = Path(file).stem
    modules = [module for home in HOMES[part] for module in modules_of(f"winnow_ci.{home}")]
    namesakes = [module for module in modules if module.endswith(f".{NAMESAKES.get(stem, stem)}")]
    name = RENAMED.get(str(number), number.name)
    return values(namesakes, name) or values(namesakes, f"_{name}") or values(modules, name)


@cache
def modules_of(name: str) -> list[str]:
    paths = getattr(import_module(name), "__path__", [])
    return [name, *(f"{name}.{module.name}" for module in iter_modules(paths))]


def values(modules: list[str], name: str) -> list[object]:
    return [vars(module)[name] for module in map(import_module, modules) if name in vars(module)]


NUMBERS = list(numbers())


@pytest.mark.parametrize("number", [number for number in NUMBERS if str(number) not in OWN], ids=str)
def test_a_number_of_the_kernel_is_that_of_python(number: Number) -> None:
    found = in_python(number)
    assert found
    assert all(value == number.value for value in found)


def test_there_are_such_numbers() -> None:
    assert len(NUMBERS) - len(OWN) > 80
    assert {str(number) for number in NUMBERS} >= OWN
