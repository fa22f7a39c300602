"""How long a commit waits for a scan, compared with the least that any such tool needs: to import git, numpy and yaml.

    python benchmarks/latency.py [--fingerprints N] [--runs N]

Indexes Python's own library and packages, and variations of them until there are N fingerprints (a million by
default). Two repositories have something staged: ten edited files of 200 to 600 lines of real code, three of which are
in the index; and one small new file. The imports (the floor) and the scans, with the kernel and without it, run in
turn, each in a process of its own, all of them from byte code, as it is with an installed package. Prints medians of
wall and processor time, the ratio of each to the floor, and where a scan's time goes. Exits
with 1 if a scan with the kernel takes more than 2.5 times the floor, or one without it more than four times that.
"""

from __future__ import annotations

import argparse
import io
import os
import random
import re
import resource
import statistics
import subprocess
import sys
import sysconfig
import tempfile
import time
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from functools import wraps
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import xxhash

from winnow_ci import native
from winnow_ci.index import HeldFile
from winnow_ci.start_up import replace

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

LIMIT = 2.5
# Without the kernel, a scan may take this many times as long.
SLOWER = 4
FLOOR = (sys.executable, "-c", "import git, numpy, yaml")
SCAN = (sys.executable, "-m", "winnow_ci", "scan", "--staged", "--index")
CORPUS_BYTES = 32_000_000
COPIED, UNKNOWN = 3, 7


class Cost(NamedTuple):
    """Seconds that a process took, its children included."""

    wall: float
    cpu: float


class Subject(NamedTuple):
    """A process to measure, and the exit status that it must have."""

    title: str
    command: tuple[str, ...]
    folder: Path
    status: int
    kernel: bool = True

    @property
    def environment(self) -> dict[str, str]:
        byte_code = {"PYTHONDONTWRITEBYTECODE": "", "PYTHONPYCACHEPREFIX": str(self.folder.parent / "byte code")}
        return {**os.environ, **byte_code, native.SWITCH: "" if self.kernel else "off"}


def main() -> int:
    if sys.argv[1:2] == ["--stages"]:
        return stages(sys.argv[2:])
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--fingerprints", type=int, default=1_000_000, metavar="N")
    parser.add_argument("--runs", type=int, default=15, metavar="N")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="winnow-latency-") as name:
        folder = Path(name)
        copied, unknown, corpus = chosen_files()
        size = make_index(folder, corpus, arguments.fingerprints)
        ten = make_repository(folder / "ten", [edited(path) for path in [*copied, *unknown]])
        one = make_repository(folder / "one", [("", NEW_FILE)])
        index = str(folder / "known.db")
        subjects = [
            Subject("import git, numpy, yaml", FLOOR, one, 0),
            *each_way("scan of ten changed files", (*SCAN, index), ten, 1),
            *each_way("scan of one small new file", (*SCAN, index), one, 0),
        ]
        print(f"Index of {size:,} fingerprints, {Path(index).stat().st_size / size:.1f} bytes each; ", end="")
        print(f"medians of {arguments.runs} interleaved runs, in milliseconds.\n")
        floor, *rest = print_costs(subjects, arguments.runs)
        print_stages(subjects[1:])
    fast, plain = (rest[::2], rest[1::2]) if native.kernel() else (rest, [])
    is_slow = max(each.wall for each in fast) > LIMIT * floor.wall
    return int(is_slow or any(slow.wall > SLOWER * each.wall for each, slow in zip(fast, plain, strict=False)))


def each_way(title: str, command: tuple[str, ...], folder: Path, status: int) -> list[Subject]:
    """A process with the kernel, if there is one, and without it."""
    ways = [True, False] if native.kernel() else [False]
    return [Subject(f"{title}, {'' if way else 'no '}kernel", command, folder, status, way) for way in ways]


# ---- what is measured ------------------------------------------------------------------------------------------


def chosen_files() -> tuple[list[Path], list[Path], list[Path]]:
    """Files to change that are in the index, files to change that are not, and the corpus of the index."""
    paths = sysconfig.get_paths()
    files = [path for folder in (paths["stdlib"], paths["purelib"]) for path in sorted(Path(folder).rglob("*.py"))]
    of_library = [path for path in files if path.parent == Path(paths["stdlib"]) and 200 <= lines(path) <= 600]
    picked = random.Random("ten files").sample(of_library, COPIED + UNKNOWN)
    return picked[:COPIED], picked[COPIED:], [path for path in files if path not in picked[COPIED:]]


def lines(path: Path) -> int:
    return path.read_bytes().count(b"\n")


def edited(path: Path) -> tuple[str, str]:
    """A file before and after a change: a third of it is new, and some of the new lines are edited."""
    chooser = random.Random(path.name)
    before, after = [], []
    for number, line in enumerate(path.read_text(errors="replace").splitlines(keepends=True)):
        is_new = number // 25 % 3 == 1
        changed = line.replace("self", "this") if is_new and chooser.random() < 0.05 else line
        before += [] if is_new else [line]
        after.append(changed)
    return "".join(before), "".join(after)


NEW_FILE = "".join(
    f"def step_{n}(items, limit):\n    found = [item for item in items if item.size > limit * {n}]\n"
    f"    return sorted(found, key=lambda item: item.name)[:{n}]\n\n\n"
    for n in range(1, 9)
)


def make_repository(folder: Path, files: Iterable[tuple[str, str]]) -> Path:
    """A repository with the first text of each file committed and the second staged."""
    environment = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}

    def git(*arguments: str) -> None:
        names = ("-c", "user.name=a", "-c", "user.email=a@example.org")
        subprocess.run(["git", "-C", folder, *names, *arguments], check=True, env=environment, capture_output=True)

    folder.mkdir()
    git("init")
    for after in (False, True):
        for number, texts in enumerate(files):
            if texts[after]:
                (folder / f"module_{number}.py").write_text(texts[after], errors="replace")
        git("add", "--all")
        if not after:
            git("commit", "--allow-empty", "--message", "before")
    return folder


def make_index(folder: Path, corpus: Iterable[Path], wanted: int) -> int:
    """Index real code, then variations of it; how many fingerprints there are in the end."""
    from winnow_ci.index import WholeIndex
    from winnow_ci.indexer import add
    from winnow_ci.model import Source
    from winnow_ci.operations.indexing import addition_of

    known, room = folder / "corpus", CORPUS_BYTES
    known.mkdir()
    for number, path in enumerate(corpus):
        room -= path.stat().st_size
        if room > 0:
            (known / f"{number}_{path.name}").write_bytes(path.read_bytes())
    with addition_of([known], Source("library", license="PSF-2.0")) as addition:
        add(addition, folder / "known.db")
    add_variations(folder / "known.db", sorted(known.iterdir())[:200], wanted)
    with WholeIndex(folder / "known.db") as index:
        return index.postings


def add_variations(output: Path, files: Sequence[Path], wanted: int) -> None:
    """Add files until an index is large enough: real ones, each token replaced by another one throughout the file."""
    from winnow_ci.fingerprint import fingerprint
    from winnow_ci.index import ContentRow, IndexDraft, NewContent, WholeIndex, batched, pack_map, replacing
    from winnow_ci.languages import revisions, tokenize
    from winnow_ci.model import Source, TokenMap

    all_tokens = [tokenize("python", path.read_bytes()) for path in files]
    maps = [pack_map(TokenMap(tokens.first_lines, tokens.last_lines, tokens.sketch)) for tokens in all_tokens]
    with replacing(output) as unfinished, WholeIndex(output) as old:
        draft = IndexDraft(old.parameters, revisions(), old.tables)
        draft.keep(old)
        missing = wanted - old.postings
        for number in count():
            if missing <= 0:
                break
            tokens, token_map = all_tokens[number % len(files)], maps[number % len(files)]
            other = replace(tokens, structural=tokens.structural ^ xxhash.xxh3_64_intdigest(b"%d" % number))
            fingerprints, key = fingerprint(other, old.parameters), xxhash.xxh3_128_digest(b"%d" % number)
            row = ContentRow(key, "python", "python", len(tokens), len(fingerprints), token_map, ())
            draft.add_contents(batched([NewContent(row, fingerprints)]))
            draft.add_file(Source("variations"), HeldFile(key, b"%d.py" % number))
            missing -= len(fingerprints)
        draft.write(unfinished)


# ---- measuring -------------------------------------------------------------------------------------------------


def print_costs(subjects: Sequence[Subject], runs: int) -> list[Cost]:
    """Print a table of medians, and return them."""
    costs: dict[Subject, list[Cost]] = {subject: [] for subject in subjects}
    for run in range(-2, runs):
        for subject in subjects:
            measured = cost(subject)
            if run >= 0:
                costs[subject].append(measured)
    print("| process | wall | CPU | wall, ratio | CPU, ratio |\n|---|---:|---:|---:|---:|")
    floor, *_ = medians = [Cost(*map(statistics.median, zip(*each, strict=True))) for each in costs.values()]
    for subject, (wall, cpu) in zip(subjects, medians, strict=True):
        print(f"| {subject.title} | {1e3 * wall:.0f} | {1e3 * cpu:.0f} ", end="")
        print(f"| {wall / floor.wall:.2f} | {cpu / floor.cpu:.2f} |")
    return medians


def cost(subject: Subject) -> Cost:
    began, used = time.perf_counter(), children_cpu()
    done = subprocess.run(
        subject.command, cwd=subject.folder, env=subject.environment, capture_output=True, check=False
    )
    measured = Cost(time.perf_counter() - began, children_cpu() - used)
    if done.returncode != subject.status:
        raise SystemExit(f"{subject.title}: status {done.returncode}\n{done.stderr.decode()}")
    return measured


def children_cpu() -> float:
    """Seconds of processor time of all processes that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


# ---- where the time goes ---------------------------------------------------------------------------------------


def print_stages(subjects: Sequence[Subject]) -> None:
    """Print the parts of each scan side by side."""
    columns = [
        {**median_of(start, subject), **median_of(imports, subject), **median_of(stages_apart, subject)}
        for subject in subjects
    ]
    print("\n| part of a scan, wall | " + " | ".join(subject.title for subject in subjects) + " |")
    print("|---|" + "---:|" * len(subjects))
    for name in dict.fromkeys(name for column in columns for name in column):
        print(f"| {name} | " + " | ".join(f"{1e3 * column.get(name, 0):.0f}" for column in columns) + " |")


def median_of(measure: Callable[[Subject], dict[str, float]], subject: Subject, runs: int = 7) -> dict[str, float]:
    tables = [measure(subject) for _ in range(runs)]
    return {name: statistics.median(table.get(name, 0.0) for table in tables) for name in tables[0]}


def start(subject: Subject) -> dict[str, float]:
    return {"Python, start and end": cost(Subject("nothing", (sys.executable, "-c", ""), subject.folder, 0)).wall}


def imports(subject: Subject) -> dict[str, float]:
    """Seconds that a scan spends on importing, by package."""
    command = (sys.executable, "-X", "importtime", *subject.command[1:])
    done = subprocess.run(
        command, cwd=subject.folder, env=subject.environment, capture_output=True, check=False, text=True
    )
    seconds = dict.fromkeys(["imports: GitPython", "imports: numpy", "imports: winnow_ci", "imports: others"], 0.0)
    names = {"git": "GitPython", "gitdb": "GitPython", "smmap": "GitPython", "numpy": "numpy", "winnow_ci": "winnow_ci"}
    for own, module in re.findall(r"^import time: +(\d+) \| +\d+ \| +([^.\n]+)", done.stderr, re.MULTILINE):
        seconds[f"imports: {names.get(module, 'others')}"] += int(own) / 1e6
    return seconds


def stages_apart(subject: Subject) -> dict[str, float]:
    """Seconds that a scan spends on its stages, after all imports."""
    command = (sys.executable, __file__, "--stages", *subject.command[3:])
    output = subprocess.check_output(command, cwd=subject.folder, env=subject.environment, text=True)
    return {name: float(value) for name, value in (line.rsplit(" ", 1) for line in output.splitlines())}


class Stopwatch:
    """Time by stage. The time of an inner stage does not count for the outer one."""

    def __init__(self, clock: Callable[[], float] = time.perf_counter) -> None:
        self.seconds: dict[str, float] = {}
        self._clock = clock
        self._stack: list[str] = []
        self._since = clock()

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        self._book()
        self._stack.append(name)
        try:
            yield
        finally:
            self._book()
            self._stack.pop()

    def _book(self) -> None:
        now = self._clock()
        if self._stack:
            self.seconds[self._stack[-1]] = self.seconds.get(self._stack[-1], 0.0) + now - self._since
        self._since = now

    def watch(self, owner: Any, name: str, stage: str) -> None:
        """Add the time of every call of a function or generator to a stage."""
        work = getattr(owner, name)

        @wraps(work)
        def timed(*arguments: Any, **named: Any) -> Any:
            with self.stage(stage):
                result = work(*arguments, **named)
            return self._each(result, stage) if hasattr(result, "send") else result

        setattr(owner, name, timed)

    def _each(self, items: Iterator[Any], stage: str) -> Iterator[Any]:
        while True:
            with self.stage(stage):
                item = next(items, self)
            if item is self:
                return
            yield item


def stages(arguments: Sequence[str]) -> int:
    """Scan in this process, with a stopwatch on each stage, after all imports; prints seconds."""
    import winnow_ci.config.settings
    import winnow_ci.report
    import winnow_ci.scanner.match  # noqa: F401
    from winnow_ci import cli, git, index, languages, scanner

    watch = Stopwatch()
    for owner, name, stage in (
        (git.Repository, "find", "git: the repository"),
        (git, "staged", "git: what is staged"),
        (git, "read_changes", "git: contents and lines"),
        (languages, "first_reading", "tokenising"),
        (index.WholeIndex, "__init__", "opening the index"),
        (scanner.look_up, "places_of", "lookup"),
        (index.WholeIndex, "token_map", "token maps"),
        (scanner.match, "find_regions", "matching"),
    ):
        watch.watch(owner, name, stage)
    with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()), watch.stage("hashing, report and so on"):
        cli.main(arguments)
    for name, seconds in watch.seconds.items():
        print(name, seconds)
    return 0


if __name__ == "__main__":
    sys.exit(main())
