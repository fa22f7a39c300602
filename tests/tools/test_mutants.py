"""Mutants differ in what decides, and in nothing else."""

from __future__ import annotations

import ast
from pathlib import Path

from mutating import mutants

SOURCE = b'''\
"""A module of 3 lines."""
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

MOST: int = 8


def few(n: int, of: list[int]) -> bool:
    """Whether n is less than 8."""
    if (n < MOST) and not of:
        raise ValueError(f"more than {MOST + 1}")
    return all(one << 2 == two for one, two in zip(of, of, strict=True))
'''


def made() -> set[tuple[int, str, str]]:
    return {(one.line, one.was.decode(), one.text.decode()) for one in mutants(Path("few.py"), SOURCE)}


def test_operators_numbers_and_conditions_are_broken_and_no_more() -> None:
    assert made() == {
        (7, "8", "9"),
        (7, "8", "(7)"),
        (12, "<", "<="),
        (12, "and", "or"),
        (12, "not", ""),
        (12, "(n < MOST) and not of", "(not ((n < MOST) and not of))"),
        (14, "<<", ">>"),
        (14, "==", "!="),
        (14, "2", "3"),
        (14, "2", "(1)"),
    }


def test_each_mutant_of_the_package_is_a_program() -> None:
    package = Path(__file__).parents[2] / "src" / "winnow_ci"
    for name in ("matching/judge.py", "policy/license_policy.py", "operations/trust.py"):
        source = (package / name).read_bytes()
        found = list(mutants(package / name, source))
        assert len(found) > 20
        for mutant in found:
            ast.parse(mutant.applied(source))
