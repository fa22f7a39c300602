"""An index that Apache Spark helps to build: whether it is that of one machine, whatever is killed, and what it costs.

    python benchmarks/spark.py [FOLDER] [--kills N] [--seed N]

FOLDER has archives of source code, each of which becomes a source; without it, pip downloads wheels of ``PACKAGES``.
Builds an index of them on this machine, then on a standalone cluster with two executors of one core each, which it
starts on the loopback; compares their digests and their bytes, and the processor time of the executors with that of the
local build. Then it builds again and again on the cluster, and kills executors or their Python processes at random
moments, until it has killed N (20 by default). Exits with 1 if an index is another one, or a build failed.
Needs PySpark and Java.
"""

from __future__ import annotations

import argparse
import filecmp
import os
import random
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from support import spark
from winnow_ci.index import WholeIndex

if TYPE_CHECKING:
    from collections.abc import Sequence

PACKAGES = """
    aiofiles alembic anyio apispec argcomplete arrow asgiref attrs babel beautifulsoup4 black blinker boltons boto3
    botocore build cachetools celery certifi click colorama dask decorator distlib django dnspython docutils fastapi
    filelock flask fsspec h11 httpcore httpx hypothesis idna isort itsdangerous jinja2 joblib jsonschema kombu
    loguru markdown marshmallow mkdocs more-itertools networkx nltk oauthlib packaging paramiko pip pluggy poetry
    pydantic pygments pytest requests rich setuptools six sphinx sqlparse starlette structlog sympy toolz tornado
    tqdm trio typer urllib3 virtualenv werkzeug wheel
""".split()
SHORTEST, LONGEST = 3.0, 25.0  # seconds between two kills; starting an executor takes some of them


class Built(NamedTuple):
    """An index that was built, and the processor time that it took, in seconds: of our process, and of executors."""

    index: Path
    own: float
    executors: float
    python: float


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("folder", nargs="?", type=Path, metavar="FOLDER")
    parser.add_argument("--kills", type=int, default=20, metavar="N")
    parser.add_argument("--seed", type=int, default=17, metavar="N")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="winnow-spark-") as name:
        work = Path(name)
        archives = sorted((arguments.folder or downloaded(work / "wheels")).iterdir())
        local = build(project(work / "local", archives))
        print_local(archives, local)
        with spark.cluster() as cluster:
            quiet = build(project(work / "quiet", archives), cluster)
            print_quiet(local, quiet)
            rounds = killing(work, archives, cluster, random.Random(arguments.seed), arguments.kills)
        return int(not all(filecmp.cmp(index, local.index, shallow=False) for index in (quiet.index, *rounds)))


def downloaded(folder: Path) -> Path:
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary", ":all:"]
    subprocess.run([*command, "-d", str(folder), *PACKAGES], check=True)
    return folder


def project(root: Path, archives: Sequence[Path]) -> Path:
    """A folder with a manifest of these archives."""
    (root / ".winnow").mkdir(parents=True)
    lines = [f"- {{path: {archive.resolve()}, name: {archive.name}, version: '1'}}" for archive in archives]
    (root / ".winnow" / "sources.yml").write_text("\n".join(["sources:", *lines, ""]))
    return root


def build(project: Path, cluster: spark.Cluster | None = None, killer: Killer | None = None) -> Built:
    """Build its index; raises ``SystemExit`` if that fails."""
    options = ["--engine", "spark"] if cluster else []
    settings = {"WINNOW_CI_CACHE_DIR": str(project / "cache"), **(cluster.settings if cluster else {})}
    command = [sys.executable, "-m", "winnow_ci", "index", "sync", *options]
    process = subprocess.Popen(command, cwd=project, env={**os.environ, **settings}, stdout=subprocess.PIPE)
    times: dict[int, float] = {}
    python: set[int] = set()
    while (ended := os.wait4(process.pid, os.WNOHANG))[0] == 0:
        if cluster:
            watch(cluster, times, python)
        if killer:
            killer.look(cluster)
        time.sleep(0.1)
    if ended[1]:
        raise SystemExit(f"{project.name}: the build failed")
    usage = ended[2]
    of_python = sum(seconds for pid, seconds in times.items() if pid in python)
    return Built(project / ".winnow" / "index.db", usage.ru_utime + usage.ru_stime, sum(times.values()), of_python)


def watch(cluster: spark.Cluster, times: dict[int, float], python: set[int]) -> None:
    """Look up the processor time of each process of the executors, which ends when it likes."""
    executors = cluster.executors()
    for executor in executors:
        for pid in (executor, *spark.below(executor)):
            with suppress(OSError, IndexError):
                fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
                times[pid] = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
                python.update({pid} - {executor})


class Killer:
    """Kills an executor, or its Python process, now and then."""

    def __init__(self, chance: random.Random, most: int) -> None:
        self._chance, self.left = chance, most
        self.killed: list[str] = []
        self._next = time.monotonic() + chance.uniform(SHORTEST, LONGEST)

    def look(self, cluster: spark.Cluster) -> None:
        if time.monotonic() < self._next or not self.left:
            return
        kinds = {"executor": cluster.executors(), "Python": cluster.python_workers()}
        kind = self._chance.choice(sorted(kinds))
        if kinds[kind]:
            spark.kill(self._chance.choice(kinds[kind]))
            self.killed.append(kind)
            self.left -= 1
            self._next = time.monotonic() + self._chance.uniform(SHORTEST, LONGEST)


def killing(
    work: Path, archives: Sequence[Path], cluster: spark.Cluster, chance: random.Random, kills: int
) -> list[Path]:
    """The indexes of builds in which something was killed."""
    built: list[Path] = []
    killer = Killer(chance, kills)
    while killer.left:
        before = len(killer.killed)
        built.append(build(project(work / f"round-{len(built)}", archives), cluster, killer).index)
        print(f"build {len(built)}: killed {', '.join(killer.killed[before:]) or 'nothing'}", flush=True)
    return built


def print_local(archives: Sequence[Path], local: Built) -> None:
    with WholeIndex(local.index) as index:
        print(f"{len(archives)} archives, {index.postings:,} fingerprints in {local.index.stat().st_size / 1e6:.1f} MB")
    print(f"local: {local.own:.1f} CPU s", flush=True)


def print_quiet(local: Built, quiet: Built) -> None:
    same = "the same index" if filecmp.cmp(local.index, quiet.index, shallow=False) else "ANOTHER INDEX"
    executors, python = (f"{spent:.1f} CPU s ({spent / local.own:.2f})" for spent in (quiet.executors, quiet.python))
    print(f"Spark: {same}; driver {quiet.own:.1f} CPU s; executors {executors}, of these Python {python}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
