"""Archives at a URL."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

import pytest

from winnow_ci.errors import FetchError
from winnow_ci.fetching import Artifact, ResolvedSource, fetch, resolve

if TYPE_CHECKING:
    from support.https import Server

DIGEST = hashlib.sha256(b"content").hexdigest()


def test_an_archive_is_pinned_at_its_first_download(server: Server) -> None:
    server.pages["/some/a%20b.tar.gz"] = b"content"
    url = f"{server.url}/some/a%20b.tar.gz?x=1"
    resolved = resolve(url)
    assert resolved == ResolvedSource("a b.tar.gz", None, (Artifact("a b.tar.gz", DIGEST),))
    server.pages["/some/a%20b.tar.gz"] = b"something else"
    (path,) = fetch(url, resolved)
    assert path.read_bytes() == b"content"
    path.unlink()
    with pytest.raises(FetchError, match=f"not {DIGEST}"):
        fetch(url, resolved)


def test_a_sha256_that_is_known_beforehand_is_asked_for(server: Server) -> None:
    server.pages["/a.tar.gz"] = b"content"
    with pytest.raises(FetchError, match="its sha256 is"):
        resolve(f"{server.url}/a.tar.gz", sha256="0" * 64)
    assert resolve(f"{server.url}/a.tar.gz", sha256=DIGEST).artifacts[0].sha256 == DIGEST


def test_credentials_in_the_url_are_for_its_host(server: Server) -> None:
    server.pages["/a.tar.gz"] = b"content"
    resolve(f"{server.url.replace('//', '//ann:s3cret@')}/a.tar.gz")
    assert server.requests[0].headers["Authorization"] == "Basic YW5uOnMzY3JldA=="


def test_a_url_of_no_file_is_refused(server: Server) -> None:
    with pytest.raises(FetchError, match="does not end with a file name"):
        resolve(f"{server.url}/some/")
