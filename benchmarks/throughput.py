"""How fast code becomes an index: whole builds, and the stages up to the fingerprints; with the kernel and without it.

    python benchmarks/throughput.py [--megabytes N] [--runs N] [--cache DIR] [LANGUAGE...]

Takes C from /usr/include and Python from its own library and packages, JavaScript and TypeScript, Java and Go from
packages that ``benchmarks/quality`` pins, which are downloaded if they are not in DIR; N megabytes of each
language (24 by default); where there is less, files are repeated with other names inside. Builds an index with one
process and with one per core, with the kernel and without it, in turn; prints medians. Seconds are processor time
unless it says wall, since the machine may be busy. Then tokenises, fingerprints and packs the same files, each way in a
process of its own, in turn, and prints how many times faster the kernel is. Without a kernel all of it runs one way.
Each language must reach 10 MB/s per core; exits with 1 if a build is slower.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import sysconfig
import tempfile
import time
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from winnow_ci import native
from winnow_ci.fingerprint import index_fingerprints
from winnow_ci.index import WholeIndex, pack_map
from winnow_ci.indexer import add, engine
from winnow_ci.languages import tokenize
from winnow_ci.model import Parameters, Source, TokenMap
from winnow_ci.operations.indexing import addition_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

REQUIRED = 10.0
# Endings of the files; those of the first language come from this machine, as do those of the second.
ENDINGS = {"c": (".h",), "python": (".py",), "javascript": (".js", ".ts"), "java": (".java",), "go": (".go",)}
PACKAGES = {
    "javascript": ("webpack", "eslint", "ol", "phaser", "rxjs", "effect", "viem", "vega-lite"),
    "java": ("react-native", "react-native-firebase", "react-native-navigation", "jep", "jpype1"),
    "go": ("wandb",),
}
LARGEST = 1_000_000
ALL_CORES = os.cpu_count() or 1
# The ways to do it, and what makes a process go that way.
WITHOUT = {"without": {native.SWITCH: "off"}}
WAYS: Mapping[str, Mapping[str, str]] = {"with": {}, **WITHOUT} if native.kernel() else WITHOUT


class Build(NamedTuple):
    """What building an index took: seconds, kilobytes of the parent and of its largest child, the index's size."""

    wall: float
    cpu: float
    parent: int
    child: int
    fingerprints: int
    size: int


def main() -> int:
    if sys.argv[1:2] == ["--build"]:
        print(json.dumps(build(Path(sys.argv[2]), Path(sys.argv[3]), int(sys.argv[4]), sys.argv[5])))
        return 0
    if sys.argv[1:2] == ["--stages"]:
        print(json.dumps(stages(sys.argv[2], Path(sys.argv[3]))))
        return 0
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--megabytes", type=float, default=24, metavar="N")
    parser.add_argument("--runs", type=int, default=3, metavar="N")
    parser.add_argument("--cache", type=Path, metavar="DIR", help="keep the packages here")
    parser.add_argument("languages", nargs="*", help="default: all", metavar="LANGUAGE")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="winnow-throughput-") as folder:
        cache = arguments.cache or Path(folder, "cache")
        corpora = {
            language: corpus(language, Path(folder, language), arguments.megabytes * 1e6, cache)
            for language in arguments.languages or ENDINGS
        }
        slowest = print_builds(corpora, Path(folder), arguments.runs)
        print_stages(corpora, Path(folder), arguments.runs)
    return int(slowest < REQUIRED)


# ---- what is built ---------------------------------------------------------------------------------------------


def corpus(language: str, folder: Path, size: float, cache: Path | None = None) -> list[bytes]:
    """Write files of a language into a folder, so many bytes of them; returns their contents."""
    folder.mkdir()
    contents, left = [], size
    for number, content in enumerate(endlessly([path.read_bytes() for path in found(language, cache)])):
        if left <= 0:
            break
        (folder / f"{number}{ENDINGS[language][-1]}").write_bytes(content)
        contents.append(content)
        left -= len(content)
    return contents


def found(language: str, cache: Path | None) -> Iterator[Path]:
    """Files of a language, written by people."""
    for root in roots(language, cache):
        for path in sorted(root.rglob("*")):
            wanted = path.suffix in ENDINGS[language] and ".min." not in path.name and not path.is_symlink()
            if wanted and path.is_file() and path.stat().st_size < LARGEST:
                yield path


def roots(language: str, cache: Path | None) -> list[Path]:
    if cache and language in PACKAGES:
        sys.path.append(str(Path(__file__).parent / "quality"))
        from packages import unpacked

        return [unpacked(name, cache) for name in PACKAGES[language]]
    paths = sysconfig.get_paths()
    names = [paths["include"], "/usr/include"] if language == "c" else [paths["stdlib"], paths["purelib"]]
    return list(map(Path, names))


def endlessly(contents: Sequence[bytes]) -> Iterator[bytes]:
    """Contents, each once, then again and again with other names."""
    yield from dict.fromkeys(contents)
    for number in count():
        yield from (content.replace(b"e", b"e%d" % number).replace(b" e", b" o") for content in contents)


# ---- builds ----------------------------------------------------------------------------------------------------


def print_builds(corpora: dict[str, list[bytes]], folder: Path, runs: int) -> float:
    """Print a table; returns megabytes per second and core of the slowest."""
    kinds = [(language, cores, way) for language in corpora for cores in sorted({1, ALL_CORES}) for way in WAYS]
    builds: dict[tuple[str, int, str], list[Build]] = {kind: [] for kind in kinds}
    for _ in range(runs):
        for kind in kinds:
            language, cores, way = kind
            builds[kind].append(build_apart(folder / language, folder / "known.db", cores, way=way))
            (folder / "known.db").unlink()
    print(f"Builds, medians of {runs} interleaved runs:\n")
    print("| language | kernel | MB | processes | wall s | CPU s | MB/s, wall | MB/s a core (CPU) ", end="")
    print("| parent, peak MB | largest child, peak MB | fingerprints | bytes each |\n|---|" + "---|" + "---:|" * 10)
    speeds = []
    for (language, cores, way), each in builds.items():
        median = Build(*map(statistics.median, zip(*each, strict=True)))
        megabytes = sum(map(len, corpora[language])) / 1e6
        speeds.append(megabytes / median.cpu)
        print(f"| {language} | {way} | {megabytes:.1f} | {cores} | {median.wall:.2f} | {median.cpu:.2f} ", end="")
        print(f"| {megabytes / median.wall:.1f} | {speeds[-1]:.1f} ", end="")
        print(f"| {median.parent / 1024:.0f} | {median.child / 1024:.0f} ", end="")
        print(f"| {median.fingerprints:,} | {median.size / median.fingerprints:.1f} |")
    return min(speeds)


def build_apart(folder: Path, index: Path, cores: int, name: str = "code", way: str = "") -> Build:
    """Build in a process of its own; without a ``way``, by the kernel if there is one."""
    return Build(*json.loads(apart(way, "--build", str(folder), str(index), str(cores), name)))


def apart(way: str, *arguments: str) -> bytes:
    """What this program prints in a process of its own that goes one of the ``WAYS``."""
    command = (sys.executable, __file__, *arguments)
    # As ``winnow-ci`` has it: threads of linear algebra that wait for work would count as processor time.
    return subprocess.check_output(command, env={**os.environ, "OPENBLAS_NUM_THREADS": "1", **WAYS.get(way, {})})


def build(folder: Path, output: Path, cores: int, name: str) -> Build:
    """Build in this process, with workers if there is to be more than one process; start-up does not count."""
    if cores == 1:
        engine.WORTH_WORKERS = sys.maxsize
    began, used = time.perf_counter(), cpu()
    with addition_of([folder], Source(name)) as addition:
        add(addition, output)
    wall, spent = time.perf_counter() - began, cpu() - used
    child = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    with WholeIndex(output) as index:
        return Build(wall, spent, peak(), child, index.postings, output.stat().st_size)


def peak() -> int:
    """Kilobytes. On Linux ``ru_maxrss`` begins with what the starting process had."""
    status = Path("/proc/self/status")
    lines = status.read_text().splitlines() if status.exists() else []
    found = [int(line.split()[1]) for line in lines if line.startswith("VmHWM")]
    return found[0] if found else resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def cpu() -> float:
    both = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(used.ru_utime + used.ru_stime for used in both)


# ---- stages ----------------------------------------------------------------------------------------------------


def print_stages(languages: Iterable[str], folder: Path, runs: int) -> None:
    """Print megabytes per second of each stage, each way, and how many times faster the kernel is."""
    print(f"\nStages in one process, MB of source per second of processor time, medians of {runs} interleaved runs:\n")
    ways = [f"{way} kernel" for way in WAYS] + ["ratio"] * (len(WAYS) > 1)
    print("| language | stage | " + " | ".join(ways) + " |\n|---|---|" + "---:|" * len(ways))
    for language in languages:
        tables: dict[str, list[dict[str, float]]] = {way: [] for way in WAYS}
        for _ in range(runs):
            for way, own in tables.items():
                own.append(json.loads(apart(way, "--stages", language, str(folder / language))))
        for stage in next(iter(tables.values()))[0]:
            speeds = [statistics.median(table[stage] for table in own) for own in tables.values()]
            ratio = [speeds[0] / speeds[-1]] * (len(speeds) > 1)
            print(f"| {language} | {stage} | " + " | ".join(f"{number:.1f}" for number in speeds + ratio) + " |")


def stages(language: str, folder: Path) -> dict[str, float]:
    """Megabytes per second of each stage, and of the way from text to fingerprints."""
    contents = [path.read_bytes() for path in sorted(folder.iterdir())]
    parameters, seconds = Parameters(), {}

    def timed(name: str, work: Callable[[Any], Any], items: Iterable[Any]) -> list[Any]:
        began = time.process_time()
        results = list(map(work, items))
        seconds[name] = time.process_time() - began
        return results

    tokens = timed("text to tokens", lambda content: tokenize(language, content), contents)
    timed("tokens to fingerprints", lambda each: index_fingerprints(each, parameters), tokens)
    timed("token maps", lambda each: pack_map(TokenMap(each.first_lines, each.last_lines, each.sketch)), tokens)
    megabytes = sum(map(len, contents)) / 1e6
    seconds["text to fingerprints"] = seconds["text to tokens"] + seconds["tokens to fingerprints"]
    return {name: megabytes / spent for name, spent in seconds.items()}


if __name__ == "__main__":
    sys.exit(main())
