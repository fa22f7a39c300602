"""Licences that ``winnow-ci index build`` reads from the code."""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING

import pytest

from support.command import winnow
from support.donor import LOGS, ROUTES
from support.licences import TEXTS

if TYPE_CHECKING:
    from pathlib import Path

    from support.command import Ended

TAG = "SPDX-License-" + "Identifier:"


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """A package under MIT, one of whose files is under the GPL."""
    folder = tmp_path / "source"
    (folder / "roads").mkdir(parents=True)
    (folder / "LICENSE").write_text(TEXTS["MIT"])
    (folder / "pyproject.toml").write_text('[project]\nname = "roads"\nlicense = "MIT"\n')
    (folder / "roads" / "routes.py").write_text(ROUTES)
    (folder / "roads" / "logs.py").write_text(f"# {TAG} GPL-3.0-or-later\n{LOGS}")
    return folder


def build(root: Path, *options: str) -> Ended:
    return winnow("index", "build", root, "--output", "i.db", "--name", "roads", *options, cwd=root.parent)


def test_licences_of_single_files_are_listed_and_counted(source: Path) -> None:
    (source / "roads" / "vendored").mkdir()
    (source / "roads" / "vendored" / "LICENSE").write_text(TEXTS["ISC"])
    (source / "roads" / "vendored" / "again.py").write_text(ROUTES.replace("route", "way"))
    for number in range(7):
        (source / "roads" / f"way_{number}.py").write_text(ROUTES.replace("route", f"way_{number}"))
        (source / "roads" / f"way_{number}.py.license").write_text("SPDX-License-Identifier: Zlib")
    build(source)
    rows = [
        line.split(maxsplit=4)
        for line in winnow("index", "list", "--licences", "i.db", cwd=source.parent).output.splitlines()
    ]
    assert rows == [
        ["SOURCE", "VERSION", "LICENCE", "FILES", "FROM"],
        ["roads", "-", "MIT", "1", "pyproject.toml"],
        ["roads", "-", "GPL-3.0-or-later", "1", "its header"],
        ["roads", "-", "ISC", "1", "roads/vendored/LICENSE"],
        *(["roads", "-", "Zlib", "1", f"roads/way_{number}.py.license"] for number in range(5)),
        ["roads", "-", "Zlib", "2", "2 other places"],
    ]
    (listed,) = json.loads(winnow("index", "list", "--licences", "--json", "i.db", cwd=source.parent).output)["sources"]
    assert listed["file_licenses"] == {"Zlib": 7, "GPL-3.0-or-later": 1, "ISC": 1}
    assert listed["file_licenses_from"]["ISC"] == {"roads/vendored/LICENSE": 1}


def test_an_archive_says_what_its_folder_says(source: Path) -> None:
    wanted = build(source)
    archive = shutil.make_archive(str(source.parent / "roads"), "gztar", source.parent, "source")
    found = build(source.parent / archive)
    assert (found.output, found.errors.splitlines()[1]) == (wanted.output, wanted.errors.splitlines()[1])


def test_it_is_said_where_files_disagree_and_where_nobody_knows(source: Path) -> None:
    (source / "LICENSE").write_text(TEXTS["GPL-3.0"])
    assert "LICENSE says GPL-3.0-only: pass --license to settle it\n" in build(source).errors
