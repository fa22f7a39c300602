"""Crowds against their definition: what a scan reads of hashes with very many places, and what stays behind."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import numpy as np
import pytest
import xxhash
from hypothesis import HealthCheck, event, given, settings
from hypothesis import strategies as st

from support.counting_store import CountingStore
from support.indexes import FRONT_ENDS, PARAMETERS, TABLES, add_source, entry, write_index
from winnow_ci.index import (
    HeldFile,
    IndexDraft,
    IndexReader,
    WholeIndex,
    batched,
    blocks,
    journal,
    known_files,
    places_of,
    replacing,
    schema,
    verify,
)
from winnow_ci.index.blocks import merged, runs_of
from winnow_ci.model import PHRASE, Source

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from winnow_ci.index import NewContent

Posting = tuple[int, int, int, int]
CROWD = 3
ROWS = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 2), st.booleans()), min_size=1, max_size=20)
CONTENTS = st.lists(ROWS, min_size=1, max_size=5, unique_by=repr)


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(schema, "CROWD", CROWD)
    monkeypatch.setattr(schema, "BLOCK_POSTINGS", 4)
    monkeypatch.setattr(schema, "OVERFLOW_POSTINGS", 3)
    monkeypatch.setattr(blocks, "RANGE_POSTINGS", 8)
    monkeypatch.setattr(blocks, "POSTINGS_A_RUN", 1)
    monkeypatch.setattr(journal, "RUN_POSTINGS", 5)
    monkeypatch.setattr(journal, "READ_AHEAD", 2)


def content_of(rows: list[tuple[int, int, bool]]) -> NewContent:
    """A content with these hashes and checks; what is marked is a phrase."""
    made = entry([h for h, _, _ in rows], [0 if is_phrase else c for _, c, is_phrase in rows])
    marks = np.array([PHRASE if is_phrase else 0 for *_, is_phrase in rows], np.uint32)
    fingerprints = made.fingerprints
    object.__setattr__(fingerprints, "positions", fingerprints.positions + marks)
    return made._replace(
        row=made.row._replace(key=xxhash.xxh3_128_digest(repr(rows).encode())), fingerprints=fingerprints
    )


def postings_of(contents: Iterable[NewContent]) -> list[Posting]:
    """All postings of k-grams and phrases: hash, content, position, check."""
    return [
        (h, content.row.content_id(), position, check)
        for content in contents
        for h, position, check in zip(
            schema.spread(content.fingerprints.hashes).tolist(),
            content.fingerprints.positions.tolist(),
            content.fingerprints.checks.tolist(),
            strict=True,
        )
    ]


def sample(postings: list[Posting]) -> list[Posting]:
    """The first places of each content, by the ids of the contents, then the second ones, and so on."""
    seen: Counter[int] = Counter()
    ranked = []
    for posting in sorted(postings, key=lambda one: (one[1], one[2], one[3])):
        ranked.append((seen[posting[1]], posting[1], posting))
        seen[posting[1]] += 1
    return [posting for *_, posting in sorted(ranked)[:CROWD]]


def verbatim_hash(posting: Posting) -> int:
    hashes, checks = np.array([posting[0]], np.uint64), np.array([posting[3]], np.uint32)
    return int(schema.verbatim_hash(hashes, checks)[0])


def expected(postings: list[Posting]) -> tuple[list[Posting], list[Posting], list[Posting]]:
    """Blocks, blocks of crowds, overflow; each in any order."""
    counts = Counter(h for h, *_ in postings)
    calm = [posting for posting in postings if counts[posting[0]] <= CROWD]
    of_crowds: list[Posting] = []
    overflow: list[Posting] = []
    for h in (h for h, count in counts.items() if count > CROWD):
        crowd = [posting for posting in postings if posting[0] == h]
        calm += [(h, c, p + schema.CROWDED, check) for _, c, p, check in sample(crowd)]
        overflow += [posting for posting in crowd if posting[2] >= PHRASE]
        kgrams = [posting for posting in crowd if posting[2] < PHRASE]
        for text in {check for *_, check in kgrams}:
            same = [posting for posting in kgrams if posting[3] == text]
            kept = sample(same)
            of_crowds += [(verbatim_hash(posting), *posting[1:]) for posting in kept]
            overflow += list((Counter(same) - Counter(kept)).elements())
    return calm, of_crowds, overflow


def read_back(parts: Iterable[np.ndarray]) -> list[Posting]:
    return sorted(row for part in parts for row in part.tolist() if row[2] != schema.WHOLE)


@given(rows=CONTENTS)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@pytest.mark.usefixtures("small")
def test_an_index_thins_crowds_as_it_says(rows: list[list[tuple[int, int, bool]]], tmp_path: Path) -> None:
    contents = [content_of(one) for one in rows]
    write_index(tmp_path / "i.db", {Source("s"): {f"{n}.py": content for n, content in enumerate(contents)}})
    blocks, of_crowds, overflow = expected(postings_of(contents))
    with WholeIndex(tmp_path / "i.db") as index:
        verify(index)
        assert read_back(index.all_blocks(index.blocks)) == sorted(blocks)
        assert read_back(index.all_blocks(index.crowd_blocks)) == sorted(of_crowds)
        assert read_back(index.overflow()) == sorted(overflow)
        assert (index.postings, index.cut) == (sum(map(len, rows)), len(overflow))
        together = read_back(part.postings for part in merged(runs_of(index), index.blocks.bits))
    assert together == sorted(postings_of(contents))
    event(f"crowds: {bool(of_crowds)}, overflow of k-grams: {any(p < PHRASE for _, _, p, _ in overflow)}")


@given(rows=CONTENTS, dropped=st.integers(0, 4))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@pytest.mark.usefixtures("small")
def test_what_leaves_a_crowd_makes_room(rows: list[list[tuple[int, int, bool]]], dropped: int, tmp_path: Path) -> None:
    """Removing a source gives, byte for byte, the index that never had it, though a crowd shrinks below the bound."""
    contents = [content_of(one) for one in rows]
    sources = {Source(f"s{n}"): {"x.py": content} for n, content in enumerate(contents)}
    gone, stays = f"s{dropped % len(contents)}", {Source("stays"): {"y.py": entry([1, 1, 1], [1, 1, 1])}}
    write_index(tmp_path / "all.db", sources | stays)
    write_index(tmp_path / "rest.db", {s: files for s, files in sources.items() if s.name != gone} | stays)
    with WholeIndex(tmp_path / "all.db") as old, replacing(tmp_path / "less.db") as unfinished:
        event(f"crowded: {bool(old.crowded)}")
        draft = IndexDraft(PARAMETERS, FRONT_ENDS, TABLES)
        draft.keep(old, without={gone})
        draft.write(unfinished)
    assert (tmp_path / "less.db").read_bytes() == (tmp_path / "rest.db").read_bytes()


@pytest.mark.parametrize("times", [256, 257, 5000])
def test_a_text_of_a_crowd_is_found_among_thousands_of_others(tmp_path: Path, times: int) -> None:
    """One shape has thousands of places, each text of it but one; a copy of any is found at its very place."""
    entries = {f"{n}.py": entry([7, 1000 + n], [n, n]) for n in range(times)}
    write_index(tmp_path / "i.db", {Source("s"): entries})
    with WholeIndex(tmp_path / "i.db") as index:
        assert max(map(len, index.all_blocks(index.blocks))) <= 128 * 256
        for text in range(0, times, 97):
            found = places_of(index, np.array([7], np.uint64), np.array([text], np.uint32), np.zeros(1, np.int64))
            of_text = found.hits.contents[found.hits.checks == text]
            assert of_text.tolist() == [entries[f"{text}.py"].row.content_id()]
            assert len(found.hits) <= 257


@pytest.mark.parametrize(("is_phrase", "questions"), [(True, 1), (False, 2)])
@pytest.mark.usefixtures("small")
def test_texts_of_a_crowd_are_asked_for_if_it_has_any(tmp_path: Path, is_phrase: bool, questions: int) -> None:
    entries = {f"{n}.py": content_of([(7, 0, is_phrase), (1000 + n, 0, False)]) for n in range(9)}
    write_index(tmp_path / "i.db", {Source("s"): entries})
    store = CountingStore(tmp_path / "i.db")
    with IndexReader(store) as index:
        hashes, zeros = np.full(3, 7, np.uint64), np.zeros(3, np.int64)
        found = places_of(index, hashes, zeros.astype(np.uint32), zeros)
        assert index.crowded == 1
        assert len(found.hits) == 3 * CROWD
    assert store.questions == questions


def test_whole_files_are_found_by_their_keys_and_others_are_not(tmp_path: Path) -> None:
    entries = {f"{n}.py": entry([n, n + 1]) for n in range(300)}
    write_index(tmp_path / "i.db", {Source("s"): entries})
    keys = [content.row.key for content in entries.values()]
    others = [entry([n, n]).row.key for n in range(300)]
    # The one bit of the key that the id does not have.
    near = [bytes([*key[:7], key[7] ^ 1, *key[8:]]) for key in keys]
    with WholeIndex(tmp_path / "i.db") as index:
        found = known_files(index, [*keys, *others, *near])
    assert found == {content.row.key: content.row.content_id() for content in entries.values()}


def test_two_contents_with_one_id_are_refused(tmp_path: Path) -> None:
    first = entry([1, 2])
    key = bytes([*first.row.key[:7], first.row.key[7] ^ 1, *first.row.key[8:]])
    second = first._replace(row=first.row._replace(key=key))
    draft = IndexDraft(PARAMETERS, FRONT_ENDS, TABLES)
    add_source(draft, Source("s"), {"a.py": first})
    draft.add_contents(batched([second]))
    draft.add_file(Source("s"), HeldFile(key, b"b.py"))
    with (
        pytest.raises(Exception, match=r"same id: those of [ab]\.py and [ab]\.py"),
        replacing(tmp_path / "i.db") as unfinished,
    ):
        draft.write(unfinished)
