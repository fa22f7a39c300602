"""Makes a round: known trees, host files, and the same files with copied or innocent code put in."""

from __future__ import annotations

import argparse
import os
import random
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import contract
from contract import LENGTHS, Overlap, Plant, Round
from detectors import some_of
from lexing import LANGUAGES
from mutations import MUTATIONS
from packages import unpacked
from projects import CASTS, CPP
from snippets import Snippet, Wish, draw, stock, texts

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mutations import Mutation
    from projects import Cast, Project
    from snippets import Stock
    from structure import Outline

__all__ = ["Overlap", "Round", "link_known", "make", "options"]

SMALLEST_HOST, BIGGEST_HOST = 30, 1500


class Host(NamedTuple):
    """A file to be changed.

    Attributes:
        path: below base/ and changed/.
        outline: of its content.
        spots: indices of lines inside functions that a statement begins with.
    """

    path: str
    outline: Outline
    spots: tuple[int, ...]

    @property
    def lines(self) -> list[str]:
        return [line.text for line in self.outline.lines]

    @property
    def statements(self) -> list[str]:
        """Whole one-line statements, without indentation."""
        lines = self.outline.lines
        return [lines[n].text.strip() for n in self.spots if lines[n].ends] or [lines[self.spots[0]].text.strip()]


class Recipe(NamedTuple):
    """What a round is made of.

    Attributes:
        language: of the code.
        name: what is done to the code, in a word or two.
        cast: whose code.
        mutation: what is done to the plants.
        innocent: what fits as innocent code; it stays as it is.
        counts: how many plants of each length, and as many innocent stretches.
        folder: below the working folder, where rounds of this kind are.
    """

    language: str
    name: str
    cast: Cast
    mutation: Mutation
    innocent: Mutation
    counts: dict[str, int]
    folder: str = "rounds"


class _Making(NamedTuple):
    """What a round is being made with."""

    folder: Path
    mutation: Mutation
    rng: random.Random
    hosts: dict[str, Iterator[Host]]


def options() -> argparse.ArgumentParser:
    """The options that say which rounds are made, and where, as a parent of a program's parser."""
    parser = argparse.ArgumentParser(add_help=False)
    option = parser.add_argument
    named = ", ".join(LANGUAGES)
    option("--work", type=Path, metavar="DIR", help="keep packages, rounds and indexes here")
    option("--each", type=int, default=6, metavar="N", help="plants of each length, language and mutation (default: 6)")
    option("--languages", type=some_of(LANGUAGES), default=tuple(CASTS), metavar="A,B", help=f"of {named}")
    option("--mutations", type=some_of(MUTATIONS), default=tuple(MUTATIONS), metavar="A,B", help=", ".join(MUTATIONS))
    return parser


def make(language: str, mutation: str, each: int, work: Path, cast: Cast | None = None, of: str = "first") -> Round:
    """Write a round's folder; the same for the same arguments.

    Args:
        language: one of projects.CASTS.
        mutation: one of mutations.MUTATIONS.
        each: plants of each length.
        work: has the packages; the round is made below rounds/.
        cast: who plays what; those of projects.CASTS unless given.
        of: the set of projects; each has a folder of its own.
    """
    counts = dict.fromkeys(LENGTHS, each)
    changes = MUTATIONS[mutation], MUTATIONS["verbatim"]
    return made(Recipe(language, mutation, cast or CASTS[language], *changes, counts, f"rounds/{of}"), work)


def made(recipe: Recipe, work: Path) -> Round:
    """Write the folder of a round; the same for the same recipe."""
    language, name, cast = recipe.language, recipe.name, recipe.cast
    folder = work / recipe.folder / f"{language}-{name}".replace(" ", "-").replace(",", "")
    unfinished = folder.with_name(folder.name + ".unfinished")
    shutil.rmtree(unfinished, ignore_errors=True)
    rng = random.Random(f"{language} {name}")
    making = _Making(unfinished, recipe.mutation, rng, _queues(stock(cast.hosts, work), rng))
    link_known(unfinished / "known", cast.donors + cast.known, work)
    copied = Wish(stock(cast.donors, work), rng, recipe.mutation.fits, set())
    foreign = Wish(stock(cast.strangers, work), rng, recipe.innocent.fits, set())
    unchanged = making._replace(mutation=recipe.innocent)
    plants, innocent = [], []
    for length, each in recipe.counts.items():
        plants += [_plant(making, snippet) for snippet in draw(copied, length, each)]
        innocent += [_plant(unchanged, snippet) for snippet in draw(foreign, length, each)]
    added = {plant.path: [[plant.start, plant.end]] for plant in plants + innocent}
    paths = tuple(plant.path for plant in innocent)
    written = Round(unfinished, language, name, tuple(plants), paths, added)
    contract.write(written)
    _replace(folder, unfinished)
    return written._replace(folder=folder)


def _plant(making: _Making, snippet: Snippet) -> Plant:
    """Put a stretch into a host file that no other stretch of the round is in."""
    host = next(making.hosts[snippet.suffix])
    lines = making.mutation.apply(snippet, making.rng, host.statements)
    while lines and not lines[0].strip():
        del lines[0]
    while lines and not lines[-1].strip():
        del lines[-1]
    spot = _spot(host, snippet, making.rng)
    if snippet.suffix == ".py":
        lines = _fitted(lines, host.outline.lines[spot].indent)
    _write(making.folder / "base" / host.path, host.lines)
    _write(making.folder / "changed" / host.path, host.lines[:spot] + lines + host.lines[spot:])
    return Plant(host.path, spot + 1, spot + len(lines), snippet.length, snippet.path, snippet.first, snippet.last)


def _replace(folder: Path, new: Path) -> None:
    """Put a new round in place of an old one, unless they are the same: somebody may be reading it."""
    if folder.exists() and _content(folder) == _content(new):
        shutil.rmtree(new)
        return
    shutil.rmtree(folder, ignore_errors=True)
    new.rename(folder)


def _content(folder: Path) -> dict[Path, bytes]:
    files = [folder / "round.json", *(folder / "base").rglob("*"), *(folder / "changed").rglob("*")]
    return {file.relative_to(folder): file.read_bytes() for file in files if file.is_file()}


def _write(target: Path, lines: list[str]) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text("\n".join(lines))


def link_known(folder: Path, projects: tuple[Project, ...], work: Path) -> None:
    """The reference trees; links to the unpacked files, for there are many rounds."""
    packages = {project.name: unpacked(project.package, work) for project in projects}
    for path in texts(projects, work):
        project, _, below = path.partition("/")
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        os.link(packages[project] / below, target)


def _queues(stock: Stock, rng: random.Random) -> dict[str, Iterator[Host]]:
    """Usable host files by suffix, in random order; code of a header goes into a C file, all of C++ into one kind."""
    paths = sorted(stock.outlines)
    rng.shuffle(paths)
    queues = {suffix: _of_suffix(stock, paths, suffix) for suffix in {path[path.rindex(".") :] for path in paths}}
    if ".c" in queues:
        queues[".h"] = queues[".c"]
    if ".cpp" in queues:
        queues |= dict.fromkeys(CPP, queues[".cpp"])
    return queues


def _of_suffix(stock: Stock, paths: list[str], suffix: str) -> Iterator[Host]:
    for path in paths:
        cut = stock.outlines[path]
        spots = _spots(cut)
        if path.endswith(suffix) and spots and SMALLEST_HOST <= sum(line.code for line in cut.lines) <= BIGGEST_HOST:
            yield Host(path, cut, spots)


def _spots(cut: Outline) -> tuple[int, ...]:
    return tuple(
        number
        for block in cut.blocks
        if block.function
        for number in range(block.first + 1, block.last + 1)
        if cut.lines[number].starts and not cut.lines[number].inside
    )


def _spot(host: Host, snippet: Snippet, rng: random.Random) -> int:
    """Before a function for a whole function, before a statement inside one for anything else."""
    firsts = sorted({block.first for block in host.outline.blocks if block.function})
    before = [first for first in firsts if host.outline.lines[first].starts]
    return rng.choice(before if snippet.length == "function" and before else host.spots)


def _fitted(lines: list[str], indent: str) -> list[str]:
    """Lines at another indentation."""
    common = min((len(line) - len(line.lstrip()) for line in lines if line.strip()), default=0)
    return [indent + line[common:] if line.strip() else line for line in lines]
