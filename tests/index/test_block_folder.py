"""A folder of blocks against the file that it was written from: the same answers, from few parts."""

from __future__ import annotations

import hashlib
import random
import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

import numpy as np
import pytest

from support.indexes import FRONT_ENDS, PARAMETERS, TABLES, add_source, entry, write_index
from winnow_ci.index import (
    BlockFolderStore,
    IndexDraft,
    IndexReader,
    WholeIndex,
    block_folder,
    schema,
    verify,
    write_block_folder,
)
from winnow_ci.index.block_folder import part_digest
from winnow_ci.model import Source

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from winnow_ci.model import FilePart

HASHES = 20_000


class Local:
    """The parts of a local file; counts them."""

    def __init__(self, file: Path) -> None:
        self._bytes = file.read_bytes()
        self.parts: list[FilePart] = []

    def __call__(self, parts: Sequence[FilePart]) -> list[bytes]:
        self.parts += parts
        found = [self._bytes[part.start : part.start + part.size] for part in parts]
        assert [part_digest(one) for one in found] == [part.digest for part in parts]
        return found


@pytest.fixture
def index(tmp_path: Path) -> Path:
    """An index of forty contents, with crowds and with hashes at both ends."""
    rng = random.Random(7)
    hashes = sorted({rng.getrandbits(64) for _ in range(HASHES)} | {0, 2**64 - 1})
    common = hashes[::1000]
    texts = [[*hashes[n::40], *common, *(common[:2] * 300)] for n in range(40)]
    files = {f"{n}.c": entry(own, [rng.getrandbits(32) for _ in own]) for n, own in enumerate(texts)}
    write_index(tmp_path / "i.db", {Source("a", license="MIT"): files})
    return tmp_path / "i.db"


@pytest.mark.parametrize("parts", [7, 4096])
def test_it_answers_as_the_file_does(index: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, parts: int) -> None:
    monkeypatch.setattr(block_folder, "PARTS", parts)
    with WholeIndex(index) as whole:
        root = write_block_folder(whole, tmp_path / "web")
        local = Local(tmp_path / "web" / f"{root}.blocks")
        with IndexReader(BlockFolderStore(tmp_path / "web" / f"{root}.head", "web", local)) as reader:
            assert whole.crowded
            assert (reader.digest, reader.sources) == (whole.digest, whole.sources)
            for kind in (whole.blocks, whole.crowd_blocks):
                for postings in whole.all_blocks(kind):
                    hashes = sorted({*postings["hash"].tolist()})
                    asked = whole.stored(np.array(hashes, np.uint64), kind)
                    assert (reader.postings_of(asked, kind) == whole.postings_of(asked, kind)).all()
            ids = whole.content_ids().tolist()
            assert reader.content_rows(ids) == whole.content_rows(ids)


def test_the_filter_lets_few_other_hashes_through(index: Path, tmp_path: Path) -> None:
    with WholeIndex(index) as whole:
        root = write_block_folder(whole, tmp_path / "web")
        local = Local(tmp_path / "web" / f"{root}.blocks")
        with IndexReader(BlockFolderStore(tmp_path / "web" / f"{root}.head", "web", local)) as reader:
            rng = random.Random(8)
            for _ in range(HASHES):
                reader.postings_of(schema.spread(np.array([rng.getrandbits(64)], np.uint64)), reader.blocks)
    # 1 / 120, as the formula of Bloom says, and three standard deviations.
    assert HASHES / 120 - 40 < len(local.parts) < HASHES / 120 + 40


def test_other_versions_can_ask_the_filter(index: Path, tmp_path: Path) -> None:
    with WholeIndex(index) as whole:
        root = write_block_folder(whole, tmp_path / "web")
    with closing(sqlite3.connect(tmp_path / "web" / f"{root}.head")) as connection:
        rows = connection.execute("SELECT id, bits FROM filter ORDER BY id").fetchall()
    # Its bits are part of the format: with others, a folder that is on the web would hide its postings.
    assert hashlib.sha256(repr(rows).encode()).hexdigest()[:16] == "8dd7823223bff3ba"


def test_long_work_says_how_far_it_is(index: Path, tmp_path: Path) -> None:
    draft, told = IndexDraft(PARAMETERS, FRONT_ENDS, TABLES), []
    add_source(draft, Source("a"), {"a.c": entry(range(1, 1 << 62, 1 << 46))})

    def progress(done: int, total: int) -> None:
        told.append((done, total))

    with WholeIndex(index) as whole:
        blocks = whole.blocks.how_many + whole.crowd_blocks.how_many
        verify(whole, progress)
        assert told == [(done, whole.contents + blocks) for done in range(1, whole.contents + blocks + 1)]
        write_block_folder(whole, tmp_path / "web", progress)
        assert told[-1][0] == told[-1][1] == blocks + len(whole.directory.packs) - 1
    told.clear()
    draft.write(tmp_path / "n.db", progress)
    with WholeIndex(tmp_path / "n.db") as whole:
        assert told[-1] == (whole.blocks.how_many, whole.blocks.how_many)
