"""What tags call versions."""

from __future__ import annotations

import pytest

from winnow_ci.indexer.revisions import version_of, versions_of


@pytest.mark.parametrize(
    ("tag", "project", "version"),
    [
        ("v2.31.0", "requests", "2.31.0"),
        ("2.31.0", "requests", "2.31.0"),
        ("V1.0", "roads", "1.0"),
        ("v.1.0", "roads", "1.0"),
        ("curl-8_1_0", "curl", "8_1_0"),
        ("Curl_8.1", "curl", "8.1"),
        ("OpenSSL_1_0_2", "openssl", "1_0_2"),
        ("roads-v1.0-rc.1", "roads", "1.0-rc.1"),
        ("release-1.0", "roads", "1.0"),
        ("releases/v1.0", "roads", "1.0"),
        ("roads/release/1.0", "roads", "1.0"),
        ("@acme/roads@1.0", "@acme/roads", "1.0"),
        ("roads@1.0", "@acme/roads", "1.0"),
        ("go1.21", "go", "1.21"),
        ("gopher1.21", "go", "gopher1.21"),
        ("stable", "roads", "stable"),
        ("roads-stable", "roads", "roads-stable"),
        ("roads", "roads", "roads"),
        ("v", "roads", "v"),
        ("version", "roads", "version"),
    ],
)
def test_a_version_is_what_follows_the_name(tag: str, project: str, version: str) -> None:
    assert version_of(tag, project) == version


def test_tags_of_one_version_keep_their_names() -> None:
    assert versions_of(["1.0", "v1.0", "v1.1"], "roads") == ["1.0", "v1.0", "1.1"]
    assert versions_of(["release-1.0", "roads-1.0"], "roads") == ["release-1.0", "roads-1.0"]


def test_no_two_versions_are_called_alike() -> None:
    tags = ["a.1.0", "1.0", "v1.0", "a-1.0.0"]
    assert len(set(versions_of(tags, "a"))) == len(tags)
