"""Fixtures of the tests of the action: an installation, which takes long, is made once for all of them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from filelock import FileLock

from support.action import COPY, ELSEWHERE, Job, Ran, Runner
from support.command import build
from support.donor import BASE, CHANGE, LOGS, write_known
from support.forge import Forge

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="session")
def installation(tmp_path_factory: pytest.TempPathFactory, worker_id: str) -> Ran:
    """What the step ``install`` has left behind, once for all processes of a test run."""
    own = tmp_path_factory.getbasetemp()
    shared = own if worker_id == "master" else own.parent
    record = shared / "installation.json"
    with FileLock(f"{record}.lock"):
        if not record.exists():
            (shared / "runner").mkdir()
            ran = Job(shared, shared / "runner", {}).run("install")
            record.write_text(json.dumps([ran.status, ran.log, ran.outputs, ran.summary]))
    return Ran(*json.loads(record.read_text()))


@pytest.fixture(scope="session")
def known(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An index of known code, not to be changed."""
    folder = tmp_path_factory.mktemp("known")
    build(write_known(folder / "source"), folder / "known.db", "--license", "GPL-3.0-only")
    return folder / "known.db"


@pytest.fixture
def runner(tmp_path: Path, installation: Ran, known: Path) -> Runner:
    """A runner, and a pull request that copies; the branch has moved on, and copied as well, since it was opened."""
    copied = "".join(CHANGE.values())
    forge = Forge.create(tmp_path, dict(BASE), {COPY: copied}, {ELSEWHERE: LOGS})
    return Runner(forge, tmp_path, known, installation.outputs["python"])
