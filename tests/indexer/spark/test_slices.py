"""Slices and their names, parts (whole, of the right slice, and nothing but values), and what an executor runs."""

from __future__ import annotations

import gc
import json
import os
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from support.donor import LOGS, ROUTES
from winnow_ci.corpus import CorpusFile
from winnow_ci.errors import EngineError, LexerError
from winnow_ci.index.journal import framed
from winnow_ci.indexer.preparation import FilePreparation
from winnow_ci.indexer.spark import folder_for
from winnow_ci.indexer.spark import slices as slices_module
from winnow_ci.indexer.spark.engine import PartFolder
from winnow_ci.indexer.spark.slices import (
    FAILED,
    OTHER,
    PART_KIND,
    SLICE_BYTES,
    SLICE_FILES,
    FileSlice,
    Part,
    SliceTask,
    checked,
    fingerprint_slice,
    made_with,
    packed_part,
    run_task,
    slices,
    task_of,
)
from winnow_ci.model import Parameters
from winnow_ci.start_up import replace


def preparation(**settings: object) -> FilePreparation:
    return replace(FilePreparation(Parameters(), set(), None), **settings)


def file(path: str, content: bytes = ROUTES.encode()) -> CorpusFile:
    return CorpusFile(path, Path("somewhere"), len(content), content)


def only(*files: CorpusFile, prepare: FilePreparation | None = None, by: str = "1") -> FileSlice:
    ((_, found),) = slices(files, prepare or preparation(), by)
    return found


def test_as_many_files_as_fit() -> None:
    found = list(slices([file(f"{number}.py", b"") for number in range(SLICE_FILES + 1)], preparation(), "1"))
    assert [len(files) for files, _ in found] == [SLICE_FILES, 1]
    assert [one.path for files, _ in found for one in files] == [f"{number}.py" for number in range(SLICE_FILES + 1)]


def test_as_many_bytes_as_fit() -> None:
    half = b"#" * (SLICE_BYTES // 2)
    found = list(slices([file(f"{name}.py", half) for name in "abc"], preparation(), "1"))
    assert [one.size for _, one in found] == [SLICE_BYTES, SLICE_BYTES // 2]


def test_contents_travel_and_places_do_not(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(ROUTES)
    ((files, sent),) = slices([CorpusFile("a.py", tmp_path, len(ROUTES))], preparation(), "1")
    assert files == [CorpusFile("a.py", tmp_path, len(ROUTES))]
    assert sent.files == (CorpusFile("a.py", Path(), len(ROUTES), ROUTES.encode()),)


def test_what_is_not_read_travels_without_content() -> None:
    sent = only(CorpusFile("a.py", Path("nowhere"), 5, reason="left out"))
    assert sent.files[0].content is None


@pytest.mark.parametrize(
    "other",
    [
        only(file("b.py")),
        only(file("a.py", b"other")),
        only(replace(file("a.py"), reason="left out")),
        only(file("a.py"), file("b.py")),
        only(file("a.py"), by="2"),
        only(file("a.py"), prepare=preparation(parameters=Parameters(k=17))),
        only(file("a.py"), prepare=preparation(boilerplate=True)),
        only(file("a.py"), prepare=preparation(known_texts=set())),
    ],
)
def test_another_slice_has_another_name(other: FileSlice) -> None:
    assert other.name() != only(file("a.py")).name()


def test_a_slice_has_its_name_whatever_is_known() -> None:
    known = preparation(known=set(preparation().keys(file("a.py"))))
    assert only(file("a.py"), prepare=known).name() == only(file("a.py")).name()


def test_only_what_a_slice_may_have_travels_as_known() -> None:
    here, elsewhere = (set(preparation().keys(file("a.py", text))) for text in (b"here", b"elsewhere"))
    sent = only(file("a.py", b"here"), prepare=preparation(known=here | elsewhere, known_texts=elsewhere))
    assert (sent.preparation.known, sent.preparation.known_texts) == (here, set())


def test_who_made_it_is_the_same_at_any_time() -> None:
    assert made_with() == made_with()


FILES = {
    "routes.py": ROUTES.encode(),
    "logs.py": f"# SPDX-License-Identifier: MIT\n{LOGS}".encode(),
    "LICENSE": b"MIT License",
    "a.png": b"\x89PNG",
    "odd.html": b"<script>" + LOGS.encode(),
}


def keeping_texts(**settings: object) -> FilePreparation:
    return replace(FilePreparation(Parameters(), set(), set()), **settings)


def task(**settings: object) -> FileSlice:
    files = [CorpusFile(path, Path("nowhere"), len(content), content) for path, content in FILES.items()]
    ((_, found),) = slices(files, keeping_texts(**settings), "1")
    return found


@pytest.fixture(scope="module")
def part() -> Part:
    return fingerprint_slice(task())


@pytest.fixture
def folder(tmp_path: Path) -> PartFolder:
    return PartFolder(tmp_path / "parts")


def test_a_part_gives_what_the_front_end_gave(folder: PartFolder, part: Part) -> None:
    direct = keeping_texts()(task().files)
    folder.put(part.slice, packed_part(part))
    read = folder.get(part.slice, keeping_texts())
    assert read is not None
    batch = read.batch()
    assert (batch.outcomes, batch.texts, batch.sayings) == (direct.outcomes, direct.texts, direct.sayings)
    assert list(batch.contents.rows) == list(direct.contents.rows)
    assert np.array_equal(batch.contents.postings, direct.contents.postings)
    assert batch.texts
    assert any(saying and saying.own == "MIT" for saying in batch.sayings)


def test_nothing_is_there_at_first(folder: PartFolder, part: Part) -> None:
    assert folder.get(part.slice, keeping_texts()) is None
    assert len(folder) == 0
    folder.clear()


def test_parts_are_counted_and_removed(folder: PartFolder, part: Part) -> None:
    folder.put(part.slice, packed_part(part))
    assert len(folder) == 1
    folder.clear()
    assert not folder.path.exists()


@pytest.mark.parametrize("at", [0, 10, 30, 500, -1])
def test_a_damaged_part_is_no_part(folder: PartFolder, part: Part, at: int) -> None:
    folder.put(part.slice, packed_part(part))
    data = bytearray((folder.path / part.slice).read_bytes())
    data[at] ^= 1
    (folder.path / part.slice).write_bytes(data)
    assert folder.get(part.slice, keeping_texts()) is None
    with pytest.raises(ValueError, match="changed since it was written"):
        folder.put(part.slice, bytes(data))


def test_a_part_that_is_cut_off_is_no_part(folder: PartFolder, part: Part) -> None:
    folder.put(part.slice, packed_part(part))
    os.truncate(folder.path / part.slice, 1000)
    assert folder.get(part.slice, keeping_texts()) is None


def test_the_part_of_another_slice_is_refused(folder: PartFolder, part: Part) -> None:
    with pytest.raises(ValueError, match="another slice"):
        folder.put("0" * 40, packed_part(part))
    folder.put(part.slice, packed_part(part))
    (folder.path / part.slice).rename(folder.path / ("0" * 40))
    assert folder.get("0" * 40, keeping_texts()) is None


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
        folder.put(part.slice, packed_part(part._replace(**lacking)))


def test_a_part_without_what_was_known_needs_that(folder: PartFolder, part: Part) -> None:
    keys, _ = part.keys()
    without = fingerprint_slice(task(known=set(keys), known_texts=set(keys)))
    assert (without.rows, without.texts, without.slice) == ((), (), part.slice)
    folder.put(part.slice, packed_part(without))
    assert folder.get(part.slice, keeping_texts()) is None
    assert folder.get(part.slice, keeping_texts(known=set(keys))) is None
    assert folder.get(part.slice, keeping_texts(known=set(keys), known_texts=set(keys))) == without


class Harmful:
    def __reduce__(self) -> tuple[Any, ...]:
        return os.mkdir, ("harm",)


def test_a_part_runs_no_code(folder: PartFolder, part: Part, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    record = framed(PART_KIND, pickle.dumps(part._replace(outcomes=Harmful())))
    with pytest.raises(ValueError, match="no part"):
        folder.put(part.slice, record)
    assert not Path("harm").exists()


def test_a_folder_that_cannot_be_written_is_named(part: Part, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(EngineError, match="cannot keep parts") as error:
        PartFolder(tmp_path / "file" / "parts").put(part.slice, packed_part(part))
    assert "WINNOW_CI_CACHE_DIR" in error.value.remedy


def test_each_index_has_its_folder_in_the_cache(tmp_path: Path, cache_folder: Path) -> None:
    first, second = folder_for(tmp_path / "a.db"), folder_for(tmp_path / "b.db")
    assert first.parent == second.parent == cache_folder / "parts"
    assert first != second


class Failing(FilePreparation):
    def __call__(self, files: object) -> None:  # type: ignore[override]
        raise LexerError("no process", "free some memory")


def of(prepare: type[FilePreparation] = FilePreparation, by: str | None = None) -> FileSlice:
    file = CorpusFile("a.py", Path(), len(ROUTES), ROUTES.encode())
    return FileSlice(by or made_with(), prepare(Parameters(), set(), None), (file,))


def test_a_task_gives_the_part_of_its_slice() -> None:
    record = run_task(task_of(of()))
    assert record == packed_part(fingerprint_slice(of()))
    assert checked(record)[0] == PART_KIND


def test_a_task_is_the_same_again() -> None:
    given = task_of(of())
    assert run_task(given) == run_task(given)


def test_another_winnow_ci_does_nothing_and_says_who_it_is() -> None:
    kind, payload = checked(run_task(("another", b"what this one cannot read")))
    assert (kind, payload.decode()) == (OTHER, made_with())


def test_an_error_comes_back_as_such() -> None:
    kind, payload = checked(run_task(task_of(of(Failing))))
    assert (kind, json.loads(payload)) == (FAILED, ["no process", "free some memory"])


class Sent:
    """What a broadcast gives."""

    value = ("another", b"")


def test_what_a_process_remembers_is_looked_through_now_and_then(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(slices_module, "COLLECTED_EVERY", 3)
    one = SliceTask(Sent())  # type: ignore[arg-type]
    frozen = []
    for _ in range(6):
        one(None)
        frozen.append(gc.get_freeze_count() > 0)
    gc.unfreeze()
    assert frozen.count(False) == 2
