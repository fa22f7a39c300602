"""An index gives back what was put into it, in whatever order it was put there."""

from __future__ import annotations

import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import HealthCheck, event, given, settings
from hypothesis import strategies as st

from support.indexes import FRONT_ENDS, PARAMETERS, TABLES, add_source, entry, make_of_other_tables, only, write_index
from support.streams import streams
from winnow_ci.errors import IndexFileError
from winnow_ci.index import (
    HeldFile,
    IndexDraft,
    WholeIndex,
    batched,
    coding,
    lookup,
    places_of,
    replacing,
    schema,
    verify,
)
from winnow_ci.index.store import SqliteStore
from winnow_ci.model import Source, TokenMap

if TYPE_CHECKING:
    from pathlib import Path

hashes = st.integers(0, 5) | st.integers(0, 2**64 - 1)
contents = st.lists(streams(st.tuples(hashes, st.integers(0, 2))), min_size=1, max_size=4, unique_by=repr)


Queries = list[tuple[int, int, int]]


@given(
    contents=contents,
    asked=streams(st.tuples(hashes, st.integers(0, 2), st.integers(0, 1))),
    most=st.integers(1, 40),
    together=st.integers(1, 100),
)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_lookup_finds_all_places_but_bounds_crowds(
    contents: list[list[tuple[int, int]]],
    asked: Queries,
    most: int,
    together: int,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(schema, "CROWD", most)
    monkeypatch.setattr(lookup, "PLACES_TOGETHER", together)
    monkeypatch.setattr(lookup, "LEAST_VERBATIM", 1)
    monkeypatch.setattr(schema, "BLOCK_POSTINGS", 4)
    monkeypatch.setattr(SqliteStore, "blocks_a_query", 3)
    monkeypatch.setattr(schema, "OVERFLOW_POSTINGS", 2)
    files = {f"{n}.py": entry([h for h, _ in rows], [c for _, c in rows]) for n, rows in enumerate(contents)}
    write_index(tmp_path / "i.db", {Source("s"): files})
    known = {f"{n}.py": rows for n, rows in enumerate(contents)}
    asked.sort(key=lambda query: query[2])
    with WholeIndex(tmp_path / "i.db") as index:
        found = found_by(index, asked)
        verify(index)
        each_file = [found_by(index, [query for query in asked if query[2] == file]) for file in (0, 1)]
    assert found == each_file[0] + each_file[1]
    crowded: list[tuple[int, int, int]] = []
    for n, (wanted, check, file) in enumerate(asked):
        known_places = {(name, p, c) for name, rows in known.items() for p, (h, c) in enumerate(rows) if h == wanted}
        verbatim = {place for place in known_places if place[2] == check}
        of_shape = min(most, together // (1 + sum((h, other) == (wanted, file) for h, _, other in asked[:n])))
        assert len(found[n]) == len(set(found[n]))
        assert set(found[n]) <= known_places
        if len(known_places) <= of_shape:
            assert len(found[n]) == len(known_places)
            continue
        # Verbatim places are sought, and counted, only where those of the shape are too many.
        of_text = min(most, max(1, together // (1 + crowded.count((wanted, check, file)))))
        crowded.append((wanted, check, file))
        assert of_shape <= len(found[n]) <= of_shape + of_text
        assert len(verbatim.intersection(found[n])) >= min(of_text, len(verbatim))
        if len(known_places) <= most:
            assert len(found[n]) <= of_shape + of_text
    event(f"crowds: {bool(crowded)}")
    with WholeIndex(tmp_path / "i.db") as index:
        event(f"crowded: {bool(index.crowded)}, cut: {bool(index.cut)}")


def found_by(index: WholeIndex, asked: Queries) -> list[list[tuple[str, int, int]]]:
    """Path, position and check of what is found of each query."""
    dtypes = np.uint64, np.uint32, np.int64
    columns = [np.array([query[n] for query in asked], dtype) for n, dtype in enumerate(dtypes)]
    hits = places_of(index, *columns).hits
    assert hits.queries.tolist() == sorted(hits.queries.tolist())
    found: list[list[tuple[str, int, int]]] = [[] for _ in asked]
    rows = hits.queries.tolist(), hits.contents.tolist(), hits.positions.tolist(), hits.checks.tolist()
    for query, content, position, check in zip(*rows, strict=True):
        found[query].append((index.files_of_row(index.content(content))[0].path, position, check))
    return found


@pytest.mark.parametrize("page", [512, 1 << 16])
def test_an_index_may_have_pages_of_any_size(tmp_path: Path, page: int) -> None:
    """SQLite writes 1 for pages of 64 KiB, which two bytes cannot hold."""
    write_index(tmp_path / "i.db", {Source("s"): {"a.py": entry([1, 2, 3])}})
    with closing(sqlite3.connect(tmp_path / "i.db")) as connection:
        assert connection.execute("PRAGMA page_size").fetchone() == (schema.PAGE_SIZE,)
        connection.execute(f"PRAGMA page_size = {page}")
        connection.execute("VACUUM")
    with WholeIndex(tmp_path / "i.db") as index:
        verify(index)


def test_what_is_boilerplate_is_marked_and_found_nowhere(tmp_path: Path) -> None:
    everybodys = entry([7, 8])
    everybodys = everybodys._replace(row=everybodys.row._replace(language=f"{schema.BOILERPLATE}python"))
    write_index(
        tmp_path / "i.db",
        {Source("all", boilerplate=True): {"all.py": everybodys}, Source("s"): {"a.py": entry([7, 9])}},
    )
    with WholeIndex(tmp_path / "i.db") as index:
        hashes = np.array([7, 8, 9, 10], np.uint64)
        found = places_of(index, hashes, np.zeros(4, np.uint32), np.zeros(4, np.int64))
        assert found.boilerplate.tolist() == [True, True, False, False]
        assert found_by(index, [(h, 0, 0) for h in (7, 8, 9, 10)]) == [[], [], [("a.py", 1, 9)], []]


def test_a_whole_table_is_found_where_it_stands(tmp_path: Path) -> None:
    rows = 1000
    write_index(tmp_path / "i.db", {Source("s"): {"table.py": entry([7] * rows, [5] * rows)}})
    with WholeIndex(tmp_path / "i.db") as index:
        found = found_by(index, [(7, 5, 0)] * rows)
    places = [{position for _, position, _ in places} for places in found]
    assert all(n in there for n, there in enumerate(places[: schema.CROWD]))
    assert sum(map(len, found)) < rows * 50


def test_a_file_that_repeats_a_crowded_kgram_gets_fewer_of_its_places_each_time(tmp_path: Path) -> None:
    """256 places at most, 4,096 / n the n-th time; and of the verbatim ones as many, but never less than two."""
    verbatim, times = 5, 4100
    write_index(tmp_path / "i.db", {Source("s"): {"a.py": entry([7] * 300, [1] * verbatim + [2] * (300 - verbatim))}})
    with WholeIndex(tmp_path / "i.db") as index:
        files, hashes = np.zeros(times, np.int64), np.full(times, 7, np.uint64)
        neither = places_of(index, hashes, np.full(times, 3, np.uint32), files).hits
        either = places_of(index, hashes, np.full(times, 1, np.uint32), files).hits
    counts = np.bincount(neither.queries, minlength=times)
    assert counts[[0, 14, 15, 16, 4095, 4096]].tolist() == [256, 256, 256, 240, 1, 0]
    assert np.bincount(either.queries, minlength=times)[[4096, 4099]].tolist() == [2, 2]


@pytest.mark.parametrize(("postings", "bits"), [(0, 0), (126, 0), (127, 1), (254, 1), (255, 2)])
def test_a_block_has_128_postings_on_average_at_most(tmp_path: Path, postings: int, bits: int) -> None:
    write_index(tmp_path / "i.db", {Source("s"): {"a.py": entry(list(range(postings)))}})
    with WholeIndex(tmp_path / "i.db") as index:
        assert (index.postings, index.blocks.bits) == (postings, bits)


def test_order_of_building_does_not_matter(tmp_path: Path) -> None:
    a, b = {"x.py": entry([1, 2, 3]), "y.py": entry([4, 5])}, {"z.py": entry([1, 2, 3]), "é\udcff.py": entry([9])}
    write_index(tmp_path / "ab.db", {Source("a"): a, Source("b"): b})
    write_index(tmp_path / "ba.db", {Source("b"): dict(reversed(b.items())), Source("a"): dict(reversed(a.items()))})
    assert (tmp_path / "ab.db").read_bytes() == (tmp_path / "ba.db").read_bytes()


def test_an_index_says_with_which_tables_it_was_made(tmp_path: Path) -> None:
    path = tmp_path / "i.db"
    write_index(path, {Source("s"): {"x.py": entry([1, 2, 3])}})
    with WholeIndex(path) as index:
        assert index.tables == TABLES
        digest = index.digest
    make_of_other_tables(path, "other")
    with WholeIndex(path) as index:
        assert (index.tables, index.postings) == ("other", 3)
        assert index.digest != digest
        verify(index)
    make_of_other_tables(path, TABLES)
    with WholeIndex(path) as index:
        assert index.digest == digest


def test_replacing_a_source_forgets_its_old_contents(tmp_path: Path) -> None:
    other = {"z.py": entry([7, 8])}
    path = tmp_path / "i.db"
    write_index(path, {Source("a", "1"): {"x.py": entry([1, 2, 3])}, Source("b"): other})
    with replacing(path) as unfinished, WholeIndex(path) as old:
        draft = IndexDraft(PARAMETERS, FRONT_ENDS, TABLES)
        draft.keep(old, without={"a"})
        add_source(draft, Source("a", "2"), {"x.py": entry([4, 5, 6])})
        draft.write(unfinished)
    write_index(tmp_path / "fresh.db", {Source("a", "2"): {"x.py": entry([4, 5, 6])}, Source("b"): other})
    assert path.read_bytes() == (tmp_path / "fresh.db").read_bytes()


def test_equal_contents_are_stored_once(tmp_path: Path) -> None:
    same = entry([1, 2, 3])
    write_index(tmp_path / "i.db", {Source("a"): {"x.py": same, "sub/x.py": same}, Source("b"): {"y.py": same}})
    with WholeIndex(tmp_path / "i.db") as index:
        assert index.contents == 1
        files = [(f.source.name, f.path) for f in index.files_of_row(index.content(only(index)))]
        assert files == [
            ("a", "sub/x.py"),
            ("a", "x.py"),
            ("b", "y.py"),
        ]
        assert [(s.source.name, s.files, s.fingerprints) for s in index.summaries()] == [("a", 2, 6), ("b", 1, 3)]


@given(
    rows=st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3), st.integers(0, 255)), max_size=50),
)
def test_token_maps_survive_packing(rows: list[tuple[int, int, int]]) -> None:
    first = np.cumsum([1, *(step for step, _, _ in rows)])[1:].astype(np.int32)
    last = first + np.array([span for _, span, _ in rows], np.int32)
    sketch = np.array([byte for _, _, byte in rows], np.uint8)
    unpacked = coding.unpack_map(coding.pack_map(TokenMap(first, last, sketch)))
    for before, after in zip(
        (first, last, sketch), (unpacked.first_lines, unpacked.last_lines, unpacked.sketch), strict=True
    ):
        assert before.tolist() == after.tolist()


@pytest.mark.parametrize("starts", [[2**32 - 1] * 1000, [1, 1], []])
def test_a_token_map_that_asks_for_other_numbers_of_tokens(starts: list[int]) -> None:
    data = np.array([len(starts), 0], "<u4").tobytes() + b"\4" + np.array(starts, "<u4").tobytes() + b"\0"
    with pytest.raises(ValueError, match="the wrong number of tokens"):
        coding.unpack_map(data)


def test_a_failed_build_leaves_the_old_index(tmp_path: Path) -> None:
    path = tmp_path / "i.db"
    write_index(path, {Source("a"): {"x.py": entry([1])}})
    before = path.read_bytes()
    with pytest.raises(ZeroDivisionError), replacing(path) as unfinished:
        unfinished.write_bytes(b"half")
        raise ZeroDivisionError
    assert path.read_bytes() == before
    assert [p.name for p in tmp_path.iterdir()] == ["i.db"]


def test_two_builds_at_once_are_refused_and_leftovers_are_not(tmp_path: Path) -> None:
    path = tmp_path / "i.db"
    (tmp_path / ".i.db.unfinished").write_bytes(b"left by a killed build")
    with replacing(path) as unfinished:
        with pytest.raises(IndexFileError, match="another process is writing"), replacing(path):
            pass
        assert unfinished.read_bytes() == b""
        unfinished.write_bytes(b"whole")
    assert path.read_bytes() == b"whole"


KILLED = """
import os, pathlib, signal, sys
from winnow_ci.index import replacing
with replacing(pathlib.Path(sys.argv[1])) as unfinished:
    unfinished.write_bytes(b"half")
    os.kill(os.getpid(), signal.SIGKILL)
"""


def test_a_killed_build_leaves_the_old_index(tmp_path: Path) -> None:
    path = tmp_path / "i.db"
    write_index(path, {Source("a"): {"x.py": entry([1])}})
    before = path.read_bytes()
    done = subprocess.run([sys.executable, "-c", KILLED, str(path)], check=False)
    assert done.returncode < 0
    assert path.read_bytes() == before
    write_index(path, {Source("a"): {"x.py": entry([1])}})
    assert path.read_bytes() == before
    assert [p.name for p in tmp_path.iterdir()] == ["i.db"]


def test_an_index_that_cannot_be_written_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(IndexFileError, match="cannot write the index"), replacing(tmp_path / "file" / "i.db"):
        pass


@pytest.mark.skipif(shutil.which("bash") is None, reason="needs a shell to limit file sizes")
def test_a_full_disk_leaves_the_old_index(tmp_path: Path) -> None:
    path = tmp_path / "i.db"
    write_index(path, {Source("a"): {"x.py": entry([1])}})
    before = path.read_bytes()
    code = (
        "import pathlib, signal, sys; signal.signal(signal.SIGXFSZ, signal.SIG_IGN);"
        f"sys.path[:0] = {sys.path!r};"
        "from support.indexes import entry, write_index; from winnow_ci.model import Source;"
        "write_index(pathlib.Path(sys.argv[1]), {Source('b'): {'y.py': entry(list(range(50000)))}})"
    )
    shell = f'ulimit -f 64; exec "{sys.executable}" -c "$0" "$1"'
    done = subprocess.run(["bash", "-c", shell, code, str(path)], check=False, capture_output=True, text=True)
    assert done.returncode == 1
    assert "cannot write the index" in done.stderr
    assert path.read_bytes() == before


def test_a_file_has_the_licence_that_it_says_and_else_that_of_its_source(tmp_path: Path) -> None:
    source, same = (
        Source("a", license="MIT", license_from="LICENSE", purl="pkg:npm/a", inputs="1"),
        entry([1, 2]),
    )
    with replacing(tmp_path / "i.db") as unfinished:
        draft = IndexDraft(PARAMETERS, FRONT_ENDS, TABLES)
        draft.add_contents(batched([same]))
        draft.add_file(source, HeldFile(same.row.key, b"x.py"))
        draft.add_file(source, HeldFile(same.row.key, b"y.py", "GPL-2.0-only", "its header"))
        draft.write(unfinished)
    with WholeIndex(tmp_path / "i.db") as index:
        verify(index)
        assert index.sources == (source,)
        own, other = index.files_of_row(index.content(only(index)))
    assert own.source == source
    assert other.source == source._replace(license="GPL-2.0-only", license_from="its header")
