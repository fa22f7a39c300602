"""Runs in compare50's environment: in_compare50.py CHANGED KNOWN RESULT.

Each file is a submission, as its command makes one of each path that it is given. Not the command itself: it asks the
package index for a newer version and answers in HTML.
"""

from __future__ import annotations

import json
import sys
from itertools import product
from pathlib import Path

from compare50 import Submission, _api, _data, passes

BEST = 50  # the command's default


def main(changed: str, known: str, result: str) -> None:
    sys.setrecursionlimit(100_000)  # groups of spans are found by recursion
    structure = passes.structure
    preprocessor = _data.Preprocessor(structure.preprocessors)
    here = submissions(Path(changed), preprocessor, archive=False)
    there = submissions(Path(known), preprocessor, archive=True)
    with _api.progress_bar("", disable=True):
        scores = _api.rank(here, there, set(), structure, n=BEST)
        results = _api.compare(scores, set(), structure)
    groups = [group for pair in results for group in pair.groups]
    pairs = [pair for group in groups for pair in product(group.spans, repeat=2)]
    rows = [
        row(ours, theirs, changed, known) for ours, theirs in pairs if is_of(ours, changed) and is_of(theirs, known)
    ]
    Path(result).write_text(json.dumps(rows))


def submissions(tree: Path, preprocessor: object, *, archive: bool) -> list[Submission]:
    files = sorted(file for file in tree.rglob("*") if file.is_file() and is_text(file))
    return [Submission(file.parent, [file.name], preprocessor=preprocessor, is_archive=archive) for file in files]


def is_text(file: Path) -> bool:
    try:
        return bool(file.read_text(encoding="utf-8"))
    except UnicodeDecodeError:  # which the command leaves out, too
        return False


def is_of(span: _data.Span, tree: str) -> bool:
    return span.file.path.is_relative_to(tree)


def row(ours: _data.Span, theirs: _data.Span, changed: str, known: str) -> tuple[str, int, int, str]:
    text = ours.file.read()
    first = text.count("\n", 0, ours.start) + 1
    last = text.count("\n", 0, max(ours.start, ours.end - 1)) + 1
    return (
        ours.file.path.relative_to(changed).as_posix(),
        first,
        last,
        theirs.file.path.relative_to(known).as_posix(),
    )


if __name__ == "__main__":
    main(*sys.argv[1:])
