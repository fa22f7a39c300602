"""Files of which an index keeps only a digest are counted apart: no part of them is found in a change."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from support.command import winnow
from support.donor import ROUTES

if TYPE_CHECKING:
    from pathlib import Path

    from support.command import Ended

LINES = "".join(
    f"fn step_{number}(left: felt, right: felt) -> felt {{ return left + {number}; }}\n" for number in range(20)
)
DATA = json.dumps({f"name {number}": number for number in range(100)})
OTHERS = {
    "unknown": {f"a{number}.cairo": f"// {number}\n{LINES}" for number in range(3)},
    "data": {"a.json": DATA, "b.csv": "a,b,c\n" * 200},
    "both": {"a.cairo": LINES, "b/a.json": DATA},
}
others = pytest.mark.parametrize("files", OTHERS.values(), ids=list(OTHERS))


def write(folder: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)


def built(folder: Path) -> Ended:
    return winnow("index", "build", "source", "--output", "i.db", "--name", "own", "--license", "MIT", cwd=folder)


@others
def test_a_build(tmp_path: Path, files: dict[str, str]) -> None:
    write(tmp_path / "source", {"plan.py": ROUTES, **files})
    said = "own: 1 file indexed ({} with contents known before), {} more files compared only as a whole"
    assert said.format(0, len(files)) in built(tmp_path).errors
    # What is known already is counted in the same way.
    assert said.format(1, len(files)) in built(tmp_path).errors


def test_a_build_of_nothing_else(tmp_path: Path) -> None:
    write(tmp_path / "source", OTHERS["unknown"])
    ended = built(tmp_path)
    assert "own: 0 files indexed (0 with contents known before), 3 more files compared only as a whole" in ended.errors


def test_a_build_without_such_files_says_nothing_of_them(tmp_path: Path) -> None:
    write(tmp_path / "source", {"plan.py": ROUTES})
    assert "own: 1 file indexed (0 with contents known before), 0 skipped" in built(tmp_path).errors


@others
def test_lists(tmp_path: Path, files: dict[str, str]) -> None:
    write(tmp_path / "source", {"plan.py": ROUTES, **files})
    built(tmp_path)
    heading, row = winnow("index", "list", "i.db", cwd=tmp_path).output.splitlines()[:2]
    place = heading.index("FILES")
    assert row[place:].split()[:2] == ["1", str(len(files))]
    assert heading[place:].split()[:2] == ["FILES", "WHOLE"]
    (source,) = json.loads(winnow("index", "list", "i.db", "--json", cwd=tmp_path).output)["sources"]
    assert (source["files"], source["whole_files"]) == (1 + len(files), len(files))


@others
def test_a_sync(tmp_path: Path, files: dict[str, str]) -> None:
    write(tmp_path / "source", {"plan.py": ROUTES, **files})
    write(tmp_path, {".winnow/sources.yml": "sources:\n- {name: own, path: ../source, license: MIT}\n"})
    ended = winnow("index", "sync", cwd=tmp_path)
    assert f"1 file indexed, {len(files)} more files compared only as a whole" in ended.output + ended.errors, ended
