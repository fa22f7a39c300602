"""The lock of a manifest: written, read back, merged by git, and refused if somebody has edited it."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.repository import Checkout
from winnow_ci.config.lock_file import MAX_BYTES, load_lock, lock_text, parse_lock
from winnow_ci.config.manifest_file import parse_manifest
from winnow_ci.config.manifest_values import DeclaredSource, PinnedSource, SourceLock, SourceOrigin, SourcePins
from winnow_ci.errors import ConfigError
from winnow_ci.fetching.artifacts import Artifact
from winnow_ci.model import Parameters

SIX = PinnedSource(
    DeclaredSource("six", SourceOrigin(purl="pkg:pypi/six")),
    SourcePins("1.17.0", (Artifact("six-1.17.0.tar.gz", "a" * 64),), license="MIT", license_from="PKG-INFO"),
)
CURL = PinnedSource(
    DeclaredSource("curl", SourceOrigin(git="https://example.org/curl.git", all_tags=True), exclude=("docs",)),
    SourcePins(tags=(("v1", "b" * 40), ("v2", "1" * 40))),
)
SHARED = PinnedSource(
    DeclaredSource("shared", SourceOrigin(path="../shared"), license="MIT", with_text=True), SourcePins(digest="0" * 64)
)


def read(text: str) -> SourceLock:
    return parse_lock(text.encode(), "x.lock")


def test_what_was_written_is_read() -> None:
    lock = SourceLock(Parameters(20, 8, "winnowing"), (CURL, SHARED, SIX))
    assert read(lock_text(lock)) == lock


def test_the_order_of_the_manifest_is_no_matter() -> None:
    assert lock_text(SourceLock(sources=(SIX, CURL))) == lock_text(SourceLock(sources=(CURL, SIX)))


names = st.text(st.characters(exclude_categories=("Cc", "Cs")), min_size=1, max_size=20).filter(str.strip)


@given(names, names, st.lists(names, min_size=1, unique=True), st.booleans())
def test_any_names(name: str, version: str, tags: list[str], boilerplate: bool) -> None:
    manifest = DeclaredSource(name, SourceOrigin(git="../x", all_tags=True), license="MIT", boilerplate=boilerplate)
    lock = SourceLock(
        sources=(PinnedSource(manifest, SourcePins(version, tags=tuple((tag, "e1" * 20) for tag in tags))),)
    )
    assert read(lock_text(lock)) == lock


def test_without_a_file_there_is_no_lock(tmp_path: Path) -> None:
    assert load_lock(tmp_path / "sources.lock") is None


def edited(old: str, new: str) -> str:
    text = lock_text(SourceLock(sources=(SIX, CURL, SHARED)))
    assert old in text
    return text.replace(old, new)


REFUSED = {
    "cut off in a source": edited("license-from", "\0").partition("\0")[0],
    "cut off between sources": edited("- name: six", "\0").partition("\0")[0],
    "empty": "",
    "another sha256": edited("a" * 64, "f" * 64),
    "another licence": edited("license: MIT\n    license-from", "license: 0BSD\n    license-from"),
    "another filter": edited("- docs", "- lib"),
    "a path for a name": edited("six-1.17.0.tar.gz", "../../../six.tar.gz"),
    "half a hash": edited("a" * 64, "a" * 32),
    "half a commit": edited("b" * 40, "b" * 12),
    "a key more": edited("digest:", "digits: 1\n    digest:"),
    "no pins": edited("pinned:\n    digest: '" + "0" * 64 + "'\n", ""),
    "a version that is not ours": edited("version: 1\n", "version: 2\n"),
    "a source twice": edited(
        "sources:\n", "sources:\n" + lock_text(SourceLock(sources=(SIX,))).partition("sources:\n")[2][:-4]
    ),
    "no sources": "version: 1\nparameters: {}\n...\n",
    "an alias": edited("- name: six", "- &a\n  name: six"),
    "no YAML": edited("- name: six", "- name: 'six"),
    "a huge number": edited("k: 16", "k: 16000000000000"),
    "not UTF-8": edited("six-1.17.0", "\udcff"),
}


@pytest.mark.parametrize("text", REFUSED.values(), ids=list(REFUSED))
def test_an_edited_lock_is_refused(text: str) -> None:
    with pytest.raises(ConfigError) as raised:
        parse_lock(text.encode(errors="surrogateescape"), "x.lock")
    assert raised.value.problem.startswith("x.lock:")
    assert raised.value.remedy


def test_a_lock_has_a_size() -> None:
    with pytest.raises(ConfigError, match="larger than"):
        parse_lock(b"#" * (MAX_BYTES + 1), "x.lock")


def test_git_merges_what_people_add_at_a_time_in_different_places(tmp_path: Path) -> None:
    checkout = Checkout.create(tmp_path / "work")
    middle = tuple(
        PinnedSource(DeclaredSource(f"m{n}", SourceOrigin(path=f"m{n}")), SourcePins(digest="5" * 64)) for n in range(3)
    )
    sides = {"main": (*middle,), "ours": (*middle, CURL), "theirs": (*middle, SIX)}
    for branch, sources in sides.items():
        checkout.git("checkout", "--quiet", "-B", branch, *([] if branch == "main" else ["main"]))
        checkout.commit({"sources.lock": lock_text(SourceLock(sources=sources))})
    checkout.git("merge", "--quiet", "ours")
    both = load_lock(tmp_path / "work" / "sources.lock")
    assert both is not None
    assert set(both.sources) == {CURL, *middle, SIX}


def test_marks_of_a_conflict(tmp_path: Path) -> None:
    text = edited("- name: six", "<<<<<<< ours\n- name: six\n=======\n- name: sox\n>>>>>>> theirs")
    with pytest.raises(ConfigError) as raised:
        read(text)
    assert "x.lock:28: the mark of a merge conflict" in raised.value.problem
    assert "then run winnow-ci index sync" in raised.value.remedy


def test_a_manifest_is_no_lock() -> None:
    text = "sources:\n- pkg:pypi/six\n"
    assert parse_manifest(text.encode(), Path("m.yml")).sources
    with pytest.raises(ConfigError):
        read(text)
