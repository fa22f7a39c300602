"""What is run: our commands and the tools that a user would pick, each on an input, whole processes.

A peer does what its defaults ask for, without HTML. Dolos then scores pairs of files; "Dolos-lines" also finds the
lines of every overlap, as winnow-ci does. What each run read is counted by the tool itself, because some tools leave
files out silently.
"""

from __future__ import annotations

import json
import re
import shutil
import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from measuring import Cost, measure
from peers.install import cache
from peers.running import home_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from inputs import Input

INSIDE = Path(__file__).resolve().parent / "inside"
ADAPTERS = Path(__file__).resolve().parent.parent / "quality/peers/inside"
WINNOW = (sys.executable, "-m", "winnow_ci")
SWITCH = "WINNOW_CI_KERNEL"
SAME_HASHES = {"PYTHONHASHSEED": "0"}  # two tools select by Python's own hashes


class Ran(NamedTuple):
    """A run.

    Attributes:
        cost: of the whole process tree.
        files: that the tool says it has read.
        found: changed files with something found; None for what does not look for anything.
        stored: bytes of the index that was written, if one was.
    """

    cost: Cost
    files: int
    found: int | None
    stored: int | None = None


class Task(NamedTuple):
    """What a run gets: the code, an empty folder to work in, where its index is or goes, seconds that it may take."""

    code: Input
    scratch: Path
    index: Path
    limit: float


class Subject(NamedTuple):
    """Something to run.

    Attributes:
        run: does it.
        reads: the sides that it reads, "known" and "new".
        is_slow: it takes many times as long as the others, and is not run on what is wide.
        only_whole: it is run on whole projects.
    """

    run: Callable[[Task], Ran]
    reads: tuple[str, ...] = ("known", "new")
    is_slow: bool = False
    only_whole: bool = False

    def why_not(self, code: Input) -> str:
        """Why it is not run on an input; empty if it is."""
        if self.is_slow and code.is_wide:
            return "not run on what is so large"
        return "only run on whole projects, above" if self.only_whole and not code.is_whole else ""


def _build(task: Task, kernel: str = "") -> Ran:
    task.index.unlink(missing_ok=True)
    command = (*WINNOW, "index", "build", task.code.known, "--output", task.index, "--name", "known")
    cost = measure(command, task.scratch, task.limit, environment={SWITCH: kernel})
    said = (task.scratch / "errors.txt").read_text()
    indexed = re.search(r"([\d,]+) files indexed", said)
    return Ran(cost, int(indexed[1].replace(",", "")) if indexed else 0, None, task.index.stat().st_size)


def _scan(task: Task, kernel: str = "") -> Ran:
    report = task.scratch / "report.json"
    command = (*WINNOW, "scan", "--all", "--index", task.index, "--format", f"json:{report}")
    options = {"cwd": task.code.repository, "statuses": (0, 1), "environment": {SWITCH: kernel}}
    cost = measure(command, task.scratch, task.limit, **options)
    found = json.loads(report.read_text())
    return Ran(cost, found["scan"]["files_scanned"], len({each["path"] for each in found["findings"]}))


def _jscpd(task: Task, trees: tuple[str, ...] = ("new", "known")) -> Ran:
    always = ("--no-gitignore", "--absolute", "--silent", "--no-tips", "--reporters", "json", "--output", task.scratch)
    program = home_of("jscpd") / "bin/jscpd"
    cost = measure((program, *always, *(task.code.code / tree for tree in trees)), task.scratch, task.limit)
    report = json.loads((task.scratch / "jscpd-report.json").read_text())
    ours, theirs = (str(tree) + "/" for tree in (task.code.changed, task.code.known))
    sides = [(clone["firstFile"]["name"], clone["secondFile"]["name"]) for clone in report["duplicates"]]
    pairs = {pair for one, other in sides for pair in ((one, other), (other, one))}
    found = {one for one, other in pairs if one.startswith(ours) and other.startswith(theirs)}
    return Ran(cost, report["statistics"]["total"]["sources"], len(found))


def _scanoss(task: Task) -> Ran:
    written = task.scratch / "all.wfp"
    options = ("--skip-settings-file", "--all-folders", "--all-extensions", "--output", written)
    program = home_of("scanoss") / "bin/scanoss-py"
    cost = measure((program, "fingerprint", *options, task.code.code), task.scratch, task.limit)
    return Ran(cost, written.read_text().count("file="), None, written.stat().st_size)


def _copydetect(task: Task) -> Ran:
    return _inside(task, home_of("copydetect") / "bin/python", INSIDE / "in_copydetect.py")


def _dolos(task: Task, what: str) -> Ran:
    library = home_of("dolos") / "node_modules/@dodona/dolos-lib/dist/index.js"
    return _inside(task, "node", INSIDE / "in_dolos.mjs", library, what)


def _compare50(task: Task) -> Ran:
    python = home_of("compare50") / "bin/python"
    return _inside(task, python, INSIDE / "in_compare50.py", ADAPTERS / "in_compare50.py")


def _inside(task: Task, *command: str | Path) -> Ran:
    """Run a script of `inside`; it is given the changed and the known code, and where to write what it saw."""
    result = task.scratch / "result.json"
    trees = (task.code.changed, task.code.known, result)
    cost = measure((*command, *trees), task.scratch, task.limit, environment=SAME_HASHES)
    return Ran(cost, **json.loads(result.read_text()))


BUILD, SCAN, BOTH = "winnow-ci index build", "winnow-ci scan --all", "winnow-ci, both"
PURE = {name: f"{name}, no kernel" for name in (BUILD, SCAN, BOTH)}
SUMS = {BOTH: (BUILD, SCAN), PURE[BOTH]: (PURE[BUILD], PURE[SCAN])}
OURS = {
    BUILD: Subject(_build, ("known",)),
    SCAN: Subject(_scan, ("new",)),
    PURE[BUILD]: Subject(partial(_build, kernel="off"), ("known",)),
    PURE[SCAN]: Subject(partial(_scan, kernel="off"), ("new",)),
}
KNOWN_ONLY = "jscpd-known"
PEERS = {
    KNOWN_ONLY: Subject(partial(_jscpd, trees=("known",)), ("known",), only_whole=True),
    "jscpd": Subject(_jscpd),
    "scanoss": Subject(_scanoss),
    "copydetect": Subject(_copydetect, is_slow=True),
    "Dolos": Subject(partial(_dolos, what="pairs"), is_slow=True),
    "Dolos-lines": Subject(partial(_dolos, what="lines"), is_slow=True),
    "compare50": Subject(_compare50, is_slow=True),
}


def version(peer: str) -> str:
    """The version that is installed of a tool, or of what it is a part of."""
    tool = peer.partition("-")[0]
    file = cache() / tool.lower() / "versions.txt"
    package = {"Dolos": "@dodona/dolos-lib"}.get(tool, tool)
    found = re.search(rf"(?m)(?:^|:){package}(?:==|@)([\d.]+)", file.read_text() if file.exists() else "")
    return found[1] if found else ""


def run(subject: Subject, task: Task) -> Ran:
    """Run a subject in an empty folder."""
    shutil.rmtree(task.scratch, ignore_errors=True)
    task.scratch.mkdir(parents=True)
    return subject.run(task)
