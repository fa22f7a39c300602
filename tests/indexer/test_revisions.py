"""What tags call versions, and commits as sources."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from support.donor import LOGS, ROUTES
from support.repository import Checkout
from winnow_ci.errors import CorpusError, GitError
from winnow_ci.index import stored_name
from winnow_ci.indexer.revisions import at_revision, at_tags, version_of, versions_of
from winnow_ci.model import Source

if TYPE_CHECKING:
    from pathlib import Path


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


# ---- commits as sources ----------------------------------------------------------------------------------------

ROADS = Source("roads")


@pytest.fixture
def tagged(tmp_path: Path) -> Checkout:
    """A repository with two tags of commits that share a file, and tags that are no versions."""
    checkout = Checkout.create(tmp_path / "tagged")
    checkout.commit({"same.py": ROUTES, "logs.py": LOGS})
    checkout.git("tag", "v1.0")
    checkout.commit({"logs.py": f"import sys\n{LOGS}", "link": ""})
    (checkout.root / "link").unlink()
    (checkout.root / "link").symlink_to("same.py")
    checkout.commit()
    checkout.git("tag", "v1.1")
    checkout.git("tag", "tree", "HEAD^{tree}")
    return checkout


def test_a_file_that_versions_share_is_there_once_and_belongs_to_all(tagged: Checkout) -> None:
    addition = at_tags(tagged.root, ROADS)
    assert [(source.name, source.version) for source in addition.sources] == [
        ("roads@1.0", "1.0"),
        ("roads@1.1", "1.1"),
    ]
    owners = [(file.path, [source.version for source in addition.sources_of(file)]) for file in addition.corpus.files]
    assert sorted(owners) == [("logs.py", ["1.0"]), ("logs.py", ["1.1"]), ("same.py", ["1.0", "1.1"])]
    reasons = {skip.path: skip.reason for skip in addition.corpus.skipped}
    assert reasons["tree"] == "tag of something other than a commit"
    assert "link" in reasons
    assert {file.path: file.content for file in addition.corpus}["same.py"] == ROUTES.encode()


def test_tags_replace_the_versions_of_their_project_only(tagged: Checkout) -> None:
    replaces = at_tags(tagged.root, ROADS).replaces
    versions = [Source(stored_name(name, "0.9"), "0.9") for name in ("roads", "other")]
    assert [replaces(source) for source in (*versions, ROADS)] == [True, False, False]


def test_a_revision_is_one_source_that_replaces_that_of_its_name(tagged: Checkout) -> None:
    addition = at_revision(tagged.root, "v1.0", ROADS)
    assert addition.sources == (ROADS,)
    assert [file.path for file in addition.corpus.files] == ["logs.py", "same.py"]
    assert [addition.replaces(Source(name)) for name in ("roads", "roads@1.0")] == [True, False]


def test_without_tags_or_files_there_is_nothing_to_add(tmp_path: Path) -> None:
    checkout = Checkout.create(tmp_path / "empty")
    commit = checkout.commit()
    with pytest.raises(CorpusError, match="has no tags of commits"):
        at_tags(checkout.root, ROADS)
    with pytest.raises(CorpusError, match=f"has no files at {commit[:12]}"):
        at_revision(checkout.root, "HEAD", ROADS)
    with pytest.raises(GitError):
        at_revision(checkout.root, "missing", ROADS)
