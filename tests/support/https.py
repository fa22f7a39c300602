"""Servers on the loopback address, with a certificate that only this test trusts."""

from __future__ import annotations

import ssl
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, NamedTuple

import trustme

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path


class Request(NamedTuple):
    """What was asked of a server."""

    path: str
    headers: dict[str, str]


class Server(NamedTuple):
    """A server that is running.

    Attributes:
        url: without a slash at its end.
        pages: what it has: path → content, or a function that answers; "" is for all other paths.
        requests: what it has been asked.
    """

    url: str
    pages: dict[str, bytes | Callable[[BaseHTTPRequestHandler], None]]
    requests: list[Request]

    def paths(self) -> list[str]:
        return [request.path for request in self.requests]


class Authority:
    """Who signs the certificates of the test's servers."""

    def __init__(self, folder: Path) -> None:
        self._authority = trustme.CA()
        self.file = folder / "authority.pem"
        self._authority.cert_pem.write_to_path(str(self.file))

    def context(self, host: str) -> ssl.SSLContext:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self._authority.issue_cert(host).configure_cert(context)
        return context

    def trusted(self) -> dict[str, str]:
        """Variables by which its servers are trusted, and reached without a proxy."""
        return {"REQUESTS_CA_BUNDLE": str(self.file), "NO_PROXY": "*", "no_proxy": "*"}


@contextmanager
def serving(authority: Authority | None, host: str = "localhost") -> Iterator[Server]:
    """Run a server: by https if there is an authority, by http if not."""
    pages: dict[str, bytes | Callable[[BaseHTTPRequestHandler], None]] = {}
    requests: list[Request] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            requests.append(Request(self.path, dict(self.headers)))
            found = pages.get(self.path.partition("?")[0], pages.get(""))
            if callable(found):
                found(self)
            else:
                answer(self, 404 if found is None else 200, found or b"")

        def do_HEAD(self) -> None:
            answer(self, 405)

        def log_message(self, *_: object) -> None:
            pass

    server = _Quiet(("127.0.0.1", 0), Handler)
    if authority:
        server.socket = authority.context(host).wrap_socket(
            server.socket, server_side=True, do_handshake_on_connect=False
        )
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
    try:
        yield Server(f"{'https' if authority else 'http'}://{host}:{server.server_port}", pages, requests)
    finally:
        server.shutdown()
        server.server_close()


class _Quiet(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that goes away is no error here."""


def answer(
    handler: BaseHTTPRequestHandler, status: int, content: bytes = b"", headers: dict[str, str] | None = None
) -> None:
    handler.send_response(status)
    for name, value in {"Content-Length": str(len(content)), **(headers or {})}.items():
        handler.send_header(name, value)
    handler.end_headers()
    handler.wfile.write(content)


def in_ranges(content: bytes) -> Callable[[BaseHTTPRequestHandler], None]:
    """Serve ranges of a file, as web servers do."""

    def serve(handler: BaseHTTPRequestHandler) -> None:
        asked = handler.headers.get("Range")
        if asked is None:
            answer(handler, 200, content)
            return
        first, last = map(int, asked.removeprefix("bytes=").split("-"))
        found = content[first : last + 1]
        headers = {"Content-Range": f"bytes {first}-{first + len(found) - 1}/{len(content)}"}
        answer(handler, 206 if found else 416, found, headers)

    return serve


def redirecting(to: str) -> Callable[[BaseHTTPRequestHandler], None]:
    return lambda handler: answer(handler, 302, b"", {"Location": to})
