"""What docs/organisation.md promises of a server, a key and a shared configuration, over some nights."""

from __future__ import annotations

import hashlib
import os
import re
import socket
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import yaml

from support.action import Event, Runner
from support.command import Ended, winnow
from support.donor import BASE, CHANGE
from support.forge import Forge
from support.https import Authority, Server, serving
from support.manifest import Project
from support.repository import Checkout

if TYPE_CHECKING:
    from collections.abc import Iterator

    from support.served import Published, ServedDatabase

PAGE = (Path(__file__).parents[2] / "docs" / "organisation.md").read_text(encoding="utf-8")
CONFIGURATION = "index: ['{uri}']\npolicy: {{deny: ['GPL-*', unknown]}}\nboilerplate: ['builtin:license-headers']\n"


@pytest.fixture
def repository(tmp_path: Path) -> Checkout:
    """A repository with copies that are committed on a branch."""
    made = Checkout.create(tmp_path / "repository")
    made.commit(dict(BASE))
    made.git("switch", "--quiet", "--create", "change")
    for path, text in CHANGE.items():
        made.write(path, text)
    return made


@pytest.fixture
def shared(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    """The server of shared configurations."""
    authority = Authority(tmp_path)
    for name, value in {**authority.trusted(), "WINNOW_CI_CACHE_DIR": str(tmp_path / "cache")}.items():
        monkeypatch.setenv(name, value)
    with serving(authority) as server:
        yield server


def night(project: Project, database: ServedDatabase) -> str:
    """Build and publish; gives the name to pin."""
    assert winnow("index", "sync", "--upgrade", cwd=project.root).status == 0
    uri = f"{database.uri('nightly')}#acme"
    published = winnow("index", "publish", ".winnow/index.db", uri, "--keep", "30", cwd=project.root)
    assert published.status == 0, published
    return published.output.strip()


def announced(server: Server, path: str, uri: str, cwd: Path) -> str:
    """Publish a shared configuration; gives the lines that extend it."""
    text = CONFIGURATION.format(uri=uri.replace("postgresql://", "postgresql://scanner@"))
    server.pages[path] = text.encode()
    (cwd / path.removeprefix("/")).write_text(text)
    return f"extends:\n  url: {server.url}{path}\n  sha256: {hashlib.sha256(text.encode()).hexdigest()}\n"


def test_a_new_root_reaches_a_repository_by_two_lines(
    database: ServedDatabase, repository: Checkout, shared: Server, tmp_path: Path
) -> None:
    project = Project.create(tmp_path)
    project.declare("{path: ../../roads, license: GPL-3.0-only}")
    first = night(project, database)
    assert night(project, database) == first
    repository.write(".winnow.yml", announced(shared, "/winnow-2026-11-23.yml", first, repository.root))
    assert scanned(repository).status == 1
    (tmp_path / "more").mkdir()
    (tmp_path / "more" / "greetings.py").write_text(CHANGE["src/greetings.py"])
    project.declare("{path: ../../roads, license: GPL-3.0-only}", "{path: ../../more, license: GPL-2.0-only}")
    second = night(project, database)
    assert second != first
    before = len(scanned(repository).findings())
    announced(shared, "/winnow-2026-11-30.yml", second, repository.root)
    script = re.findall(r"^(new=.*?)^winnow-ci scan", PAGE, re.MULTILINE | re.DOTALL)[0]
    script = script.replace("https://downloads.example.com", shared.url)
    subprocess.run(["bash", "-eu", "-c", script], cwd=repository.root, check=True)
    assert len(scanned(repository).findings()) > before
    # Whoever has not moved on still finds what was pinned.
    repository.write(".winnow.yml", announced(shared, "/winnow-2026-11-23.yml", first, repository.root))
    assert len(scanned(repository).findings()) == before


def scanned(repository: Checkout, *arguments: str, **settings: str) -> Ended:
    return winnow("scan", "--format", "json", *arguments, cwd=repository.root, **settings)


def test_a_key_that_has_leaked_is_replaced_and_roots_stay(
    published: Published, repository: Checkout, tmp_path: Path
) -> None:
    with published.database.copy("leaked") as database:
        uri = f"{database.uri()}#default@{published.root}"
        assert scanned(repository, "--index", uri).status == 1
        assert winnow("index", "key", "new.key", cwd=tmp_path).status == 0
        new = {"WINNOW_CI_INDEX_KEY": str(tmp_path / "new.key")}
        target = f"{database.uri('nightly')}#default"
        again = winnow("index", "publish", published.file, target, cwd=tmp_path, **new)
        assert again.output.strip().endswith(f"@{published.root}")
        assert [scanned(repository, "--index", uri, **key).status for key in ({}, new)] == [1, 1]
        assert winnow("index", "publish", published.file, target, "--keep", "0", cwd=tmp_path, **new).status == 0
        assert scanned(repository, "--index", uri, **new).status == 1
        problem, remedy = scanned(repository, "--index", uri).complaint(3)
        assert "a key other than yours" in problem
        assert "WINNOW_CI_INDEX_KEY" in remedy


def test_the_job_of_the_page_asks_the_server(published: Published, tmp_path: Path) -> None:
    """Its step that writes secrets to files, and the action with an index that the input names, in a first request."""
    text = PAGE.partition("# .github/workflows/winnow-ci.yml\n")[2].partition("```")[0]
    _, secrets, ours = yaml.safe_load(text)["jobs"]["winnow-ci"]["steps"]
    assert ours["with"] == {"extras": "postgresql"}
    folder = tmp_path / "runner"
    folder.mkdir()
    files = {"KEY": published.database.key, "PASSWORDS": published.database.passwords}
    assert files.keys() == secrets["env"].keys()
    given = {name: file.read_text().rstrip("\n") for name, file in files.items()}
    places = {"RUNNER_TEMP": str(folder), "GITHUB_ENV": str(folder / "env"), "PATH": os.environ["PATH"]}
    subprocess.run(["bash", "-eo", "pipefail", "-c", secrets["run"]], env={**given, **places}, check=True)
    variables = dict(line.split("=", 1) for line in (folder / "env").read_text().splitlines())
    assert variables.keys() == {"WINNOW_CI_INDEX_KEY", "PGPASSFILE"}
    assert {Path(file).stat().st_mode & 0o777 for file in variables.values()} == {0o600}
    # What the step before has installed: here that of the tests, which has psycopg.
    python = tmp_path / "environment" / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
    python.chmod(0o755)
    forge = Forge.create(tmp_path, dict(BASE), dict(CHANGE), {"other.py": "x = 1\n"})
    runner = Runner(forge, tmp_path, published.file, str(python))
    clone = runner.check_out(forge.merge, 2)
    job = runner.job(clone.root, Event("pull_request", forge.merge, "refs/pull/7/merge"), {"index": published.uri})
    ran = job.run("scan", **variables)
    assert ran.status == 1, ran
    assert f"digest {published.root}" in ran.summary
    refused = job.run("scan", **{**variables, "WINNOW_CI_INDEX_KEY": ""})
    assert (refused.status, "WINNOW_CI_INDEX_KEY" in refused.log) == (3, True), refused
    for secret in given.values():
        assert secret.strip() not in ran.log + ran.summary + refused.log


def test_hosts_are_tried_in_turn(published: Published, repository: Checkout) -> None:
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))
        dead = f"127.0.0.1:{nobody.getsockname()[1]}"
        uri = published.uri.replace("@", f"@{dead},", 1)
        assert scanned(repository, "--index", uri).status == 1
        alone = f"postgresql://scanner@{dead}/{published.database.name}#default@{published.root}"
        problem, _ = scanned(repository, "--index", alone).complaint(3)
        assert f"postgresql://{dead}/" in problem
