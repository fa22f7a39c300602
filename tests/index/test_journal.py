"""What a journal gives back is what was put into it, however it was cut off, and an index of it is as of memory."""

from __future__ import annotations

import io
import os
import signal
from typing import IO, TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from support.indexes import FRONT_ENDS, PARAMETERS, TABLES, entry, write_index
from winnow_ci.index import (
    ContentBatch,
    HeldFile,
    IndexDraft,
    Journal,
    NewContent,
    PackedText,
    WholeIndex,
    batched,
    blocks,
    continuing,
    pack_text,
    replacing,
    schema,
    verify,
)
from winnow_ci.index import journal as journal_module
from winnow_ci.index.journal import framed
from winnow_ci.model import Source

if TYPE_CHECKING:
    from pathlib import Path

    from typing_extensions import Buffer

SOURCE = Source("s")
hashes = st.integers(0, 5) | st.integers(0, 2**64 - 1)
contents = st.lists(st.lists(st.tuples(hashes, st.integers(0, 2)), max_size=30), max_size=12, unique_by=repr)
quick = settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60)


def entry_of(rows: list[tuple[int, int]]) -> NewContent:
    return entry([h for h, _ in rows], [c for _, c in rows])


def small_parts(monkeypatch: pytest.MonkeyPatch, run: int, ahead: int) -> None:
    """Runs, parts and ranges of a few postings."""
    monkeypatch.setattr(schema, "BLOCK_POSTINGS", 4)
    monkeypatch.setattr(journal_module, "RUN_POSTINGS", run)
    monkeypatch.setattr(journal_module, "READ_AHEAD", ahead)
    monkeypatch.setattr(blocks, "RANGE_POSTINGS", 8)
    monkeypatch.setattr(blocks, "POSTINGS_A_RUN", 1)


@given(known=contents, dropped=contents, new=contents, run=st.integers(1, 40), ahead=st.integers(1, 60))
@quick
def test_blocks_are_all_postings_in_order(
    *,
    known: list[list[tuple[int, int]]],
    dropped: list[list[tuple[int, int]]],
    new: list[list[tuple[int, int]]],
    run: int,
    ahead: int,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    small_parts(monkeypatch, run, ahead)
    path, other, kept = tmp_path / "i.db", Source("other"), {e.row.key: e for e in map(entry_of, known)}
    write_index(path, {SOURCE: {f"{n}": entry_of(c) for n, c in enumerate(dropped)}, other: {"o": entry([1, 2])}})
    kept |= {e.row.key: e for e in map(entry_of, new)}
    with replacing(path) as unfinished, WholeIndex(path) as old:
        draft = IndexDraft(PARAMETERS, FRONT_ENDS, TABLES)
        draft.keep(old, without={SOURCE.name})
        for some in (known, new):
            draft.add_contents(batched([entry_of(content) for content in some]))
        for number, key in enumerate(kept):
            draft.add_file(SOURCE, HeldFile(key, b"%d" % number))
        draft.write(unfinished)
    kept[entry([1, 2]).row.key] = entry([1, 2])
    expected = [
        (h, check, kept[key].row.content_id(), position)
        for key in kept
        for h, check, position in zip(*(a.tolist() for a in _columns(kept[key])), strict=True)
    ]
    with WholeIndex(path) as index:
        verify(index)
        postings = np.concatenate(list(index.all_blocks(index.blocks)))
        postings = postings[postings["position"] != schema.WHOLE]
        assert np.take(postings[list(schema.ORDER)], range(len(postings))).tolist() == sorted(expected)


def _columns(content: NewContent) -> tuple[np.ndarray, ...]:
    return schema.spread(content.fingerprints.hashes), content.fingerprints.checks, content.fingerprints.positions


def read_back(journal: Journal) -> list[tuple[object, ...]]:
    """The contents of a journal in order, each with its postings."""
    rows = [journal.content(number) for number in range(journal.kept)]
    postings = sorted(row for run in journal.runs() for part in run for row in part.tolist())
    texts = [journal.packed_text(row.key) if row.key in journal.texts else None for row in rows]
    places = [[(h, p, c) for h, content, p, c in postings if content == number] for number in range(len(rows))]
    return list(zip(rows, texts, places, strict=True))


def filled(place: Path, entries: list[NewContent], description: str = "d") -> None:
    """Write a journal with these contents, each with a text."""
    journal = reopened(place, description)
    for content in entries:
        journal.add_text(content.row.key, pack_text(content.row.key))
        journal.add(batched([content]))
    journal.flush()
    journal.close()


def reopened(place: Path, description: str = "d") -> Journal:
    return Journal(os.open(place, os.O_RDWR | os.O_CREAT), description)


@given(
    rows=contents.filter(bool),
    run=st.integers(1, 40),
    cut=st.floats(0, 1),
    flip=st.none() | st.tuples(st.floats(0, 0.999), st.integers(0, 7)),
)
@quick
def test_a_damaged_journal_gives_back_what_was_before_the_damage(
    *,
    rows: list[list[tuple[int, int]]],
    run: int,
    cut: float,
    flip: tuple[float, int] | None,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    small_parts(monkeypatch, run, 7)
    place, entries = tmp_path / "j", [entry_of(content) for content in rows]
    place.unlink(missing_ok=True)
    filled(place, entries)
    whole = read_back(reopened(place))
    assert [row.key for row, _, _ in whole] == [content.row.key for content in entries]
    data = bytearray(place.read_bytes())
    del data[round(cut * len(data)) :]
    if flip and data:
        data[int(flip[0] * len(data))] ^= 1 << flip[1]
    place.write_bytes(data)
    left = reopened(place)
    found = read_back(left)
    assert found == whole[: len(found)]
    assert flip or cut < 1 or found == whole
    for content in entries[len(found) :]:
        left.add(batched([content]))
    left.flush()
    again = reopened(place)
    assert [row for row, _, _ in read_back(again)] == [row for row, _, _ in whole]


def test_what_is_written_when_an_interrupt_comes_is_known_to_be_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    journal, write = reopened(tmp_path / "j"), journal_module.write_at

    def interrupted(file: IO[bytes], offset: int, data: bytes) -> None:
        write(file, offset, data)
        signal.raise_signal(signal.SIGINT)

    journal.add(batched([entry([1, 2, 3])]))
    with monkeypatch.context() as patched, pytest.raises(KeyboardInterrupt):
        patched.setattr(journal_module, "write_at", interrupted)
        journal.flush()
    journal.flush()
    assert journal.kept == reopened(tmp_path / "j").kept == 1


def test_a_journal_of_other_fingerprints_is_emptied(tmp_path: Path) -> None:
    filled(tmp_path / "j", [entry([1, 2, 3])])
    assert reopened(tmp_path / "j", "d").kept == 1
    assert reopened(tmp_path / "j", "other").kept == 0
    assert reopened(tmp_path / "j", "d").kept == 0


@pytest.mark.parametrize("kind", [b"cont", b"text", b"runs", b"what"])
@pytest.mark.parametrize("payload", [b"", b"x" * 20, b"\xff" * 200])
def test_sound_nonsense_is_cut_off(kind: bytes, payload: bytes, tmp_path: Path) -> None:
    filled(tmp_path / "j", [entry([1, 2, 3])])
    before = (tmp_path / "j").read_bytes()
    (tmp_path / "j").write_bytes(before + framed(kind, payload))
    journal = reopened(tmp_path / "j")
    assert journal.kept == 1
    assert kind == b"runs" or (tmp_path / "j").read_bytes() == before


@pytest.mark.parametrize("content", [b"", b"\0" * 100, b"Dear reader, this is no journal. " * 100])
def test_what_is_no_journal_is_written_over(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "j").write_bytes(content)
    journal = reopened(tmp_path / "j")
    assert journal.kept == 0
    journal.add(batched([entry([1, 2, 3])]))
    journal.flush()
    assert reopened(tmp_path / "j").kept == 1


def test_a_failed_build_is_gone_on_with(tmp_path: Path) -> None:
    path, first, second = tmp_path / "i.db", entry([1, 2, 3]), entry([4, 5])
    with pytest.raises(ZeroDivisionError), replacing(path), continuing(tmp_path / "kept" / "j", "d") as journal:
        IndexDraft(PARAMETERS, FRONT_ENDS, TABLES, journal).add_contents(batched([first]))
        raise ZeroDivisionError
    assert [p.name for p in tmp_path.rglob("*")] == ["kept", "j"]
    with replacing(path, tmp_path / "kept" / "j") as unfinished, continuing(tmp_path / "kept" / "j", "d") as journal:
        draft = IndexDraft(PARAMETERS, FRONT_ENDS, TABLES, journal)
        assert first.row.key in draft
        draft.add_contents(batched([second]))
        for name, content in (("x", first), ("y", second)):
            draft.add_file(SOURCE, HeldFile(content.row.key, name.encode()))
        draft.write(unfinished)
    assert sorted(p.name for p in tmp_path.rglob("*")) == ["i.db", "kept"]
    write_index(tmp_path / "fresh.db", {SOURCE: {"x": first, "y": second}})
    assert path.read_bytes() == (tmp_path / "fresh.db").read_bytes()


def test_a_journal_that_another_build_has_is_not_shared(tmp_path: Path) -> None:
    path, place, ours, theirs = tmp_path / "i.db", tmp_path / "kept" / "j", entry([1, 2, 3]), entry([4, 5])
    with continuing(place, "d") as first, continuing(place, "d") as second:
        assert (first.is_temporary, second.is_temporary) == (False, True)
        draft = IndexDraft(PARAMETERS, FRONT_ENDS, TABLES, first)
        draft.add_contents(batched([ours]))
        draft.add_file(SOURCE, HeldFile(ours.row.key, b"x"))
        first.flush()
        second.add(batched([theirs]))
        second.flush()
        with replacing(path) as unfinished:
            draft.write(unfinished)
    write_index(tmp_path / "alone.db", {SOURCE: {"x": ours}})
    assert path.read_bytes() == (tmp_path / "alone.db").read_bytes()
    # The lock goes with the journal.
    with continuing(place, "d") as third:
        assert (third.is_temporary, third.kept) == (False, 1)


def test_what_an_interrupted_build_did_and_nobody_wants_is_left_out(tmp_path: Path) -> None:
    path, wanted = tmp_path / "i.db", entry([4, 5])
    with pytest.raises(ZeroDivisionError), replacing(path), continuing(tmp_path / "kept" / "j", "d") as journal:
        IndexDraft(PARAMETERS, FRONT_ENDS, TABLES, journal).add_contents(batched([entry([1, 2, 3])]))
        raise ZeroDivisionError
    with replacing(path, tmp_path / "kept" / "j") as unfinished, continuing(tmp_path / "kept" / "j", "d") as journal:
        draft = IndexDraft(PARAMETERS, FRONT_ENDS, TABLES, journal)
        draft.add_contents(batched([wanted]))
        draft.add_file(SOURCE, HeldFile(wanted.row.key, b"y"))
        draft.write(unfinished)
    write_index(tmp_path / "fresh.db", {SOURCE: {"y": wanted}})
    assert path.read_bytes() == (tmp_path / "fresh.db").read_bytes()


@pytest.mark.parametrize(("postings", "written"), [((1 << 17) - 1, 0), (1 << 17, 1)])
def test_postings_are_written_from_131072_on(postings: int, written: int) -> None:
    journal = Journal()
    content = entry([1])
    row = content.row._replace(token_map=b"")
    journal.add(ContentBatch([row], np.zeros(postings, schema.POSTING)))
    assert journal.kept == written
    journal.close()


@pytest.mark.parametrize(("size", "is_written"), [((1 << 22) - 1, False), (1 << 22, True)])
def test_texts_are_written_from_4_mib_on(size: int, is_written: bool) -> None:
    journal = Journal()
    journal.add_text(b"k" * 16, PackedText(size, bytes(size)))
    assert (journal.texts[b"k" * 16] >= 0) == is_written
    journal.close()


def test_a_cursor_stops_before_its_bound() -> None:
    run = np.zeros(4, schema.POSTING)
    run["hash"] = [7, 8, 9, 10]
    cursor = blocks._Cursor(iter([run[:1], run[1:]]))
    assert [int(h) for part in cursor.below(10) for h in part["hash"]] == [7, 8, 9]
    assert [int(h) for part in cursor.below(1 << 64) for h in part["hash"]] == [10]


@pytest.mark.parametrize("most", [1, 3, 1000])
def test_all_is_written_and_read_even_if_one_call_takes_fewer_bytes(most: int) -> None:
    class Partly(io.BytesIO):
        def write(self, data: Buffer) -> int:
            return super().write(bytes(data)[:most])

        def read(self, size: int | None = -1) -> bytes:
            return super().read(min(size or 0, most))

    file = Partly()
    journal_module.write_at(file, 2, b"some words")
    assert file.getvalue() == b"\0\0some words"
    assert journal_module.read_at(file, 1, 6) == b"\0some "
    with pytest.raises(ValueError, match="cut off"):
        journal_module.read_at(file, 7, 6)
