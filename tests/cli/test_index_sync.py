"""``index sync``: an index that follows from a manifest and a lock."""

from __future__ import annotations

import os
import re
import shutil
import sqlite3
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING

import pytest

from support.command import winnow
from support.donor import INNOCENT, LOGS, ROUTES
from support.forged_indexes import content_rows
from support.https import serving
from support.indexes import make_of_other_tables
from support.manifest import Project
from support.python_index import PythonIndex
from support.repository import Checkout
from winnow_ci.config.manifest import load_manifest
from winnow_ci.index import HeldFile, IndexDraft, WholeIndex
from winnow_ci.indexer.planning import SyncOptions
from winnow_ci.indexer.syncing import SyncProgress
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


def test_sources_are_added_kept_replaced_and_removed(project: Project) -> None:
    project.declare(ROADS, ARCHIVE)
    assert project.synced() == {"roads": "added", "logs": "added"}
    assert set(project.sources()) == {"roads", "logs"}
    before = project.index.read_bytes()
    assert project.synced() == {"roads": "unchanged", "logs": "unchanged"}
    assert project.index.read_bytes() == before
    (project.root.parent / "roads" / "more.py").write_text(LOGS)
    assert project.synced() == {"roads": "replaced", "logs": "unchanged"}
    project.declare(ARCHIVE)
    assert project.synced() == {"logs": "unchanged", "roads": "removed"}
    assert set(project.sources()) == {"logs"}
    assert project.paths() == ["logs.py", "other.py"]


def test_the_order_and_the_comments_of_a_manifest_are_no_matter(project: Project) -> None:
    project.declare(ROADS, ARCHIVE)
    project.synced()
    lock, changed = project.lock.read_bytes(), project.index.stat().st_mtime_ns
    project.manifest.write_text(f"# ours\nsources:\n  - {ARCHIVE}  # logs\n\n  - {ROADS}\n")
    assert set(project.synced().values()) == {"unchanged"}
    assert project.lock.read_bytes() == lock
    assert project.index.stat().st_mtime_ns == changed


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


def test_what_cannot_be_used_is_made_of_the_manifest(project: Project) -> None:
    project.declare(ROADS)
    Checkout.create(project.root)
    (project.root / "a.py").write_text(ROUTES)
    problem, remedy = winnow("scan", "--all", "--index", project.index, cwd=project.root).complaint(3)
    assert problem.startswith("no index at ")
    assert remedy == "build it from its manifest: winnow-ci index sync"
    project.synced()
    assert winnow("scan", "--all", "--index", project.index, cwd=project.root).status == 1
    with closing(sqlite3.connect(project.index, isolation_level=None)) as connection:
        connection.execute("PRAGMA user_version = 1")
    for command in (("scan", "--all", "--index", project.index), ("index", "sync")):
        _, remedy = winnow(*command, cwd=project.root).complaint(3)
        assert remedy == "delete it, then build it from its manifest: winnow-ci index sync"
    project.index.unlink()
    assert project.synced() == {"roads": "added"}


def test_an_index_grown_step_by_step_is_that_made_at_once(project: Project, tmp_path: Path) -> None:
    for sources in ((ARCHIVE,), (ARCHIVE, ROADS), (ROADS,), (ROADS, ARCHIVE)):
        project.declare(*sources)
        project.synced()
    grown = project.index.read_bytes()
    project.index.unlink()
    project.synced()
    assert project.index.read_bytes() == grown


def test_paths_to_take_and_to_leave(project: Project) -> None:
    project.declare(ARCHIVE)
    project.synced()
    project.declare(ARCHIVE.replace("}", ", paths: {exclude: [other.py]}}"))
    assert project.synced() == {"logs": "replaced"}
    assert project.paths() == ["logs.py"]
    project.declare(ARCHIVE.replace("}", ", paths: {include: ['o*'], exclude: [logs.py]}}"))
    assert project.synced() == {"logs": "replaced"}
    assert project.paths() == ["other.py"]
    project.declare(ARCHIVE.replace("}", ", paths: {include: [src]}}"))
    problem, _ = project.sync().complaint(2)
    assert problem == ".winnow/sources.yml:2: logs: paths: none of the 2 files of logs match"
    assert project.paths() == ["other.py"]


def test_what_changes_in_the_manifest_alone_asks_nobody(project: Project, packages: PythonIndex) -> None:
    project.declare("pkg:pypi/paths")
    project.synced()
    asked = len(packages.server.requests)
    for keys in ("license: 0BSD", "license: 0BSD, version: old", "with-text: true", "boilerplate: true", "name: p"):
        project.declare(f"{{purl: pkg:pypi/paths, {keys}}}")
        assert "replaced" in project.synced("--offline").values() or keys == "name: p"
    assert len(packages.server.requests) == asked
    assert set(project.sources()) == {"p"}


def test_a_licence_in_the_manifest_is_the_licence(project: Project) -> None:
    project.declare(ROADS)
    project.synced()
    assert project.sources()["roads"][1] == "MIT"
    project.declare(ROADS.replace("MIT", "gpl-2.0-only or mit"))
    assert project.synced() == {"roads": "replaced"}
    assert project.sources()["roads"][1] == "GPL-2.0-only OR MIT"


def test_frozen_takes_what_the_lock_pins_and_nothing_else(project: Project, packages: PythonIndex) -> None:
    project.declare(ROADS)
    problem, remedy = project.sync("--frozen").complaint(2)
    assert problem == ".winnow/sources.yml and its lock disagree about roads"
    assert remedy == "run winnow-ci index sync without --frozen, and commit both files"
    project.synced()
    project.index.unlink()
    assert project.synced("--frozen") == {"roads": "added"}
    (project.root.parent / "roads" / "more.py").write_text(LOGS)
    problem, _ = project.sync("--frozen").complaint(2)
    assert problem.endswith("../../roads differs from the content that the lock pins")
    project.declare(ROADS.replace("MIT", "0BSD"))
    assert project.sync("--frozen").status == 2
    project.declare(ROADS, "pkg:pypi/paths")
    assert project.sync("--frozen").status == 2
    assert packages.server.requests == []


def test_check_says_whether_anything_is_to_be_done(project: Project, packages: PythonIndex) -> None:
    project.declare(ROADS, "pkg:pypi/paths")
    asked = project.sync("--check")
    assert asked.status == 1
    assert "roads  to be added" in asked.output
    assert not project.index.exists()
    project.synced()
    assert project.sync("--check").status == 0
    lock = project.lock.read_text()
    project.lock.unlink()
    assert project.sync("--check").status == 1
    project.lock.write_text(lock)
    (project.root.parent / "roads" / "routes.py").write_text(LOGS)
    asked = project.sync("--check")
    assert (asked.status, asked.output.splitlines()[0]) == (1, "roads  to be replaced")


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


def test_sources_that_were_built_by_hand_are_not_lost(project: Project) -> None:
    roads = project.root.parent / "roads"
    assert winnow("index", "build", roads, "--name", "mine", "--output", project.index, cwd=project.root).status == 0
    project.declare(ROADS)
    problem, remedy = project.sync().complaint(2)
    assert problem == ".winnow/index.db has sources that .winnow/sources.yml does not declare: mine"
    assert "index remove" in remedy
    project.declare(ROADS, ROADS.replace("MIT", "MIT, name: mine"))
    assert project.synced() == {"roads": "added", "mine": "replaced"}


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


def test_an_index_made_with_other_parameters_is_made_anew(project: Project) -> None:
    project.declare(ROADS)
    project.synced()
    (project.root / ".winnow.yml").write_text("k: 20\n")
    ended = project.sync()
    assert ended.status == 0
    assert "was made with other parameters (k, w or selection): rebuilding from scratch" in ended.errors
    assert "k: 20\n" in project.lock.read_text()
    assert project.synced() == {"roads": "unchanged"}


@pytest.mark.parametrize("content", [b"", b"no index", b"SQLite format 3\0" + bytes(8000)])
def test_what_is_no_index_is_not_written_over(project: Project, content: bytes) -> None:
    project.declare(ROADS)
    project.index.write_bytes(content)
    assert project.sync().status == 3
    assert project.index.read_bytes() == content


def test_without_sources_there_is_no_index(project: Project) -> None:
    project.declare(ROADS)
    project.synced()
    project.manifest.write_text("sources: []\n")
    problem, remedy = project.sync().complaint(2)
    assert problem.startswith(".winnow/sources.yml: no sources")
    assert "index add" in remedy
    assert set(project.sources()) == {"roads"}


def test_the_manifest_of_the_repository_is_found_from_a_folder_within(project: Project) -> None:
    Checkout.create(project.root)
    project.declare(ROADS)
    (project.root / "src" / "deep").mkdir(parents=True)
    assert winnow("index", "sync", cwd=project.root / "src" / "deep").status == 0
    assert set(project.sources()) == {"roads"}
    problem, _ = winnow("index", "sync", "--manifest", "none.yml", cwd=project.root).complaint(2)
    assert problem == "none.yml: No such file or directory"
    assert winnow("index", "sync", "--manifest", "x.lock", cwd=project.root).status == 2


# ---- conflicts and hostile files -------------------------------------------------------------------------------


def test_marks_of_a_conflict_are_told_with_the_way_out(project: Project) -> None:
    project.declare(ROADS)
    project.synced()
    project.manifest.write_text(f"sources:\n<<<<<<< HEAD\n- {ROADS}\n=======\n- {ARCHIVE}\n>>>>>>> theirs\n")
    problem, remedy = project.sync().complaint(2)
    assert problem == ".winnow/sources.yml:2: an unresolved merge conflict"
    assert "resolve the conflict" in remedy
    project.declare(ROADS, ARCHIVE)
    lock = project.lock.read_text()
    project.lock.write_text(lock.replace("- name", "<<<<<<< HEAD\n- name"))
    problem, remedy = project.sync().complaint(2)
    assert problem == ".winnow/sources.lock:8: an unresolved merge conflict"
    assert remedy.endswith("then run winnow-ci index sync")
    project.lock.write_text(lock)
    assert project.synced() == {"roads": "unchanged", "logs": "added"}


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


# ---- git -------------------------------------------------------------------------------------------------------


def test_a_repository_at_a_revision_and_at_all_tags(project: Project) -> None:
    upstream = Checkout.create(project.root.parent / "upstream")
    upstream.commit({"a.py": ROUTES})
    upstream.git("tag", "v1.0")
    project.declare("{git: ../../upstream, revision: main, name: head}", "{git: ../../upstream, all-tags: true}")
    assert project.synced() == {"head": "added", "upstream": "added"}
    assert set(project.sources()) == {"head", "upstream@1.0"}
    upstream.commit({"b.py": LOGS})
    upstream.git("tag", "v1.1")
    assert project.synced() == {"head": "unchanged", "upstream": "unchanged"}
    assert project.synced("--upgrade", "upstream") == {"head": "unchanged", "upstream": "replaced"}
    assert set(project.sources()) == {"head", "upstream@1.0", "upstream@1.1"}
    assert project.synced("--upgrade")["head"] == "replaced"
    project.declare("{git: ../../upstream, revision: v1.0, name: head}")
    assert project.synced() == {"head": "replaced", "upstream@1.0": "removed", "upstream@1.1": "removed"}
    assert project.sources()["head"][0] == "1.0"
    project.declare("{git: ../../upstream, revision: v9, name: head}")
    problem, _ = project.sync().complaint(3)
    assert problem.startswith(".winnow/sources.yml:2: head: ")
