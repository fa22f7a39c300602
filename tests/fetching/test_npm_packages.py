"""Packages by the real npm, from registries on this machine."""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from support.npm_registry import Registry, packed, serving
from winnow_ci.errors import ConfigError, FetchError
from winnow_ci.fetching import fetch, resolve
from winnow_ci.fetching.cache import cached_file
from winnow_ci.fetching.packages import Artifact, ResolvedSource

if TYPE_CHECKING:
    from collections.abc import Iterator

needs_npm = pytest.mark.skipif(not shutil.which("npm"), reason="no npm")
SCRIPTS = "preinstall install postinstall prepare prepack postpack prepublish prepublishOnly preprepare".split()


@pytest.fixture
def registry(monkeypatch: pytest.MonkeyPatch) -> Iterator[Registry]:
    for name in os.environ:
        if name.lower().startswith("npm_config_") or name.lower().endswith("_proxy"):
            monkeypatch.delenv(name)
    with serving() as found:
        _settings(f"registry={found.url}/\nfetch-retries=0\n")
        yield found


def _settings(text: str) -> None:
    with Path(os.environ["HOME"], ".npmrc").open("a") as file:
        file.write(text)


def _sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _both(text: str) -> tuple[ResolvedSource, bytes]:
    resolved = resolve(text)
    [path] = fetch(text, resolved)
    return resolved, path.read_bytes()


@needs_npm
def test_a_version_or_the_latest(registry: Registry) -> None:
    old, new, beta = (packed("left-pad", version, b"code") for version in ("1.0.0", "1.1.0", "2.0.0-beta.1"))
    registry.publish("left-pad", "1.0.0", old)
    registry.publish("left-pad", "1.1.0", new)
    registry.publish("left-pad", "2.0.0-beta.1", beta, latest=False)
    for asked, version, content in (
        ("@1.0.0", "1.0.0", old),
        ("", "1.1.0", new),
        ("@2.0.0-beta.1", "2.0.0-beta.1", beta),
    ):
        pinned = ResolvedSource("left-pad", version, (Artifact(f"left-pad-{version}.tgz", _sha256(content)),))
        assert _both(f"pkg:npm/left-pad{asked}") == (pinned, content)


@needs_npm
def test_scopes_and_credentials_are_those_of_the_users_settings(registry: Registry) -> None:
    with serving() as private:
        private.token = "s3cret"
        content = packed("@acme/pad", "1.0.0", b"code")
        private.publish("@acme/pad", "1.0.0", content)
        _settings(f"@acme:registry={private.url}/\n")
        with pytest.raises(FetchError, match="E401") as raised:
            _both("pkg:npm/%40acme/pad@1.0.0")
        assert "npm login" in raised.value.remedy
        _settings(f"//{private.url.removeprefix('http://')}/:_authToken=s3cret\n")
        resolved, found = _both("pkg:npm/%40acme/pad")
        assert (resolved.name, resolved.artifacts[0].filename, found) == ("@acme/pad", "acme-pad-1.0.0.tgz", content)
        with pytest.raises(FetchError, match="E404") as raised:
            _both("pkg:npm/%40acme/absent")
        assert "s3cret" not in str(raised.value)
    assert registry.asked == []


@needs_npm
def test_no_script_of_a_package_runs(registry: Registry, tmp_path: Path) -> None:
    content = packed("evil", "1.0.0", b"", dict.fromkeys(SCRIPTS, f"touch {tmp_path}/canary"))
    registry.publish("evil", "1.0.0", content, hasInstallScript=True)
    _settings("ignore-scripts=false\n")
    assert _both("pkg:npm/evil@1.0.0")[1] == content
    assert not (tmp_path / "canary").exists()


@needs_npm
def test_settings_of_the_repository_do_not_count(
    registry: Registry, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    content = packed("pad", "1.0.0", b"code")
    registry.publish("pad", "1.0.0", content)
    with serving() as evil:
        evil.publish("pad", "1.0.0", packed("pad", "1.0.0", b"evil"))
        repository = tmp_path / "repository"
        (repository / "tmp/node_modules").mkdir(parents=True)
        for folder in (repository, repository / "tmp"):
            (folder / ".npmrc").write_text(f"registry={evil.url}/\nignore-scripts=false\n")
            (folder / "package.json").write_text('{"workspaces": ["*", "*/*", "*/*/*"]}')
        monkeypatch.chdir(repository)
        monkeypatch.setattr(tempfile, "tempdir", str(repository / "tmp"))
        assert _both("pkg:npm/pad")[1] == content
        assert evil.asked == []
    assert sorted(path.name for path in (repository / "tmp").iterdir()) == [".npmrc", "node_modules", "package.json"]


@needs_npm
def test_an_altered_tarball_is_refused(registry: Registry) -> None:
    content, evil = packed("pad", "1.0.0", b"code"), packed("pad", "1.0.0", b"evil")
    registry.publish("pad", "1.0.0", content)
    registry.files["/pad/-/pad-1.0.0.tgz"] = evil
    with pytest.raises(FetchError, match="EINTEGRITY"):
        _both("pkg:npm/pad@1.0.0")
    assert cached_file(_sha256(evil)) is None


@needs_npm
def test_what_the_registry_has_now_is_not_what_was_pinned(registry: Registry) -> None:
    pinned = ResolvedSource("pad", "1.0.0", (Artifact("pad-1.0.0.tgz", _sha256(packed("pad", "1.0.0", b"code"))),))
    evil = packed("pad", "1.0.0", b"evil")
    registry.publish("pad", "1.0.0", evil)
    with pytest.raises(
        FetchError, match=f"tarball of pad@1.0.0 is not the one with sha256 {pinned.artifacts[0].sha256}"
    ):
        fetch("pkg:npm/pad", pinned)
    assert cached_file(_sha256(evil)) is None


@needs_npm
def test_what_is_in_the_cache_needs_neither_registry_nor_npm(
    registry: Registry, monkeypatch: pytest.MonkeyPatch
) -> None:
    registry.publish("pad", "1.0.0", packed("pad", "1.0.0", b"code"))
    purl = "pkg:npm/pad"
    resolved = resolve(purl)
    registry.asked.clear()
    monkeypatch.setenv("PATH", "")
    [path] = fetch(purl, resolved)
    assert registry.asked == []
    # What is damaged is not used.
    path.write_bytes(b"other")
    with pytest.raises(FetchError, match="needs npm, which is not on this machine"):
        fetch(purl, resolved)


@needs_npm
def test_an_old_registry_states_sha1_only(registry: Registry) -> None:
    content = packed("pad", "1.0.0", b"code")
    registry.publish("pad", "1.0.0", content, integrity=None)
    assert _both("pkg:npm/pad@1.0.0")[0].artifacts == (Artifact("pad-1.0.0.tgz", _sha256(content)),)


@needs_npm
def test_a_registry_without_hashes_is_refused(registry: Registry) -> None:
    registry.publish("pad", "1.0.0", packed("pad", "1.0.0", b"code"), integrity=None, shasum=None)
    with pytest.raises(FetchError, match="has no hash"):
        _both("pkg:npm/pad@1.0.0")


@needs_npm
@pytest.mark.parametrize("url", ["file:{0}/own", "git+file://{0}/own", "{0}/own", "ftp://127.0.0.1/own"])
def test_a_registry_cannot_name_what_is_no_tarball_of_it(registry: Registry, tmp_path: Path, url: str) -> None:
    (tmp_path / "own").mkdir()
    (tmp_path / "own/package.json").write_text(
        f'{{"name": "own", "scripts": {{"prepare": "touch {tmp_path}/canary"}}}}'
    )
    registry.publish("pad", "1.0.0", b"", tarball=url.format(tmp_path))
    with pytest.raises(FetchError, match="npm: "):
        _both("pkg:npm/pad@1.0.0")
    assert not (tmp_path / "canary").exists()


@needs_npm
@pytest.mark.parametrize("said", [{"name": "other"}, {"version": "2.0.0"}, {"version": "../../x"}, {"version": None}])
def test_a_registry_that_answers_something_else(registry: Registry, said: dict[str, str]) -> None:
    registry.publish("pad", "1.0.0", packed("pad", "1.0.0", b"code"))
    registry.packages["pad"]["versions"]["1.0.0"].update(said)
    with pytest.raises(FetchError):
        _both("pkg:npm/pad@1.0.0")


@needs_npm
def test_what_is_not_there(registry: Registry) -> None:
    registry.publish("pad", "1.0.0", packed("pad", "1.0.0", b"code"))
    for purl in ("pkg:npm/pad@1.0.1", "pkg:npm/absent"):
        with pytest.raises(FetchError, match=r"E404: ") as raised:
            _both(purl)
        assert "name and the version" in raised.value.remedy


def test_how_long_a_name_and_a_version_may_be(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    name, version = "a" * 214, "1.2.3-".ljust(256, "0")
    for purl, problem in (
        (f"pkg:npm/{name}@{version}", "needs npm, which is not on this machine"),
        (f"pkg:npm/{name}a@1.0.0", "not a valid name of an npm package"),
        (f"pkg:npm/a@{version}0", "not an exact version"),
    ):
        with pytest.raises((ConfigError, FetchError), match=problem):
            resolve(purl)
