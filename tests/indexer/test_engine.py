"""Batches of files, on one core or on all of them, and their results in order."""

from __future__ import annotations

import os
import signal
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from support.donor import ROUTES
from winnow_ci.corpus import CorpusFile
from winnow_ci.errors import CorpusError
from winnow_ci.indexer import engine
from winnow_ci.indexer.engine import BATCH_BYTES, BATCH_FILES, LOCAL
from winnow_ci.indexer.preparation import FilePreparation
from winnow_ci.model import Parameters

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from winnow_ci.indexer.preparation import PreparedBatch
    from winnow_ci.model import Skipped


def files(count: int, size: int | None = None) -> list[CorpusFile]:
    texts = [f"NUMBER = {number}\n{ROUTES}".encode() for number in range(count)]
    return [
        CorpusFile(f"{number}.py", Path("nowhere"), len(text) if size is None else size, text)
        for number, text in enumerate(texts)
    ]


def preparation() -> FilePreparation:
    return FilePreparation(Parameters(), set(), None)


@dataclass
class Listed:
    """A corpus."""

    files: list[CorpusFile]
    skipped: tuple[Skipped, ...] = ()

    def __iter__(self) -> Iterator[CorpusFile]:
        return iter(self.files)


def prepared(some: list[CorpusFile], how: FilePreparation | None = None, *, on_all_cores: bool) -> list[Any]:
    with pytest.MonkeyPatch.context() as monkeypatch:
        monkeypatch.setattr(engine, "WORTH_WORKERS", 0 if on_all_cores else sys.maxsize)
        return list(LOCAL.prepare(Listed(some), how or preparation()))


class Fatal(FilePreparation):
    """Ends the process that it is called in, unless that is the one of the tests."""

    def __call__(self, files: Sequence[CorpusFile]) -> PreparedBatch:
        assert os.getppid() == TESTS
        os.kill(os.getpid(), signal.SIGKILL)
        raise AssertionError


TESTS = os.getpid()


@pytest.mark.parametrize(
    ("count", "size", "batches"),
    [
        (BATCH_FILES, 1, [BATCH_FILES]),
        (BATCH_FILES + 1, 1, [BATCH_FILES, 1]),
        (3, BATCH_BYTES // 2, [3]),
        (3, BATCH_BYTES // 2 + 1, [2, 1]),
        (2, BATCH_BYTES, [2]),
        (2, BATCH_BYTES + 1, [1, 1]),
        (0, 1, []),
    ],
)
def test_how_large_a_batch_is(count: int, size: int, batches: list[int]) -> None:
    found = [len(batch) for batch, _ in prepared(files(count, size), on_all_cores=False)]
    assert found == batches


def test_all_cores_give_what_one_gives_and_in_its_order() -> None:
    some = files(3 * BATCH_FILES)
    one = prepared(some, on_all_cores=False)
    several = prepared(some, on_all_cores=True)
    assert [batch for batch, _ in several] == [batch for batch, _ in one]
    assert [result.outcomes for _, result in several] == [result.outcomes for _, result in one]


def test_with_little_under_way_nothing_is_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "MOST_BYTES_UNDER_WAY", 1)
    some = files(3 * BATCH_FILES)
    assert [file for batch, _ in prepared(some, on_all_cores=True) for file in batch] == some


def test_a_worker_that_is_killed_is_an_error() -> None:
    with pytest.raises(CorpusError, match="a worker process was killed"):
        prepared(files(2), Fatal(Parameters(), set(), None), on_all_cores=True)
