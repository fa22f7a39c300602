"""A copy in code of one shape: what the author wrote around it is no part of the finding."""

from __future__ import annotations

import random
import re
from typing import TYPE_CHECKING

import pytest

from support.command import build, winnow
from support.donor import INNOCENT, ROUTES, write_known

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

WORDS = """
    border buffer byte color count first head height host item label last left line margin name next order port price
    right state table tail total user width zone
    """.split()
FIRST, LAST = 81, 120
# Lines at an edge that may be the same by chance.
FEW = 3


class Writer:
    """Writes lines of one shape that say nothing."""

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)

    def word(self) -> str:
        """A word, of few."""
        return self.chance.choice(WORDS)

    def number(self, most: int = 99) -> int:
        """A number up to a largest one."""
        return self.chance.randint(1, most)

    def one_of(self, *lines: str) -> str:
        """One of some lines."""
        return self.chance.choice(lines)


def motorola(line: Writer) -> str:
    one, other = (line.chance.choice("d0 d1 d2 d7 a0 a1 a6".split()) for _ in "ab")
    return line.one_of(
        f"\tmove.{line.one_of('b', 'w', 'l')}\t#${line.number(65535):04x},{one}\t; keep {line.word()}",
        f"\tmove.l\t{one},(${line.number(65535):04x},{other})",
        f"\taddi.l\t#{line.number(500)},{one}",
        f"\tlea\t{line.word()}{line.number(9)}(pc),{one}",
        f"{line.word().title()}{line.number()}:",
        "\trts",
    )


def intel(line: Writer) -> str:
    one, other = (line.chance.choice("rax rbx rcx rdx rsi rdi r8 r9".split()) for _ in "ab")
    return line.one_of(
        f"\tmov\t{one}, [{other}+{8 * line.number(64)}]\t; load {line.word()}",
        f"\tmov\t{one}, {other}",
        f"\tjne\t{line.word().title()}{line.number()}",
        f"\tsub\t{one}, {line.number(500)}",
        f"\tlea\t{one}, [{line.word()}{line.number(9)}]",
        "\tret",
    )


def script(line: Writer) -> str:
    return line.one_of(
        f'{line.word()}.{line.word()} = {line.word()}({line.number()}, "{line.word()}")',
        f"if {line.word()} == {line.number(9)} then {line.word()}() end",
    )


def batch(line: Writer) -> str:
    return line.one_of(
        rf"set {line.word()}_{line.word()}=%{line.word()}%\{line.word()}",
        f"if not exist %{line.word()}% copy {line.word()}.txt {line.word()}",
    )


def calls(line: Writer) -> str:
    return line.one_of(
        f'  {line.word()}.{line.word()}({line.word()}.{line.word()}, "{line.word()}", {line.number()});',
        f"  const {line.word()}{line.word().title()} = {line.word()}[{line.number()}];",
    )


SHAPES = {
    "68k.asm": motorola,
    "68k.s": motorola,
    "x86.asm": intel,
    "script.lua": script,
    "batch.bat": batch,
    "calls.js": calls,
}


def written(shape: Callable[[Writer], str], seed: int, count: int) -> list[str]:
    writer = Writer(seed)
    return [shape(writer) for _ in range(count)]


def check(folder: Path, name: str, known: Sequence[str], lines: Sequence[str]) -> list[tuple[int, int, str]]:
    """First line, last line and kind of what is found in a file, given a known one of the same name."""
    (folder / "known").mkdir()
    (folder / "known" / name).write_text("\n".join(known) + "\n")
    (folder / name).write_text("\n".join(lines) + "\n")
    build(folder / "known", folder / "known.db")
    found = winnow("check", "-q", "--index", "known.db", "--format", "json", name, cwd=folder).findings()
    return [(finding["start_line"], finding["end_line"], finding["kind"]) for finding in found]


@pytest.mark.parametrize("seed", [1, 3])
@pytest.mark.parametrize("name", SHAPES)
def test_lines_of_the_same_shape_are_no_part_of_a_copy_between_them(tmp_path: Path, name: str, seed: int) -> None:
    known, own = written(SHAPES[name], seed, 200), written(SHAPES[name], seed + 1, 160)
    copied = [*own[: FIRST - 1], *known[90 : 91 + LAST - FIRST], *own[FIRST - 1 :]]
    ((first, last, kind),) = check(tmp_path, name, known, copied)
    assert kind == "verbatim"
    assert abs(first - FIRST) <= FEW
    assert abs(last - LAST) <= FEW


@pytest.mark.parametrize(("head", "tail"), [(5, 5), (12, 12), (20, 0), (0, 20)])
def test_a_copy_with_names_changed_around_a_verbatim_part_is_one_finding(tmp_path: Path, head: int, tail: int) -> None:
    copied = ROUTES[ROUTES.index("def shortest_route") : ROUTES.index("def districts")].rstrip().splitlines()
    names = "|".join(sorted({*re.findall(r"\b[a-z]\w*_\w+|\b[a-z]{3,}(?= = |, [a-z]+ = )", "\n".join(copied))}))
    changed = [
        line if head <= number < len(copied) - tail else re.sub(rf"\b({names})\b", r"our_\1", line)
        for number, line in enumerate(copied)
    ]
    assert changed != copied
    own = INNOCENT.splitlines()
    write_known(tmp_path / "known")
    build(tmp_path / "known", tmp_path / "known.db")
    (tmp_path / "own.py").write_text("\n".join([*own, *changed, *own]) + "\n")
    ended = winnow("check", "-q", "--index", "known.db", "--format", "json", "own.py", cwd=tmp_path)
    ((first, last),) = [(found["start_line"], found["end_line"]) for found in ended.findings()]
    assert (first, last) == (len(own) + 1, len(own) + len(copied))
