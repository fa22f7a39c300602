"""Stretches of real code to copy, drawn at random.

A stretch is 6, 10, 20 or 40 consecutive code lines (blank and comment lines between them come along) from a random
statement start inside a function to the end of a statement or of a block's head, or a whole function of 8 to 80.
If a class is around the function, the stretch may run on there. The function is drawn first, then the start, so that
long functions do not crowd out the others. At most one stretch a function and round. Drawn again is a stretch that is
mostly brackets, that has more comment than code, or that stands in its project more than once, for then nobody could
say where it came from.
"""

from __future__ import annotations

import random
import sys
from collections import defaultdict
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from lexing import SYNTAX
from projects import text_of
from structure import Block, Line, Outline, outline

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from projects import Project

SAMPLE = 160
SHORTEST, LONGEST = 8, 80
SAYING = 0.6
TRIES = 3000


class Snippet(NamedTuple):
    """Consecutive lines of a known file.

    Attributes:
        path: below known/, so it begins with the project.
        first: 1-based.
        last: included.
        length: one of contract.LENGTHS.
        lines: without their ends.
    """

    path: str
    first: int
    last: int
    length: str
    lines: tuple[str, ...]

    @property
    def suffix(self) -> str:
        return self.path[self.path.rindex(".") :]


class Stock(NamedTuple):
    """Projects to draw from.

    Attributes:
        texts: of all files, by path below known/.
        outlines: of a sample of them.
        squeezed: all code lines of each project without indentation, to look a stretch up in.
    """

    texts: dict[str, str]
    outlines: dict[str, Outline]
    squeezed: dict[str, str]


@lru_cache(maxsize=8)
def stock(projects: tuple[Project, ...], cache: Path) -> Stock:
    outlines: dict[str, Outline] = {}
    for project in projects:
        own = texts((project,), cache)
        rng = random.Random(project.name)
        for path in rng.sample(sorted(own), min(SAMPLE, len(own))):
            outlines[path] = outline(own[path], SYNTAX[path[path.rindex(".") :]])
    every = texts(projects, cache)
    return Stock(every, outlines, _squeezed_projects(every))


@lru_cache(maxsize=32)
def texts(projects: tuple[Project, ...], cache: Path) -> dict[str, str]:
    """The files of projects that look written by people, by path below known/."""
    return {
        f"{project.name}/{path}": text
        for project in projects
        for path, file in project.files(cache).items()
        if (text := text_of(file)) is not None
    }


def _squeezed_projects(texts: dict[str, str]) -> dict[str, str]:
    parts = defaultdict(list)
    for path, text in texts.items():
        parts[path.split("/")[0]].append(squeezed(text.split("\n")))
    return {project: "\n\n".join(part) for project, part in parts.items()}


def squeezed(lines: Iterable[str]) -> str:
    """Lines without indentation and blank ones, between line ends."""
    return "\n" + "\n".join(line.strip() for line in lines if line.strip()) + "\n"


class Wish(NamedTuple):
    """What is to be drawn.

    Attributes:
        stock: where from; each of its projects gives the same number.
        rng: decides.
        fit: what the mutation needs of a stretch.
        used: functions that gave a stretch already; more are put in.
    """

    stock: Stock
    rng: random.Random
    fit: Callable[[Snippet], bool]
    used: set[tuple[str, int]]


def draw(wish: Wish, length: str, count: int) -> list[Snippet]:
    """``count`` stretches of a length, each from a function of its own."""
    found = []
    names = sorted(wish.stock.squeezed)
    for turn, name in enumerate(names):
        share = count // len(names) + (turn < count % len(names))
        found += _from_project(wish, name, length, share)
    return found


def _from_project(wish: Wish, name: str, length: str, count: int) -> list[Snippet]:
    places = _functions(wish.stock, name)
    wish.rng.shuffle(places)
    found: list[Snippet] = []
    for path, block in places[:TRIES]:
        if len(found) == count:
            break
        snippet = _drawn(wish, path, block, length) if (path, block.first) not in wish.used else None
        if snippet and _says(wish.stock, snippet) and wish.fit(snippet):
            found.append(snippet)
            wish.used.add((path, block.first))
    if len(found) < count:
        print(f"{name}: only {len(found)} of {count} stretches of length {length}", file=sys.stderr)
    return found


def _functions(stock: Stock, project: str) -> list[tuple[str, Block]]:
    own = ((path, cut) for path, cut in stock.outlines.items() if path.startswith(project + "/"))
    return [(path, block) for path, cut in own for block in cut.blocks if block.function]


def _drawn(wish: Wish, path: str, block: Block, length: str) -> Snippet | None:
    if length == "function":
        return _whole(wish.stock, path, block)
    return _part(wish.stock, path, block, int(length), wish.rng)


def _whole(stock: Stock, path: str, block: Block) -> Snippet | None:
    lines = stock.outlines[path].lines
    alone = lines[block.first].starts and not lines[block.first].inside
    code = sum(line.code for line in lines[block.first : block.last + 1])
    if not (SHORTEST <= code <= LONGEST and block.last - block.first < 2 * code and alone):
        return None
    return _snippet(path, lines, block.first, block.last, "function")


def _part(stock: Stock, path: str, block: Block, count: int, rng: random.Random) -> Snippet | None:
    """A stretch that starts inside a function; it may run on inside the class, if one is around the function."""
    cut = stock.outlines[path]
    around = [o for o in cut.blocks if o.outermost and o.first <= block.first and block.last <= o.last]
    outer = around[0] if around else block
    code = [n for n in range(block.first, outer.last) if cut.lines[n].code]
    ends = [
        (code[at], code[at + count - 1])
        for at in range(1, len(code) - count + 1)
        if cut.lines[code[at]].starts and code[at] < block.last and cut.lines[code[at + count - 1]].ends
    ]
    fine = [(first, last) for first, last in ends if last - first < 2 * count]
    return _snippet(path, cut.lines, *rng.choice(fine), str(count)) if fine else None


def _snippet(path: str, lines: tuple[Line, ...], first: int, last: int, length: str) -> Snippet:
    return Snippet(path, first + 1, last + 1, length, tuple(line.text for line in lines[first : last + 1]))


def _says(stock: Stock, snippet: Snippet) -> bool:
    """Whether most lines have letters or digits, and the project has the stretch once."""
    lines = [line for line in snippet.lines if line.strip()]
    saying = sum(any(char.isalnum() for char in line) for line in lines)
    there = stock.squeezed[snippet.path.split("/")[0]]
    return saying >= SAYING * len(lines) and there.count(squeezed(snippet.lines)) == 1
