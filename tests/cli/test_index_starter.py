"""``index starter``: an index of well-known copyleft code of a language, in one command."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from support.command import winnow
from support.donor import CHANGE, ROUTES
from support.https import serving
from support.manifest import Project, states
from support.python_index import PythonIndex
from support.repository import Checkout
from winnow_ci.config.manifest import starter
from winnow_ci.fetching.packages import parse_purl

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

PACKAGES = {package.name: package.version for package in (parse_purl(one["purl"]) for one in starter("python"))}


@pytest.fixture
def registry(monkeypatch: pytest.MonkeyPatch) -> Iterator[PythonIndex]:
    """A registry that has what the starter of Python names, in the pinned versions and in newer ones."""
    with serving(None) as server:
        index = PythonIndex(server, {})
        index.use(monkeypatch)
        index.publish_starter()
        yield index


def test_from_nothing_to_a_finding(tmp_path: Path, registry: PythonIndex) -> None:
    fresh = Checkout.create(tmp_path / "fresh")
    fresh.commit({"main.py": "print()\n"})
    (line,) = (line for line in winnow("init", cwd=fresh.root).output.splitlines() if "index starter" in line)
    started = winnow(*line.split()[1:], cwd=fresh.root)
    assert states(started) == dict.fromkeys(PACKAGES, "added")
    assert "12 sources added to .winnow/sources.yml" in started.errors
    assert Project(fresh.root).sources() == {name: (version, "GPL-3.0-only") for name, version in PACKAGES.items()}
    fresh.write("plan.py", CHANGE["src/plan.py"])
    assert winnow("scan", cwd=fresh.root).status == 1


def test_what_is_there_stays(tmp_path: Path, registry: PythonIndex) -> None:
    project = Project.create(tmp_path)
    first, second, *others = PACKAGES
    registry.publish(second, "1.0", ROUTES)
    project.declare(f"{{purl: pkg:pypi/{second}@1.0}}", "{path: ../../roads, name: roads}")
    before = project.manifest.read_text()
    assert "11 sources added" in winnow("index", "starter", "python", cwd=project.root).errors
    assert project.manifest.read_text().startswith(before)
    versions = {name: version for name, (version, _) in project.sources().items()}
    assert versions == {**PACKAGES, second: "1.0", "roads": None}
    after = project.manifest.read_bytes()
    again = winnow("index", "starter", "pip", "--offline", cwd=project.root)
    assert states(again) == dict.fromkeys([first, second, *others, "roads"], "unchanged")
    assert f"0 sources added to .winnow/sources.yml, of 12 such as pkg:pypi/{first}@" in again.errors
    assert project.manifest.read_bytes() == after


def test_what_a_registry_lost_can_be_deleted_from_the_manifest(tmp_path: Path, registry: PythonIndex) -> None:
    project = Project.create(tmp_path)
    lost = next(parse_purl(one["purl"]).name for one in starter("python") if one.keys() == {"purl"})
    registry.withdraw(lost)
    ended = winnow("index", "starter", "python", cwd=project.root)
    assert ended.status == 3
    assert lost in ended.last_words()[0]
    kept = [line for line in project.manifest.read_text().splitlines(keepends=True) if f"/{lost}@" not in line]
    project.manifest.write_text("".join(kept))
    assert project.synced() == dict.fromkeys(PACKAGES.keys() - {lost}, "added")


def test_what_cannot_be_added_to_is_left_alone(tmp_path: Path) -> None:
    manifest = tmp_path / "sources.yml"
    manifest.write_text("sources: [pkg:pypi/numpy]\n")
    ended = winnow("index", "starter", "python", "--manifest", manifest, cwd=tmp_path)
    assert "cannot add to a file in this form" in ended.complaint(2)[0]
    assert manifest.read_text() == "sources: [pkg:pypi/numpy]\n"


@pytest.mark.parametrize(("asked", "remedy"), [("pyton", "did you mean python?"), ("cobol", "index starter --help")])
def test_another_language(asked: str, remedy: str, tmp_path: Path) -> None:
    problem, said = winnow("index", "starter", asked, cwd=tmp_path).complaint(2)
    assert all(language in problem for language in ("c-cpp", "javascript", "python"))
    assert remedy in said
    assert not list(tmp_path.iterdir())
