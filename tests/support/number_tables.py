"""Files that hold a table of numbers, in several languages."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

# Ending, what stands before and after the numbers, and how one is written.
FORMS = {
    "c": ("static const uint32_t {name}[] = {{\n", "}};\n", "0x{value:08x}u"),
    "py": ("{name} = [\n", "]\n", "0x{value:08X}"),
    "js": ("export const {name} = [\n", "];\n", "{value}"),
    "go": ("package {name}\n\nvar {name} = []uint32{{\n", "}}\n", "0x{value:08x}"),
    "java": ("class {name} {{\n    static final long[] {name} = {{\n", "    }};\n}}\n", "0x{value:08x}L"),
}


def random_numbers(seed: int, count: int = 1024) -> list[int]:
    """Numbers of 32 bits."""
    chance = random.Random(seed)
    return [chance.getrandbits(32) for _ in range(count)]


def table(ending: str, name: str, numbers: Iterable[int], *, row: int = 8, indent: str = "    ") -> str:
    """The text of a file with one table of numbers, so many in a row."""
    before, after, form = FORMS[ending]
    written = [form.format(value=number) for number in numbers]
    rows = (written[start : start + row] for start in range(0, len(written), row))
    body = "".join(f"{indent}{', '.join(each)},\n" for each in rows)
    return before.format(name=name) + body + after.format(name=name)


def part(numbers: Sequence[int]) -> Sequence[int]:
    """Three quarters of a table, from the middle."""
    return numbers[len(numbers) // 8 : len(numbers) - len(numbers) // 8]
