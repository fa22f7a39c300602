"""How much is found where nothing was copied: whole projects looked up in an index of an unrelated one.

    python benchmarks/quality/noise.py [--set SET] [--languages A,B] [--work DIR] [--json FILE]

Prints, for every pair, the findings per million lines by kind and strength, and where each finding is, for inspection:
unrelated projects do share code now and then. Tests and generated code are scanned too. ``noise_pairs.py`` has the
sets; the last three are to be opened only once.
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
from typing import TYPE_CHECKING, NamedTuple

from detectors import some_of
from noise_pairs import LANGUAGES, PAIRS, PEOPLE
from ours import GIT, WINNOW, index_of, run
from packages import unpacked
from tables import table

if TYPE_CHECKING:
    from projects import Project


class Noise(NamedTuple):
    """What one pair gave."""

    language: str
    known: str
    changed: str
    lines: int
    findings: list[dict]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--set", choices=tuple(PAIRS), default="first", help="which pairs (default: first)")
    named = ", ".join(LANGUAGES)
    parser.add_argument("--languages", type=some_of(LANGUAGES), default=LANGUAGES, metavar="A,B", help=named)
    parser.add_argument("--count", action="store_true", help="fetch the projects and count their files, nothing more")
    parser.add_argument("--jobs", type=int, default=2, metavar="N", help="pairs at a time (default: 2)")
    parser.add_argument("--work", type=Path, metavar="DIR", help="keep packages and indexes here")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the findings")
    parser.add_argument("--config", type=Path, metavar="FILE", help="scan with this configuration (default: none)")
    arguments = parser.parse_args()
    pairs = [pair for pair in PAIRS[arguments.set] if pair[0] in arguments.languages]
    options = ("--config", str(arguments.config.resolve())) if arguments.config else ()
    with ExitStack() as stack:
        work = arguments.work or Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="winnow-quality-")))
        for project in {name for _, *pair in pairs for name in pair}:
            unpacked(PEOPLE[project].package, work)
        if arguments.count:
            print(*(_counted(work.resolve(), pair) for pair in pairs), sep="\n")
            return
        with ProcessPoolExecutor(arguments.jobs) as pool:
            noises = list(pool.map(partial(looked_up, work.resolve(), options), pairs))
    print(described(noises))
    if arguments.json:
        arguments.json.write_text(json.dumps([noise._asdict() for noise in noises], indent=1))


def _counted(work: Path, pair: tuple[str, str, str]) -> str:
    language, *names = pair
    counts = []
    for name in names:
        files = _files_of(PEOPLE[name], work)
        lines = sum(file.read_bytes().count(b"\n") for file in files.values())
        counts.append(f"{name} {len(files):,} files, {lines:,} lines")
    return f"{language}: {' <- '.join(counts)}"


def looked_up(work: Path, options: tuple[str, ...], pair: tuple[str, str, str]) -> Noise:
    language, known, changed = pair
    folder = work / "noise" / f"{known}-{changed}"
    shutil.rmtree(folder, ignore_errors=True)
    lay_out(pair, folder, work)
    index = index_of(folder / "known", folder)
    run(*GIT, "init", "--quiet", str(folder / "repository"))
    command = (*WINNOW, "scan", "--all", "--format", "json", "--index", str(index), *options)
    report = json.loads(run(*command, cwd=folder / "repository"))
    skipped = {skip["path"] for skip in report["scan"]["files_skipped"]}
    scanned = [
        f for f in _files(folder / "repository") if f.relative_to(folder / "repository").as_posix() not in skipped
    ]
    lines = sum(file.read_bytes().count(b"\n") for file in scanned)
    shutil.rmtree(folder)
    print(f"{known} <- {changed}: {len(report['findings'])} findings, {len(skipped)} skipped", file=sys.stderr)
    return Noise(language, known, changed, lines, report["findings"])


def lay_out(pair: tuple[str, str, str], folder: Path, work: Path) -> None:
    """Put the known project below known/ of a folder, and the changed one into its folder repository."""
    _, known, changed = pair
    _linked(PEOPLE[known], folder / "known" / known, work)
    _linked(PEOPLE[changed], folder / "repository", work)


def _linked(project: Project, target: Path, work: Path) -> None:
    for path, file in _files_of(project, work).items():
        (target / path).parent.mkdir(parents=True, exist_ok=True)
        os.link(file, target / path)


def _files_of(project: Project, work: Path) -> dict[str, Path]:
    """All files of a project's languages by path, tests and generated ones too."""
    top = unpacked(project.package, work)
    files = {file.relative_to(top).as_posix(): file for folder in project.folders for file in _files(top / folder)}
    return {
        path: file
        for path, file in files.items()
        if file.suffix in project.suffixes and not re.search(project.without, path)
    }


def _files(folder: Path) -> list[Path]:
    found = (file for file in folder.rglob("*") if ".git" not in file.parts)
    return sorted(file for file in found if file.is_file() and not file.is_symlink())


def described(noises: list[Noise]) -> str:
    names = {f"{noise.known} <- {noise.changed}": noise for noise in noises}
    rows = {**names, "all": Noise("", "", "", sum(n.lines for n in noises), [f for n in noises for f in n.findings])}

    def cell(row: str, column: str) -> str:
        noise = rows[row]
        counts = Counter(sort_of(finding) for finding in noise.findings)
        if column in sorts:
            return f"{counts[column]} ({1e6 * counts[column] / max(1, noise.lines):.0f})"
        return noise.language if column == "language" else f"{noise.lines:,}"

    sorts = sorted({"verbatim", "renamed", *(sort_of(finding) for finding in rows["all"].findings)}, reverse=True)
    columns = ("language", "lines", *sorts)
    parts = [table(list(rows), columns, cell, "in the index <- scanned; findings (per million lines)")]
    parts += [_place(name, finding) for name, noise in names.items() for finding in noise.findings]
    return "\n".join(parts)


def sort_of(finding: dict) -> str:
    """A finding's kind, and its strength if it has one."""
    return " ".join(filter(None, (finding.get("strength"), finding["kind"])))


def _place(pair: str, finding: dict) -> str:
    there = finding["source"]
    here = f"{finding['path']}:{finding['start_line']}-{finding['end_line']}"
    known = f"{there['path']}:{there['start_line']}-{there['end_line']}"
    return f"{pair}  {sort_of(finding)} {finding['tokens']} tokens  {here}  {known}"


if __name__ == "__main__":
    main()
