"""What surrounds a command: signals, limits and a PATH that its caller has set, and a cache that others can write."""

from __future__ import annotations

import hashlib
import os
import resource
import signal
import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from commands import TRACEBACK, WINNOW, environment, git, judged, run
from histories import Commit, written
from known_code import CONFIGURATION, INNOCENT, SAMPLES, known_index
from trials import Outcome, Part, Verdict

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from random import Random

    from trials import Attempt

COPY = {"src/roads.py": SAMPLES["python"].text}
HELLO = {"src/hello.py": "print('hello')\n"}
RANGE = "scan --range main..topic"
PLANTED = "planted"
"""What a program of the checkout leaves behind."""


class Surrounding(NamedTuple):
    """A command and what surrounds it.

    Attributes:
        line: the command.
        wanted: how it may end.
        change: what the branch brings.
        arrange: changes the clone, and returns variables.
        before: is called in the process that becomes the command.
    """

    line: str
    wanted: frozenset[int]
    change: Mapping[str, str] = COPY
    arrange: Callable[[Path], Mapping[str, str]] = lambda _: {}
    before: Callable[[], object] | None = None


def _lost(revision: str, root: Path) -> Mapping[str, str]:
    """Remove an object, so that git fails."""
    name = git(root, "rev-parse", revision)
    (root / ".git" / "objects" / name[:2] / name[2:]).unlink()
    return {}


def _own_git(path: str, root: Path) -> Mapping[str, str]:
    """Put a git that says nothing into the checkout."""
    for name in ("git", "bin/git"):
        (root / name).parent.mkdir(exist_ok=True)
        (root / name).write_text(f"#!/bin/sh\n: > '{root.parent / PLANTED}'\n")
        (root / name).chmod(0o755)
    return {"PATH": path.format(os.environ["PATH"])}


def _in_cache(suffix: str, plant: Callable[[Path], None], root: Path) -> Mapping[str, str]:
    """Put the index into the cache of downloads, and something else in its place or beside it."""
    content, cache = (root / ".winnow" / "index.db").read_bytes(), root.parent / "cache"
    sha256 = hashlib.sha256(content).hexdigest()
    place = cache / "files" / sha256[:2] / sha256
    place.parent.mkdir(mode=0o700, parents=True)
    cache.chmod(0o700)
    if suffix:
        place.write_bytes(content)
    plant(cache / "lock" if suffix == "lock" else place.with_suffix(suffix))
    return {"WINNOW_CI_CACHE_DIR": str(cache), "INDEX": f"https://localhost:1/known.db#sha256={sha256}"}


_IGNORE = partial(signal.signal, signal.SIGCHLD, signal.SIG_IGN)
PLANTS: dict[str, Callable[[Path], None]] = {
    "/dev/zero": lambda place: place.symlink_to("/dev/zero"),
    "pipe": os.mkfifo,
}
FOUND, REFUSED = frozenset({1}), frozenset({3})
# OpenBLAS may crash where it has too little memory.
NEVER_FOUND = frozenset({0, 3, -signal.SIGSEGV})
SURROUNDINGS = {
    **{
        f"SIGCHLD is ignored, and git fails; {line}": Surrounding(line, REFUSED, COPY, partial(_lost, lost), _IGNORE)
        for line, lost in ((RANGE, "topic:src"), ("scan --staged", "topic^{tree}"), ("hook", "topic^{tree}"))
    },
    "SIGCHLD is ignored": Surrounding(RANGE, FOUND, before=_IGNORE),
    **{
        f"a git in the checkout; PATH={path}": Surrounding(RANGE, FOUND, COPY, partial(_own_git, path))
        for path in (":{}", ".:{}", "bin:{}", "./bin:{}", "/nowhere::{}")
    },
    **{
        f"{mebibytes} MiB of memory; {line}": Surrounding(
            line, NEVER_FOUND, HELLO, before=partial(resource.setrlimit, resource.RLIMIT_AS, (mebibytes << 20,) * 2)
        )
        for mebibytes in range(60, 141, 10)
        for line in (RANGE, "check src/hello.py")
        if sys.platform == "linux"
    },
    **{
        f"{name} {'beside' if suffix else 'as'} an index in the cache; {suffix}": Surrounding(
            f"{RANGE} --index INDEX", FOUND if suffix else REFUSED, COPY, partial(_in_cache, suffix, plant)
        )
        for name, plant in PLANTS.items()
        for suffix in ("", ".seen", "lock")
    },
    # Without them, a program that refuses everything, or finds a copy in everything, would hold most rows.
    "nothing odd; a copy": Surrounding(RANGE, FOUND),
    "nothing odd; innocent code": Surrounding(RANGE, frozenset({0}), HELLO),
}
ROWS = list(SURROUNDINGS.items())


def _prepared(work: Path) -> Attempt:
    return partial(_attempt, known_index(work))


def _attempt(index: bytes, number: int, _: Random) -> Outcome:
    what, row = ROWS[number]
    root = Path("repository").resolve()
    begun = {".winnow.yml": CONFIGURATION, ".winnow/index.db": index, **INNOCENT}
    written(root, [Commit("refs/heads/main", begun), Commit("refs/heads/topic", row.change, ("refs/heads/main",))])
    git(root, "checkout", "--quiet", "--force", "topic")
    variables = {**row.arrange(root)}
    words = row.line.replace("INDEX", variables.pop("INDEX", "")).split()
    ended = run([*WINNOW, *words], root, environment(variables), preparing=row.before)
    if (root.parent / PLANTED).exists():
        return Outcome(Verdict.MISSED, what, f"a program of the checkout was run: {ended.told()}")
    if ended.status in row.wanted and TRACEBACK not in ended.errors:
        return Outcome(Verdict.HELD, what, f"status {ended.status}", cpu=ended.cpu)
    return judged(what, ended, is_held=False)


PART = Part("surroundings", "what the caller has set", len(ROWS), len(ROWS), _prepared, is_table=True)
