"""``index add``: a source more in the manifest, the lock and the index, or in none of them."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

import pytest

from support.command import winnow
from support.debian import tarball
from support.donor import LOGS, ROUTES
from support.https import Authority, serving
from support.manifest import Project, states
from support.python_index import PythonIndex
from support.windows import UNHELD

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from support.command import Ended
    from support.https import Server


@pytest.fixture
def packages(monkeypatch: pytest.MonkeyPatch) -> Iterator[PythonIndex]:
    with serving(None) as server:
        found = PythonIndex(server, {})
        found.use(monkeypatch)
        found.publish("paths", "1.0", ROUTES)
        found.publish("logs", "2.0", LOGS)
        yield found


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    """One that has ``/logs-1.0.tar.gz``."""
    authority = Authority(tmp_path)
    for name, value in authority.trusted().items():
        monkeypatch.setenv(name, value)
    with serving(authority) as found:
        found.pages["/logs-1.0.tar.gz"] = tarball({"logs-1.0/logs.py": LOGS.encode()})
        yield found


def add(project: Project, *arguments: str | Path, cwd: Path | None = None) -> Ended:
    return winnow("index", "add", *arguments, cwd=cwd or project.root)


def test_two_packages_from_nothing(project: Project, packages: PythonIndex) -> None:
    project.manifest.parent.rmdir()
    assert states(add(project, "pkg:pypi/paths@1.0")) == {"paths": "added"}
    assert states(add(project, "pkg:pypi/logs")) == {"paths": "unchanged", "logs": "added"}
    assert project.manifest.read_text().splitlines()[1:] == ["sources:", "  - pkg:pypi/paths@1.0", "  - pkg:pypi/logs"]
    assert project.sources() == {"paths": ("1.0", "MIT"), "logs": ("2.0", "MIT")}
    assert sorted(path.name for path in project.manifest.parent.iterdir()) == [
        *("index.db", "sources.lock", "sources.yml"),
    ]
    assert project.synced("--frozen", "--offline") == {"paths": "unchanged", "logs": "unchanged"}


def test_an_archive_at_a_url_is_pinned_at_the_first_sync(project: Project, server: Server, cache: Path) -> None:
    url = f"{server.url}/logs-1.0.tar.gz"
    assert states(add(project, url)) == {"logs-1.0": "added"}
    digest = hashlib.sha256(server.pages["/logs-1.0.tar.gz"]).hexdigest()  # type: ignore[arg-type]
    assert digest in project.lock.read_text()
    assert digest not in project.manifest.read_text()
    server.pages["/logs-1.0.tar.gz"] = tarball({"logs-1.0/logs.py": ROUTES.encode()})
    assert project.synced() == {"logs-1.0": "unchanged"}
    for file in cache.rglob(digest):
        file.unlink()
    project.index.unlink()
    problem, _ = project.sync().complaint(3)
    assert "its sha256 is" in problem
    assert project.synced("--upgrade") == {"logs-1.0": "added"}
    problem, _ = add(project, url, "--name", "again", "--sha256", digest).complaint(3)
    assert "its sha256 is" in problem


def test_what_fails_changes_nothing(project: Project, packages: PythonIndex) -> None:
    assert add(project, "pkg:pypi/nowhere").status == 3
    assert list(project.manifest.parent.iterdir()) == []
    add(project, "pkg:pypi/paths")
    before = {path.name: path.read_bytes() for path in project.manifest.parent.iterdir()}
    (project.root.parent / "empty").mkdir()
    (project.root.parent / "prose").mkdir()
    (project.root.parent / "prose" / "data.bin").write_bytes(bytes(100))
    failing = {
        ("pkg:pypi/nowhere",): 3,
        ("pkg:composer/serde",): 2,
        ("../empty",): 3,
        ("../prose",): 3,
        ("../nowhere",): 2,
        ("..",): 2,
        ("../roads", "--license", "Mitt"): 2,
        ("../roads", "--include", "!x"): 2,
        ("../roads", "--include", "src"): 2,
        ("../roads", "--revision", "v1"): 3,
        ("https://example.org/x.git",): 2,
        ("http://example.org/x.tar.gz",): 2,
        ("ext::sh -c x", "--revision", "v1"): 2,
    }
    for arguments, status in failing.items():
        assert (add(project, *arguments).status, arguments) == (status, arguments)
        assert {path.name: path.read_bytes() for path in project.manifest.parent.iterdir()} == before


@pytest.mark.skipif(UNHELD, reason="root may write everywhere")
def test_where_nothing_can_be_written(project: Project) -> None:
    project.manifest.parent.chmod(0o500)
    try:
        assert add(project, "../roads").status == 3
        assert list(project.manifest.parent.iterdir()) == []
    finally:
        project.manifest.parent.chmod(0o700)
