"""What a source of a manifest is, exactly."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import pytest

from support.repository import Checkout
from winnow_ci.config.lock import PinnedSource, SourceLock, SourcePins
from winnow_ci.config.source import DeclaredSource, SourceOrigin
from winnow_ci.errors import ConfigError, CorpusError, FetchError, GitError, UsageError
from winnow_ci.indexer.licences import MANIFEST
from winnow_ci.indexer.pinning import carried, inputs, pinned_path, resolved, source_of
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
    before = pinned_path(at_path(), folder)
    assert pinned_path(at_path(), folder) == before
    without_logs = pinned_path(at_path(exclude=("logs.py",)), folder)
    assert without_logs != before
    (code / "logs.py").write_text("changed")
    assert pinned_path(at_path(), folder) != before
    assert pinned_path(at_path(exclude=("logs.py",)), folder) == without_logs
    (code / "routes.py").rename(code / "renamed.py")
    assert pinned_path(at_path(exclude=("logs.py",)), folder) != without_logs


def test_an_archive_is_pinned_by_its_bytes(code: Path, folder: Path) -> None:
    archive = code.parent / "a.tar.gz"
    archive.write_bytes(b"one")
    before = pinned_path(at_path("../a.tar.gz"), folder)
    archive.write_bytes(b"two")
    assert pinned_path(at_path("../a.tar.gz"), folder) != before


@pytest.mark.parametrize("path", [".", "..", "../project"])
def test_the_folder_of_the_manifest_is_no_source(folder: Path, path: str) -> None:
    with pytest.raises(ConfigError, match="holds the manifest itself"):
        pinned_path(at_path(path), folder)


def test_what_is_neither_a_folder_nor_an_archive(code: Path, folder: Path) -> None:
    os.mkfifo(code.parent / "pipe")
    with pytest.raises(UsageError, match=r"not a regular file\n.*a folder or an archive"):
        pinned_path(at_path("../pipe"), folder)
    with pytest.raises((UsageError, CorpusError), match="No such file"):
        pinned_path(at_path("../missing"), folder)


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
    said, found = source_of(PinnedSource(declared, PINS)), source_of(PinnedSource(of_git(revision="v1"), PINS))
    assert (said.version, said.license, said.license_from, said.boilerplate) == ("9", "BSD-3-Clause", MANIFEST, True)
    assert (found.version, found.license, found.license_from, found.boilerplate) == ("1.0", "MIT", "LICENSE", False)
    # A path of this machine is nobody's business who gets the index.
    assert found.url is None
