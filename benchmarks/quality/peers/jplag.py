"""JPlag: greedy tiling of syntax tokens, every match of the 500 most similar pairs, as many as its report shows.

Each file is a submission, since JPlag leaves a submission out if it cannot read one of its files.
"""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import contract
from rounds import Overlap

from .running import Detection, FailedError, home_of, overlaps_in, run, side_by_side

if TYPE_CHECKING:
    from pathlib import Path

LANGUAGES = {
    "c": "de.jplag.cpp.Language",
    "cpp": "de.jplag.cpp.Language",
    "go": "de.jplag.golang.Language",
    "java": "de.jplag.java.Language",
    "python": "de.jplag.python3.Language",
}


def detect(round: Path, work: Path) -> Detection:  # noqa: A002
    language = contract.read(round).language
    if language not in LANGUAGES:
        raise FailedError(f"JPlag 4.3.0 does not know {language}")
    home = home_of("jplag")
    scratch = side_by_side(round, work, "jplag")
    changed, known = (_in_one_folder(scratch / tree, scratch / f"{tree}-files") for tree in ("new", "known"))
    jars = f"{home}/lib/*:{home}/classes"
    program = ["java", "-cp", jars, "InJplag", LANGUAGES[language]]
    measured = run([*program, scratch / "new-files", scratch / "known-files", scratch / "overlaps.json"], scratch)
    found = overlaps_in(scratch / "overlaps.json")
    return Detection([Overlap(changed[one.path], one.start, one.end, known[one.known]) for one in found], measured)


def _in_one_folder(tree: Path, folder: Path) -> dict[str, str]:
    """All files of a tree in one folder; their paths below the tree, by the new names."""
    folder.mkdir()
    names = {}
    for number, file in enumerate(sorted(path for path in tree.rglob("*") if path.is_file())):
        name = f"{number}{file.suffix}"
        shutil.copy(file, folder / name)
        names[name] = file.relative_to(tree).as_posix()
    return names
