"""Makes a round: known trees, host files, and the same files with copied or innocent code put in."""

from __future__ import annotations

import os
import random
import shutil
from typing import TYPE_CHECKING, NamedTuple

import contract
from contract import LENGTHS, Plant, Round
from mutations import MUTATIONS
from projects import CASTS
from snippets import Snippet, draw, stock

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from snippets import Stock
    from structure import Line, Outline

SMALLEST_HOST, BIGGEST_HOST = 30, 1500


class Host(NamedTuple):
    """A file to be changed."""

    path: str
    lines: list[str]
    outline: Outline


def make(language: str, mutation: str, each: int, work: Path) -> Round:
    """Write a round's folder; the same for the same arguments.

    Args:
        language: one of projects.CASTS.
        mutation: one of mutations.MUTATIONS.
        each: plants of each length.
        work: has code/ and archives/; the round is made below rounds/.
    """
    folder = work / "rounds" / f"{language}-{mutation}"
    shutil.rmtree(folder, ignore_errors=True)
    cast = CASTS[language]
    rng = random.Random(f"{language} {mutation}")
    donors, strangers, hosts = (stock(part, work) for part in (cast.donors, cast.strangers, cast.hosts))
    known(folder / "known", cast.donors + cast.known, work)
    queue = _hosts(hosts, rng)
    plants, innocent, added = [], [], {}
    for length in LENGTHS:
        for snippet in draw(donors, length, each, rng, lambda _: True):
            host = next(queue[snippet.suffix])
            lines = MUTATIONS[mutation](snippet, rng, host)
            start, end = put(folder, host, lines, snippet, rng)
            plants.append(Plant(host.path, start, end, length, snippet.path, snippet.first, snippet.last))
            added[host.path] = [[start, end]]
        for snippet in draw(strangers, length, each, rng, lambda _: True):
            host = next(queue[snippet.suffix])
            added[host.path] = [list(put(folder, host, list(snippet.lines), snippet, rng))]
            innocent.append(host.path)
    made = Round(folder, language, mutation, tuple(plants), tuple(innocent), added)
    contract.write(made)
    return made


def known(folder: Path, projects, work: Path) -> None:  # noqa: ANN001
    """The reference trees; links to the unpacked files, for there are many rounds."""
    for path in stock(projects, work).texts:
        project, _, below = path.partition("/")
        package = next(p.package for p in projects if p.name == project)
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        from packages import unpacked

        os.link(unpacked(package, work) / below, target)


def _hosts(stock: Stock, rng: random.Random) -> dict[str, Iterator[Host]]:
    """Usable host files by suffix, in random order; a header's code goes into a C file."""
    paths = sorted(path for path, cut in stock.outlines.items() if _usable(cut))
    rng.shuffle(paths)
    queues = {suffix: _of_suffix(stock, paths, suffix) for suffix in {path[path.rindex(".") :] for path in paths}}
    if ".c" in queues:
        queues[".h"] = queues[".c"]
    return queues


def _of_suffix(stock: Stock, paths: list[str], suffix: str) -> Iterator[Host]:
    for path in paths:
        cut = stock.outlines[path]
        if path.endswith(suffix):
            yield Host(path, [line.text for line in cut.lines], cut)


def _usable(cut: Outline) -> bool:
    return SMALLEST_HOST <= sum(line.code for line in cut.lines) <= BIGGEST_HOST and bool(_spots(cut))


def _spots(cut: Outline) -> list[int]:
    """Lines inside functions before which a statement ends and another begins."""
    return [
        number
        for block in cut.blocks
        if block.function
        for number in range(block.first + 1, block.last + 1)
        if cut.lines[number].starts and not cut.lines[number].inside
    ]


def put(folder: Path, host: Host, lines: list[str], snippet: Snippet, rng: random.Random) -> tuple[int, int]:
    """Write the host file without and with some lines; returns the first and last of them."""
    spot = _spot(host, snippet, rng)
    if snippet.suffix == ".py":
        lines = fitted(lines, host.outline.lines[spot].indent)
    changed = host.lines[:spot] + lines + host.lines[spot:]
    for name, content in (("base", host.lines), ("changed", changed)):
        target = folder / name / host.path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text("\n".join(content))
    return spot + 1, spot + len(lines)


def _spot(host: Host, snippet: Snippet, rng: random.Random) -> int:
    functions = sorted({block.first for block in host.outline.blocks if block.function})
    fine = [n for n in functions if host.outline.lines[n].starts]
    return rng.choice(fine if snippet.length == "function" and fine else _spots(host.outline))


def fitted(lines: list[str], indent: str) -> list[str]:
    """Lines at another indentation."""
    common = min((len(line) - len(line.lstrip()) for line in lines if line.strip()), default=0)
    return [indent + line[common:] if line.strip() else line for line in lines]
