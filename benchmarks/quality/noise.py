"""How much is found where nothing was copied: whole projects looked up in an index of an unrelated one.

    python benchmarks/quality/noise.py [--work DIR] [--json FILE]

Prints, for every pair, the findings per million lines by kind, and where each finding is, for inspection: unrelated
projects do share code now and then. Tests and generated code are scanned too.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import sys
import tempfile
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import NamedTuple

from ours import GIT, WINNOW, index_of, run
from packages import unpacked
from projects import CASTS, GO, JS, PY, TS, C, Project
from tables import table

_PEOPLE = {p.name: p for cast in CASTS.values() for role in cast for p in role}
_HUB = "core/vendor/github.com/"
_PEOPLE |= {
    "sympy": Project("sympy", "sympy", ("sympy",), PY),
    "mercurial": Project("mercurial", "mercurial", ("mercurial", "hgext", "tests"), PY, "thirdparty"),
    "three": Project("three", "three", ("src", "examples/jsm"), JS, "/libs/"),
    "effect": Project("effect", "effect", ("src",), TS),
    "pygame": Project("pygame", "pygame", ("src_c",), C),
    "glpk": Project("glpk", "igraph", ("vendor/source/igraph/vendor/glpk",), C),
    "libastro": Project("libastro", "ephem", ("libastro-3.7.7",), C),
    "aws-sdk": Project("aws-sdk", "wandb", (_HUB + "aws/aws-sdk-go-v2",), GO),
    "x-crypto": Project("x-crypto", "wandb", ("core/vendor/golang.org/x/crypto",), GO),
    "cog": Project("cog", "cog", ("pkg", "cmd", "tools"), GO),
}
# (in the index, scanned)
PAIRS = (
    ("python", "sqlalchemy", "sympy"),
    ("python", "django", "mercurial"),
    ("python", "networkx", "nltk"),
    ("javascript", "webpack", "phaser"),
    ("javascript", "eslint", "three"),
    ("javascript", "vega-lite", "viem"),
    ("javascript", "rxjs", "vega-lite"),
    ("c", "uwsgi", "igraph"),
    ("c", "samtools", "glpk"),
    ("c", "pillow", "libuv"),
    ("c", "igraph", "pygame"),
    ("java", "react-native", "jpype"),
    ("java", "react-native", "jep"),
    ("java", "mapbox", "jpype"),
    ("go", "grpc", "go-git"),
    ("go", "aws-sdk", "x-crypto"),
    ("go", "x-tools", "cog"),
    ("go", "gopsutil", "wandb"),
)


class Noise(NamedTuple):
    """What one pair gave."""

    language: str
    known: str
    changed: str
    lines: int
    findings: list[dict]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--work", type=Path, metavar="DIR", help="keep packages and indexes here")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the findings")
    arguments = parser.parse_args()
    with ExitStack() as stack:
        work = arguments.work or Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="winnow-quality-")))
        for project in {name for _, *pair in PAIRS for name in pair}:
            unpacked(_PEOPLE[project].package, work)
        with ProcessPoolExecutor(2) as pool:
            noises = list(pool.map(partial(looked_up, work.resolve()), PAIRS))
    print(described(noises))
    if arguments.json:
        arguments.json.write_text(json.dumps([noise._asdict() for noise in noises], indent=1))


def looked_up(work: Path, pair: tuple[str, str, str]) -> Noise:
    language, known, changed = pair
    folder = work / "noise" / f"{known}-{changed}"
    shutil.rmtree(folder, ignore_errors=True)
    _linked(_PEOPLE[known], folder / "known" / known, work)
    _linked(_PEOPLE[changed], folder / "repository", work)
    index = index_of(folder / "known", folder)
    run(*GIT, "init", "--quiet", str(folder / "repository"))
    command = (*WINNOW, "scan", "--all", "--format", "json", "--index", str(index))
    report = json.loads(run(*command, cwd=folder / "repository"))
    skipped = {skip["path"] for skip in report["scan"]["files_skipped"]}
    scanned = [
        f for f in _files(folder / "repository") if f.relative_to(folder / "repository").as_posix() not in skipped
    ]
    lines = sum(file.read_bytes().count(b"\n") for file in scanned)
    shutil.rmtree(folder)
    print(f"{known} <- {changed}: {len(report['findings'])} findings, {len(skipped)} skipped", file=sys.stderr)
    return Noise(language, known, changed, lines, report["findings"])


def _linked(project: Project, target: Path, work: Path) -> None:
    """All files of a project's languages, tests and generated ones too."""
    top = unpacked(project.package, work)
    for folder in project.folders:
        for file in _files(top / folder):
            path = file.relative_to(top).as_posix()
            if file.suffix in project.suffixes and not re.search(project.without, path):
                (target / path).parent.mkdir(parents=True, exist_ok=True)
                os.link(file, target / path)


def _files(folder: Path) -> list[Path]:
    found = (file for file in folder.rglob("*") if ".git" not in file.parts)
    return sorted(file for file in found if file.is_file() and not file.is_symlink())


def described(noises: list[Noise]) -> str:
    names = {f"{noise.known} <- {noise.changed}": noise for noise in noises}
    rows = {**names, "all": Noise("", "", "", sum(n.lines for n in noises), [f for n in noises for f in n.findings])}
    kinds = ("verbatim", "renamed")

    def cell(row: str, column: str) -> str:
        noise = rows[row]
        counts = Counter(finding["kind"] for finding in noise.findings)
        if column in kinds:
            return f"{counts[column]} ({1e6 * counts[column] / max(1, noise.lines):.0f})"
        return noise.language if column == "language" else f"{noise.lines:,}"

    columns = ("language", "lines", *kinds)
    parts = [table(list(rows), columns, cell, "in the index <- scanned; findings (per million lines)")]
    parts += [_place(name, finding) for name, noise in names.items() for finding in noise.findings]
    return "\n".join(parts)


def _place(pair: str, finding: dict) -> str:
    there = finding["source"]
    here = f"{finding['path']}:{finding['start_line']}-{finding['end_line']}"
    known = f"{there['path']}:{there['start_line']}-{there['end_line']}"
    return f"{pair}  {finding['kind']} {finding['tokens']} tokens  {here}  {known}"


if __name__ == "__main__":
    main()
