from __future__ import annotations

from urllib.parse import quote, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.reports import ANY_TEXT
from winnow_ci.model import LineRange, Source
from winnow_ci.model.changes import WebRepository
from winnow_ci.report import addresses

COMMIT = "0a" * 20
WEB = WebRepository("https://forge.example/octo/widget", "github")
LINES = LineRange(3, 9)


@pytest.mark.parametrize(
    ("purl", "server", "wanted"),
    [
        ("pkg:pypi/requests@2.32.3", "pypi", "/project/requests/2.32.3/"),
        ("pkg:npm/%40babel/core@7.1.0", "npm", "/package/@babel/core/v/7.1.0"),
        ("pkg:deb/debian/bash@5.2-2+b3?arch=source", "debian", "/src/bash/5.2-2%2Bb3/"),
        ("pkg:deb/debian/bash", "debian", "/src/bash/"),
        ("pkg:deb/ubuntu/bash@5.2", "", None),
        ("pkg:github/octo/widget@v1", "github", "/octo/widget/tree/v1"),
        ("pkg:golang/example.org/a/b@v1.2.0", "go", "/example.org/a/b@v1.2.0"),
        ("pkg:cargo/serde@1.0", "crates", "/crates/serde/1.0"),
        ("pkg:maven/org.example/b@1?repository_url=https://elsewhere.example", "", None),
        ("pkg:pypi/requests@1?repository_url=https://elsewhere.example", "pypi", "/project/requests/1/"),
        ("pkg:generic/thing@1", "", None),
        ("not a package URL", "", None),
        ("pkg:pypi/%C2%85", "", None),
    ],
)
def test_a_package_url_gives_an_address_where_that_is_sure(purl: str, server: str, wanted: str | None) -> None:
    address = addresses.of_source(Source("x", purl=purl))
    assert (address and urlsplit(address).path) == wanted
    if address is not None:
        parts = urlsplit(address)
        assert parts.scheme == "https"
        assert (parts.hostname or "").split(".")[-2].startswith(server)


def test_the_url_that_somebody_has_given_comes_first() -> None:
    given_url = Source("x", url="https://x.example/1", purl="pkg:pypi/x@1")
    assert addresses.of_source(given_url) == "https://x.example/1"
    assert addresses.of_source(given_url._replace(url="javascript:alert(1)")) is None
    assert addresses.of_source(Source("x")) is None


@given(st.sampled_from(["pypi", "npm", "github", "golang", "cargo", "gem", "nuget", "gitlab"]), ANY_TEXT, ANY_TEXT)
def test_a_name_in_an_address_never_ends_it_nor_leaves_its_server(kind: str, name: str, version: str) -> None:
    parts = (quote(part.encode("utf-8", "surrogatepass"), safe="") for part in (name, version))
    address = addresses.of_source(Source("x", purl=f"pkg:{kind}/octo/{'@'.join(parts)}"))
    if address is None:
        return
    usual = addresses.of_source(Source("x", purl=f"pkg:{kind}/octo/name@1"))
    assert usual is not None
    assert urlsplit(address).netloc == urlsplit(usual).netloc
    assert not set(address) & set(" \n\t<>()[]`\"'|\\#?")
    assert address.isascii()


@pytest.mark.parametrize("path", ["", "../../evil", "a/../b", "./a", "a//b", "/a"])
def test_a_path_that_git_cannot_have_is_not_followed(path: str) -> None:
    assert addresses.of_lines(WEB, COMMIT, path, LINES) is None


@pytest.mark.parametrize("commit", [None, "main", "0a", "../" * 14, COMMIT + "\n"])
def test_only_a_whole_id_is_a_commit(commit: str | None) -> None:
    assert addresses.of_lines(WEB, commit, "a.c", LINES) is None


def test_lines_of_a_commit() -> None:
    assert addresses.of_lines(WEB, COMMIT, "a.c", LINES) == f"{WEB.url}/blob/{COMMIT}/a.c#L3-L9"
    assert addresses.of_lines(None, COMMIT, "a.c", LINES) is None
    assert addresses.of_lines(WEB, COMMIT, "a" * 3000, LINES) is None
