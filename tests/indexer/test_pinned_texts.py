"""Texts of pinned sources come from the user's cache, and from nowhere else."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from support.debian import tarball
from support.repository import Checkout
from winnow_ci.config.lock import PinnedSource, SourcePins
from winnow_ci.config.source import DeclaredSource, SourceOrigin
from winnow_ci.errors import CorpusError
from winnow_ci.fetching.cache import put_file
from winnow_ci.fetching.packages import Artifact
from winnow_ci.fetching.remote_git import GitStore
from winnow_ci.indexer.pinned_texts import pinned_texts
from winnow_ci.indexer.pinning import repositories
from winnow_ci.model import Source, SourceFile

if TYPE_CHECKING:
    from pathlib import Path

URL = "https://example.invalid/roads.git"


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("WINNOW_CI_CACHE_DIR", str(tmp_path / "cache"))
    return tmp_path / "cache"


def archive(tmp_path: Path, content: bytes) -> PinnedSource:
    """A package of one archive, which the cache has."""
    (tmp_path / "roads-1.0.tar.gz").write_bytes(content)
    place = put_file(tmp_path / "roads-1.0.tar.gz")
    artifact = Artifact("roads-1.0.tar.gz", place.name)
    return PinnedSource(DeclaredSource("roads", SourceOrigin(purl="pkg:pypi/roads")), SourcePins("1.0", (artifact,)))


def files(*paths: str, version: str = "1.0") -> list[SourceFile]:
    return [SourceFile(Source("roads", version), path) for path in paths]


def test_the_wanted_files_of_an_archive_are_read(tmp_path: Path) -> None:
    one = archive(tmp_path, tarball({"roads-1.0/a.py": b"a", "roads-1.0/src/b.py": b"b", "roads-1.0/c.py": b"c"}))
    assert dict(pinned_texts(one, files("src/b.py", "a.py", "none.py"))) == {"a.py": b"a", "src/b.py": b"b"}


def test_what_the_cache_lacks_gives_nothing(tmp_path: Path, cache: Path) -> None:
    one = archive(tmp_path, tarball({"roads-1.0/a.py": b"a"}))
    (kept,) = (path for path in cache.glob("files/*/*") if not path.suffix)
    kept.write_bytes(b"another")
    assert list(pinned_texts(one, files("a.py"))) == []
    kept.unlink()
    assert list(pinned_texts(one, files("a.py"))) == []


def test_a_damaged_archive_is_an_error(tmp_path: Path) -> None:
    one = archive(tmp_path, tarball({"roads-1.0/a.py": b"a" * 9_000})[:-60])
    with pytest.raises(CorpusError):
        list(pinned_texts(one, files("a.py")))


@pytest.mark.parametrize("origin", [SourceOrigin(path="roads"), SourceOrigin(git="roads", revision="main")])
def test_what_lies_on_this_machine_is_in_no_cache(tmp_path: Path, origin: SourceOrigin) -> None:
    """Whoever writes the lock would choose what is read."""
    Checkout.create(tmp_path / "roads").commit({"a.py": "a"})
    one = PinnedSource(DeclaredSource("roads", origin), SourcePins(commit="1" * 40))
    assert list(pinned_texts(one, files("a.py"))) == []


def fetched(tmp_path: Path) -> tuple[str, str]:
    """Two commits of a repository that was fetched."""
    checkout = Checkout.create(tmp_path / "roads")
    commits = checkout.commit({"a.py": "one", "b.py": "b"}), checkout.commit({"a.py": "two"})
    place = GitStore.of(URL, repositories(), commits).place
    place.mkdir(parents=True)
    for commit in commits:
        checkout.git("update-ref", f"refs/winnow-ci/{commit}", commit)
    checkout.git("clone", "--quiet", "--mirror", ".", str(place / "00000001.git"))
    return commits


def test_files_of_a_repository_are_those_of_the_commit(tmp_path: Path) -> None:
    first, _ = fetched(tmp_path)
    origin = SourceOrigin(git=URL, revision="v1")
    one = PinnedSource(DeclaredSource("roads", origin), SourcePins("1", commit=first))
    assert dict(pinned_texts(one, files("a.py", "b.py", "none.py", version="1"))) == {"a.py": b"one", "b.py": b"b"}


def test_of_several_versions_each_has_its_own_text(tmp_path: Path) -> None:
    first, second = fetched(tmp_path)
    origin = SourceOrigin(git=URL, all_tags=True)
    one = PinnedSource(DeclaredSource("roads", origin), SourcePins(tags=(("v1", first), ("v2", second))))
    for version, text in (("1", [b"one"]), ("2", [b"two"]), ("3", [])):
        assert [content for _, content in pinned_texts(one, files("a.py", version=version))] == text
