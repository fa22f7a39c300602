"""Licences that ``winnow-ci index build`` reads from the code."""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING

import pytest

from support.command import winnow
from support.donor import LOGS, ROUTES
from support.licences import TEXTS
from support.repository import Checkout

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


def listed(folder: Path) -> tuple[str, str | None]:
    """The licence of the source, and where it was read."""
    ended = winnow("index", "list", "i.db", "--json", cwd=folder)
    (source,) = json.loads(ended.output)["sources"]
    return source["license"], source["license_from"]


def licences_found(folder: Path, text: str) -> set[str]:
    """Licences of the sources of what a scan finds."""
    checkout = Checkout.create(folder / "checkout")
    checkout.commit({"copy.py": text})
    ended = winnow("scan", "--all", "--index", folder / "i.db", "--format", "json", cwd=checkout.root)
    return {finding["source"]["license"] for finding in ended.report()["findings"]}


def test_the_licence_is_read_from_the_metadata(source: Path) -> None:
    built = build(source)
    assert built.errors.splitlines()[1] == (
        "winnow-ci: roads: licence MIT (from pyproject.toml); 1 file has another: 1 GPL-3.0-or-later"
    )
    assert listed(source.parent) == ("MIT", "pyproject.toml")
    table = winnow("index", "list", "i.db", cwd=source.parent).output.splitlines()
    assert (table[0].split()[2:4], table[1].split()[2:4]) == (["LICENCE", "FROM"], ["MIT", "pyproject.toml"])


@pytest.mark.parametrize(("text", "wanted"), [(ROUTES, "MIT"), (LOGS, "GPL-3.0-or-later")])
def test_a_finding_has_the_licence_of_the_file(source: Path, text: str, wanted: str) -> None:
    build(source)
    assert licences_found(source.parent, text) == {wanted}


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


def test_a_finding_says_that_its_file_has_another_licence_than_the_package(source: Path) -> None:
    build(source)
    checkout = Checkout.create(source.parent / "checkout")
    checkout.commit({"copy.py": LOGS, "route.py": ROUTES})
    command = ("scan", "--all", "--index", source.parent / "i.db", "--format")
    found = {one["path"]: one["source"] for one in winnow(*command, "json", cwd=checkout.root).report()["findings"]}
    assert (found["copy.py"]["license"], found["copy.py"]["package_license"]) == ("GPL-3.0-or-later", "MIT")
    assert found["route.py"]["package_license"] is None
    text = winnow(*command, "text", cwd=checkout.root).output
    assert text.count("  licence: this file GPL-3.0-or-later, roads as a whole MIT\n") == 1


def test_an_argument_wins_but_over_what_a_file_says_of_itself(source: Path) -> None:
    (source / "debian").mkdir()
    (source / "debian" / "copyright").write_text("Format: …/copyright-format/1.0/\n\nFiles: *\nLicense: ISC\n")
    assert (
        "licence 0BSD (from argument); 1 file has another: 1 GPL-3.0-or-later\n"
        in build(source, "--license", "0BSD").errors
    )
    assert licences_found(source.parent, LOGS) == {"GPL-3.0-or-later"}
    assert listed(source.parent) == ("0BSD", "argument")
    build(source, "--license", "unknown")
    assert listed(source.parent) == ("unknown", "argument")


def test_contents_that_are_known_get_the_licence_that_they_have_now(source: Path) -> None:
    first = build(source)
    (source / "pyproject.toml").write_text('[project]\nlicense = "Apache-2.0"\n')
    (source / "LICENSE").unlink()
    again = build(source)
    assert "2 with contents known before" in again.errors
    assert listed(source.parent) == ("Apache-2.0", "pyproject.toml")
    (source / "roads" / "logs.py").write_text(LOGS)
    assert "another" not in build(source).errors
    assert first.output != again.output


def test_an_archive_says_what_its_folder_says(source: Path) -> None:
    wanted = build(source)
    archive = shutil.make_archive(str(source.parent / "roads"), "gztar", source.parent, "source")
    found = build(source.parent / archive)
    assert (found.output, found.errors.splitlines()[1]) == (wanted.output, wanted.errors.splitlines()[1])


def test_it_is_said_where_files_disagree_and_where_nobody_knows(source: Path) -> None:
    (source / "LICENSE").write_text(TEXTS["GPL-3.0"])
    assert "LICENSE says GPL-3.0-only: pass --license to settle it\n" in build(source).errors
    (source / "LICENSE").unlink()
    (source / "pyproject.toml").unlink()
    assert "licence unknown (found in no file; pass --license)" in build(source).errors
    (source / "LICENSE").write_text("Ask us.")
    assert "licence unknown (licence not recognised in LICENSE; pass --license)" in build(source).errors
    assert listed(source.parent) == ("unknown", "LICENSE")
