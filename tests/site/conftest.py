"""The site, which takes long to make, is made once for all tests."""

from __future__ import annotations

from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import TYPE_CHECKING

import pytest
from filelock import FileLock

from support.browser import launched
from support.documentation import ROOT, made

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from playwright.sync_api import Browser

# A source distribution has the tests, but not what makes the site.
collect_ignore_glob = [] if (ROOT / "tools").is_dir() else ["test_*"]


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory, worker_id: str) -> Path:
    """The folder of the site, made once for all processes of a test run, and without a warning."""
    own = tmp_path_factory.getbasetemp()
    folder = (own if worker_id == "master" else own.parent) / "site"
    with FileLock(f"{folder}.lock"):
        if not folder.exists():
            begun = folder.with_suffix(".begun")
            done = made(ROOT / "tools" / "site", begun)
            assert (done.returncode, done.stderr) == (0, ""), done.stdout
            begun.rename(folder)
    return folder


@pytest.fixture(scope="module")
def served(site: Path) -> Iterator[str]:
    """The address of the site, as a web server gives it; ends with a slash."""
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=str(site))) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name of the overridden method
        pass


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """A browser that ends with its module: Playwright allows only one at a time in a process."""
    with launched() as opened:
        yield opened
