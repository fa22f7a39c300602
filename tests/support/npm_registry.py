"""A registry of npm packages on this machine."""

from __future__ import annotations

import base64
import hashlib
import json
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from support.debian import tarball

if TYPE_CHECKING:
    from collections.abc import Iterator


def packed(name: str, version: str, code: bytes, scripts: dict[str, str] | None = None) -> bytes:
    """The tarball of a package."""
    about = {"name": name, "version": version, "scripts": scripts or {}}
    return tarball({"package/package.json": json.dumps(about).encode(), "package/index.js": code})


@dataclass
class Registry:
    """What is published.

    Attributes:
        url: of the registry.
        token: that whoever asks must have.
        asked: the paths that were asked for.
        packages: what is said of a package, by its name.
        files: what is there, by its path.
    """

    url: str
    token: str | None = None
    asked: list[str] = field(default_factory=list)
    packages: dict[str, dict[str, Any]] = field(default_factory=dict)
    files: dict[str, bytes] = field(default_factory=dict)

    def publish(self, name: str, version: str, content: bytes, *, latest: bool = True, **said: Any) -> None:
        """Publish a version."""
        path = f"/{name}/-/{name.rpartition('/')[2]}-{version}.tgz"
        self.files[path] = content
        integrity = f"sha512-{base64.b64encode(hashlib.sha512(content).digest()).decode()}"
        stated = {"tarball": f"{self.url}{path}", "integrity": integrity, "shasum": hashlib.sha1(content).hexdigest()}
        dist = {key: value for key, value in {**stated, **said}.items() if value is not None}
        package = self.packages.setdefault(name, {"name": name, "dist-tags": {}, "versions": {}})
        package["versions"][version] = {"name": name, "version": version, "dist": dist}
        if latest:
            package["dist-tags"]["latest"] = version

    def answer(self, path: str) -> bytes | None:
        """What is at a path."""
        if path in self.files:
            return self.files[path]
        package = self.packages.get(path.removeprefix("/"))
        return None if package is None else json.dumps(package).encode()


class _Handler(BaseHTTPRequestHandler):
    registry: Registry

    def do_GET(self) -> None:
        path = unquote(self.path)
        self.registry.asked.append(path)
        token = self.registry.token
        refused = token is not None and self.headers.get("Authorization") != f"Bearer {token}"
        content = None if refused else self.registry.answer(path)
        self.send_response(401 if refused else 404 if content is None else 200)
        self.send_header("Content-Length", str(len(content or b"")))
        self.end_headers()
        self.wfile.write(content or b"")

    def log_message(self, *_: object) -> None:
        pass


@contextmanager
def serving() -> Iterator[Registry]:
    """A registry, as long as it is needed."""
    registry = Registry("")
    server = ThreadingHTTPServer(("127.0.0.1", 0), type("Handler", (_Handler,), {"registry": registry}))
    registry.url = f"http://127.0.0.1:{server.server_port}"
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield registry
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
