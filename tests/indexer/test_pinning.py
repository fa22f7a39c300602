"""Sources of a manifest: what they are, which of their files are taken, and texts from the cache."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import pytest

from support.debian import tarball
from support.repository import Checkout
from winnow_ci.config.lock import PinnedSource, SourceLock, SourcePins
from winnow_ci.config.source import DeclaredSource, SourceOrigin
from winnow_ci.corpus import collect
from winnow_ci.errors import ConfigError, CorpusError, FetchError, GitError, UsageError
from winnow_ci.fetching.cache import put_file
from winnow_ci.fetching.packages import Artifact
from winnow_ci.fetching.remote_git import GitStore
from winnow_ci.indexer.filling import BY_MANIFEST
from winnow_ci.indexer.pinning import (
    inputs,
    pinned_files,
    pinned_texts,
    repositories,
    resolved,
    selected,
    source_to_index,
)
from winnow_ci.indexer.preparation import NOT_WANTED
from winnow_ci.indexer.syncing import carried
from winnow_ci.model import Source, SourceFile
from winnow_ci.start_up import replace

if TYPE_CHECKING:
    from pathlib import Path


def at_path(path: str = "../code", **more: Any) -> DeclaredSource:
    return DeclaredSource("roads", SourceOrigin(path=path), **more)


def of_git(place: str = "../roads", name: str = "roads", **more: Any) -> DeclaredSource:
    return DeclaredSource(name, SourceOrigin(git=place, **more))


def silent(done: int, total: int | None) -> None:
    """Tell nobody."""


@pytest.fixture
def folder(code: Path) -> Path:
    """The folder of a manifest, beside the code."""
    folder = code.parent / "project"
    folder.mkdir()
    return folder


# ---- paths -----------------------------------------------------------------------------------------------------


def test_a_folder_is_pinned_by_what_is_taken_of_it(code: Path, folder: Path) -> None:
    before = pinned_files(at_path(), folder)
    assert pinned_files(at_path(), folder) == before
    without_logs = pinned_files(at_path(exclude=("logs.py",)), folder)
    assert without_logs != before
    (code / "logs.py").write_text("changed")
    assert pinned_files(at_path(), folder) != before
    assert pinned_files(at_path(exclude=("logs.py",)), folder) == without_logs
    (code / "routes.py").rename(code / "renamed.py")
    assert pinned_files(at_path(exclude=("logs.py",)), folder) != without_logs


def test_an_archive_is_pinned_by_its_bytes(code: Path, folder: Path) -> None:
    archive = code.parent / "a.tar.gz"
    archive.write_bytes(b"one")
    before = pinned_files(at_path("../a.tar.gz"), folder)
    archive.write_bytes(b"two")
    assert pinned_files(at_path("../a.tar.gz"), folder) != before


@pytest.mark.parametrize("path", [".", "..", "../project"])
def test_the_folder_of_the_manifest_is_no_source(folder: Path, path: str) -> None:
    with pytest.raises(ConfigError, match="holds the manifest itself"):
        pinned_files(at_path(path), folder)


def test_what_is_neither_a_folder_nor_an_archive(code: Path, folder: Path) -> None:
    os.mkfifo(code.parent / "pipe")
    with pytest.raises(UsageError, match=r"not a regular file\n.*a readable folder or archive"):
        pinned_files(at_path("../pipe"), folder)
    with pytest.raises((UsageError, CorpusError), match="No such file"):
        pinned_files(at_path("../missing"), folder)


# ---- repositories ----------------------------------------------------------------------------------------------


@pytest.fixture
def repository(folder: Path) -> Checkout:
    checkout = Checkout.create(folder.parent / "roads")
    checkout.commit({"a.py": "a = 1\n"})
    return checkout


@pytest.mark.parametrize(
    ("tag", "version"), [("v1.0", "1.0"), ("roads-2.1", "2.1"), ("release/3.0", "3.0"), ("stable", None)]
)
def test_a_revision_is_pinned_to_its_commit(repository: Checkout, folder: Path, tag: str, version: str | None) -> None:
    repository.git("tag", tag)
    commit = repository.git("rev-parse", "HEAD")
    assert resolved(of_git(revision=tag), folder, silent) == SourcePins(version or commit[:12], commit=commit)
    assert resolved(of_git(revision=commit), folder, silent) == SourcePins(commit[:12], commit=commit)


def test_all_tags_are_pinned_by_name(repository: Checkout, folder: Path) -> None:
    with pytest.raises(FetchError, match="has no tags of commits"):
        resolved(of_git(all_tags=True), folder, silent)
    first = repository.git("rev-parse", "HEAD")
    repository.git("tag", "v2")
    repository.git("tag", "tree", "HEAD^{tree}")
    second = repository.commit({"a.py": "a = 2\n"})
    repository.git("tag", "v1")
    assert resolved(of_git(all_tags=True), folder, silent).tags == (("v1", second), ("v2", first))


def test_a_revision_that_is_not_there(repository: Checkout, folder: Path) -> None:
    with pytest.raises(GitError):
        resolved(of_git(revision="missing"), folder, silent)


# ---- what the lock says, and what the index gets ---------------------------------------------------------------

PINS = SourcePins("1.0", commit="c" * 40, license="MIT", license_from="LICENSE")


@pytest.mark.parametrize(
    ("declared", "pins"),
    [
        (of_git(revision="v1"), PINS),
        # Another name for the same origin does not ask for it again.
        (of_git(name="other", revision="v1"), PINS),
        (of_git(revision="v2"), None),
        (of_git("../elsewhere", revision="v1"), None),
        (replace(of_git(revision="v1"), license="BSD-3-Clause"), replace(PINS, license=None, license_from=None)),
    ],
)
def test_pins_are_carried_over_with_the_origin(declared: DeclaredSource, pins: SourcePins | None) -> None:
    assert carried(declared, SourceLock(sources=(PinnedSource(of_git(revision="v1"), PINS),))) == pins


def test_of_several_of_one_origin_that_of_the_name_is_carried_over() -> None:
    named = PinnedSource(of_git(name="other", revision="v1"), replace(PINS, version="2.0"))
    lock = SourceLock(sources=(PinnedSource(of_git(revision="v1"), PINS), named))
    assert carried(of_git(name="other", revision="v1"), lock) == named.pins
    assert carried(of_git(name="third", revision="v1"), lock) == PINS


@pytest.mark.parametrize(
    "other",
    [
        PinnedSource(of_git(name="other", revision="v1"), PINS),
        PinnedSource(of_git(revision="v2"), PINS),
        PinnedSource(replace(of_git(revision="v1"), license="MIT"), PINS),
        PinnedSource(replace(of_git(revision="v1"), version="9"), PINS),
        PinnedSource(replace(of_git(revision="v1"), include=("a",)), PINS),
        PinnedSource(replace(of_git(revision="v1"), exclude=("a",)), PINS),
        PinnedSource(replace(of_git(revision="v1"), boilerplate=True), PINS),
        PinnedSource(replace(of_git(revision="v1"), with_text=True), PINS),
        PinnedSource(of_git(revision="v1"), replace(PINS, version="2.0")),
        PinnedSource(of_git(revision="v1"), replace(PINS, commit="d" * 40)),
        PinnedSource(of_git(revision="v1"), replace(PINS, tags=(("v1", "d" * 40),))),
        PinnedSource(of_git(revision="v1"), replace(PINS, digest="e" * 64)),
    ],
)
def test_the_inputs_tell_apart_all_that_an_index_depends_on(other: PinnedSource) -> None:
    assert inputs(other) != inputs(PinnedSource(of_git(revision="v1"), PINS))


def test_but_neither_the_line_nor_the_licence_that_was_found() -> None:
    one = PinnedSource(of_git(revision="v1"), PINS)
    found = replace(PINS, license="BSD-3-Clause", license_from="COPYING")
    assert inputs(PinnedSource(replace(one.declared, line=7), found)) == inputs(one)


def test_what_the_manifest_says_goes_before_what_was_found() -> None:
    declared = replace(of_git(revision="v1"), version="9", license="BSD-3-Clause", boilerplate=True)
    said, found = (
        source_to_index(PinnedSource(declared, PINS)),
        source_to_index(PinnedSource(of_git(revision="v1"), PINS)),
    )
    assert (said.version, said.license, said.license_from, said.boilerplate) == ("9", "BSD-3-Clause", BY_MANIFEST, True)
    assert (found.version, found.license, found.license_from, found.boilerplate) == ("1.0", "MIT", "LICENSE", False)
    # A path of this machine is nobody's business who gets the index.
    assert found.url is None


def taken(folder: Path, include: tuple[str, ...] | None, exclude: tuple[str, ...]) -> dict[str, str | None]:
    declared = DeclaredSource("roads", SourceOrigin(path="code"), include=include, exclude=exclude)
    with collect([folder]) as corpus:
        chosen = selected(corpus, declared)
        assert [file.path for file in chosen] == sorted(file.path for file in chosen.files)
        return {file.path: file.reason for file in chosen}


@pytest.mark.parametrize(
    ("include", "exclude", "paths"),
    [
        (None, (), {"a.py", "lib/b.py", "test/c.py"}),
        (("lib/**",), (), {"lib/b.py"}),
        (None, ("test/**",), {"a.py", "lib/b.py"}),
        (("**/*.py",), ("test/**", "a.py"), {"lib/b.py"}),
    ],
)
def test_patterns_take_and_leave(
    tmp_path: Path, include: tuple[str, ...] | None, exclude: tuple[str, ...], paths: set[str]
) -> None:
    for path in ("code/a.py", "code/lib/b.py", "code/test/c.py"):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text("a = 1\n")
    assert taken(tmp_path / "code", include, exclude).keys() == paths


def test_what_may_state_the_licence_is_read_even_so(code: Path) -> None:
    (code / "LICENSE").write_text("Permission is hereby granted")
    (code / "setup.cfg").write_text("[metadata]\nname = roads\nlicense = MIT\n")
    found = taken(code, ("routes.py",), ())
    assert found.pop("routes.py") is None
    assert "LICENSE" in found
    assert "logs.py" not in found
    assert set(found.values()) == {NOT_WANTED}


def test_patterns_that_leave_nothing_are_a_mistake(code: Path) -> None:
    with pytest.raises(ConfigError, match="none of the 2 files of roads match") as caught:
        taken(code, ("missing/**",), ())
    assert caught.value.remedy.endswith("such as logs.py")


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
