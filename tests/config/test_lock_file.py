"""The lock of a manifest: written, read back, merged by git, and refused if somebody has edited it."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import event, given
from hypothesis import strategies as st

from support.repository import Checkout
from winnow_ci.config.lock import (
    MOST_BYTES_OF_LOCK,
    PinnedSource,
    SourceLock,
    SourcePins,
    load_lock,
    lock_text,
    parse_lock,
)
from winnow_ci.config.manifest import parse_manifest
from winnow_ci.config.source import DeclaredSource, SourceOrigin
from winnow_ci.errors import ConfigError
from winnow_ci.fetching.packages import Artifact
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


NAMES = st.text(st.characters(exclude_categories=("Cc", "Cs")), min_size=1, max_size=20).filter(str.strip)
ORIGINS = st.one_of(
    st.sampled_from(
        [
            SourceOrigin(purl="pkg:pypi/six"),
            SourceOrigin(git="../x", all_tags=True),
            SourceOrigin(url="https://example.org/x.zip"),
            SourceOrigin(url="https://example.org/x.zip", sha256="0a" * 32),
        ]
    ),
    NAMES.map(lambda path: SourceOrigin(path=path)),
    NAMES.filter(lambda name: name[0] != "-").map(lambda name: SourceOrigin(git="../x", revision=name)),
)
PATHS = st.lists(st.sampled_from(["src/**", "*.c", "docs"]), min_size=1, max_size=2).map(tuple)


@st.composite
def pinned_sources(draw: st.DrawFn) -> PinnedSource:
    origin = draw(ORIGINS)
    declared = DeclaredSource(
        draw(NAMES),
        origin,
        None if origin.all_tags else draw(st.none() | NAMES),
        draw(st.none() | st.sampled_from(["MIT", "unknown"])),
        draw(st.none() | PATHS),
        draw(st.just(()) | PATHS),
        boilerplate=draw(st.booleans()),
        with_text=draw(st.booleans()),
    )
    files = st.builds(Artifact, st.sampled_from(["a", "six-1.17.0.tar.gz", "x" * 255]), st.just("b1" * 32))
    pins = SourcePins(
        draw(st.none() | NAMES),
        tuple(draw(st.lists(files, max_size=2))),
        draw(st.none() | st.sampled_from(["c2" * 20, "1" * 40, "c2" * 32])),
        tuple((tag, "e1" * 20) for tag in draw(st.lists(NAMES, max_size=2, unique=True))),
        draw(st.none() | st.just("0" * 64)),
        draw(st.none() | st.just("MIT")),
        draw(st.none() | NAMES),
    )
    return PinnedSource(declared, pins)


LOCKS = st.lists(pinned_sources(), max_size=3, unique_by=lambda one: one.declared.name).map(
    lambda sources: SourceLock(sources=tuple(sorted(sources, key=lambda one: one.declared.name)))
)


@given(LOCKS)
def test_any_lock_is_read_as_it_was_written(lock: SourceLock) -> None:
    for one in lock.sources:
        event(f"{next(name for name, value in one.declared.origin._asdict().items() if value)}")
    assert read(lock_text(lock)) == lock


@given(LOCKS.filter(lambda lock: bool(lock.sources)), st.data())
def test_a_character_that_somebody_changes_changes_nothing_or_is_noticed(lock: SourceLock, data: st.DataObject) -> None:
    text = lock_text(lock)
    place = data.draw(st.integers(text.index("sources:"), len(text) - 1))
    changed = text[:place] + data.draw(st.sampled_from("a0 -:'\n")) + text[place + 1 :]
    try:
        assert read(changed) == lock
    except ConfigError:
        event("noticed")
    else:
        event("the same text" if changed == text else "the same lock")


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
    "a long name": edited("six-1.17.0.tar.gz", "x" * 256),
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
    assert MOST_BYTES_OF_LOCK == 4 << 20
    text = lock_text(SourceLock()).encode()
    largest = b"#".ljust(MOST_BYTES_OF_LOCK - len(text) - 1, b"#") + b"\n" + text
    assert parse_lock(largest, "x.lock") == SourceLock()
    with pytest.raises(ConfigError, match="larger than 4 MiB"):
        parse_lock(b"#" + largest, "x.lock")


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
    assert "x.lock:28: an unresolved merge conflict" in raised.value.problem
    assert "then run winnow-ci index sync" in raised.value.remedy


def test_a_manifest_is_no_lock() -> None:
    text = "sources:\n- pkg:pypi/six\n"
    assert parse_manifest(text.encode(), Path("m.yml")).sources
    with pytest.raises(ConfigError):
        read(text)
