"""What an index on a server costs: bytes a fingerprint, and for a scan round trips, bytes, processor time and patience.

    python benchmarks/server.py INDEX [--sources DIR] [--clients N] [--runs N]
    python benchmarks/server.py --synthetic N [...]

Starts a PostgreSQL server and nginx, publishes INDEX there (or N fingerprints, most of them random), as tables and as a
folder of blocks, and stages ten files of 200 to 600 lines with a third of each new: of DIR, or of Python's library.
Prints the size of the tables; what the scan of these files asks for, with the processor time of the server's process
(/proc) and of everything in ours that connects, asks, decrypts and checks; a table of the file, the folder of blocks
and the tables, with 20 ms added to each round trip; and what N clients get who scan at once (50 by default). Run it on
an idle machine; on Debian: apt-get install nginx-light postgresql.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import xxhash

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

import trustme
from latency import children_cpu, chosen_files, edited, lines, make_repository

from support.command import command, environment
from support.postgresql import running
from support.served import ServedDatabase
from support.unreliable import UnreliableLine, between
from winnow_ci import cli, git, scanner
from winnow_ci.config.settings import Settings
from winnow_ci.index import (
    ContentRow,
    HeldFile,
    IndexDraft,
    IndexReader,
    NewContent,
    WholeIndex,
    batched,
    pack_map,
    replacing,
)
from winnow_ci.model import Fingerprints, Source, TokenMap
from winnow_ci.serving.sealing import read_key
from winnow_ci.serving.store import PostgresqlStore

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from collections.abc import Set as AbstractSet

    from numpy.typing import NDArray

    from winnow_ci.index.store import BlockKind

# Half of it in each direction.
ROUND_TRIP_SECONDS = 0.02
# Random fingerprints of a content.
RANDOM = 1 << 16
# What an index for a server should be made with (docs/organisation.md).
SELECTION = ("--selection", "mod-minimizer", "-w", "9")
SETTINGS = {"shared_buffers": "1GB", "max_connections": "120", "fsync": "off"}


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("index", nargs="?", type=Path, metavar="INDEX")
    parser.add_argument(
        "--synthetic", type=int, default=0, metavar="N", help="publish N fingerprints, most of them random"
    )
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
                index = with_random(index, arguments.synthetic, folder / "large.db")
            root = published(served, index)
            print_sizes(served, root)
            repository = make_repository(folder / "staged", staged_files(arguments.sources))
            os.chdir(repository)
            print_same(served, root, index)
            print_costs(served, root, arguments.runs)
            print_places(served, root, index, folder, arguments.runs)
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


def with_random(index: Path, wanted: int, large: Path) -> Path:
    """An index with random fingerprints beside those of another one."""
    chance = np.random.default_rng(1)
    with WholeIndex(index) as old, replacing(large) as unfinished:
        draft = IndexDraft(old.parameters, old.front_ends, old.tables)
        draft.keep(old)
        tokens, positions = RANDOM + old.parameters.k, np.arange(RANDOM, dtype=np.uint32)
        lines = np.arange(1, tokens + 1, dtype=np.int32)
        token_map = pack_map(TokenMap(lines, lines, np.zeros(tokens, np.uint8)))
        for number in range((wanted - old.postings) // RANDOM + 1):
            hashes, checks = (chance.integers(0, 1 << bits, RANDOM, np.uint64) for bits in (64, 32))
            key = xxhash.xxh3_128_digest(b"%d" % number)
            row = ContentRow(key, "python", min(old.front_ends), tokens, RANDOM, token_map, ())
            made = NewContent(row, Fingerprints(hashes, checks.astype(np.uint32), positions))
            draft.add_contents(batched([made]))
            draft.add_file(Source("random"), HeldFile(key, b"%d.py" % number))
        draft.write(unfinished)
    return large


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
        blocks = reader.blocks.how_many + reader.crowd_blocks.how_many
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


class CountingStore(PostgresqlStore):
    """A store that counts the rows that it is asked for."""

    rows = 0

    def postings(
        self, numbers: Sequence[int], kind: BlockKind, hashes: NDArray[np.uint64] | None = None
    ) -> NDArray[np.void]:
        self.rows += len(numbers)
        return super().postings(numbers, kind, hashes)

    def contents(self, ids: Sequence[int]) -> dict[int, ContentRow]:
        self.rows += len(ids)
        return super().contents(ids)


class MeasuredReader(IndexReader):
    """A reader that measures the processor time of what it is asked."""

    seconds = 0.0

    def stored(self, hashes: NDArray[np.uint64], kind: BlockKind) -> NDArray[np.uint64]:
        with self._measuring():
            return super().stored(hashes, kind)

    def postings_of(self, hashes: NDArray[np.uint64], kind: BlockKind) -> NDArray[np.void]:
        with self._measuring():
            return super().postings_of(hashes, kind)

    def content_rows(self, ids: Iterable[int]) -> dict[int, ContentRow]:
        with self._measuring():
            return super().content_rows(ids)

    @contextmanager
    def _measuring(self) -> Iterator[None]:
        began = time.process_time()
        yield
        self.seconds += time.process_time() - began


def print_costs(served: ServedDatabase, root: str, runs: int) -> None:
    """What the scan asks for, and its processor time, in this process: nothing has to be imported."""
    repository = git.Repository.find(Path.cwd())
    seen = [measured(served, root, repository) for _ in range(runs + 2)][2:]
    medians = {name: statistics.median(one[name] for one in seen) for name in seen[0]}
    print("\na scan of ten staged files: " + ", ".join(f"{value:,.0f} {name}" for name, value in medians.items()))


def measured(served: ServedDatabase, root: str, repository: git.Repository) -> dict[str, float]:
    """The costs of one scan."""
    with between(UnreliableLine(served.server.port)) as line:
        began = time.process_time()
        store = CountingStore(served.uri(port=line.port), "default", root, read_key(os.environ), "the server")
        with MeasuredReader(store) as reader:
            opening = time.process_time() - began
            scanner.scan(repository, git.staged(repository), [reader], Settings())
            ((backend,),) = served.rows("SELECT pid FROM pg_stat_activity WHERE usename = 'scanner'")
            used = int(Path(f"/proc/{backend}/schedstat").read_text().split()[0]) / 1e6
        ours = 1e3 * (opening + reader.seconds)
        return {
            "round trips": store.round_trips,
            "rows": store.rows,
            "bytes": line.received + line.sent,
            "ms of the server's processor time": used,
            "ms of ours": ours,
        }


def quiet(arguments: Sequence[str], expected: AbstractSet[int] = frozenset({0})) -> int:
    said = StringIO()
    with redirect_stdout(said), redirect_stderr(said):
        status = cli.main(arguments)
    if status not in expected:
        raise SystemExit(said.getvalue())
    return status


# ---- commands --------------------------------------------------------------------------------------------------------


class Waited(NamedTuple):
    """What one run of the command took."""

    wall: float
    cpu: float
    requests: int
    received: int


def print_places(served: ServedDatabase, root: str, index: Path, folder: Path, runs: int) -> None:
    """Print a table of the command with the index in a file, in a folder of blocks behind nginx, and in PostgreSQL."""
    began = time.perf_counter()
    said = StringIO()
    with redirect_stdout(said), redirect_stderr(StringIO()):
        assert cli.main(["index", "publish", str(index.absolute()), str(folder / "web")]) == 0
    named = f"#{said.getvalue().strip()}"
    sizes = {file.suffix: file.stat().st_size for file in (folder / "web").iterdir()}
    print(
        f"\nblocks written in {time.perf_counter() - began:.0f} s: {sizes}; the file has {index.stat().st_size:,} bytes"
    )
    cache = folder / "cache"

    def empty(*rooms: str) -> None:
        for room in rooms:
            shutil.rmtree(cache / room, ignore_errors=True)

    with nginx(folder) as web:
        settings = {"REQUESTS_CA_BUNDLE": str(web.authority), "NO_PROXY": "*", "WINNOW_CI_CACHE_DIR": str(cache)}
        blocks = "https://localhost:{}/{}".format
        ways: list[tuple[str, int, Callable[[int], str], Callable[[], None]]] = [
            ("in a file", web.port, lambda _: str(index.absolute()), empty),
            ("blocks, first scan", web.port, lambda port: blocks(port, named), lambda: empty("blocks", "files")),
            ("blocks, other files before", web.port, lambda port: blocks(port, named), lambda: empty("blocks")),
            ("blocks, the same again", web.port, lambda port: blocks(port, named), empty),
            ("PostgreSQL", served.server.port, lambda port: f"{served.uri(port=port)}#default@{root}", empty),
        ]
        print("\n| index | wall, s | CPU, s | requests | bytes received |\n|---|---:|---:|---:|---:|")
        for title, port, uri, prepare in ways:
            seen = []
            for _ in range(runs):
                prepare()
                seen.append(waited(port, uri, {**settings, **served.settings()}, web.log))
            wall, cpu, requests, received = (statistics.median(column) for column in zip(*seen, strict=True))
            print(f"| {title} | {wall:.2f} | {cpu:.2f} | {requests:,.0f} | {received:,.0f} |")


def waited(port: int, uri: Callable[[int], str], settings: dict[str, str], log: Path) -> Waited:
    """Run the command with a delay between it and a server."""
    with between(UnreliableLine(port, delay=ROUND_TRIP_SECONDS / 2)) as line:
        logged, used, began = lines(log), children_cpu(), time.perf_counter()
        scan = command("scan", "--staged", "--format", f"json:{os.devnull}", "--index", uri(line.port))
        done = subprocess.run(scan, env=environment(**settings), stderr=subprocess.DEVNULL, check=False)
        assert done.returncode in {0, 1}
        wall, cpu = time.perf_counter() - began, children_cpu() - used
        return Waited(wall, cpu, lines(log) - logged or line.turns, line.received)


class WebServer(NamedTuple):
    """A web server that is running, by https on the loopback address."""

    port: int
    authority: Path  # whom to trust
    log: Path  # a line a request


_NGINX = """
daemon off; pid {folder}/nginx.pid; error_log {folder}/nginx.err; worker_processes 1; user root;
events {{ worker_connections 1024; }}
http {{
  access_log {folder}/nginx.log; keepalive_requests 100000;
  server {{
    listen 127.0.0.1:{port} ssl; root {folder}/web;
    ssl_certificate {folder}/server.pem; ssl_certificate_key {folder}/server.pem;
  }}
}}
"""


@contextmanager
def nginx(folder: Path) -> Iterator[WebServer]:
    """Run nginx for the files of ``folder/web``."""
    authority = trustme.CA()
    authority.cert_pem.write_to_path(str(folder / "authority.pem"))
    authority.issue_cert("localhost").private_key_and_cert_chain_pem.write_to_path(str(folder / "server.pem"))
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    (folder / "nginx.conf").write_text(_NGINX.format(folder=folder, port=port))
    (folder / "nginx.log").touch()
    folder.chmod(0o755)
    server = subprocess.Popen(["nginx", "-p", folder, "-c", "nginx.conf"])
    try:
        time.sleep(1)
        yield WebServer(port, folder / "authority.pem", folder / "nginx.log")
    finally:
        server.terminate()
        server.wait()


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
