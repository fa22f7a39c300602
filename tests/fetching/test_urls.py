"""Addresses of git repositories: how long they and revisions may be. What is refused: ``test_remote_git``."""

from __future__ import annotations

import pytest

from winnow_ci.errors import FetchError
from winnow_ci.fetching.urls import git_address, revision_name


def test_how_long_a_url_and_a_revision_may_be() -> None:
    longest = "https://example.org/".ljust(2048, "x")
    assert git_address(longest).url == longest
    assert revision_name("x" * 255) == "x" * 255
    with pytest.raises(FetchError, match="not the URL of a git repository"):
        git_address(f"{longest}x")
    with pytest.raises(FetchError, match="not a tag, branch or full commit id"):
        revision_name("x" * 256)


@pytest.mark.parametrize(
    ("url", "protocol", "shown"),
    [
        ("https://token@example.org/x.git", "https", "https://example.org/x.git"),
        ("ssh://git@example.org:22/x", "ssh", "ssh://example.org:22/x"),
        ("git@example.org:x/y", "ssh", "git@example.org:x/y"),
    ],
)
def test_what_an_address_says_of_itself(url: str, protocol: str, shown: str) -> None:
    assert (git_address(url).protocol, str(git_address(url))) == (protocol, shown)
