"""What is not a sound index is refused; no damage changes an answer in silence."""

from __future__ import annotations

import random
import re
import sqlite3
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING

import numpy as np
import pytest

from support.forged_indexes import change_first_content
from support.indexes import FRONT_ENDS, PARAMETERS, TABLES, entry, write_index
from winnow_ci.errors import IndexFileError
from winnow_ci.index import (
    HeldFile,
    IndexDraft,
    WholeIndex,
    batched,
    places_of,
    replacing,
    schema,
    verify,
)
from winnow_ci.index.content_packs import pack, unpack
from winnow_ci.index.rows import FileRow
from winnow_ci.indexer.building import file_digests
from winnow_ci.model import Source

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

RANDOM = np.random.default_rng(5)
HASHES = [RANDOM.integers(0, 2**64, 400, np.uint64).tolist() for _ in range(8)]
ASKED = np.array([row[::40] for row in HASHES], np.uint64).ravel()
CHECKS = (ASKED & np.uint64(0xFF)).astype(np.uint32)


@pytest.fixture
def sound(tmp_path: Path) -> Path:
    path = tmp_path / "i.db"
    files = {f"{n}.py": entry(hashes) for n, hashes in enumerate(HASHES)}
    write_index(path, {Source("a", "1", "MIT", "u"): files, Source("b"): {"again.py": entry(HASHES[0])}})
    return path


@contextmanager
def editing(path: Path) -> Iterator[sqlite3.Connection]:
    """A connection that writes; what happens in the block is kept."""
    with closing(sqlite3.connect(path)) as connection, connection:
        yield connection


def answer(path: Path) -> object:
    with WholeIndex(path) as index:
        hits = places_of(index, ASKED, CHECKS, np.zeros(len(ASKED), np.int64)).hits
        maps = [index.token_map(content).sketch.tobytes() for content in index.content_ids().tolist()]
        files = [index.files_of_row(index.content(content)) for content in index.content_ids().tolist()]
        return hits.queries.tolist(), hits.contents.tolist(), hits.positions.tolist(), maps, files, index.parameters


def test_a_flipped_bit_is_an_error_or_changes_nothing(sound: Path) -> None:
    expected, data, chance = answer(sound), sound.read_bytes(), random.Random(7)
    # Free space is zeros, and much of a small index is free.
    errors, used = 0, [at for at, byte in enumerate(data) if byte]
    for _ in range(300):
        at = chance.choice(used)
        flipped = bytes([data[at] ^ (1 << chance.randrange(8))])
        sound.write_bytes(data[:at] + flipped + data[at + 1 :])
        try:
            assert answer(sound) == expected
        except IndexFileError:
            errors += 1
    assert errors > 100


def test_verify_finds_what_a_lookup_would_not_read(sound: Path) -> None:
    with editing(sound) as connection:
        connection.execute("UPDATE block SET postings = zeroblob(length(postings)) WHERE id = 0")
    with WholeIndex(sound) as index, pytest.raises(IndexFileError, match="block 0"):
        verify(index)


@pytest.mark.parametrize("share", [0.0, 0.01, 0.3, 0.9, 0.999])
def test_a_truncated_index_is_refused(sound: Path, share: float) -> None:
    data = sound.read_bytes()
    sound.write_bytes(data[: int(share * len(data))])
    with pytest.raises(IndexFileError, match=r"not an index|damaged"):
        answer(sound)


def test_rows_that_are_gone_are_missed(sound: Path) -> None:
    for table in ("block", "pack", "directory", "source"):
        damaged = sound.with_name(f"{table}.db")
        damaged.write_bytes(sound.read_bytes())
        with editing(damaged) as connection:
            connection.execute(f"DELETE FROM {table} WHERE id % 2 = 0")
        with pytest.raises(IndexFileError, match="damaged"):
            answer(damaged)


def test_verify_finds_a_chunk_of_no_pack(sound: Path) -> None:
    with editing(sound) as connection:
        connection.execute("INSERT INTO pack VALUES (99, x'00')")
    with (
        WholeIndex(sound) as index,
        pytest.raises(IndexFileError, match="pack rows are missing, or there are too many"),
    ):
        verify(index)


def test_a_view_in_place_of_a_table_is_refused(sound: Path) -> None:
    with editing(sound) as connection:
        connection.execute("ALTER TABLE block RENAME TO hidden")
        connection.execute("CREATE VIEW block AS SELECT * FROM hidden")
    with pytest.raises(IndexFileError, match="damaged: its tables"):
        WholeIndex(sound)


def test_other_files_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "i.db"
    with pytest.raises(IndexFileError, match="no index at"):
        WholeIndex(path)
    with pytest.raises(IndexFileError, match="no index at"):
        WholeIndex(tmp_path)
    path.write_text("some text that is long enough to be no SQLite file at all, not even a broken one" * 20)
    with pytest.raises(IndexFileError, match="is not an index"):
        WholeIndex(path)
    path.unlink()
    with editing(path) as connection:
        connection.execute("CREATE TABLE t (x)")
    with pytest.raises(IndexFileError, match="not an index"):
        WholeIndex(path)


@pytest.mark.parametrize(("version", "remedy"), [(schema.FORMAT_VERSION + 1, "newer winnow-ci"), (0, "build it again")])
def test_other_versions_are_refused(sound: Path, version: int, remedy: str) -> None:
    with editing(sound) as connection:
        connection.execute(f"PRAGMA user_version = {version}")
    with pytest.raises(IndexFileError, match="index format") as error:
        WholeIndex(sound)
    assert remedy in error.value.remedy


@pytest.mark.parametrize("suffix", ["-wal", "-journal", "-shm"])
def test_files_planted_beside_an_index_are_not_read(sound: Path, suffix: str) -> None:
    expected = answer(sound)
    planted = sound.with_name(sound.name + suffix)
    planted.write_bytes(b"\xd9\xd5\x05\xf9\x20\xa1\x63\xd7" + bytes(4096))
    assert answer(sound) == expected
    assert planted.exists()


# ---- what has right digests, and still is wrong ----------------------------------------------------------------


def forge(path: Path, **described: str) -> None:
    """Let an index say other things of itself, with a digest to match."""
    with editing(path) as connection:
        for key, value in described.items():
            connection.execute("UPDATE meta SET value = ? WHERE key = ?", (value, key))
        rows = connection.execute("SELECT key, value FROM meta WHERE key != 'meta_digest' ORDER BY key").fetchall()
        right = schema.digest(*(part for row in rows for part in row)).hex()
        connection.execute("UPDATE meta SET value = ? WHERE key = 'meta_digest'", (right,))


@pytest.mark.parametrize(
    ("described", "problem"),
    [
        ({"k": "3"}, "k = 3, w = 3 and anchored selection, which this winnow-ci does not know"),
        ({"w": "501"}, "k = 4, w = 501 and anchored selection, which this"),
        ({"selection": "densest"}, "k = 4, w = 3 and densest selection, which this"),
        ({"algorithm": "1"}, "made with fingerprints of revision 1, not 2"),
        ({"k": "four"}, "damaged: its description has impossible values"),
        ({"bits": "9" * 18}, "damaged: its description has impossible values"),
        ({"contents": "-1"}, "damaged: its description has impossible values"),
        ({"postings": "9" * 5000}, "damaged: its description has impossible values"),
        ({"front_ends": "[]"}, "damaged: its description has impossible values"),
        ({"front_ends": "{"}, "is damaged"),
    ],
    ids=str,
)
def test_a_description_that_this_version_cannot_use(sound: Path, described: dict[str, str], problem: str) -> None:
    forge(sound, **described)
    with pytest.raises(IndexFileError, match=re.escape(problem)):
        WholeIndex(sound)


def test_verify_counts_the_fingerprints_of_each_content(tmp_path: Path) -> None:
    more, fewer = entry([1, 2, 3]), entry([4, 5, 6])
    files = {
        "a.py": more._replace(row=more.row._replace(fingerprints=4)),
        "b.py": fewer._replace(row=fewer.row._replace(fingerprints=2)),
    }
    write_index(tmp_path / "i.db", {Source("s"): files})
    with (
        WholeIndex(tmp_path / "i.db") as index,
        pytest.raises(IndexFileError, match=r"wrong number of fingerprints|number of fingerprints differs"),
    ):
        verify(index)


@pytest.mark.parametrize(
    "changed",
    [
        {"fingerprints": 0.5},
        {"fingerprints": 10**30},
        {"fingerprints": -1},
        {"language": 7},
        {"front_end": None},
        {"files": ()},
        {"files": (FileRow(7, b"a.py", None, None),)},
        {"files": (FileRow(-1, b"a.py", None, None),)},
        {"files": (FileRow(0, b"a.py", 5, None),)},  # type: ignore[arg-type]
        {"key": b"\0" * 16},
    ],
    ids=str,
)
def test_a_content_with_impossible_values(sound: Path, changed: dict[str, object]) -> None:
    with editing(sound) as connection:
        content = change_first_content(connection, **changed)
    with WholeIndex(sound) as index, pytest.raises(IndexFileError, match=f"damaged: content {content}"):
        verify(index)


def test_a_pack_of_fewer_tokens_than_the_directory_says() -> None:
    row = entry([1, 2, 3]).row
    assert unpack(0, pack(0, [row]), [row.tokens]) == [row]
    with pytest.raises(ValueError, match="pack 0 of contents"):
        unpack(0, pack(0, [row]), [len(row.token_map) + 1])


@pytest.mark.parametrize(("value", "is_resealed"), [("Zlib", False), (b"MIT", True)])
def test_a_source_is_believed_if_its_digest_and_the_types_of_its_values_are_right(
    sound: Path, value: object, *, is_resealed: bool
) -> None:
    with editing(sound) as connection:
        connection.execute("UPDATE source SET license = ? WHERE id = 0", (value,))
        if is_resealed:
            row = connection.execute("SELECT * FROM source WHERE id = 0").fetchone()
            connection.execute("UPDATE source SET digest = ? WHERE id = 0", (schema.digest(*row[1:-1]),))
    with WholeIndex(sound) as index, pytest.raises(IndexFileError, match="damaged: a source"):
        index.files_of_row(index.content(int(index.content_ids()[0])))


@pytest.mark.parametrize("number", [-1, 7, 1 << 62])
def test_a_source_with_another_number_is_not_taken_for_its_neighbour(sound: Path, number: int) -> None:
    with editing(sound) as connection:
        connection.execute("UPDATE source SET id = ? WHERE id = 0", (number,))
    with WholeIndex(sound) as index, pytest.raises(IndexFileError, match="damaged: sources"):
        index.files_of_row(index.content(int(index.content_ids()[0])))


def test_the_digest_of_the_files_of_a_source_depends_on_their_licences(tmp_path: Path) -> None:
    content, digests = entry([1, 2, 3]), []
    for number, licence in enumerate((None, "MIT", "Zlib")):
        with replacing(tmp_path / f"{number}.db") as unfinished:
            draft = IndexDraft(PARAMETERS, FRONT_ENDS, TABLES)
            draft.add_contents(batched([content]))
            draft.add_file(Source("s"), HeldFile(content.row.key, b"a.py", licence))
            draft.write(unfinished)
        with WholeIndex(tmp_path / f"{number}.db") as index:
            digests.append(file_digests(index)["s"])
    assert len(set(digests)) == 3
