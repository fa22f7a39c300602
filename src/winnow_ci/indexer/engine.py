"""Fingerprint the files of a corpus on all cores of this machine; ``indexer.spark`` does it on a cluster.

Batches of files go to worker processes, and results come back in the order of the files.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Generator, Iterable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from queue import SimpleQueue
from typing import Protocol, TypeAlias

from winnow_ci import system
from winnow_ci.corpus import CorpusFile
from winnow_ci.errors import CorpusError
from winnow_ci.indexer.preparation import FilePreparation, PreparedBatch
from winnow_ci.model import Progress, Skipped
from winnow_ci.named_tuples import NamedTuple
from winnow_ci.processes import begin_worker

PreparedFiles: TypeAlias = tuple[list[CorpusFile], PreparedBatch]

WORTH_WORKERS = 1 << 20  # below this many bytes, starting worker processes costs more than they save
# A batch is large enough that handing over costs little, and small enough that all cores end together.
BATCH_BYTES = 1 << 18
BATCH_FILES = 64
_BATCHES_A_CORE = 4  # when a build is interrupted, the batches under way are lost
_MOST_WORKERS = 61  # as many as Windows can wait for
MOST_BYTES_UNDER_WAY = 1 << 27  # members of archives travel with their contents, which wait in memory


class SourceFiles(Protocol):
    """Files of known code: listed without their contents, iterated over with them, in any order."""

    @property
    def files(self) -> tuple[CorpusFile, ...]:
        """All of them."""

    @property
    def skipped(self) -> tuple[Skipped, ...]:
        """What was left out, and why."""

    def __iter__(self) -> Iterator[CorpusFile]:
        """Yield all of them, with the contents of those that cannot be read at any time."""


class BuildEngine:
    """Prepares files on all cores of this machine; an engine for other machines is a subclass.

    Workers end with ``prepare``, and the journal keeps what is done.
    """

    works_ahead = False  # whether it pays to ``begin`` with files before ``prepare`` asks for them
    continued = 0  # parts that an interrupted build had left, and that were used

    def begin(self, corpus: SourceFiles, prepare: FilePreparation, progress: Progress) -> SourceFiles:  # noqa: ARG002
        """Begin with files; return what to give ``prepare`` later, when the corpus need no longer be open."""
        return corpus

    def prepare(self, corpus: SourceFiles, prepare: FilePreparation) -> Generator[PreparedFiles, None, None]:
        """Prepare files, or go on with those that were begun; yield batches in the order of the corpus.

        Raises ``CorpusError`` if a file cannot be read or a worker was killed, ``EngineError`` if the engine failed.
        """
        if sum(file.size for file in corpus.files) < WORTH_WORKERS:
            for batch in _batches(corpus):
                yield batch, prepare(batch)
            return
        workers = min(os.cpu_count() or 1, _MOST_WORKERS)
        pool = ProcessPoolExecutor(workers, initializer=_start_worker, initargs=(prepare,))
        try:
            yield from _in_order(pool, _batches(corpus))
        except BrokenProcessPool as error:
            raise CorpusError("a worker process was killed", "free some memory, then run this again") from error
        finally:
            with system.held_back("SIGINT"):
                pool.shutdown(wait=True, cancel_futures=True)

    def stop(self) -> str | None:
        """Stop all work; say what the engine keeps of it for the next build, if it does."""
        return None

    def forget(self) -> None:
        """Keep nothing: the index is written."""


LOCAL = BuildEngine()


def _batches(files: Iterable[CorpusFile]) -> Iterator[list[CorpusFile]]:
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


class _BatchUnderWay(NamedTuple):
    """Files that a worker prepares.

    ^C must not come while this thread holds a lock of the pool: the lock would stay locked, and the pool would wait for
    it forever. So ^C is held back from every call of the pool, and we wait for ``ended``, which has no lock.
    """

    files: list[CorpusFile]
    held: int  # bytes of their contents, which wait in memory
    future: Future[PreparedBatch]
    ended: SimpleQueue[Future[PreparedBatch]]

    @classmethod
    def begin(cls, pool: ProcessPoolExecutor, files: list[CorpusFile]) -> _BatchUnderWay:
        ended: SimpleQueue[Future[PreparedBatch]] = SimpleQueue()
        with system.starting_workers():
            future = pool.submit(_prepare_in_worker, files)
            future.add_done_callback(ended.put)
        return cls(files, sum(len(file.content or b"") for file in files), future, ended)

    def result(self) -> PreparedFiles:
        self.ended.get()
        with system.held_back("SIGINT"):
            return self.files, self.future.result()


def _in_order(pool: ProcessPoolExecutor, batches: Iterable[list[CorpusFile]]) -> Iterator[PreparedFiles]:
    """Run with a bounded number of batches under way, so that memory does not grow with the corpus."""
    most = _BATCHES_A_CORE * (os.cpu_count() or 1)
    waiting: deque[_BatchUnderWay] = deque()
    for batch in batches:
        waiting.append(_BatchUnderWay.begin(pool, batch))
        while len(waiting) >= most or sum(one.held for one in waiting) > MOST_BYTES_UNDER_WAY:
            yield waiting.popleft().result()
    while waiting:
        yield waiting.popleft().result()


def _start_worker(preparation: FilePreparation) -> None:
    begin_worker()
    global _preparation  # noqa: PLW0603 - the only way for a worker process of a pool to keep what it was given
    _preparation = preparation


def _prepare_in_worker(files: Sequence[CorpusFile]) -> PreparedBatch:
    return _preparation(files)


_preparation: FilePreparation
