"""`compare --all-pairs`: are the related pairs of 500 real files named first, and what do pairs cost?

    python benchmarks/pairs.py [--plot docs/compare.svg] [--more DIR]

There are two sets. The first has files of nine projects, each in two versions years apart (``versions``), and files of
Python's library. The second has files of Python's library and of packages installed beside it; its known pairs are
modules that pip has vendored and the same modules installed by themselves, mostly in another version, and files into
which a function of another file was pasted with its variables renamed. All other pairs that rank above the last known
one are printed for inspection.

The plot shows sets of growing size whose files have little in common (taken from DIR), so that pairs grow with the
square of the size; and sets of one size with more and more copies, so that matches grow.
"""

from __future__ import annotations

import argparse
import ast
import json
import random
import re
import shutil
import sysconfig
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from process import WINNOW, run
from scale.plotting import plot
from versions import versions

from winnow_ci.comparing import compare, find_body
from winnow_ci.comparing.bodies import fingerprinted, tokenised_document
from winnow_ci.comparing.pairing import HASH_POSTING, Partitions, postings, rank
from winnow_ci.model import Parameters, Skipped
from winnow_ci.model.comparison import ComparisonOptions, PairLimits

if TYPE_CHECKING:
    from collections.abc import Iterator

    from winnow_ci.corpus import CorpusFile

FILES = 500
PASTED = 40
SEED = 2003
SIZES = (125, 250, 500, 1000, 2000, 4000)
STDLIB = Path(sysconfig.get_path("stdlib"))
INSTALLED = Path(sysconfig.get_path("purelib"))
LEAST_BYTES, MOST_BYTES = 3_000, 80_000


class Cost(NamedTuple):
    files: int
    postings: int
    reading: float
    ranking: float
    matches: int
    found: int


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--plot", type=Path)
    parser.add_argument("--more", type=Path)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        two_versions(Path(folder, "versions"), Path(folder, "wheels"))
        order(Path(folder, "set"))
    grown, copied = list(growing(arguments.more)), list(copies())
    for title, costs in (("files with little in common", grown), (f"{FILES} files, more and more copies", copied)):
        print(f"\n{title}\nfiles   postings      pairs    matches  pairs found  reading s  pairing, processor s")
        for one in costs:
            pairs = one.files * (one.files - 1) // 2
            counts = f"{one.files:5} {one.postings:10,} {pairs:10,} {one.matches:10,} {one.found:12,}"
            print(f"{counts} {one.reading:10.2f} {one.ranking:10.3f}")
    if arguments.plot:
        arguments.plot.write_text(drawn(grown, copied))


def two_versions(folder: Path, wheels: Path) -> None:
    """How the pairs of two versions rank."""
    folder.mkdir()
    known = versions(folder, wheels)
    fill(folder)
    tell(folder, known)


def order(folder: Path) -> None:
    """How vendored modules and pasted functions rank."""
    folder.mkdir()
    known = vendored(folder) | pasted(folder)
    fill(folder)
    estimates(folder, known)
    tell(folder, known)


def tell(folder: Path, known: dict[frozenset[str], str]) -> None:
    """How the known pairs rank, by weight and by the bare number of fingerprints."""
    start = time.perf_counter()
    told = run(*WINNOW, "compare", str(folder), "--all-pairs", "--top", "5000", "--json")
    seconds = time.perf_counter() - start
    report = json.loads(told)
    files, found = report["set"]["files"], report["pairs_found"]
    print(f"\n{files} files, {found:,} pairs found; {seconds:.1f} s, lines of all included")
    print("by the number of fingerprints")
    rank_of(sorted(report["pairs"], key=lambda pair: -pair["shared"]), known)
    print("by weight, as they are printed")
    rank_of(report["pairs"], known)
    for first in (50, 100, len(known)):
        others = [
            pair for pair in report["pairs"][:first] if frozenset((pair["a"]["path"], pair["b"]["path"])) not in known
        ]
        print(f"not known among the first {first}: {len(others)}")
        for pair in others if first == len(known) else []:
            numbers = f"{pair['weight']:7.1f} {pair['shared']:5} {pair['verbatim']:4.0%}"
            print(f"  {numbers}  {pair['a']['path']}  {pair['b']['path']}")


def rank_of(pairs: list[dict[str, Any]], known: dict[frozenset[str], str]) -> None:
    """Print how the known pairs rank."""
    ranks = {frozenset((pair["a"]["path"], pair["b"]["path"])): n for n, pair in enumerate(pairs, 1)}
    for kind in sorted(set(known.values())):
        own = [pair for pair in known if known[pair] == kind]
        places = sorted(ranks[pair] for pair in own if pair in ranks)
        among = sum(place <= len(known) for place in places)
        print(
            f"  {kind}: {len(places)} of {len(own)} found, {among} among the first {len(known)}, "
            f"median place {np.median(places):.0f}, the last {places[-1]}"
        )


def vendored(folder: Path) -> dict[frozenset[str], str]:
    """Modules that pip has vendored, and those installed by themselves."""
    known = {}
    inside = INSTALLED / "pip" / "_vendor"
    for file in sorted(inside.rglob("*.py")):
        path = file.relative_to(inside)
        if (INSTALLED / path).is_file() and LEAST_BYTES < file.stat().st_size < MOST_BYTES:
            names = [place(folder, file, "pip/_vendor", path), place(folder, INSTALLED / path, "own", path)]
            known[frozenset(names)] = "vendored"
    return known


def pasted(folder: Path) -> dict[frozenset[str], str]:
    """Files of Python's library, each with a renamed function of another one."""
    choose, known = random.Random(SEED), {}
    givers = [
        (file, function) for file in library() if (function := largest_function(file.read_text("utf-8", "ignore")))
    ]
    chosen = choose.sample(givers, 2 * PASTED)
    for (giver, function), (taker, _) in zip(chosen[:PASTED], chosen[PASTED:], strict=True):
        names = [place(folder, file, "stdlib", file.relative_to(STDLIB)) for file in (giver, taker)]
        with (folder / names[1]).open("a") as file:
            file.write(f"\n\n{renamed(function)}\n")
        known[frozenset(names)] = "pasted"
    return known


def fill(folder: Path) -> None:
    """Files of Python's library, up to the number wanted."""
    for file in random.Random(SEED).sample(library(), len(library())):
        if sum(1 for _ in folder.iterdir()) >= FILES:
            return
        place(folder, file, "stdlib", file.relative_to(STDLIB))


def library() -> list[Path]:
    files = (
        file for file in sorted(STDLIB.rglob("*.py")) if not {"site-packages", "lib2to3", "idlelib"} & set(file.parts)
    )
    return [file for file in files if "test" not in file.parts and LEAST_BYTES < file.stat().st_size < MOST_BYTES]


def place(folder: Path, file: Path, kind: str, path: Path) -> str:
    name = "+".join((*Path(kind).parts, *path.parts))
    if not (folder / name).exists():
        shutil.copy(file, folder / name)
    return name


def largest_function(text: str) -> str | None:
    """The largest function of 20 to 60 lines."""
    try:
        nodes = [node for node in ast.parse(text).body if isinstance(node, ast.FunctionDef)]
    except (SyntaxError, ValueError):
        return None
    sizes = {node.end_lineno - node.lineno + 1: node for node in nodes}
    fit = [size for size in sizes if 20 <= size <= 60]
    return ast.get_source_segment(text, sizes[max(fit)]) if fit else None


def renamed(function: str) -> str:
    node = ast.parse(function)
    names = {found.id for found in ast.walk(node) if isinstance(found, ast.Name) and isinstance(found.ctx, ast.Store)}
    for name in sorted(names):
        function = re.sub(rf"\b{name}\b", f"{name}_new", function)
    return function


def growing(more: Path | None) -> Iterator[Cost]:
    """Sets of growing size, of files in random order."""
    files = python_files(more or STDLIB)
    random.Random(SEED).shuffle(files)
    start, taken = time.perf_counter(), iter(files)
    documents: list[np.ndarray] = []
    for size in SIZES:
        while len(documents) < size and (file := next(taken, None)):
            documents += hashes(file)
        if len(documents) == size:
            yield cost(documents, time.perf_counter() - start)


def copies() -> Iterator[Cost]:
    """Nearly as many files, each of them 1, 2, 3 … times."""
    files = python_files(STDLIB / "test")
    documents = [own for file in random.Random(SEED).sample(files, FILES) for own in hashes(file)]
    for times in (1, 2, 3, 5, 8, 10):
        yield cost(documents[: len(documents) // times] * times, float("nan"))


def python_files(folder: Path) -> list[CorpusFile]:
    return [file for file in find_body(str(folder)).files if file.path.endswith(".py") and file.size < MOST_BYTES]


def hashes(file: CorpusFile) -> list[np.ndarray]:
    read = tokenised_document(file)
    made = read if isinstance(read, Skipped) else fingerprinted(read, ComparisonOptions(), np.empty(0, np.uint64))
    return [] if isinstance(made, Skipped) else [made.hashes]


def cost(documents: list[np.ndarray], reading: float) -> Cost:
    start = time.process_time()
    with Partitions(HASH_POSTING) as by_hash:
        for number, own in enumerate(documents):
            by_hash.add(postings(own, number), own)
        ranking = rank(by_hash, PairLimits())
    seconds = time.process_time() - start
    return Cost(len(documents), sum(map(len, documents)), reading, seconds, ranking.matches, ranking.found)


def estimates(folder: Path, known: dict[frozenset[str], str]) -> None:
    """How far resemblances differ from that of all k-grams, and the error that they state."""
    pairs = [[find_body(str(folder / name)) for name in pair] for pair, kind in known.items() if kind == "vendored"]
    every = [compare(pair, ComparisonOptions(Parameters(w=1))).similarity.resemblance.value for pair in pairs]
    pairs = [pair for pair, truth in zip(pairs, every, strict=True) if truth < 1]
    truths = np.array([truth for truth in every if truth < 1])
    print(f"resemblance of {len(pairs)} pairs that are not the same, beside that of all their k-grams")
    for title, sketch in (
        ("all fingerprints", None),
        ("sketch of 256", 256),
        ("sketch of 64", 64),
        ("sketch of 16", 16),
    ):
        told = [compare(pair, ComparisonOptions(sketch=sketch)).similarity.resemblance for pair in pairs]
        off = np.array([share.value for share in told]) - truths
        said = np.array([share.error for share in told])
        off, said = (off[said > 0], said[said > 0]) if sketch else (off, said)
        measured, stated = np.sqrt(np.mean(off**2)), np.sqrt(np.mean(said**2))
        print(f"  {title:17} {len(off):3} pairs: mean {off.mean():+.3f}, rms {measured:.3f}, said {stated:.3f}")


def drawn(grown: list[Cost], copied: list[Cost]) -> str:
    series = {
        "more files": [(one.postings + one.matches, one.ranking) for one in grown],
        "more copies": [(one.postings + one.matches, one.ranking) for one in copied],
        "more files, by pairs": [(one.files * (one.files - 1) / 2, one.ranking) for one in grown],
    }
    return plot(series, "postings + matches, or pairs", "processor seconds")


if __name__ == "__main__":
    main()
