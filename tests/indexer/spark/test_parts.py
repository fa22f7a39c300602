"""Parts in a folder: whole, of the right slice, and nothing but values."""

from __future__ import annotations

import os
import pickle
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from support.donor import LOGS, ROUTES
from winnow_ci.corpus import CorpusFile
from winnow_ci.errors import EngineError
from winnow_ci.index.records import framed
from winnow_ci.indexer.preparation import FilePreparation
from winnow_ci.indexer.spark import folder_for
from winnow_ci.indexer.spark.parts import KIND, Part, PartFolder, fingerprinted, packed
from winnow_ci.indexer.spark.slices import slices
from winnow_ci.model import Parameters
from winnow_ci.start_up import replace

if TYPE_CHECKING:
    from winnow_ci.indexer.spark.slices import FileSlice

FILES = {
    "routes.py": ROUTES.encode(),
    "logs.py": f"# SPDX-License-Identifier: MIT\n{LOGS}".encode(),
    "LICENSE": b"MIT License",
    "a.png": b"\x89PNG",
    "odd.html": b"<script>" + LOGS.encode(),
}


def preparation(**settings: object) -> FilePreparation:
    return replace(FilePreparation(Parameters(), set(), set()), **settings)


def task(**settings: object) -> FileSlice:
    files = [CorpusFile(path, Path("nowhere"), len(content), content) for path, content in FILES.items()]
    ((_, found),) = slices(files, preparation(**settings), "1")
    return found


@pytest.fixture(scope="module")
def part() -> Part:
    return fingerprinted(task())


@pytest.fixture
def folder(tmp_path: Path) -> PartFolder:
    return PartFolder(tmp_path / "parts")


def test_a_part_gives_what_the_front_end_gave(folder: PartFolder, part: Part) -> None:
    direct = preparation()(task().files)
    folder.put(part.slice, packed(part))
    read = folder.get(part.slice, preparation())
    assert read is not None
    batch = read.batch()
    assert (batch.outcomes, batch.texts, batch.sayings) == (direct.outcomes, direct.texts, direct.sayings)
    assert list(batch.contents.rows) == list(direct.contents.rows)
    assert np.array_equal(batch.contents.postings, direct.contents.postings)
    assert batch.texts
    assert any(saying and saying.own == "MIT" for saying in batch.sayings)


def test_nothing_is_there_at_first(folder: PartFolder, part: Part) -> None:
    assert folder.get(part.slice, preparation()) is None
    assert len(folder) == 0
    folder.clear()


def test_only_whole_parts_count(folder: PartFolder, part: Part) -> None:
    folder.put(part.slice, packed(part))
    (folder.path / "incoming-x").write_bytes(b"half")
    assert len(folder) == 1
    folder.clear()
    assert not folder.path.exists()


@pytest.mark.parametrize("at", [0, 10, 30, 500, -1])
def test_a_damaged_part_is_no_part(folder: PartFolder, part: Part, at: int) -> None:
    folder.put(part.slice, packed(part))
    data = bytearray((folder.path / part.slice).read_bytes())
    data[at] ^= 1
    (folder.path / part.slice).write_bytes(data)
    assert folder.get(part.slice, preparation()) is None
    with pytest.raises(ValueError, match="not as it was written"):
        folder.put(part.slice, bytes(data))


def test_a_part_that_is_cut_off_is_no_part(folder: PartFolder, part: Part) -> None:
    folder.put(part.slice, packed(part))
    os.truncate(folder.path / part.slice, 1000)
    assert folder.get(part.slice, preparation()) is None


def test_the_part_of_another_slice_is_refused(folder: PartFolder, part: Part) -> None:
    with pytest.raises(ValueError, match="another slice"):
        folder.put("0" * 40, packed(part))
    folder.put(part.slice, packed(part))
    (folder.path / part.slice).rename(folder.path / ("0" * 40))
    assert folder.get("0" * 40, preparation()) is None


@pytest.mark.parametrize(
    "lacking",
    [
        {"rows": ()},
        {"postings": b""},
        {"sayings": ()},
        {"postings": b"\0" * 3},
        {"outcomes": ()},
    ],
)
def test_a_part_that_lacks_something_is_refused(folder: PartFolder, part: Part, lacking: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="no part"):
        folder.put(part.slice, packed(part._replace(**lacking)))


def test_a_part_without_what_was_known_needs_that(folder: PartFolder, part: Part) -> None:
    keys = part.keys
    without = fingerprinted(task(known=set(keys), known_texts=set(keys)))
    assert (without.rows, without.texts, without.slice) == ((), (), part.slice)
    folder.put(part.slice, packed(without))
    assert folder.get(part.slice, preparation()) is None
    assert folder.get(part.slice, preparation(known=set(keys))) is None
    assert folder.get(part.slice, preparation(known=set(keys), known_texts=set(keys))) == without


class Harmful:
    def __reduce__(self) -> tuple[Any, ...]:
        return os.mkdir, ("harm",)


def test_a_part_runs_no_code(folder: PartFolder, part: Part, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    record = framed(KIND, pickle.dumps(part._replace(outcomes=Harmful())))
    with pytest.raises(ValueError, match="no part"):
        folder.put(part.slice, record)
    assert not Path("harm").exists()


def test_a_folder_that_cannot_be_written_is_named(part: Part, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(EngineError, match="cannot keep parts") as error:
        PartFolder(tmp_path / "file" / "parts").put(part.slice, packed(part))
    assert "WINNOW_CI_CACHE_DIR" in error.value.remedy


def test_each_index_has_its_folder_in_the_cache(tmp_path: Path, cache_folder: Path) -> None:
    first, second = folder_for(tmp_path / "a.db"), folder_for(tmp_path / "b.db")
    assert first.parent == second.parent == cache_folder / "parts"
    assert first != second
