"""Learn the tables of ``winnow_ci.evidence.tables``: how common 4-grams, 16-grams, lines, phrases and texts are.

    python tools/tables [--work DIR] [--check]

`corpus.json` pins archives of PyPI, npm, crates.io, Maven, Go and Debian 12 by version and sha256. They are fetched
(some 1.4 GB), checked, and read where they are; nothing of them is run. The tokens of the files that people have
written are counted with the project's own front ends, so that the tables have to be learnt anew whenever a revision of
a learnt front end changes, or which files it reads: `learnt_with.json` says what they were learnt with.

Every file counts once, a project at most some 1.5 million tokens of a family of languages. A 4-gram has a row if it
occurs eight times, in three projects; a name, number or string if it is one in 8,192 or more, in three projects, and is
everyday if eight have it; a 16-gram if five projects have it (`learning.py` says where more or fewer), a line if four,
a phrase if two. Lines that generators write have one, too (`generators_lines.py`). No project of `benchmarks/quality`
is among them, nor one that those contain, so that it measures with code that the tables have not seen.

The same corpus and front ends make the same tables, byte for byte. `--check` makes them, and compares them with those
of the installed winnow-ci instead of writing them: exit status 1 if they differ.
"""

from __future__ import annotations

import argparse
import io
import sys
import tempfile
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from debian import Debian
from learning import common_table, everyday_table, grams_table, phrases_table, texts_table
from learnt import learnt
from learnt_with import FOLDER, note

if TYPE_CHECKING:
    from collections.abc import Mapping

    from counts import Counted

HERE = Path(__file__).resolve().parent
TABLES = {
    "grams": grams_table,
    "texts": texts_table,
    "common": common_table,
    "everyday": everyday_table,
    "phrases": phrases_table,
}
sys.path.append(str(HERE.parents[1] / "benchmarks" / "quality"))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--work", type=Path, metavar="DIR", help="keep archives here")
    parser.add_argument("--check", action="store_true", help="compare with the present tables, write nothing")
    parser.add_argument("--processes", type=int, metavar="N", help="default: one a processor")
    arguments = parser.parse_args()
    with ExitStack() as stack:
        work = arguments.work or Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="winnow-tables-")))
        archives = _archives(work)
        families = learnt(archives, stack.enter_context(ProcessPoolExecutor(arguments.processes)))
    _tell(families)
    sys.exit(_settle(families, write=not arguments.check))


def _archives(work: Path) -> dict[str, Path]:
    from packages import fetched, table

    debian = Debian(work / "apt")
    archives = {}
    for name, package in table(HERE / "corpus.json").items():
        folder = work / "archives"
        if package.ecosystem == "debian" and not (folder / package.file).exists():
            print(f"fetching {package.file}", file=sys.stderr)
            debian.fetch(name, folder)
        archives[name] = fetched(package, folder)
    return archives


def _tell(families: Mapping[str, Counted]) -> None:
    for front_end, counted in families.items():
        print(f"{front_end}: {counted.tokens:,} tokens, {len(counted.grams.things):,} different 4-grams")


def _settle(families: Mapping[str, Counted], *, write: bool) -> int:
    others = []
    for name, make in TABLES.items():
        rows = make(families)
        made = _as_npy(rows)
        file = FOLDER / f"{name}.npy"
        if not file.exists() or file.read_bytes() != made:
            others.append(file.name)
        if write:
            file.write_bytes(made)
        print(f"{name}.npy: {len(rows):,} rows, {len(made):,} bytes")
    if write:
        note()
    elif others:
        print(f"The present tables are others: {', '.join(others)}\nWrite them with: python tools/tables")
    return int(bool(others) and not write)


def _as_npy(rows: np.ndarray) -> bytes:
    buffer = io.BytesIO()
    np.save(buffer, rows)
    return buffer.getvalue()


if __name__ == "__main__":
    main()
