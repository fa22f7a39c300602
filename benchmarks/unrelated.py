"""How much noise there is: a whole project looked up in an index of an unrelated one.

    python benchmarks/unrelated.py KNOWN CHANGED

KNOWN and CHANGED are folders with source code. Prints every finding, for inspection, and how many there are per
million lines. For example, after `pip download --no-deps django==5.2.19 sqlalchemy==2.1.9` and unpacking both, or after
`apt-get source --download-only git curl` and unpacking both.
"""

from __future__ import annotations

import json
import shutil
import sys
import tempfile
import time
from pathlib import Path

from process import WINNOW, run


def main(known: Path, changed: Path) -> None:
    with tempfile.TemporaryDirectory() as folder:
        index, repository = Path(folder, "known.db"), Path(folder, "repository")
        run(*WINNOW, "index", "build", str(known), "--output", str(index), "--name", known.name)
        shutil.copytree(changed, repository, symlinks=True, ignore=shutil.ignore_patterns(".git"))
        run("git", "init", "--quiet", str(repository))
        start = time.perf_counter()
        report = json.loads(run(*WINNOW, "scan", "--all", "--format", "json", "--index", str(index), cwd=repository))
        seconds = time.perf_counter() - start
        lines = sum(file.read_bytes().count(b"\n") for file in scanned(repository, report))
    for finding in report["findings"]:
        print(described(finding))
    count = len(report["findings"])
    million = 1_000_000 * count / lines
    print(f"{count} findings in {lines:,} lines of {changed.name}, {million:.0f} per million; {seconds:.1f} s")


def scanned(repository: Path, report: dict) -> list[Path]:
    skipped = {skip["path"] for skip in report["scan"]["files_skipped"]}
    files = [path for path in repository.rglob("*") if path.is_file() and ".git" not in path.parts]
    return [path for path in files if path.relative_to(repository).as_posix() not in skipped]


def described(finding: dict) -> str:
    source = finding["source"]
    here = f"{finding['path']}:{finding['start_line']}-{finding['end_line']}"
    there = f"{source['path']}:{source['start_line']}-{source['end_line']}"
    return f"{finding['kind']:8} {finding['tokens']:5} tokens  {here}  {there}"


if __name__ == "__main__":
    main(*(Path(argument).resolve() for argument in sys.argv[1:3]))
