"""Crates by the real Cargo, from a registry on this machine."""

from __future__ import annotations

import hashlib
import io
import os
import pwd
import shutil
import tarfile
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from support.crates import CrateRegistry, packed
from support.donor import ROUTES
from support.https import answer, redirecting
from support.manifest import Project
from winnow_ci.errors import FetchError
from winnow_ci.fetching import Artifact, ResolvedSource, fetch, resolve

if TYPE_CHECKING:
    from collections.abc import Callable
    from http.server import BaseHTTPRequestHandler

    from support.https import Authority, Server

needs_cargo = pytest.mark.skipif(not shutil.which("cargo"), reason="no cargo")
NONE = b"pub fn f() {}\n"


@pytest.fixture
def registry(server: Server, authority: Authority, monkeypatch: pytest.MonkeyPatch) -> CrateRegistry:
    for name in os.environ:
        if name.startswith("CARGO_") or name.lower().endswith("_proxy"):
            monkeypatch.delenv(name)
    # Cargo may be rustup's, which looks for it in the user's home.
    home = Path(pwd.getpwuid(os.getuid()).pw_dir)
    monkeypatch.setenv("RUSTUP_HOME", os.environ.get("RUSTUP_HOME") or str(home / ".rustup"))
    monkeypatch.setenv("CARGO_HTTP_CAINFO", str(authority.file))
    monkeypatch.setenv("CARGO_NET_RETRY", "0")
    registry = CrateRegistry(server)
    write_settings(registry.settings())
    return registry


def write_settings(text: str, name: str = "config.toml") -> None:
    place = Path(os.environ["HOME"], ".cargo", name)
    place.parent.mkdir(exist_ok=True)
    place.write_text(text)


def both(text: str) -> tuple[ResolvedSource, bytes]:
    resolved = resolve(text)
    [path] = fetch(text, resolved)
    return resolved, path.read_bytes()


@needs_cargo
def test_a_version_or_the_newest(registry: CrateRegistry, cache_folder: Path) -> None:
    versions = ("1.9.0", "1.10.0", "1.11.0", "2.0.0-rc.1")
    crates = {version: packed("fo_ob", version, {"a.rs": version.encode()}) for version in versions}
    registry.publish("fo_ob", "1.9.0", crates["1.9.0"])
    # No Rust is as new as this crate wants it, and none is needed.
    registry.publish("fo_ob", "1.10.0", crates["1.10.0"], rust_version="99.0")
    registry.publish("fo_ob", "1.11.0", crates["1.11.0"], yanked=True)
    registry.publish("fo_ob", "2.0.0-rc.1", crates["2.0.0-rc.1"])
    for asked, version in (("", "1.10.0"), ("@1.9.0", "1.9.0"), ("@2.0.0-rc.1", "2.0.0-rc.1")):
        artifact = Artifact(f"fo_ob-{version}.crate", hashlib.sha256(crates[version]).hexdigest())
        assert both(f"pkg:cargo/fo_ob{asked}") == (ResolvedSource("fo_ob", version, (artifact,)), crates[version])
    with pytest.raises(FetchError, match=r"could not find `fo_ob@1\.11\.0`") as raised:
        resolve("pkg:cargo/fo_ob@1.11.0")
    assert "yanked" in raised.value.remedy
    resolved = resolve("pkg:cargo/fo_ob@1.9.0")
    shutil.rmtree(cache_folder)
    assert fetch("pkg:cargo/fo_ob@1.9.0", resolved)[0].read_bytes() == crates["1.9.0"]


@needs_cargo
def test_what_a_crate_needs_is_not_fetched(registry: CrateRegistry) -> None:
    needed = {"name": "needed", "req": "^1", "features": [], "optional": False, "default_features": True}
    needed |= {"target": None, "kind": "normal", "registry": None, "package": None}
    registry.publish("needed", "1.0.0", packed("needed", "1.0.0", {}))
    registry.publish("needing", "1.0.0", packed("needing", "1.0.0", {}), deps=[needed])
    assert resolve("pkg:cargo/needing").version == "1.0.0"
    assert [path for path in registry.server.paths() if path.startswith("/dl/")] == ["/dl/needing/1.0.0/download"]


@needs_cargo
def test_a_crate_is_in_an_index_with_its_licence(registry: CrateRegistry, tmp_path: Path) -> None:
    registry.publish("roads", "1.0.0", packed("roads", "1.0.0", {"routes.py": ROUTES.encode()}))
    project = Project.create(tmp_path)
    project.declare("pkg:cargo/roads")
    assert project.synced() == {"roads": "added"}
    assert project.sources() == {"roads": ("1.0.0", "MIT")}
    assert "routes.py" in project.paths()
    assert registry.server.url not in project.lock.read_text()


@needs_cargo
def test_a_crate_that_is_not_what_the_index_or_the_lock_says(registry: CrateRegistry, cache_folder: Path) -> None:
    registry.publish("roads", "1.0.0", packed("roads", "1.0.0", {}))
    resolved = resolve("pkg:cargo/roads@1.0.0")
    registry.server.pages["/dl/roads/1.0.0/download"] = packed("roads", "1.0.0", {"evil.rs": NONE})
    with pytest.raises(FetchError, match="failed to verify the checksum") as raised:
        resolve("pkg:cargo/roads@1.0.0")
    assert "find out why" in raised.value.remedy
    shutil.rmtree(cache_folder)
    registry.lines.clear()
    registry.publish("roads", "1.0.0", packed("roads", "1.0.0", {"evil.rs": NONE}))
    with pytest.raises(FetchError, match="its sha256 is"):
        fetch("pkg:cargo/roads@1.0.0", resolved)


def out_of_it(kind: bytes, name: str, link: str = "") -> bytes:
    """A crate with a member that leads out of its folder."""
    written = io.BytesIO()
    with tarfile.open(fileobj=written, mode="w:gz") as archive:
        member = tarfile.TarInfo(name)
        member.type, member.linkname = kind, link
        archive.addfile(member)
        behind = tarfile.TarInfo(f"{name}/escaped.rs" if link else "roads-1.0.0/Cargo.toml")
        behind.size = len(NONE)
        archive.addfile(behind, io.BytesIO(NONE))
    return written.getvalue()


@needs_cargo
@pytest.mark.parametrize(
    "made",
    [
        pytest.param(lambda: packed("other", "1.0.0", {}), id="another crate"),
        pytest.param(lambda: out_of_it(tarfile.REGTYPE, "roads-1.0.0/../../../../escaped.rs"), id="a way out"),
        pytest.param(lambda: out_of_it(tarfile.SYMTYPE, "roads-1.0.0/out", "../../../../.."), id="a link out"),
        pytest.param(lambda: b"<html>", id="no archive"),
        pytest.param(lambda: packed("roads", "1.0.0", {"a.rs": bytes(600 << 20)}), id="a bomb"),
    ],
)
def test_a_hostile_crate_writes_nowhere(
    made: Callable[[], bytes], registry: CrateRegistry, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    (tmp_path / "temporary").mkdir()
    registry.publish("roads", "1.0.0", made())
    with pytest.raises(FetchError, match="cargo: "):
        resolve("pkg:cargo/roads@1.0.0")
    assert list((tmp_path / "temporary").iterdir()) == []
    assert not list(tmp_path.rglob("escaped.rs"))


@needs_cargo
def test_a_registry_sends_cargo_to_no_file(registry: CrateRegistry, tmp_path: Path) -> None:
    content = packed("roads", "1.0.0", {})
    (tmp_path / "roads.crate").write_bytes(content)
    registry.publish("roads", "1.0.0", content)
    registry.server.pages["/dl/roads/1.0.0/download"] = redirecting((tmp_path / "roads.crate").as_uri())
    with pytest.raises(FetchError, match="cargo: "):
        resolve("pkg:cargo/roads@1.0.0")


@needs_cargo
def test_credentials_are_those_of_the_users_home_and_are_not_shown(registry: CrateRegistry) -> None:
    content = packed("roads", "1.0.0", {})
    registry.publish("roads", "1.0.0", content)
    url = registry.server.url
    config = f'{{"dl": "{url}/dl", "api": "{url}", "auth-required": true}}'.encode()
    for place in list(registry.server.pages):
        page = config if place.endswith("config.json") else registry.server.pages[place]
        registry.server.pages[place] = only_with("s3cret", page)
    write_settings(
        '[source.crates-io]\nreplace-with = "ours"\n'
        f'[registries.ours]\nindex = "sparse+{url}/index/"\ncredential-provider = ["cargo:token"]\n'
    )
    with pytest.raises(FetchError, match="cargo: ") as raised:
        resolve("pkg:cargo/roads")
    write_settings('[registries.ours]\ntoken = "s3cret"\n', "credentials.toml")
    assert both("pkg:cargo/roads")[1] == content
    write_settings('[registries.ours]\ntoken = "s3cret-but-wrong"\n', "credentials.toml")
    with pytest.raises(FetchError, match="cargo: ") as raised:
        resolve("pkg:cargo/roads")
    assert "s3cret" not in str(raised.value)


def only_with(token: str, page: object) -> Callable[[BaseHTTPRequestHandler], None]:
    def asked(handler: BaseHTTPRequestHandler) -> None:
        assert isinstance(page, bytes)
        if handler.headers.get("Authorization") == token:
            answer(handler, 200, page)
        else:
            answer(handler, 401)

    return asked


@needs_cargo
def test_a_crate_that_cargo_takes_from_a_folder(registry: CrateRegistry, tmp_path: Path) -> None:
    (tmp_path / "vendor").mkdir()
    write_settings(f'[source.crates-io]\nreplace-with = "v"\n[source.v]\ndirectory = "{tmp_path / "vendor"}"\n')
    with pytest.raises(FetchError, match="cargo: "):
        resolve("pkg:cargo/roads@1.0.0")


def test_an_old_cargo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    old = tmp_path / "cargo"
    old.write_text("#!/bin/sh\n[ $1 = --version ] && exit\necho 'error: no such command: `info`' >&2\nexit 101\n")
    old.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    with pytest.raises(FetchError, match="no such command") as raised:
        resolve("pkg:cargo/serde@1.0.0")
    assert "1.82" in raised.value.remedy
