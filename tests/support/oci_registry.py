"""A real registry of container images (CNCF's distribution), started and stopped by the tests, with a password.

A machine without it skips these tests and says so. With ``REQUIRE_REGISTRY`` in its environment, as ``.ci/run`` sets
it, it fails.
"""

from __future__ import annotations

import base64
import json
import os
import shutil
import socket
import subprocess
import time
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, NamedTuple

import pytest
import trustme

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

REQUIRED = bool(os.environ.get("REQUIRE_REGISTRY"))
_PROGRAM = "docker-registry"
_MISSING = f"no {_PROGRAM} on this machine, so no index was pushed; on Debian: apt-get install {_PROGRAM}"
_SECONDS_TO_START = 30.0
# Of "anna", with the password "open sesame".
_PASSWORDS = "anna:$2b$05$o9TI7TicxTHI/9Y/8XW0eOpJrKOBEFIE5jVUVoZBkKnJefu231R2G\n"


class OciRegistry(NamedTuple):
    """A registry that is running.

    Attributes:
        host: its name and port.
        folder: what it keeps, each blob in a file ``data``.
        trusted: variables by which it is trusted, and reached without a proxy.
        known: a variable by which its password is known.
    """

    host: str
    folder: Path
    trusted: dict[str, str]
    known: dict[str, str]

    def blobs(self) -> list[Path]:
        return [file for file in self.folder.glob("docker/registry/v2/blobs/**/data") if file.is_file()]


@contextmanager
def running(folder: Path) -> Iterator[OciRegistry]:
    """Run a registry by https."""
    if shutil.which(_PROGRAM) is None:
        if REQUIRED:
            pytest.fail(_MISSING)
        pytest.skip(_MISSING)
    authority = trustme.CA()
    authority.cert_pem.write_to_path(str(folder / "authority.pem"))
    authority.issue_cert("localhost").private_key_and_cert_chain_pem.write_to_path(str(folder / "server.pem"))
    (folder / "passwords").write_text(_PASSWORDS)
    with socket.create_server(("127.0.0.1", 0)) as free:
        host = f"localhost:{free.getsockname()[1]}"
    (folder / ".docker").mkdir()
    login = base64.b64encode(b"anna:open sesame").decode()
    (folder / ".docker" / "config.json").write_text(json.dumps({"auths": {host: {"auth": login}}}))
    server = {"certificate": f"{folder}/server.pem", "key": f"{folder}/server.pem"}
    configuration = {
        "version": 0.1,
        "log": {"level": "error"},
        "storage": {"filesystem": {"rootdirectory": f"{folder}/kept"}},
        "http": {"addr": host.replace("localhost", "127.0.0.1"), "tls": server},
        "auth": {"htpasswd": {"realm": "tests", "path": f"{folder}/passwords"}},
    }
    (folder / "config.yml").write_text(json.dumps(configuration))
    process = subprocess.Popen(
        [_PROGRAM, "serve", folder / "config.yml"], stdout=subprocess.DEVNULL, stderr=subprocess.STDOUT
    )
    try:
        _wait(host)
        trusted = {"REQUESTS_CA_BUNDLE": f"{folder}/authority.pem", "NO_PROXY": "*", "no_proxy": "*"}
        known = {"HOME": str(folder)}
        yield OciRegistry(host, folder / "kept", trusted, known)
    finally:
        process.terminate()
        process.wait()


def _wait(host: str) -> None:
    given_up = time.monotonic() + _SECONDS_TO_START
    while time.monotonic() < given_up:
        with suppress(OSError), socket.create_connection(("127.0.0.1", int(host.rpartition(":")[2])), timeout=1):
            return
        time.sleep(0.05)
    pytest.fail("the registry does not start")
