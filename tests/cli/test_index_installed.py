"""``index add --installed``: each installed package is a source, with its own name, version and licence; offline."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from support.command import winnow
from support.donor import LOGS, ROUTES
from support.manifest import Project, states
from support.windows import HERE

if TYPE_CHECKING:
    from pathlib import Path

    from support.command import Ended


def install(project: Project, name: str, version: str, licence: str, code: str) -> None:
    folder = project.root / "node_modules" / name
    folder.mkdir(parents=True, exist_ok=True)
    described = {"name": name, "version": version, "license": licence}
    (folder / "package.json").write_text(json.dumps(described))
    (folder / "code.py").write_text(code)


@pytest.fixture
def installed(project: Project) -> Project:
    install(project, "roads", "1.0.0", "MIT", ROUTES)
    install(project, "@pier/logs", "2.0.0", "GPL-3.0-only", LOGS)
    install(project, "tiny", "1.0.0", "MIT", "x = 1\n")
    return project


def add(project: Project, *arguments: str | Path) -> Ended:
    return winnow("index", "add", *arguments, cwd=project.root)


def test_each_package_is_a_source(installed: Project) -> None:
    done = add(installed, "--installed")
    assert states(done) == {"installed packages": "added"}
    assert "2 packages" in done.output
    assert "licences of 2 packages: 1 GPL-3.0-only, 1 MIT" in done.errors
    assert installed.sources() == {"npm:roads": ("1.0.0", "MIT"), "npm:@pier/logs": ("2.0.0", "GPL-3.0-only")}
    assert "  - installed: ..\n" in installed.manifest.read_text()
    (installed.root / "own.py").write_text(LOGS)
    checked = winnow("check", "own.py", "--index", installed.index, "--format", "json", cwd=installed.root)
    (finding,) = checked.findings()
    assert (finding["path"], finding["source"]["name"]) == ("own.py", "npm:@pier/logs")
    assert finding["source"]["purl"] == "pkg:npm/%40pier/logs@2.0.0"


def test_a_newer_version_takes_the_place_of_the_old_one(installed: Project) -> None:
    add(installed, "--installed", "node_modules")
    assert installed.synced("--frozen") == {"installed packages": "unchanged"}
    install(installed, "roads", "1.1.0", "MIT", ROUTES + LOGS)
    changed = winnow("index", "sync", "--frozen", cwd=installed.root)
    problem, remedy = changed.complaint(2)
    assert "node_modules differs from the content that the lock pins" in problem
    assert "without --frozen" in remedy
    assert installed.synced() == {"installed packages": "replaced"}
    assert installed.sources() == {"npm:roads": ("1.1.0", "MIT"), "npm:@pier/logs": ("2.0.0", "GPL-3.0-only")}


def test_several_versions_and_ecosystems_have_names_of_their_own(installed: Project) -> None:
    nested = installed.root / "node_modules" / "roads" / "node_modules"
    (nested / "roads").mkdir(parents=True)
    (nested / "roads" / "package.json").write_text('{"name": "roads", "version": "0.9.0"}')
    (nested / "roads" / "code.py").write_text(ROUTES)
    crate = installed.root / "vendor" / "roads"
    crate.mkdir(parents=True)
    (crate / "Cargo.toml").write_text('[package]\nname = "roads"\nversion = "0.1.0"\nlicense = "MPL-2.0"\n')
    (crate / ".cargo-checksum.json").write_text("{}")
    (crate / "lib.py").write_text(ROUTES)
    add(installed, "--installed")
    assert installed.sources() == {
        "npm:roads@1.0.0": ("1.0.0", "MIT"),
        "npm:roads@0.9.0": ("0.9.0", "unknown"),
        "cargo:roads": ("0.1.0", "MPL-2.0"),
        "npm:@pier/logs": ("2.0.0", "GPL-3.0-only"),
    }


def test_a_folder_of_packages_needs_no_option(installed: Project) -> None:
    assert states(add(installed, "./node_modules")) == {"installed packages": "added"}
    assert set(installed.sources()) == {"npm:roads", "npm:@pier/logs"}


def test_a_package_in_several_folders_is_one_source(installed: Project) -> None:
    other = Project(installed.root / "other")
    install(other, "roads", "1.0.0", "MIT", ROUTES)
    install(other, "logs", "3.0.0", "MIT", LOGS)
    installed.declare("{path: ../../roads, name: roads}")
    add(installed, "--installed", "node_modules")
    assert states(add(installed, "--installed", "other")) == {"roads": "unchanged", "installed packages": "replaced"}
    assert set(installed.sources()) == {"roads", "npm:roads", "npm:@pier/logs", "npm:logs"}
    assert states(add(installed, "--installed", "other"))["installed packages"] == "unchanged"
    assert installed.synced("--frozen")["installed packages"] == "unchanged"


def test_all_that_is_installed_has_the_same_options(project: Project) -> None:
    project.declare("{installed: ../node_modules}", "{installed: ../vendor, boilerplate: true}")
    problem, remedy = winnow("index", "sync", cwd=project.root).complaint(2)
    assert problem.startswith(".winnow/sources.yml:3: ")
    assert remedy == "write the same for all of them"


def test_a_folder_that_is_described_is_one_source(installed: Project) -> None:
    add(installed, "./node_modules", "--name", "theirs", "--version", "1")
    assert installed.sources() == {"theirs": ("1", "unknown")}


def test_a_folder_in_your_home_is_named_from_there(installed: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    home = installed.root.parent / "home"
    home.mkdir()
    (installed.root / "node_modules").rename(home / "node_modules")
    monkeypatch.setenv("USERPROFILE" if HERE else "HOME", str(home))
    add(installed, "--installed", home / "node_modules")
    assert "  - installed: ~/node_modules\n" in installed.manifest.read_text()
    assert set(installed.sources()) == {"npm:roads", "npm:@pier/logs"}


def test_nothing_is_installed(project: Project) -> None:
    problem, remedy = add(project, "--installed").complaint(2)
    assert problem.endswith("no installed packages here")
    assert "install them first" in remedy
    problem, _ = add(project, "--installed", "../roads").complaint(3)
    assert problem.endswith("roads: no installed packages here")
    assert not project.manifest.exists()


def test_no_source_is_named(project: Project) -> None:
    problem, remedy = add(project).complaint(2)
    assert problem == "no source is named"
    assert "--installed" in remedy


@pytest.mark.parametrize("key", ["name: a", "version: '1'", "license: MIT", "paths: {exclude: [a]}"])
def test_what_is_for_one_source_is_refused(key: str, project: Project) -> None:
    project.manifest.write_text(f"sources:\n  - installed: ../node_modules\n    {key}\n")
    problem, _ = winnow("index", "sync", cwd=project.root).complaint(2)
    assert f"{key.partition(':')[0]} is for one source" in problem
