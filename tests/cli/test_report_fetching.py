"""The text of a source that no index keeps comes from the cache, and is fetched only if that is asked for."""

from __future__ import annotations

import gzip
import json
import shutil
from typing import TYPE_CHECKING

import pytest

from support.command import Ended, winnow
from support.donor import LOGS, SHORTEST_ROUTE
from support.https import serving
from support.python_index import PythonIndex
from support.repository import Checkout

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from support.manifest import Project

MARK = "nobody would guess this remark"
CODE = SHORTEST_ROUTE.text.replace("    came_from = {}\n", f"    came_from = {{}}  # {MARK}\n")


@pytest.fixture
def packages(monkeypatch: pytest.MonkeyPatch) -> Iterator[PythonIndex]:
    with serving(None) as server:
        found = PythonIndex(server, {})
        found.use(monkeypatch)
        found.publish("paths", "1.0", CODE)
        found.publish("logs", "1.0", LOGS)
        yield found


@pytest.fixture
def synced(project: Project, packages: PythonIndex) -> Project:
    """A repository with an index that keeps no text, a file that was copied, and the JSON report of its scan."""
    assert packages.files
    project.declare("pkg:pypi/paths", "pkg:pypi/logs")
    project.synced()
    checkout = Checkout.create(project.root)
    checkout.commit({"README": "words\n"})
    checkout.write("src/plan.py", SHORTEST_ROUTE.text)
    assert scanned(project, "json:../stored.json").status == 1
    return project


def scanned(project: Project, *formats: str) -> Ended:
    asked = [part for one in formats for part in ("--format", one)]
    return winnow("scan", "--index", project.index, *asked, "src", cwd=project.root)


def page(project: Project) -> str:
    return (project.root.parent / "page.html").read_text(encoding="utf-8")


def reported(project: Project, *options: str, **settings: str) -> Ended:
    stored = project.root.parent / "stored.json"
    return winnow("report", stored, "--format", "html:../page.html", *options, cwd=project.root, **settings)


def test_the_cache_serves_scan_explain_and_report(synced: Project, packages: PythonIndex) -> None:
    asked = len(packages.server.requests)
    before = synced.index.read_bytes(), synced.lock.read_bytes()
    scan = scanned(synced, "html:../page.html", "json:../again.json")
    direct = page(synced)
    assert (scan.status, MARK in direct, "is not here" in scan.errors) == (1, True, False)
    assert reported(synced).status == 0
    assert page(synced) == direct
    report = json.loads((synced.root.parent / "stored.json").read_text())
    explained = winnow("explain", report["findings"][0]["id"], "src", "--index", synced.index, cwd=synced.root)
    assert MARK in explained.output
    assert len(packages.server.requests) == asked
    assert (synced.index.read_bytes(), synced.lock.read_bytes()) == before


def test_a_text_report_does_not_look_into_the_cache(synced: Project) -> None:
    stored = synced.root.parent / "stored.json"
    later = winnow("report", stored, cwd=synced.root)
    assert MARK not in later.output
    assert later.output == winnow("scan", "--index", synced.index, "src", cwd=synced.root).output


def test_what_the_cache_lacks_is_fetched_only_if_asked_for(synced: Project, packages: PythonIndex, cache: Path) -> None:
    shutil.rmtree(cache)
    asked = len(packages.server.requests)
    found = reported(synced)
    assert (found.status, MARK in page(synced)) == (0, False)
    assert "the text of 1 file of paths 1.0 is not here" in found.errors
    assert "--source paths=DIR or --fetch" in found.errors
    assert len(packages.server.requests) == asked
    assert reported(synced, "--fetch").status == 0
    assert MARK in page(synced)
    assert {path for path in packages.server.paths()[asked:] if "logs" in path} == set(), "nobody needs it"


def test_a_source_that_cannot_be_fetched_is_an_error(synced: Project, packages: PythonIndex, cache: Path) -> None:
    shutil.rmtree(cache)
    packages.withdraw("paths")
    problem, remedy = reported(synced, "--fetch").complaint(3)
    assert "paths" in problem
    assert remedy


def test_a_lock_that_cannot_be_read_is_told(synced: Project) -> None:
    synced.lock.write_text("nonsense")
    found = reported(synced)
    assert found.status == 0
    assert "sources.lock" in found.errors
    assert MARK not in page(synced)


@pytest.mark.parametrize("damage", ["folder", "cut off"])
def test_a_cache_that_cannot_be_read_hinders_no_scan(synced: Project, cache: Path, damage: str) -> None:
    (kept,) = (
        path for path in cache.glob("files/*/*") if not path.suffix and b"paths" in gzip.decompress(path.read_bytes())
    )
    content = kept.read_bytes()
    kept.unlink()
    if damage == "folder":
        kept.mkdir()
    else:
        kept.write_bytes(content[:-40])
    found = scanned(synced, "html:../page.html")
    assert (found.status, MARK in page(synced)) == (1, False)
    assert "the text of 1 file of paths 1.0 is not here" in found.errors


def test_a_lock_that_pins_other_code_shows_nothing_of_it(synced: Project, packages: PythonIndex) -> None:
    """The cache has it, but it is not what was indexed."""
    packages.publish("paths", "1.1", CODE.replace(MARK, "another remark"))
    shutil.copy(synced.index, synced.root.parent / "old.db")
    assert synced.sync("--upgrade", "paths").status == 0
    found = reported(synced, "--index", "../old.db")
    assert found.status == 0
    assert "another remark" not in page(synced)
    assert "paths: paths.py changed since it was indexed, so it is not shown" in found.errors
