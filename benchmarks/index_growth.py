"""What a scan costs as the index grows: the same change, and ever larger parts of one large index of real code.

    python benchmarks/index_growth.py INDEX CHANGE [--sizes N ...] [--work DIR] [--plot FILE]

INDEX is a large index (``large_index.py`` makes one); CHANGE a folder of code that it does not have. The change adds
ten of its files, those of 100 lines or more that come first by name. Each part of INDEX has the contents whose ids fall
below a bound, so it is a random sample of the same code. For each, prints what a scan asks for and reads, and its time.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from scale.arithmetic import LARGEST, cost
from scale.plotting import plot

from winnow_ci import git
from winnow_ci.config.settings import Settings
from winnow_ci.index import HeldFile, IndexDraft, WholeIndex, replacing
from winnow_ci.index.reader import IndexReader
from winnow_ci.index.store import SqliteStore
from winnow_ci.languages import language_of
from winnow_ci.matching import regions
from winnow_ci.scanner import scan

if TYPE_CHECKING:
    from collections.abc import Sequence

    from winnow_ci.index import ContentRow
    from winnow_ci.index.store import BlockKind

SIZES = (10**5, 10**6, 10**7, 10**8)
FILES = 10
LEAST_LINES = 100


# Contents that are read for ten files at most, if none is significant.
MOST_READ = FILES * regions.MOST_DOUBTFUL
COUNTED = "blocks", "questions", "bytes", "contents"
POWERS = [10**power for power in range(5, 13)]
CONTENTS, STORED = "contents read by a scan", "GB of the index"
SERIES = {CONTENTS: "contents", "seconds of the processor for it": "seconds", STORED: "stored"}


class Growth(NamedTuple):
    """What one scan did, and how many gigabytes the index takes."""

    fingerprints: int
    blocks: int
    questions: int
    bytes: int
    contents: int
    findings: int
    seconds: float
    stored: float


class CountingStore(SqliteStore):
    """A store that counts what it is asked."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self.counts: Counter[str] = Counter()
        # As a server is asked: all at once.
        self.blocks_a_query = 1 << 14

    def blocks(self, numbers: Sequence[int], kind: BlockKind) -> list[Any]:
        rows = super().blocks(numbers, kind)
        self.counts += Counter(blocks=len(rows), questions=1, bytes=sum(len(postings) for _, postings, _ in rows))
        return rows

    def contents(self, ids: Sequence[int]) -> dict[int, ContentRow]:
        rows = super().contents(ids)
        self.counts += Counter(contents=len(rows), questions=1, bytes=sum(len(row.token_map) for row in rows.values()))
        return rows


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("index", type=Path)
    parser.add_argument("change", type=Path)
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES, metavar="N")
    parser.add_argument("--work", type=Path, help="keep the parts of the index here")
    parser.add_argument("--plot", type=Path, metavar="FILE")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="winnow-growth-") as scratch:
        work = arguments.work or Path(scratch)
        repository = changed(Path(scratch, "repository"), arguments.change)
        print("| fingerprints | blocks read | contents read | MB read | questions | findings | CPU s |")
        print("|---:|---:|---:|---:|---:|---:|---:|")
        rows = [measured(part(arguments.index, size, work), repository) for size in arguments.sizes]
    if arguments.plot:
        arguments.plot.write_text(figure(rows))
    return 0


def figure(rows: Sequence[Growth]) -> str:
    """What an index costs by its fingerprints, as SVG: as measured, and from there by arithmetic."""
    measured = {name: [(row.fingerprints, getattr(row, field)) for row in rows] for name, field in SERIES.items()}
    last = rows[-1]
    sizes = [last.fingerprints, *(size for size in POWERS if size > last.fingerprints)]
    scale = last.stored / cost(last.fingerprints).gigabytes
    computed = {
        CONTENTS: [(last.fingerprints, last.contents), (LARGEST, MOST_READ)],
        STORED: [(size, scale * cost(size).gigabytes) for size in sizes],
        "core hours to build it": [(size, cost(size).core_hours) for size in POWERS],
        "dollars a month to keep it": [(size, cost(size).dollars_a_month) for size in POWERS],
    }
    return plot(measured, "fingerprints in the index", "cost", computed)


def part(whole: Path, wanted: int, work: Path) -> Path:
    """An index of some of the contents, made once."""
    path = work / f"{wanted}.db"
    with WholeIndex(whole) as old:
        if old.postings <= wanted * 1.05:
            return whole
        if path.exists():
            return path
        most = int((1 << 63) * wanted / old.postings)
        with replacing(path) as unfinished:
            draft = IndexDraft(old.parameters, old.front_ends, old.tables)
            draft.keep(old, without={source.name for source in old.sources})
            for content, row in old.all_contents():
                for file in row.files if 0 <= content < most else ():
                    draft.add_file(old.sources[file.source], HeldFile(row.key, *file[1:]))
            draft.write(unfinished)
    return path


def changed(root: Path, folder: Path) -> git.Repository:
    """A repository in which some files of a folder are staged."""
    root.mkdir()
    subprocess.run(["git", "init", "--quiet", root], check=True)
    chosen = 0
    for path in sorted(folder.rglob("*")):
        content = path.read_bytes() if path.is_file() and chosen < FILES else b""
        if content.count(b"\n") >= LEAST_LINES and language_of(path.name, content):
            (root / f"{chosen}_{path.name}").write_bytes(content)
            chosen += 1
    subprocess.run(["git", "-C", root, "add", "--all"], check=True)
    return git.Repository.find(root)


def measured(index: Path, repository: git.Repository) -> Growth:
    """Scan what is staged, and print a row."""
    store = CountingStore(index)
    with IndexReader(store) as reader:
        began = time.process_time()
        report = scan(repository, git.staged(repository), [reader], Settings())
        counts, seconds = store.counts, time.process_time() - began
        counted = {name: counts[name] for name in COUNTED}
        stored = index.stat().st_size / 1e9
        row = Growth(reader.postings, **counted, findings=len(report.findings), seconds=seconds, stored=stored)
    print(f"| {row.fingerprints:,} | {row.blocks:,} | {row.contents:,} | {row.bytes / 1e6:.1f} ", end="")
    print(f"| {row.questions} | {row.findings} | {row.seconds:.2f} |", flush=True)
    return row


if __name__ == "__main__":
    sys.exit(main())
