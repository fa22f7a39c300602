"""Fixtures of the tests of a release: what is published, built once for all processes of a test run."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest
from filelock import FileLock

from support.distributions import ROOT, build
from support.https import serving
from support.installations import BESIDE, run, tools
from support.python_index import PythonIndex
from support.releasing import make_release
from support.repository import Checkout

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path
    from typing import Any

    Once = Callable[[str, Callable[[Path], Any]], Path]


@pytest.fixture(scope="session")
def once(tmp_path_factory: pytest.TempPathFactory, worker_id: str) -> Once:
    """Make a folder, unless another process of the test run has made it."""
    own = tmp_path_factory.getbasetemp()
    shared = own if worker_id == "master" else own.parent

    def made(name: str, make: Callable[[Path], Any]) -> Path:
        folder, done = shared / name, shared / f"{name}.done"
        with FileLock(f"{folder}.lock"):
            if not done.exists():
                make(folder)
                done.touch()
        return folder

    return made


@pytest.fixture(scope="session")
def built(once: Once) -> Path:
    """A folder with the sdist and the wheel that was built from it, where there is no git."""
    return once("dist", lambda folder: build(ROOT, folder))


@pytest.fixture(scope="session")
def sdist(built: Path) -> Path:
    (found,) = built.glob("*.tar.gz")
    return found


@pytest.fixture(scope="session")
def wheel(built: Path) -> Path:
    (found,) = built.glob("*.whl")
    return found


@pytest.fixture(scope="session")
def released(once: Once) -> Checkout:
    """A clone with an owner, with dist/ and a tag."""
    return Checkout(once("release", make_release))


@pytest.fixture(scope="session")
def index(released: Checkout) -> Iterator[PythonIndex]:
    """An index with these distributions, which sends for all others to the usual one."""
    with serving(None) as server:
        offered = PythonIndex(server, {})
        for file in (released.root / "dist").iterdir():
            offered.offer(file)
        offered.send_elsewhere()
        yield offered


@pytest.fixture(scope="session")
def beside(index: PythonIndex) -> dict[str, str]:
    """Settings by which installers ask this index."""
    address = f"{index.server.url}/simple"
    return {"PIP_INDEX_URL": address, "UV_EXTRA_INDEX_URL": address, "PIPX_DEFAULT_BACKEND": "pip"}


@pytest.fixture(scope="session")
def installed(once: Once, beside: dict[str, str]) -> dict[str, str]:
    """Settings by which a shell finds winnow-ci, installed by its name."""

    def install(folder: Path) -> None:
        folder.mkdir()
        pipx = [BESIDE / "pipx", "install", "--quiet", "--python", sys.executable, "winnow-ci"]
        run(pipx, folder, {**tools(folder), **beside})

    return {**tools(once("installed", install)), **beside}
