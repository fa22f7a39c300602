"""Package URLs of repositories, which a real git fetches, and the names of pinned files."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from support.donor import ROUTES
from support.manifest import Project
from support.repository import Checkout
from winnow_ci.config.lock import load_lock
from winnow_ci.config.manifest import parse_manifest
from winnow_ci.errors import ConfigError, FetchError
from winnow_ci.fetching import fetch, resolve
from winnow_ci.fetching.packages import Artifact, ResolvedSource, link_artifacts, parse_purl, repository_of

if TYPE_CHECKING:
    from pathlib import Path

    from support.https import Authority, Server


def shown(origin: Checkout, server: Server) -> None:
    """Have the server give a repository as files, which is git's simplest protocol."""
    bare = origin.root.parent / "bare.git"
    origin.git("clone", "--quiet", "--mirror", ".", str(bare))
    Checkout(bare).git("repack", "-adq")
    Checkout(bare).git("update-server-info")
    for path in bare.rglob("*"):
        if path.is_file():
            server.pages[f"/octo/roads.git/{path.relative_to(bare)}"] = path.read_bytes()


def test_a_repository_of_a_forge_comes_by_the_users_own_git(
    server: Server, authority: Authority, tmp_path: Path
) -> None:
    origin = Checkout.create(tmp_path / "origin")
    tagged = origin.commit({"routes.py": ROUTES, "package.json": '{"name": "roads", "license": "MIT"}'})
    origin.git("tag", "v1.0")
    newest = origin.commit({"more.py": "def more():\n    return 1\n"})
    shown(origin, server)
    settings = tmp_path / "gitconfig"
    settings.write_text(f'[url "{server.url}/"]\n\tinsteadOf = https://github.com/\n')
    environment = {"GIT_CONFIG_GLOBAL": str(settings), "GIT_SSL_CAINFO": str(authority.file)}
    project = Project.create(tmp_path)
    project.declare("pkg:github/Octo/roads@v1.0", "{purl: pkg:github/octo/roads, name: newest}")
    assert project.synced(**environment) == {"octo/roads": "added", "newest": "added"}
    assert project.sources() == {"octo/roads": ("1.0", "MIT"), "newest": (newest[:12], "MIT")}
    lock = load_lock(project.lock)
    assert lock
    assert {one.declared.origin.purl: one.pins.commit for one in lock.sources} == {
        "pkg:github/Octo/roads@v1.0": tagged,
        "pkg:github/octo/roads": newest,
    }
    assert server.url not in project.lock.read_text()
    asked = len(server.requests)
    assert project.synced("--frozen", **environment) == {"octo/roads": "unchanged", "newest": "unchanged"}
    assert len(server.requests) == asked


@pytest.mark.parametrize(
    ("text", "url", "revision"),
    [
        ("pkg:github/octo/roads@v1.0", "https://github.com/octo/roads.git", "v1.0"),
        ("pkg:github/octo/roads", "https://github.com/octo/roads.git", "HEAD"),
        ("pkg:github/octo/roads@refs%2Fheads%2Fmain", "https://github.com/octo/roads.git", "refs/heads/main"),
        ("pkg:gitlab/group/sub/roads@1", "https://gitlab.com/group/sub/roads.git", "1"),
        ("pkg:bitbucket/octo/roads@1", "https://bitbucket.org/octo/roads.git", "1"),
    ],
)
def test_which_repository_a_package_url_stands_for(text: str, url: str, revision: str) -> None:
    assert repository_of(parse_purl(text)) == (url, revision)


def test_other_package_urls_stand_for_none() -> None:
    assert repository_of(parse_purl("pkg:npm/%40octo/roads@1.0")) is None


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("pkg:github/roads@v1", "not a valid repository name"),
        ("pkg:github/octo/-roads@v1", "not a valid repository name"),
        ("pkg:github/octo/%2e%2e@v1", "not a valid repository name"),
        ("pkg:github/octo/ro%20ads@v1", "not a valid repository name"),
        ("pkg:github/me%40evil.invalid/roads@v1", "not a valid repository name"),
        ("pkg:github/octo/roads@--upload-pack=touch", "not a tag, branch or full commit id"),
        ("pkg:github/octo/roads@a..b", "not a tag, branch or full commit id"),
        ("pkg:github/octo/roads@v1?repository_url=evil.invalid", "unknown qualifier"),
    ],
)
def test_what_only_an_attacker_would_write_is_refused_on_its_line(text: str, problem: str, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=problem):
        repository_of(parse_purl(text))
    with pytest.raises(ConfigError) as raised:
        parse_manifest(f"sources:\n- pkg:npm/a\n- {text}\n".encode(), tmp_path / "sources.yml")
    assert ":3: " in raised.value.problem
    assert problem in raised.value.problem


def test_files_of_the_cache_under_their_names(tmp_path: Path) -> None:
    file = tmp_path / "abc"
    file.write_bytes(b"content")
    for number, bad in enumerate(["../a", "/a", "", ".", "..", "a/b", "a\nb", "..\\a", "C:a"]):
        (tmp_path / str(number)).mkdir()
        with pytest.raises(FetchError, match="is not the name of a file"):
            link_artifacts([Artifact(bad, "")], [file], tmp_path / str(number))
    folder = tmp_path / "good"
    folder.mkdir()
    [link] = link_artifacts([Artifact("a.tar.gz", "")], [file], folder)
    assert (link, link.read_bytes()) == (folder / "a.tar.gz", b"content")
    with pytest.raises(FetchError, match="File exists"):
        link_artifacts([Artifact("a.tar.gz", "")], [file], folder)


def test_the_names_that_people_use_lead_to_those_of_package_urls() -> None:
    for said, meant in {"pip": "pypi", "go": "golang", "crates": "cargo", "node": "npm", "java": "maven"}.items():
        with pytest.raises(ConfigError) as raised:
            resolve(f"pkg:{said}/a@1")
        assert raised.value.remedy == f"did you mean pkg:{meant}/a?"


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("pkg:cargo/a/serde@1.0.0", "not a valid name of a crate"),
        ("pkg:cargo/--config@1.0.0", "not a valid name of a crate"),
        ("pkg:cargo/ser%0ade@1.0.0", "not a valid name of a crate"),
        ("pkg:cargo/serde@1", "not an exact version"),
        ("pkg:cargo/serde@^1.0.0", "not an exact version"),
        ("pkg:cargo/serde@https:%2F%2Fevil.invalid", "not an exact version"),
        ("pkg:cargo/serde@1.0.0?repository_url=https://evil.invalid", "unknown qualifier"),
        ("pkg:golang/text@v1.0.0", "not a valid name of a Go module"),
        ("pkg:golang/-x.org/text@v1.0.0", "not a valid name of a Go module"),
        ("pkg:golang/example.org/%2e%2e/text@v1.0.0", "not a valid name of a Go module"),
        ("pkg:golang/example.org/a%40b@v1.0.0", "not a valid name of a Go module"),
        ("pkg:golang/example.org/!Text@v1.0.0", "not a valid name of a Go module"),
        ("pkg:golang/example.org/text@main", "not an exact version"),
        ("pkg:golang/example.org/text@1.0.0", "not an exact version"),
        ("pkg:golang/example.org/text@v1.0.0%20-x", "not an exact version"),
        ("pkg:golang/example.org/text@v1.0.0?goos=linux", "unknown qualifier"),
        ("pkg:maven/gson@1.0", "not a valid Maven package name"),
        ("pkg:maven/a/b/c@1.0", "not a valid Maven package name"),
        ("pkg:maven/..a/gson@1.0", "not a valid Maven package name"),
        ("pkg:maven/a/gson%3f@1.0", "not a valid Maven package name"),
        ("pkg:maven/a/gson@1..%2f", "not an exact version"),
        ("pkg:maven/a/gson@[1.0,2.0)", "not an exact version"),
        ("pkg:maven/a/gson@1.0-SNAPSHOT", "not an exact version"),
        ("pkg:maven/a/gson@1.0?classifier=javadoc", "other than the package's sources"),
        ("pkg:maven/a/gson@1.0?repository_url=https://evil.invalid", "unknown qualifier"),
        ("pkg:npm/pad@git%2Bssh://git%40example.org/pad", "not an exact version"),
        ("pkg:npm/pad@file:..", "not an exact version"),
        ("pkg:npm/pad@npm:other", "not an exact version"),
        ("pkg:npm/pad@%5E1.0.0", "not an exact version"),
        ("pkg:npm/pad@latest", "not an exact version"),
        ("pkg:npm/pad@1.0", "not an exact version"),
        ("pkg:npm/--prefix=x", "not a valid name of an npm package"),
        ("pkg:npm/..", "not a valid name of an npm package"),
        ("pkg:npm/acme/pad@1.0.0", "not a valid name of an npm package"),
        ("pkg:npm/pad@1.0.0?vcs_url=git%2Bhttps://example.org/pad", "unknown qualifier 'vcs_url'"),
        ("pkg:deb/debian/hello?arch=amd64", "names a binary package"),
        ("pkg:deb/debian/hello?repository_url=https://example.org", "unknown qualifier 'repository_url'"),
        ("pkg:deb/debian/-oDir=x", "not a valid Debian package name"),
        ("pkg:deb/debian/hello%20world", "not a valid Debian package name"),
        ("pkg:deb/debian/hello@1.0/unstable", "not a version of a Debian package"),
        ("pkg:deb/debian/hello@git", "not a version of a Debian package"),
        ("pkg:pypi", "'pkg:pypi' is not a package URL"),
        ("pkg:pypi/a@not-a-version", "'not-a-version' is not a version"),
        ("pkg:pypi/b/a@1", "is not a package URL of a Python package"),
        ("pkg:pypi/a@1#src/a", "a part of a package"),
        ("pkg:pypi/a@1?repository_url=https://evil.invalid", "unknown qualifier 'repository_url'"),
        ("pkg:gem/a@1", "packages of the type 'gem' cannot be fetched"),
        ("http://localhost/a.tar.gz", "not an https URL"),
        ("/etc/passwd", "not an https URL"),
        ("https://user:s3cret@a:b/a.tar.gz", "not an https URL"),
    ],
)
def test_what_a_client_could_misread_never_reaches_one(
    text: str, problem: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "")
    with pytest.raises(ConfigError, match=problem) as raised:
        resolve(text)
    assert "s3cret" not in str(raised.value)
    if text.startswith(("pkg:npm/", "pkg:cargo/", "pkg:golang/", "pkg:maven/", "pkg:deb/")):
        pinned = ResolvedSource("a", parse_purl(text).version, (Artifact("a.tgz", "0" * 64),))
        with pytest.raises(ConfigError, match=problem):
            fetch(text, pinned)


@pytest.mark.parametrize(
    ("text", "client"),
    [
        ("pkg:cargo/serde@1.0.0", "cargo"),
        ("pkg:golang/golang.org/x/text", "go"),
        ("pkg:npm/pad", "npm"),
        ("pkg:deb/debian/hello", "apt"),
    ],
)
def test_without_a_client_the_way_around_is_named(text: str, client: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    with pytest.raises(FetchError, match=f"needs {client}, which is not on this machine") as raised:
        resolve(text)
    assert "sha256" in raised.value.remedy
