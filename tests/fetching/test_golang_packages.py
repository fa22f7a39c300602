"""Go modules by the real Go, from a proxy and a checksum database on this machine."""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from support.donor import ROUTES
from support.go_modules import GoProxy, zipped
from support.https import answer, redirecting
from support.manifest import Project
from winnow_ci.errors import FetchError
from winnow_ci.fetching import Artifact, ResolvedSource, fetch, resolve

if TYPE_CHECKING:
    from collections.abc import Callable

    from support.https import Authority, Server

needs_go = pytest.mark.skipif(not shutil.which("go"), reason="no go")
TOML = "github.com/BurntSushi/toml"


@pytest.fixture
def proxy(server: Server, authority: Authority, monkeypatch: pytest.MonkeyPatch) -> GoProxy:
    for name in os.environ:
        if name.startswith("GO") or name.lower().endswith("_proxy"):
            monkeypatch.delenv(name)
    proxy = GoProxy(server)
    monkeypatch.setenv("SSL_CERT_FILE", str(authority.file))
    monkeypatch.setenv("GOPROXY", proxy.url)
    monkeypatch.setenv("GOSUMDB", proxy.database())
    return proxy


def both(text: str) -> tuple[ResolvedSource, bytes]:
    resolved = resolve(text)
    [path] = fetch(text, resolved)
    return resolved, path.read_bytes()


@needs_go
def test_a_version_or_the_latest_compared_with_the_checksum_database(proxy: GoProxy) -> None:
    old = proxy.publish(TOML, "v1.0.0", {"a.go": b"package toml\n"})
    new = proxy.publish(TOML, "v1.1.0", {"a.go": b"package toml // new\n"})
    for asked, version, content in (("@v1.0.0", "v1.0.0", old), ("", "v1.1.0", new)):
        artifact = Artifact(f"github.com-BurntSushi-toml@{version}.zip", hashlib.sha256(content).hexdigest())
        assert both(f"pkg:golang/{TOML}{asked}") == (ResolvedSource(TOML, version, (artifact,)), content)
    assert both("pkg:golang/github.com/!burnt!sushi/toml@v1.0.0")[1] == old
    assert "/go/github.com/%21burnt%21sushi/toml/@v/v1.0.0.zip" in proxy.server.paths()
    assert "/sums/lookup/github.com/%21burnt%21sushi/toml@v1.0.0" in proxy.server.paths()
    asked = len(proxy.server.requests)
    assert both(f"pkg:golang/{TOML}@v1.0.0")[1] == old
    assert len(proxy.server.requests) > asked


@needs_go
def test_what_the_checksum_database_does_not_know_is_refused_unless_it_is_excepted(
    proxy: GoProxy, monkeypatch: pytest.MonkeyPatch
) -> None:
    proxy.publish(TOML, "v1.0.0", {"a.go": b"package toml\n"})
    proxy.replace(TOML, "v1.0.0", zipped(TOML, "v1.0.0", {"a.go": b"package evil\n"}))
    with pytest.raises(FetchError, match="checksum mismatch") as raised:
        resolve(f"pkg:golang/{TOML}@v1.0.0")
    assert raised.value.problem.endswith("checksum mismatch: it does not match the checksum database")
    del proxy.server.pages["/sums/lookup/github.com/%21burnt%21sushi/toml@v1.0.0"]
    with pytest.raises(FetchError, match="verifying") as raised:
        resolve(f"pkg:golang/{TOML}@v1.0.0")
    assert "GOPRIVATE" in raised.value.remedy
    monkeypatch.setenv("GOPRIVATE", "github.com/BurntSushi")
    monkeypatch.setenv("GONOPROXY", "none")
    assert b"a.go" in both(f"pkg:golang/{TOML}@v1.0.0")[1]


@needs_go
def test_a_pinned_version_that_became_another_is_refused(
    proxy: GoProxy, cache_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GOSUMDB", "off")
    proxy.publish(TOML, "v1.0.0", {"a.go": b"package toml\n"})
    resolved = resolve(f"pkg:golang/{TOML}@v1.0.0")
    shutil.rmtree(cache_folder)
    proxy.replace(TOML, "v1.0.0", zipped(TOML, "v1.0.0", {"a.go": b"package evil\n"}))
    with pytest.raises(FetchError, match="its sha256 is"):
        fetch(f"pkg:golang/{TOML}@v1.0.0", resolved)


@needs_go
def test_paths_in_an_index_begin_below_the_module(proxy: GoProxy, tmp_path: Path) -> None:
    licence = "SPDX-License-Identifier: MIT\n"
    proxy.publish(TOML, "v1.0.0", {"a/routes.py": ROUTES.encode(), "LICENSE": licence.encode()})
    project = Project.create(tmp_path)
    project.declare(f"pkg:golang/{TOML}")
    assert project.synced(GOPROXY=proxy.url, GOSUMDB=proxy.database()) == {TOML: "added"}
    assert project.sources() == {TOML: ("v1.0.0", "MIT")}
    assert "a/routes.py" in project.paths()
    assert proxy.server.url not in project.lock.read_text()


@needs_go
@pytest.mark.parametrize(
    "made",
    [
        pytest.param(lambda: zipped("example.org/other", "v1.0.0", {"a.go": b"package a\n"}), id="another module"),
        pytest.param(lambda: zipped(TOML, "v1.0.0", {"../../../../escaped.go": b"package a\n"}), id="a way out"),
        pytest.param(lambda: b"<html>", id="no zip"),
        pytest.param(lambda: zipped(TOML, "v1.0.0", {"a.go": bytes(501 << 20)}), id="a bomb"),
    ],
)
def test_a_hostile_zip_is_refused(
    made: Callable[[], bytes], proxy: GoProxy, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GOSUMDB", "off")
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    (tmp_path / "temporary").mkdir()
    proxy.publish(TOML, "v1.0.0", {})
    proxy.replace(TOML, "v1.0.0", made())
    with pytest.raises(FetchError, match="go: "):
        resolve(f"pkg:golang/{TOML}@v1.0.0")
    assert list((tmp_path / "temporary").iterdir()) == []
    assert not list(tmp_path.rglob("escaped.go"))


@needs_go
def test_a_proxy_sends_go_to_no_file(proxy: GoProxy, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GOSUMDB", "off")
    content = proxy.publish(TOML, "v1.0.0", {})
    (tmp_path / "module.zip").write_bytes(content)
    to = redirecting((tmp_path / "module.zip").as_uri())
    proxy.server.pages["/go/github.com/%21burnt%21sushi/toml/@v/v1.0.0.zip"] = to
    with pytest.raises(FetchError, match="to insecure URL file:"):
        resolve(f"pkg:golang/{TOML}@v1.0.0")


@needs_go
def test_credentials_are_not_shown(proxy: GoProxy, monkeypatch: pytest.MonkeyPatch) -> None:
    proxy.server.pages["/go/github.com/%21burnt%21sushi/toml/@v/v1.0.0.info"] = lambda handler: answer(handler, 401)
    monkeypatch.setenv("GOPROXY", proxy.url.replace("//", "//me:s3cret@"))
    with pytest.raises(FetchError, match="401") as raised:
        resolve(f"pkg:golang/{TOML}@v1.0.0")
    assert "s3cret" not in str(raised.value)


@needs_go
def test_settings_of_go_hold_and_those_of_a_repository_do_not(proxy: GoProxy, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GOPROXY", "off")
    with pytest.raises(FetchError, match="GOPROXY=off"):
        resolve(f"pkg:golang/{TOML}@v1.0.0")
    proxy.publish(TOML, "v1.0.0", {})
    settings = Path(os.environ["HOME"], "go.env")
    settings.write_text(f"GOPROXY=https://127.0.0.1:1|{proxy.url}\n")
    monkeypatch.delenv("GOPROXY")
    monkeypatch.setenv("GOENV", str(settings))
    monkeypatch.setenv("GOWORK", "/nowhere/go.work")
    monkeypatch.setenv("GO111MODULE", "off")
    monkeypatch.setenv("GOFLAGS", "-mod=vendor")
    assert resolve(f"pkg:golang/{TOML}@v1.0.0").version == "v1.0.0"
