"""``index sync``: an index that follows from a manifest and a lock."""

from __future__ import annotations

import os
import re
import shutil
import sqlite3
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING

import pytest

from support.donor import INNOCENT, LOGS, ROUTES
from support.forged_indexes import content_rows
from support.https import serving
from support.indexes import make_of_other_tables
from support.manifest import Project
from support.python_index import PythonIndex
from winnow_ci.config.manifest import load_manifest
from winnow_ci.index import HeldFile, IndexDraft, WholeIndex
from winnow_ci.indexer.syncing import SyncOptions, SyncProgress
from winnow_ci.operations.indexing import synchronise

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from winnow_ci.model import Progress

ROADS, ARCHIVE = "{path: ../../roads, license: MIT}", "{path: ../../logs-1.0.tar.gz, name: logs}"


@pytest.fixture
def packages(monkeypatch: pytest.MonkeyPatch) -> Iterator[PythonIndex]:
    """An index of packages with ``paths`` in versions 1.0 and 1.1 and a pre-release."""
    with serving(None) as server:
        found = PythonIndex(server, {})
        found.use(monkeypatch)
        for version in ("1.0", "1.1", "2.0rc1"):
            found.publish("paths", version, f"VERSION = {version!r}\n{ROUTES}")
        yield found


def test_a_package_is_pinned_and_fetched_once(project: Project, packages: PythonIndex) -> None:
    project.declare("pkg:pypi/paths")
    assert project.synced() == {"paths": "added"}
    assert project.sources()["paths"][0] == "1.1"
    asked = len(packages.server.requests)
    assert asked
    packages.publish("paths", "1.2", ROUTES)
    assert project.synced() == {"paths": "unchanged"}
    assert len(packages.server.requests) == asked
    assert project.synced("--upgrade", "paths") == {"paths": "replaced"}
    assert project.sources()["paths"][0] == "1.2"


def test_an_upgrade_to_the_same_changes_nothing(project: Project, packages: PythonIndex) -> None:
    project.declare("pkg:pypi/paths", ROADS)
    project.synced()
    before = project.index.stat().st_mtime_ns
    assert project.synced("--upgrade") == {"paths": "unchanged", "roads": "unchanged"}
    assert project.index.stat().st_mtime_ns == before
    problem, remedy = project.sync("--upgrade", "path").complaint(2)
    assert problem.endswith("has no source 'path'")
    assert "paths" in remedy


def test_the_same_lock_gives_the_same_index_elsewhere(project: Project, packages: PythonIndex, tmp_path: Path) -> None:
    project.declare(
        "{purl: pkg:pypi/paths, with-text: true}", ROADS, "{path: ../../logs-1.0.tar.gz, boilerplate: true}"
    )
    project.manifest.write_text(f"k: 20\nw: 8\n{project.manifest.read_text()}")
    project.synced()
    packages.publish("paths", "1.2", ROUTES)
    elsewhere = Project.create(tmp_path / "elsewhere")
    elsewhere.manifest.write_bytes(project.manifest.read_bytes())
    elsewhere.lock.write_bytes(project.lock.read_bytes())
    elsewhere.synced("--frozen", WINNOW_CI_CACHE_DIR=str(tmp_path / "another"))
    assert elsewhere.index.read_bytes() == project.index.read_bytes()
    assert elsewhere.lock.read_bytes() == project.lock.read_bytes()


def test_licences_are_those_that_the_lock_has(project: Project, tmp_path: Path) -> None:
    roads = project.root.parent / "roads"
    (roads / "package.json").write_text('{"name": "roads", "license": "MIT"}')
    (roads / "vendor").mkdir()
    (roads / "vendor" / "package.json").write_text('{"name": "logs", "license": "0BSD"}')
    (roads / "vendor" / "logs.py").write_text(LOGS)
    (roads / "own.py").write_text(f"# SPDX-License-Identifier: Zlib\n{INNOCENT}")
    project.declare("{path: ../../roads, paths: {include: ['*.py']}}")
    project.synced()
    assert project.sources() == {"roads": (None, "MIT")}
    assert "    license: MIT\n    license-from: package.json\n" in project.lock.read_text()
    before = project.index.read_bytes()
    project.index.unlink()
    project.synced("--frozen")
    assert project.index.read_bytes() == before
    assert project.synced() == {"roads": "unchanged"}
    assert project.synced("--upgrade") == {"roads": "unchanged"}
    with closing(sqlite3.connect(project.index)) as connection:
        own = {file.path: file.license for row in content_rows(connection).values() for file in row.files}
    assert own == {b"routes.py": None, b"vendor/logs.py": "0BSD", b"own.py": "Zlib"}
    project.declare("{path: ../../roads, license: ISC, paths: {include: ['*.py']}}")
    assert project.synced() == {"roads": "replaced"}
    with closing(sqlite3.connect(project.index)) as connection:
        own = {file.path: file.license for row in content_rows(connection).values() for file in row.files}
    assert own == {b"routes.py": None, b"vendor/logs.py": None, b"own.py": "Zlib"}
    assert "license-from" not in project.lock.read_text()


def test_what_changes_in_the_manifest_alone_asks_nobody(project: Project, packages: PythonIndex) -> None:
    project.declare("pkg:pypi/paths")
    project.synced()
    asked = len(packages.server.requests)
    for keys in ("license: 0BSD", "license: 0BSD, version: old", "with-text: true", "boilerplate: true", "name: p"):
        project.declare(f"{{purl: pkg:pypi/paths, {keys}}}")
        assert "replaced" in project.synced("--offline").values() or keys == "name: p"
    assert len(packages.server.requests) == asked
    assert set(project.sources()) == {"p"}


def test_what_can_be_had_is_kept_and_what_cannot_is_named_at_the_end(project: Project, packages: PythonIndex) -> None:
    project.declare(ROADS)
    project.synced()
    before = project.index.read_bytes()
    project.declare(ROADS, "pkg:pypi/nowhere", "pkg:pypi/paths", "pkg:cargo/serde")
    ended = project.sync()
    problem, remedy = ended.complaint(3)
    assert problem == "2 sources could not be fetched: nowhere, serde"
    assert "the index is unchanged" in remedy
    assert ".winnow/sources.yml:3: nowhere: pkg:pypi/nowhere: " in ended.errors
    # Cargo may have no Rust in the empty home of a test.
    assert re.search(r"sources\.yml:5: serde: pkg:cargo/serde: |: cargo does not work on this machine: ", ended.errors)
    # An index without one of its sources would look clean where it should not.
    assert project.index.read_bytes() == before
    assert project.sync("--check").status == 1
    # The next one asks for what is missing and for nothing else: the others are pinned, and in the cache.
    packages.publish("nowhere", "1.0", LOGS)
    asked = len(packages.server.paths())
    project.declare(ROADS, "pkg:pypi/nowhere", "pkg:pypi/paths")
    assert project.synced() == {"roads": "unchanged", "nowhere": "added", "paths": "added"}
    assert len(packages.server.paths()) > asked
    assert all("nowhere" in path for path in packages.server.paths()[asked:])


def test_of_a_source_that_cannot_be_fetched_the_old_version_stays(project: Project, packages: PythonIndex) -> None:
    project.declare("pkg:pypi/paths@1.0", ROADS)
    project.synced()
    lock = project.lock.read_bytes()
    packages.withdraw("paths")
    (project.root.parent / "roads" / "more.py").write_text(LOGS)
    ended = project.sync("--upgrade", "paths")
    assert (ended.status, ended.output.split("\n")[1].split()[-1]) == (3, "replaced")
    problem, remedy = ended.last_words()
    assert problem.startswith(".winnow/sources.yml:2: paths: ")
    assert remedy.endswith("; all other sources in the index are up to date, and these are unchanged")
    assert ended.output.split("\n")[0].split()[-2:] == ["not", "fetched"]
    assert project.sources()["paths"][0] == "1.0"
    # What the lock pins stays pinned; the folder has changed.
    assert project.lock.read_bytes() != lock
    assert project.synced() == {"paths": "unchanged", "roads": "unchanged"}


def test_progress_says_which_of_how_many(project: Project) -> None:
    project.declare(ROADS)
    project.synced()
    project.declare(ROADS, ARCHIVE, "{path: ../../roads, name: again}")
    told: list[str] = []

    @contextmanager
    def counting(what: str, unit: str) -> Iterator[Progress]:
        told.append(f"{what} ({unit})")
        yield lambda done, total: None

    synchronise(load_manifest(project.manifest), SyncOptions(), SyncProgress(counting, lambda error: None))
    assert told == [
        "1/2 fetching logs (B)", "2/2 fetching again (B)",
        "1/2 fingerprinting logs (B)", "2/2 fingerprinting again (B)", "writing ( blocks)",
    ]  # fmt: skip


def test_if_nothing_can_be_had_nothing_changes(project: Project, packages: PythonIndex) -> None:
    project.declare(ROADS)
    project.synced()
    before = {path: path.read_bytes() for path in (project.manifest.parent).iterdir() if path != project.manifest}
    project.declare(ROADS, "pkg:pypi/nowhere")
    problem, remedy = project.sync().complaint(3)
    assert problem.startswith(".winnow/sources.yml:3: nowhere: ")
    assert "the index is unchanged" in remedy
    after = {path: path.read_bytes() for path in (project.manifest.parent).iterdir() if path != project.manifest}
    assert after == before


def test_offline_all_must_be_here(project: Project, packages: PythonIndex, cache: Path) -> None:
    project.declare("pkg:pypi/paths")
    problem, _ = project.sync("--offline").complaint(3)
    assert problem == ".winnow/sources.yml:2: paths: pkg:pypi/paths is not pinned, and --offline forbids the look-up"
    project.synced()
    project.index.unlink()
    assert project.synced("--offline") == {"paths": "added"}
    project.index.unlink()
    shutil.rmtree(cache)
    problem, remedy = project.sync("--offline").complaint(3)
    assert (
        problem == ".winnow/sources.yml:2: paths: pkg:pypi/paths is not in the cache, and --offline forbids fetching it"
    )
    assert remedy.startswith("run it without --offline")


def test_what_is_pinned_and_is_something_else_now_is_refused(
    project: Project, packages: PythonIndex, cache: Path
) -> None:
    project.declare("pkg:pypi/paths@1.0")
    project.synced()
    project.index.unlink()
    shutil.rmtree(cache)
    packages.publish("paths", "1.0", LOGS)
    problem, _ = project.sync().complaint(3)
    assert "has the sha256" in problem
    packages.withdraw("paths")
    assert project.sync().status == 3


def test_an_index_that_somebody_has_made_up_is_made_anew(project: Project) -> None:
    project.declare(ROADS)
    project.synced()
    after = project.index.read_bytes()
    with WholeIndex(project.index) as index:
        (roads,) = index.sources
        parameters, front_ends = index.parameters, index.front_ends
        draft = IndexDraft(parameters, front_ends, index.tables)
        draft.keep(index, without={"roads"})
        _, row = next(index.all_contents())
        for name in ("one", "two"):
            draft.add_file(roads._replace(name=name), HeldFile(row.key, b"x.py"))
        made = project.root / "made.db"
        draft.write(made)
    made.replace(project.index)
    assert project.synced() == {"roads": "added", "one": "removed", "two": "removed"}
    assert project.index.read_bytes() == after


def test_an_index_made_with_other_tables_is_made_anew(project: Project) -> None:
    project.declare(ROADS)
    project.synced()
    after = project.index.read_bytes()
    make_of_other_tables(project.index)
    ended = project.sync()
    assert ended.status == 0
    assert "was made with revision 0123456789ab of the learnt tables" in ended.errors
    assert project.index.read_bytes() == after
    assert project.synced() == {"roads": "unchanged"}


@pytest.mark.parametrize("content", [b"", b"no index", b"SQLite format 3\0" + bytes(8000)])
def test_what_is_no_index_is_not_written_over(project: Project, content: bytes) -> None:
    project.declare(ROADS)
    project.index.write_bytes(content)
    assert project.sync().status == 3
    assert project.index.read_bytes() == content


# ---- conflicts and hostile files -------------------------------------------------------------------------------


HOSTILE = {
    "/dev/zero": 3,
    "/dev/stdin": 3,
    "../../pipe": 3,
    "../../nowhere": 3,
    "..": 2,
    "../../..": 2,
    "/": 2,
    "../../roads/routes.py": 3,
}


@pytest.mark.parametrize(("path", "status"), HOSTILE.items(), ids=list(HOSTILE))
def test_paths_that_are_no_sources(project: Project, path: str, status: int) -> None:
    os.mkfifo(project.root.parent / "pipe")
    project.declare(f"{{path: {path}, name: x}}")
    problem, _ = project.sync().complaint(status)
    assert problem.startswith(".winnow/sources.yml:2: x: ")
    assert not project.index.exists()


def test_names_of_files_do_not_act_on_a_terminal(project: Project) -> None:
    folder = project.root.parent / "roads"
    (folder / "a\n::error::\x1b[31m.py").write_text(LOGS)
    (folder / os.fsdecode(b"\xff.py")).write_text(INNOCENT)
    project.declare('{path: ../../roads, name: "two ##[group]\u202enames"}')
    ended = project.sync()
    assert ended.status == 0
    for said in (ended.output, ended.errors):
        assert "\x1b" not in said
        assert "\u202e" not in said
        assert "##[" not in said
    assert project.synced() == {r"two #\x23[group]\u202enames": "unchanged"}


def test_links_are_no_way_out(project: Project) -> None:
    outside = project.root.parent / "outside"
    outside.mkdir()
    (outside / "precious").write_text("precious")
    project.lock.symlink_to(outside / "lock")
    project.declare(ROADS)
    assert project.sync().status == 2
    project.lock.unlink()
    project.index.symlink_to(outside / "precious")
    assert project.sync().status == 3
    project.index.unlink()
    (project.manifest.parent / "sub").symlink_to(outside)
    project.manifest.write_text(f"index: sub/index.db\n{project.manifest.read_text()}")
    problem, _ = project.sync().complaint(2)
    assert problem.endswith("lies behind a symbolic link")
    assert [path.name for path in outside.iterdir()] == ["precious"]
