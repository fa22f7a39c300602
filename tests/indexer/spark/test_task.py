"""What an executor runs, without Spark."""

from __future__ import annotations

import gc
import json
from pathlib import Path
from typing import TYPE_CHECKING

from support.donor import ROUTES
from winnow_ci.corpus import CorpusFile
from winnow_ci.errors import LexerError
from winnow_ci.indexer.preparation import FilePreparation
from winnow_ci.indexer.spark import task
from winnow_ci.indexer.spark.parts import KIND, checked, fingerprinted, packed
from winnow_ci.indexer.spark.slices import FileSlice, made_by
from winnow_ci.model import Parameters

if TYPE_CHECKING:
    import pytest


class Failing(FilePreparation):
    def __call__(self, files: object) -> None:  # type: ignore[override]
        raise LexerError("no process", "free some memory")


def of(prepare: type[FilePreparation] = FilePreparation, by: str | None = None) -> FileSlice:
    file = CorpusFile("a.py", Path(), len(ROUTES), ROUTES.encode())
    return FileSlice(by or made_by(), prepare(Parameters(), set(), None), (file,))


def test_a_task_gives_the_part_of_its_slice() -> None:
    record = task.run(task.given(of()))
    assert record == packed(fingerprinted(of()))
    assert checked(record)[0] == KIND


def test_a_task_is_the_same_again() -> None:
    given = task.given(of())
    assert task.run(given) == task.run(given)


def test_another_winnow_ci_does_nothing_and_says_who_it_is() -> None:
    kind, payload = checked(task.run(("another", b"what this one cannot read")))
    assert (kind, payload.decode()) == (task.OTHER, made_by())


def test_an_error_comes_back_as_such() -> None:
    kind, payload = checked(task.run(task.given(of(Failing))))
    assert (kind, json.loads(payload)) == (task.FAILED, ["no process", "free some memory"])


class Sent:
    """What a broadcast gives."""

    value = ("another", b"")


def test_what_a_process_remembers_is_looked_through_now_and_then(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(task, "COLLECTED_EVERY", 3)
    one = task.SliceTask(Sent())  # type: ignore[arg-type]
    frozen = []
    for _ in range(6):
        one(None)
        frozen.append(gc.get_freeze_count() > 0)
    gc.unfreeze()
    assert frozen.count(False) == 2
