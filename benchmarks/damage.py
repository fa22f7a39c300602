"""Whether an index survives damage and killed commands: random trials, each of them checked.

    python benchmarks/damage.py flips [--trials N] [--seed S]
    python benchmarks/damage.py kills [--trials N] [--seed S]
    python benchmarks/damage.py syncs [--trials N] [--seed S]

``flips``: each trial (2,000 by default) changes one random byte of an index with text. If SQLite then reads other rows
or none, ``index verify`` must refuse the index, and ``scan --all`` of a repository with a copy must neither end with 0
nor report other findings than before. ``kills``: ``index build``, ``remove`` and ``merge`` in turn, each killed with
SIGKILL (the whole process group) at a random moment (200 trials by default). The index must be either the old or the
new one and sound, and running the command again must finish the work. ``syncs``: the same for ``index sync``, which
adds, replaces and removes sources (a folder, an archive, a git repository); half of the trials kill it at any moment,
half while it writes. Exits with 1 if a trial fails.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

from process import WINNOW, run

from winnow_ci import cli

TABLES = ("meta", "source", "directory", "pack", "block", "text")
BODIES = ("value = {a} + other({b}, value)", "if value > {a}:", "    return [value, {b}, {a}]", "print(value % {b})")


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("what", choices=("flips", "kills", "syncs"))
    parser.add_argument("--trials", type=int, metavar="N")
    parser.add_argument("--seed", type=int, default=1, metavar="S")
    arguments = parser.parse_args()
    chance = random.Random(arguments.seed)
    with tempfile.TemporaryDirectory(prefix="winnow-damage-") as folder:
        if arguments.what == "flips":
            return flips(Path(folder), arguments.trials or 2000, chance)
        if arguments.what == "syncs":
            return syncs(Path(folder), arguments.trials or 200, chance)
        return kills(Path(folder), arguments.trials or 200, chance)


def write_code(folder: Path, files: int, chance: random.Random) -> Path:
    folder.mkdir()
    for number in range(files):
        lines = [f"def f{number}_{chance.randrange(10**6)}(value, other):"]
        for _ in range(60):
            a, b = chance.choice(("left", "right", "7", "other")), chance.choice(("size", "[]", "12", "value"))
            lines.append("    " + chance.choice(BODIES).format(a=a, b=b))
        (folder / f"{number}.py").write_text("\n".join(lines) + "\n")
    return folder


# ---- flips -----------------------------------------------------------------------------------------------------


def flips(folder: Path, trials: int, chance: random.Random) -> int:
    code, index = write_code(folder / "code", 30, chance), folder / "i.db"
    run(*WINNOW, "index", "build", str(code), "--output", str(index), "--name", "code", "--with-text")
    work = folder / "work"
    work.mkdir()
    shutil.copy(code / "3.py", work / "copy.py")
    for command in ("init -q", "add .", "-c user.name=n -c user.email=e commit -qm copy"):
        run("git", "-C", str(work), *command.split())
    os.chdir(work)
    data, rows, report = index.read_bytes(), dump(index), scan(index)
    assert report[0] == 1, report
    counts: Counter[str] = Counter()
    for _ in range(trials):
        at = chance.randrange(len(data))
        flipped = data[at] ^ chance.randrange(1, 256)
        index.write_bytes(data[:at] + bytes([flipped]) + data[at + 1 :])
        changed = dump(index) != rows
        verified, scanned = quietly("index", "verify", str(index))[0], scan(index)
        counts["stored rows changed" if changed else "nothing stored changed"] += 1
        counts[f"verify ends with {verified}" + ("" if changed else " though nothing changed")] += 1
        counts[f"scan ends with {scanned[0]}"] += 1
        if changed and verified != 3:
            counts["FAILED: verify did not see it"] += 1
        if scanned[0] not in (1, 3) or (scanned[0] == 1 and scanned != report):
            counts["FAILED: a scan gave another answer"] += 1
            print(at, flipped, scanned, file=sys.stderr)
    return told(f"{trials} random bytes of {len(data):,} changed", counts)


def dump(index: Path) -> list[list[Any]] | str:
    """What SQLite reads from an index, or that it fails to."""
    try:
        with contextlib.closing(sqlite3.connect(f"{index.as_uri()}?mode=ro&immutable=1", uri=True)) as connection:
            pragmas = [connection.execute(f"PRAGMA {name}").fetchone() for name in ("application_id", "user_version")]
            schema = connection.execute("SELECT type, name, tbl_name, sql FROM sqlite_schema").fetchall()
            return pragmas, schema, [connection.execute(f"SELECT * FROM {table}").fetchall() for table in TABLES]
    except (sqlite3.Error, ValueError, OverflowError) as error:
        return repr(error)


def scan(index: Path) -> tuple[int, str]:
    """Status and report of a scan in this folder."""
    status, output = quietly("scan", "--all", "--index", str(index))
    return status, output if status == 1 else ""


def quietly(*arguments: str) -> tuple[int, str]:
    output = io.StringIO()
    with contextlib.redirect_stdout(output), contextlib.redirect_stderr(io.StringIO()):
        status = cli.main(list(arguments))
    return status, output.getvalue()


# ---- kills -----------------------------------------------------------------------------------------------------


def kills(folder: Path, trials: int, chance: random.Random) -> int:
    first, second = write_code(folder / "first", 40, chance), write_code(folder / "second", 800, chance)
    one, both, apart, place = folder / "one.db", folder / "both.db", folder / "apart.db", folder / "place"
    build = ("index", "build", str(second), "--name", "second", "--output")
    for index in (one, both):
        run(*WINNOW, "index", "build", str(first), "--name", "first", "--output", str(index))
    for index in (both, apart):
        run(*WINNOW, *build, str(index))
    target = place / "i.db"
    ways = {
        "build": (one, both, (*build, str(target))),
        "remove": (both, one, ("index", "remove", str(target), "second")),
        "merge": (one, both, ("index", "merge", str(target), str(apart), "--output", str(target))),
    }
    seconds = {name: timed(place, before, command) for name, (before, _, command) in ways.items()}
    print(", ".join(f"{name} writes for {duration:.3f} s" for name, duration in seconds.items()))
    counts: Counter[str] = Counter()
    for trial in range(trials):
        name = list(ways)[trial % len(ways)]
        counts[f"{name}: {attempt(place, *ways[name], chance.uniform(0, seconds[name]))}"] += 1
    return told(f"{trials} commands killed", counts)


def timed(place: Path, before: Path, command: tuple[str, ...]) -> float:
    """For how many seconds a command writes if nobody kills it. Files in the cache are read faster."""
    for _ in range(3):
        process = started(place, before, command)
        start = time.monotonic()
        assert process.wait() == 0
    return time.monotonic() - start


def started(place: Path, before: Path, command: tuple[str, ...]) -> subprocess.Popen[bytes]:
    """A command that has begun to write."""
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir()
    shutil.copy(before, place / "i.db")
    nothing = subprocess.DEVNULL
    process = subprocess.Popen((*WINNOW, *command), stdout=nothing, stderr=nothing, start_new_session=True)
    while process.poll() is None and not (place / ".i.db.unfinished").exists():
        time.sleep(0.0005)
    return process


def attempt(place: Path, before: Path, after: Path, command: tuple[str, ...], moment: float) -> str:
    """Kill a command some seconds after it began to write, check what is there, and run it again."""
    index, process = place / "i.db", started(place, before, command)
    try:
        process.wait(moment)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    left = sorted(path.name for path in place.iterdir())
    done = index.read_bytes() == after.read_bytes()
    if not done and index.read_bytes() != before.read_bytes():
        return "FAILED: the index is neither the old nor the new one"
    if quietly("index", "verify", str(index))[0] != 0:
        return "FAILED: the index is damaged"
    again = subprocess.run((*WINNOW, *command), check=False, capture_output=True, text=True)
    if again.returncode != (2 if done and "remove" in command else 0) or index.read_bytes() != after.read_bytes():
        return f"FAILED: the next run did not finish the work: {again}"
    if [path.name for path in place.iterdir()] != ["i.db"]:
        return f"FAILED: something is left: {list(place.iterdir())}"
    files = " and ".join(name.rpartition(".")[2] for name in left if name != "i.db")
    return ("the new index is there" if done else "the old index is there") + (f", beside it {files}" if files else "")


# ---- syncs -----------------------------------------------------------------------------------------------------

FIRST = "- path: ../../first\n- path: ../../second\n  name: changed\n  license: MIT\n"
SECOND = """\
- path: ../../second
  name: changed
  license: 0BSD
- path: ../../third.tar.gz
- git: ../../fourth
  all-tags: true
"""
SYNC = (*WINNOW, "index", "sync")
FILES = ("index.db", "sources.lock", "sources.yml")


def syncs(folder: Path, trials: int, chance: random.Random) -> int:
    for number, name in enumerate(("first", "second", "third", "fourth")):
        write_code(folder / name, 60 * (number + 1), chance)
    run("tar", "-C", str(folder), "-czf", str(folder / "third.tar.gz"), "third")
    for command in ("init -q", "add .", "-c user.name=n -c user.email=e commit -qm code", "tag v1"):
        run("git", "-C", str(folder / "fourth"), *command.split())
    place = folder / "project" / ".winnow"
    place.mkdir(parents=True)
    before = {**synced(place, FIRST), "sources.yml": f"sources:\n{SECOND}".encode()}
    after = synced(place, SECOND)
    seconds = {moment: timed_sync(place, before, writing=moment == "writing") for moment in ("any", "writing")}
    print(f"a sync takes {seconds['any']:.3f} s, and writes for {seconds['writing']:.3f} s")
    counts: Counter[str] = Counter()
    for trial in range(trials):
        moment = ("any", "writing")[trial % 2]
        outcome = attempt_sync(place, before, after, chance.uniform(0, seconds[moment]), writing=moment == "writing")
        counts[f"killed at {moment} moment: {outcome}" if moment == "any" else f"killed writing: {outcome}"] += 1
    return told(f"{trials} syncs killed", counts)


def synced(place: Path, sources: str) -> dict[str, bytes]:
    """What a folder holds after a sync."""
    (place / "sources.yml").write_text(f"sources:\n{sources}")
    subprocess.run(SYNC, cwd=place.parent, check=True, capture_output=True)
    return {name: (place / name).read_bytes() for name in FILES}


def started_sync(place: Path, before: dict[str, bytes], *, writing: bool) -> subprocess.Popen[bytes]:
    for name, content in before.items():
        (place / name).write_bytes(content)
    nothing = subprocess.DEVNULL
    process = subprocess.Popen(SYNC, cwd=place.parent, stdout=nothing, stderr=nothing, start_new_session=True)
    while writing and process.poll() is None and not (place / ".index.db.unfinished").exists():
        time.sleep(0.0005)
    return process


def timed_sync(place: Path, before: dict[str, bytes], *, writing: bool) -> float:
    for _ in range(3):
        process = started_sync(place, before, writing=writing)
        start = time.monotonic()
        assert process.wait() == 0
    return time.monotonic() - start


def attempt_sync(
    place: Path, before: dict[str, bytes], after: dict[str, bytes], moment: float, *, writing: bool
) -> str:
    """Kill a sync some seconds after it began, check what is there, and run it again."""
    process = started_sync(place, before, writing=writing)
    try:
        process.wait(moment)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    index = (place / "index.db").read_bytes()
    if index not in (before["index.db"], after["index.db"]):
        return "FAILED: the index is neither the old nor the new one"
    if (place / "sources.lock").read_bytes() not in (before["sources.lock"], after["sources.lock"]):
        return "FAILED: the lock is neither the old nor the new one"
    if quietly("index", "verify", str(place / "index.db"))[0] != 0:
        return "FAILED: the index is damaged"
    left = sorted(path.name.rpartition(".")[2] for path in place.iterdir() if path.name not in FILES)
    again = subprocess.run(SYNC, cwd=place.parent, check=False, capture_output=True, text=True)
    if again.returncode or {path.name: path.read_bytes() for path in place.iterdir()} != after:
        return f"FAILED: the next run did not finish the work: {again}"
    there = "new" if index == after["index.db"] else "old"
    return f"the {there} index is there" + (f", beside it {' and '.join(left)}" if left else "")


def told(what: str, counts: Counter[str]) -> int:
    print(what)
    for outcome, count in sorted(counts.items()):
        print(f"{count:6,}  {outcome}")
    return int(any("FAILED" in outcome for outcome in counts))


if __name__ == "__main__":
    sys.exit(main())
