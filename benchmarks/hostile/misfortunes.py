"""What goes wrong around a command: it is killed, the disk is full, others read and write the same index."""

from __future__ import annotations

import contextlib
import os
import resource
import shutil
import signal
import subprocess
import time
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from commands import WINNOW, Ended, build, environment, git, here, judged, run, winnow
from known_code import CONFIGURATION, SAMPLES, known_index
from trials import Outcome, Part, Verdict

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from random import Random

    from trials import Attempt

COPY = SAMPLES["python"].text
BIG = 60
"""Functions in a source whose index takes a while to write."""


class Place(NamedTuple):
    """A project with a copy and a manifest, and indexes to write.

    Attributes:
        index: the index of the known code.
        project: a repository with a copy, and its own index and manifest.
        source: code to make an index of.
    """

    index: Path
    project: Path
    source: Path


def _place(work: Path) -> Place:
    index, project, source = work / "known.index", work / "project", work / "source"
    index.write_bytes(known_index(work))
    source.mkdir()
    for number in range(BIG):
        text = "".join(
            f"def f{number}_{at}(a, b):\n    return [a * {at}, b - {number}][a % {at + 1}]\n" for at in range(20)
        )
        (source / f"m{number}.py").write_text(text)
    (project / ".winnow").mkdir(parents=True)
    shutil.copy(index, project / ".winnow" / "index.db")
    (project / ".winnow.yml").write_text(CONFIGURATION)
    (project / "roads.py").write_text(COPY)
    (project / ".winnow" / "sources.yml").write_text(f"index: synced.db\nsources:\n- path: {source}\n  license: MIT\n")
    git(project, "init", "--quiet")
    git(project, "add", "--all")
    git(project, "commit", "--quiet", "--message", "copy")
    return Place(index, project, source)


# ---- kills -----------------------------------------------------------------------------------------------------


def _kills(work: Path) -> Attempt:
    place = _place(work)
    return partial(_kill, place, cache(partial(_seconds, place, work)))


COMMANDS = {
    "build": "index build SOURCE --output PROJECT/built.db --name s",
    "merge": "index merge PROJECT/built.db PROJECT/.winnow/index.db --output PROJECT/built.db",
    "sync": "index sync --manifest PROJECT/.winnow/sources.yml",
    "scan": "scan --all --format json:PROJECT/report.json",
    "update": "scan --all --update-baseline --including-denied",
}


def _started(place: Place, name: str, folder: Path) -> tuple[Path, list[str]]:
    """A fresh project, and a command on it."""
    project = folder / "project"
    shutil.copytree(place.project, project)
    shutil.copy(place.index, project / "built.db")
    if name == "update":
        (project / ".winnow.yml").write_text(f"{CONFIGURATION}baseline: .winnow/baseline.json\n")
    words = COMMANDS[name].replace("PROJECT", str(project)).replace("SOURCE", str(place.source))
    return project, [*WINNOW, *words.split()]


def _seconds(place: Place, work: Path, name: str) -> float:
    """For how long a command runs if nobody kills it."""
    project, command = _started(place, name, work / f"timed-{name}")
    began = time.monotonic()
    run(command, project, environment({}))
    return time.monotonic() - began


def _kill(place: Place, seconds: Callable[[str], float], number: int, chance: Random) -> Outcome:
    """Kill a command and all that it has started, at any moment; look at what is left; run it again."""
    name = list(COMMANDS)[number % len(COMMANDS)]
    project, command = _started(place, name, Path.cwd())
    before = (project / "built.db").read_bytes()
    nothing = subprocess.DEVNULL
    process = subprocess.Popen(
        command, cwd=project, env=environment({}), stdout=nothing, stderr=nothing, start_new_session=True
    )
    try:
        process.wait(chance.uniform(0, seconds(name)))
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    was_killed = process.returncode == -signal.SIGKILL
    is_new = (project / "built.db").read_bytes() != before
    if problem := _problem(project, is_new=is_new):
        return Outcome(Verdict.MISSED, name, problem)
    again = run(command, project, environment({}))
    # A merge that was finished before cannot be made twice.
    wanted = {"scan": {1}, "merge": {0, 2} if is_new else {0}}.get(name, {0})
    if again.is_bug or again.status not in wanted or (problem := _problem(project, is_new=True)):
        return Outcome(Verdict.MISSED, name, f"the next run: {again.told()} {problem}")
    return Outcome(Verdict.HELD, name, f"{name} {'killed' if was_killed else 'ended before'}", cpu=again.cpu)


def _problem(project: Path, *, is_new: bool) -> str:
    """What is wrong with what a killed command has left."""
    for index in (project / "built.db", project / ".winnow" / "synced.db", project / ".winnow" / "index.db"):
        if index.exists() and (verified := here("index", "verify", index)).status:
            return f"{index.name} ({'new' if is_new else 'old'}): {verified.told()}"
    scanned = winnow("scan", "--all", "--index", ".winnow/index.db", cwd=project)
    # A baseline that was written has the copy.
    return "" if scanned.status in {0, 1} else scanned.told("scan")


# ---- full disks ------------------------------------------------------------------------------------------------


@contextlib.contextmanager
def _small_disk(folder: Path, size: int) -> Iterator[bool]:
    """A folder on a disk of its own, where the system lets us; whether it does."""
    folder.mkdir()
    options = f"size={size},nr_inodes=200"
    done = subprocess.run(["mount", "-t", "tmpfs", "-o", options, "none", folder], capture_output=True, check=False)
    try:
        yield done.returncode == 0
    finally:
        if done.returncode == 0:
            subprocess.run(["umount", "--lazy", folder], check=False)


def _disks(work: Path) -> Attempt:
    place = _place(work)
    whole = build({"a.py": COPY}, work / "whole.db")
    return partial(_fill, place, whole.read_bytes())


def _fill(place: Place, whole: bytes, number: int, chance: Random) -> Outcome:
    """A command whose output does not fit, on a small disk or under a limit on the size of files."""
    name = ("build", "build over an index", "sync", "report", "merge")[number % 5]
    size = chance.randrange(4096, 900_000)
    with _small_disk(Path("disk").resolve(), 1 << 20) as is_mounted:
        disk = Path("disk").resolve()
        output = disk / "x.db"
        if name not in {"build", "sync"}:
            output.write_bytes(whole)
        before = output.read_bytes() if output.exists() else b""
        command = _filling(name, place, disk, output)
        if is_mounted:
            with contextlib.suppress(OSError):
                (disk / "filler").write_bytes(bytes((1 << 20) - size))
        ended = _limited(command, place.project, None if is_mounted else size)
        return _filled(name, ended, output, before)


def _filling(name: str, place: Place, disk: Path, output: Path) -> list[str]:
    commands: dict[str, list[str | Path]] = {
        "report": [
            "scan",
            "--all",
            "--format",
            f"json:{disk / 'r.json'}",
            "--format",
            f"sarif:{disk / 'r.sarif'}",
        ],
        "sync": ["index", "sync", "--manifest", disk / "sources.yml"],
        "merge": ["index", "merge", output, place.index, "--output", output],
    }
    if name == "sync":
        (disk / "sources.yml").write_text(f"index: x.db\nsources:\n- path: {place.source}\n")
    built: list[str | Path] = ["index", "build", place.source, "--output", output, "--name", "s", "--with-text"]
    return [*WINNOW, *map(str, commands.get(name, built))]


def _limited(command: list[str], cwd: Path, most: int | None) -> Ended:
    if most is None:
        return run(command, cwd, environment({}))
    resource.setrlimit(resource.RLIMIT_FSIZE, (most, resource.RLIM_INFINITY))
    try:
        return run(command, cwd, environment({}))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))


def _filled(name: str, ended: Ended, output: Path, before: bytes) -> Outcome:
    if ended.is_bug:
        return judged(name, ended, is_held=False)
    after = output.read_bytes() if output.exists() else b""
    if name == "report":
        # The copy is found, whatever becomes of the files about it.
        return judged(name, ended, is_held=ended.status in {1, 3})
    if ended.status == 0 and here("index", "verify", output).status:
        return Outcome(Verdict.MISSED, name, "status 0, and the index is damaged")
    if ended.status and after != before:
        return Outcome(Verdict.MISSED, name, f"status {ended.status}, and the index is another one")
    return judged(name, ended, is_held=ended.status in {0, 3})


# ---- many at once ----------------------------------------------------------------------------------------------

READERS, WRITERS = 3, 2


def _crowds(work: Path) -> Attempt:
    return partial(_crowd, _place(work))


def _crowd(place: Place, number: int, chance: Random) -> Outcome:
    """Builds that replace an index while scans read it: each scan finds the copy."""
    index = place.project / "shared.db"
    shutil.copy(place.index, index)
    scan = [*WINNOW, "scan", "--all", "--index", str(index)]
    builds = [
        [*WINNOW, "index", "build", str(place.source), "--output", str(index), "--name", f"s{at}"]
        for at in range(WRITERS)
    ]
    commands = [*[scan] * READERS, *builds]
    chance.shuffle(commands)
    # What they say is a few lines, so a pipe that nobody reads yet holds it.
    started = [(command, _begun(command, place.project)) for command in commands]
    problems = list(filter(None, (_ended(command, process) for command, process in started)))
    if (verified := here("index", "verify", index)).status:
        problems.append(verified.told("verify"))
    if problems:
        return Outcome(Verdict.MISSED, f"round {number}", "\n".join(problems))
    return Outcome(Verdict.HELD, "readers and writers", f"{READERS} readers and {WRITERS} writers", cpu=0.0)


def _begun(command: list[str], cwd: Path) -> subprocess.Popen[bytes]:
    pipe = subprocess.PIPE
    return subprocess.Popen(command, cwd=cwd, env=environment({}), stdout=subprocess.DEVNULL, stderr=pipe)


def _ended(command: list[str], process: subprocess.Popen[bytes]) -> str:
    errors = process.communicate(timeout=120)[1].decode(errors="replace")
    # A build may find that another one is writing the index, and says so.
    wanted = {1} if "scan" in command else {0, 3}
    return "" if process.returncode in wanted else f"{command[3]} ended with {process.returncode}: {errors[-500:]}"


KILLS = Part("kills", "commands that are killed, and run again", 15, 300, _kills, cpu=60)
DISKS = Part("disks", "disks that are full", 15, 200, _disks, cpu=60)
CROWDS = Part("crowds", "many readers and writers of one index", 2, 40, _crowds, cpu=120)
