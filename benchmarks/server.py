"""What an index on a server costs: bytes a fingerprint, and for a scan round trips, bytes, processor time and patience.

    python benchmarks/server.py INDEX [--sources DIR] [--clients N] [--runs N]
    python benchmarks/server.py --synthetic N [...]

Starts a PostgreSQL server of its own, publishes INDEX there (or random fingerprints, N of them), and stages ten files
of 200 to 600 lines with a third of each new: of DIR, or of Python's library. Prints the size of the tables; what the
scan of these files asks for, with the processor time of the server's process (/proc) and of everything in ours that
asks, decrypts, checks and searches; the wall time of the command with 20 ms added to each round trip; and what N
clients get who scan at once (50 by default). Run it on an idle machine.
"""

# ruff: noqa: SLF001 - it measures what is inside.

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from latency import Stopwatch, chosen_files, edited, lines, make_repository

from support.command import command, environment
from support.postgresql import running
from support.served import ServedDatabase
from support.unreliable import UnreliableLine, between
from winnow_ci import cli
from winnow_ci.index import WholeIndex
from winnow_ci.serving import publishing, reading, store
from winnow_ci.serving.spilling import KEYED

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

# Half of it in each direction.
ROUND_TRIP_SECONDS = 0.02
ADDED = 1 << 20
# What an index for a server should be made with (docs/server.md).
SELECTION = ("--selection", "mod-minimizer", "-w", "9")
SETTINGS = {"shared_buffers": "1GB", "max_connections": "120", "fsync": "off"}


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("index", nargs="?", type=Path, metavar="INDEX")
    parser.add_argument("--synthetic", type=int, default=0, metavar="N", help="publish N random fingerprints")
    parser.add_argument("--sources", type=Path, metavar="DIR", help="where the ten files come from")
    parser.add_argument("--clients", type=int, default=50, metavar="N")
    parser.add_argument("--runs", type=int, default=7, metavar="N")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="winnow-server-") as name, running() as server:
        folder = Path(name)
        with server.superuser() as connection:
            for setting, value in SETTINGS.items():
                connection.execute(f"ALTER SYSTEM SET {setting} = '{value}'")
        server.stop()
        server.start()
        with server.database("organisation") as database:
            served = ServedDatabase.prepared(server, database, folder)
            os.environ.update(served.settings())
            index = arguments.index or small_index(folder)
            if arguments.synthetic:
                make_synthetic(arguments.synthetic)
            root = published(served, index)
            print_sizes(served, root)
            repository = make_repository(folder / "staged", staged_files(arguments.sources))
            os.chdir(repository)
            if not arguments.synthetic:
                print_same(served, root, index)
            print_costs(served, root, arguments.runs)
            print_patience(served, root, arguments.runs)
            print_crowd(served, root, arguments.clients)
    return 0


# ---- publishing ------------------------------------------------------------------------------------------------------


def small_index(folder: Path) -> Path:
    """An index of two hundred files of Python's library."""
    known = folder / "corpus"
    known.mkdir()
    for number, path in enumerate(chosen_files()[2][:200]):
        (known / f"{number}_{path.name}").write_bytes(path.read_bytes())
    quiet(["index", "build", str(known), "--output", str(folder / "small.db"), "--name", "library", *SELECTION])
    return folder / "small.db"


def make_synthetic(wanted: int) -> None:
    """Let publishing add random fingerprints to those of the index."""
    real = publishing._Publisher._sort

    def sort(self: Any, ordinary: Any, crowds: Any, progress: Any) -> None:
        real(self, ordinary, crowds, progress)
        chance = np.random.default_rng(1)
        while ordinary.postings < wanted:
            postings = np.empty(ADDED, KEYED)
            for field, bits in (("hash", 64), ("content", 10), ("position", 20), ("check", 32)):
                postings[field] = chance.integers(0, 1 << bits, ADDED, dtype=np.uint64)
            postings["content"] %= len(self._ids)
            ordinary.add(postings)

    buckets = publishing.PostingBuckets
    publishing._Publisher._sort = sort  # type: ignore[method-assign]
    publishing.PostingBuckets = lambda expected: buckets(max(expected, wanted if expected else 0))  # type: ignore[assignment,misc]


def published(served: ServedDatabase, index: Path) -> str:
    began, used = time.perf_counter(), time.process_time()
    quiet(["index", "publish", str(index), served.uri("nightly")])
    print(
        f"published in {time.perf_counter() - began:.0f} s ({time.process_time() - used:.0f} s of our processor time)"
    )
    with WholeIndex(index) as opened:
        return opened.digest


def print_sizes(served: ServedDatabase, root: str) -> None:
    suffix = served.version(root).suffix
    with served.opened(root) as reader:
        blocks = (1 << reader.bits) + (1 << reader.crowd_bits)
    names = [f"winnow_ci.{kind}_{suffix}" for kind in ("block", "content", "source")]
    sizes = [served.rows("SELECT pg_total_relation_size(%s)", name)[0][0] for name in names]
    ((postings, largest, rows),) = served.rows(
        f"SELECT sum(length(row)) / 16, max(length(row)), count(*) FROM {names[0]}"
    )
    assert rows == blocks
    print(f"{postings:,} postings in {blocks:,} blocks, the largest of {largest:,} bytes")
    for name, size in zip(("blocks", "contents", "sources", "all"), (*sizes, sum(sizes)), strict=True):
        print(f"  {name:8} {size:>14,} bytes {size / int(postings):6.2f} a posting")


# ---- one scan --------------------------------------------------------------------------------------------------------


def staged_files(sources: Path | None) -> Sequence[tuple[str, str]]:
    if sources is None:
        copied, unknown, _ = chosen_files()
        return [edited(path) for path in [*copied, *unknown]]
    files = [path for path in sorted(sources.rglob("*")) if path.is_file() and 200 <= lines(path) <= 600]
    return [edited(path) for path in files[:: max(1, len(files) // 10)][:10]]


def print_same(served: ServedDatabase, root: str, index: Path) -> None:
    """Compare the findings with those of the file."""
    places = (str(index.absolute()), f"{served.uri()}#default@{root}")
    found = []
    for place in places:
        report = Path(served.key.parent / "report.json")
        quiet(["scan", "--staged", "--format", f"json:{report}", "--index", place], {0, 1})
        found.append(json.loads(report.read_bytes())["findings"])
    print(
        f"\n{len(found[0])} findings with the file, {'the same' if found[0] == found[1] else 'OTHERS'} with the server"
    )


def print_costs(served: ServedDatabase, root: str, runs: int) -> None:
    """What the scan asks for, and its processor time, in this process: nothing has to be imported."""
    seen: dict[str, list[float]] = {
        name: [] for name in ("round trips", "rows", "server CPU ms", "our CPU ms", "bytes")
    }
    for run in range(runs + 2):
        watch = Stopwatch(time.process_time)
        counted = {"rows": 0.0, "round trips": 0.0, "server CPU ms": 0.0}
        with between(UnreliableLine(served.server.port)) as line, watching(watch, counted):
            scan(served, root, line.port)
        if run >= 2:
            found = {**counted, "our CPU ms": 1e3 * sum(watch.seconds.values()), "bytes": line.received + line.sent}
            for name, value in found.items():
                seen[name].append(value)
    print(
        "\na scan of ten staged files: "
        + ", ".join(f"{statistics.median(all_):,.0f} {name}" for name, all_ in seen.items())
    )


@contextmanager
def watching(watch: Stopwatch, counted: dict[str, float]) -> Iterator[None]:
    """Measure everything that has to do with the index."""
    from winnow_ci.index import found_postings, lookup, reader

    places = ((lookup, "postings_of"), (reader.IndexReader, "content_rows"), (reading, "open_version"))
    before = [(owner, name, getattr(owner, name)) for owner, name in places]
    some, close = store.PostgresqlStore._some, store.PostgresqlStore.close
    assert lookup.postings_of is found_postings.postings_of

    def counting(self: Any, table: str, ids: Sequence[int], size: int) -> Any:
        counted["rows"] += len(ids)
        return some(self, table, ids, size)

    def closing(self: Any) -> None:
        counted["round trips"] += self.round_trips
        pid = self._connection.info.backend_pid
        counted["server CPU ms"] += int(Path(f"/proc/{pid}/schedstat").read_text().split()[0]) / 1e6
        close(self)

    store.PostgresqlStore._some, store.PostgresqlStore.close = counting, closing  # type: ignore[method-assign]
    for owner, name, _ in before:
        watch.watch(owner, name, name)
    try:
        yield
    finally:
        store.PostgresqlStore._some, store.PostgresqlStore.close = some, close  # type: ignore[method-assign]
        for owner, name, value in before:
            setattr(owner, name, value)


def scan(served: ServedDatabase, root: str, port: int) -> None:
    status = quiet(["scan", "--staged", "--index", f"{served.uri(port=port)}#default@{root}"], {0, 1})
    assert status in {0, 1}


def quiet(arguments: Sequence[str], expected: set[int] = frozenset({0})) -> int:  # type: ignore[assignment]
    said = StringIO()
    with redirect_stdout(said), redirect_stderr(said):
        status = cli.main(arguments)
    if status not in expected:
        raise SystemExit(said.getvalue())
    return status


# ---- commands --------------------------------------------------------------------------------------------------------


def print_patience(served: ServedDatabase, root: str, runs: int) -> None:
    """Wall time of the command, directly and with a delay."""
    for title, delay in (
        ("directly", 0.0),
        (f"with {1e3 * ROUND_TRIP_SECONDS:.0f} ms a round trip", ROUND_TRIP_SECONDS),
    ):
        walls, turns = [], 0
        for _ in range(runs):
            with between(UnreliableLine(served.server.port, delay=delay / 2)) as line:
                began = time.perf_counter()
                done = subprocess.run(
                    scanning(served, root, line.port), env=environment(**served.settings()), check=False
                )
                walls.append(time.perf_counter() - began)
                assert done.returncode in {0, 1}
                turns = line.turns
        print(
            f"the command, {title}: {statistics.median(walls):.2f} s wall ({turns} round trips with those to connect)"
        )


def scanning(served: ServedDatabase, root: str, port: int) -> list[str]:
    return command(
        "scan", "--staged", "--format", f"json:{os.devnull}", "--index", f"{served.uri(port=port)}#default@{root}"
    )


def print_crowd(served: ServedDatabase, root: str, clients: int) -> None:
    began = time.perf_counter()
    processes = [
        subprocess.Popen(
            scanning(served, root, served.server.port),
            env=environment(**served.settings()),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
        )
        for _ in range(clients)
    ]
    ended = [(process.communicate()[1], process.returncode) for process in processes]
    failed = [said for said, status in ended if status not in {0, 1}]
    print(
        f"{clients} clients at once: {len(failed)} errors, {time.perf_counter() - began:.1f} s until the last has ended"
    )
    for said in failed[:3]:
        print(said.decode())


if __name__ == "__main__":
    raise SystemExit(main())
