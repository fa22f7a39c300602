"""What a team would be told of applications: six real ones, looked up in an index of forty packages.

    python benchmarks/quality/applications.py [--work DIR] [--json FILE] [--config FILE]

Prints every finding with its strength, kind, tokens, place and source, the longest first, for a person to judge: is it
a copy, or of common origin? ``applications.json`` pins the applications and the packages. An application may hold a
copy of some of the packages, recorded or not; nobody wrote down what is true.
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
import tempfile
from collections import Counter
from contextlib import ExitStack
from pathlib import Path
from typing import NamedTuple

from noise import sort_of
from ours import GIT, WINNOW, program, run
from packages import table as pinned
from packages import unpacked
from tables import table

PINNED = pinned(Path(__file__).with_suffix(".json"))
APPLICATIONS = ("trac", "glances", "borgbackup", "nikola", "pm2", "ep_etherpad-lite")


class Looked(NamedTuple):
    """An application and what a scan of all of it reports."""

    name: str
    files: int
    findings: list[dict]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--work", type=Path, metavar="DIR", help="keep packages and the index here")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the findings")
    parser.add_argument("--config", type=Path, metavar="FILE", help="scan with this configuration (default: none)")
    parser.add_argument("--applications", default=",".join(APPLICATIONS), metavar="A,B", help="default: all six")
    arguments = parser.parse_args()
    with ExitStack() as stack:
        work = arguments.work or Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="winnow-quality-")))
        index = index_of_packages(work.resolve())
        options = ("--config", str(arguments.config.resolve())) if arguments.config else ()
        looked = [_looked(name, index, options, work.resolve()) for name in arguments.applications.split(",")]
    print(_described(looked))
    if arguments.json:
        arguments.json.write_text(json.dumps([one._asdict() for one in looked], indent=1))


def index_of_packages(work: Path) -> Path:
    """An index with each package as a source; made once for each version of the program."""
    index = work / f"applications-{program()[:16]}.db"
    if not index.exists():
        unfinished = index.with_suffix(".unfinished")
        unfinished.unlink(missing_ok=True)
        for name in sorted(PINNED.keys() - set(APPLICATIONS)):
            print(f"index: {name}", file=sys.stderr)
            folder, version = unpacked(name, work, PINNED), PINNED[name].version
            source = ("--name", name, "--version", version)
            run(*WINNOW, "index", "build", str(folder), "--output", str(unfinished), *source)
        unfinished.rename(index)
    return index


def _looked(name: str, index: Path, options: tuple[str, ...], work: Path) -> Looked:
    repository = repository_of(name, work)
    scan = (*WINNOW, "scan", "--all", "--format", "json", "--index", str(index), *options)
    report = json.loads(run(*scan, cwd=repository))
    shutil.rmtree(repository)
    print(f"{name}: {len(report['findings'])} findings", file=sys.stderr)
    return Looked(name, report["scan"]["files_scanned"], report["findings"])


def repository_of(name: str, work: Path) -> Path:
    """A repository in which all files of an application are staged."""
    repository = work / "applications" / name
    shutil.rmtree(repository, ignore_errors=True)
    shutil.copytree(unpacked(name, work, PINNED), repository, symlinks=True)
    run(*GIT, "init", "--quiet", str(repository))
    run(*GIT, "add", "--all", "--force", cwd=repository)
    return repository


def _described(looked: list[Looked]) -> str:
    rows = {one.name: one for one in looked}
    rows["all"] = Looked("all", sum(one.files for one in looked), [each for one in looked for each in one.findings])
    sorts = sorted({sort_of(finding) for finding in rows["all"].findings}, reverse=True)

    def cell(row: str, column: str) -> str:
        one = rows[row]
        return f"{one.files:,}" if column == "files" else str(Counter(map(sort_of, one.findings))[column])

    parts = [table(list(rows), ["files", *sorts], cell, "findings in")]
    for one in looked:
        by_length = sorted(one.findings, key=lambda finding: (-finding["tokens"], finding["path"]))
        parts += ["", *(_line(one.name, finding) for finding in by_length)]
    return "\n".join(parts)


def _line(name: str, finding: dict) -> str:
    there = finding["source"]
    here = f"{name}/{finding['path']}:{finding['start_line']}-{finding['end_line']}"
    known = f"{there['name']}/{there['path']}:{there['start_line']}-{there['end_line']}"
    more = f" and {len(finding['also_in'])} more" if finding["also_in"] else ""
    return f"{sort_of(finding)} {finding['tokens']} tokens  {here}  {known}{more}"


if __name__ == "__main__":
    main()
