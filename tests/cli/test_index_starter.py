"""``index starter``: a manifest of the most used packages, which then can be synced."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from support.command import winnow
from support.donor import ROUTES
from support.https import serving
from support.manifest import Project
from support.python_index import PythonIndex
from winnow_ci.config.manifest import load_manifest
from winnow_ci.config.starters import ECOSYSTEMS, starter
from winnow_ci.fetching.packages import parse_purl

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def manifest(tmp_path: Path) -> Path:
    return tmp_path / "sources.yml"


def started(ecosystem: str, manifest: Path) -> str:
    ended = winnow("index", "starter", ecosystem, "--manifest", manifest, cwd=manifest.parent)
    assert (ended.status, ended.output) == (0, "")
    return ended.errors


@pytest.mark.parametrize("ecosystem", ECOSYSTEMS)
def test_a_list_has_a_hundred_packages_that_can_be_named(ecosystem: str) -> None:
    names = starter(ecosystem)
    assert len(set(names)) == len(names) == 100
    assert not [name for name in names if not re.fullmatch(r"@?[A-Za-z0-9][A-Za-z0-9._~/-]*", name)]


def test_a_manifest_of_several_ecosystems(manifest: Path) -> None:
    assert "100 packages of npm added" in started("npm", manifest)
    assert "index sync" in started("cargo", manifest)
    sources = load_manifest(manifest).sources
    assert len(sources) == 200
    packages = [parse_purl(one.origin.purl or "") for one in sources]
    assert [one.type for one in packages] == ["npm"] * 100 + ["cargo"] * 100
    assert {one.version for one in packages} == {None}
    both = set(starter("npm")) & set(starter("cargo"))
    assert both
    assert {one.name for one in sources if one.name.startswith("cargo/")} == {f"cargo/{name}" for name in both}


def test_a_hundred_packages_are_one_sync_away(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    project = Project.create(tmp_path)
    with serving(None) as server:
        index = PythonIndex(server, {})
        index.use(monkeypatch)
        for number, name in enumerate(starter("pypi")):
            index.publish(name, f"1.{number}", f"{ROUTES}\n\ndef only_in_{number}():\n    return {number}\n")
        started("pypi", project.manifest)
        synced = project.synced()
    assert synced == dict.fromkeys(starter("pypi"), "added")
    assert project.sources() == {name: (f"1.{number}", "MIT") for number, name in enumerate(starter("pypi"))}


def test_what_is_there_stays(manifest: Path) -> None:
    other = "- {purl: pkg:pypi/Six, name: compatibility}\n- {path: ., name: requests}\n"
    before = f"# ours\nsources:\n- pkg:pypi/numpy@2.1.0\n{other}"
    manifest.write_text(before)
    assert "98 packages of pypi added" in started("pypi", manifest)
    assert manifest.read_text().startswith(before)
    names = [one.name for one in load_manifest(manifest).sources]
    assert "pypi/requests" in names
    assert "six" not in names
    after = manifest.read_bytes()
    assert "0 packages of pypi added" in started("pypi", manifest)
    assert manifest.read_bytes() == after


def test_what_cannot_be_added_to_is_left_alone(manifest: Path) -> None:
    manifest.write_text("sources: [pkg:pypi/numpy]\n")
    ended = winnow("index", "starter", "pypi", "--manifest", manifest, cwd=manifest.parent)
    assert "cannot add to a file in this form" in ended.complaint(2)[0]
    assert manifest.read_text() == "sources: [pkg:pypi/numpy]\n"
    ended = winnow("index", "starter", "pipy", "--manifest", manifest, cwd=manifest.parent)
    assert "pypi" in "".join(ended.complaint(2))
