"""Fingerprinting on all cores: files in batches to worker processes, results in the order of the files."""

from __future__ import annotations

import os
import signal
from collections import deque
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from queue import SimpleQueue
from typing import TYPE_CHECKING

from winnow_ci.errors import CorpusError
from winnow_ci.named_tuples import NamedTuple
from winnow_ci.processes import begin_worker, held_back

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable, Iterator, Sequence

    from winnow_ci.corpus import CorpusFile
    from winnow_ci.indexer.preparation import FilePreparation, PreparedBatch

# Below this many bytes, starting worker processes costs more than they save.
WORTH_WORKERS = 1 << 20
# A batch is large enough that handing over costs little, and small enough that all cores end together.
BATCH_BYTES = 1 << 18
BATCH_FILES = 64
# What is under way when a build is interrupted is lost.
BATCHES_A_CORE = 4
# Members of archives travel with their contents, which wait in memory.
MOST_UNDER_WAY = 1 << 27


class _BatchUnderWay(NamedTuple):
    """Files that a worker prepares, and the bytes of their contents, which are held meanwhile.

    ^C must not come while this thread holds a lock of the pool: it would stay locked, and the pool would wait for it
    for ever. So ^C is held back from every call of the pool, and the wait for a worker is one for ``ended``, which has
    no lock.
    """

    files: list[CorpusFile]
    held: int
    future: Future[PreparedBatch]
    ended: SimpleQueue[Future[PreparedBatch]]

    @classmethod
    def begin(cls, pool: ProcessPoolExecutor, files: list[CorpusFile]) -> _BatchUnderWay:
        ended: SimpleQueue[Future[PreparedBatch]] = SimpleQueue()
        with held_back(signal.SIGINT):
            future = pool.submit(_prepare_in_worker, files)
            future.add_done_callback(ended.put)
        return cls(files, sum(len(file.content or b"") for file in files), future, ended)

    def result(self) -> tuple[list[CorpusFile], PreparedBatch]:
        self.ended.get()
        with held_back(signal.SIGINT):
            return self.files, self.future.result()


def prepare_all(
    files: Iterable[CorpusFile], total: int, prepare: FilePreparation
) -> Generator[tuple[list[CorpusFile], PreparedBatch], None, None]:
    """Prepare files of ``total`` bytes; each batch of files is given with its results.

    Raises:
        CorpusError: a file cannot be read, or a worker process was killed.
    """
    if total < WORTH_WORKERS:
        for batch in _batches(files):
            yield batch, prepare(batch)
        return
    pool = ProcessPoolExecutor(os.cpu_count(), initializer=_start_worker, initargs=(prepare,))
    try:
        yield from _in_order(pool, _batches(files))
    except BrokenProcessPool as error:
        raise CorpusError("a worker process was killed", "free some memory, then run this again") from error
    finally:
        with held_back(signal.SIGINT):
            pool.shutdown(wait=True, cancel_futures=True)


def _batches(files: Iterable[CorpusFile]) -> Iterator[list[CorpusFile]]:
    """Files for one task each."""
    batch: list[CorpusFile] = []
    size = 0
    for file in files:
        batch.append(file)
        size += file.size
        if size > BATCH_BYTES or len(batch) == BATCH_FILES:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def _in_order(
    pool: ProcessPoolExecutor, batches: Iterable[list[CorpusFile]]
) -> Iterator[tuple[list[CorpusFile], PreparedBatch]]:
    """Run on all cores with a bounded number of batches under way, so that memory does not grow with the corpus."""
    most = BATCHES_A_CORE * (os.cpu_count() or 1)
    waiting: deque[_BatchUnderWay] = deque()
    held = 0
    for batch in batches:
        waiting.append(_BatchUnderWay.begin(pool, batch))
        held += waiting[-1].held
        while len(waiting) >= most or held > MOST_UNDER_WAY:
            held -= waiting[0].held
            yield waiting.popleft().result()
    while waiting:
        yield waiting.popleft().result()


def _start_worker(preparation: FilePreparation) -> None:
    begin_worker()
    global _preparation  # noqa: PLW0603 - the one way in which a worker process of a pool can keep what it was given
    _preparation = preparation


def _prepare_in_worker(files: Sequence[CorpusFile]) -> PreparedBatch:
    return _preparation(files)


_preparation: FilePreparation
