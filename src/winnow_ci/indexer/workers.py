"""Fingerprinting on all cores: files in batches to worker processes, results in the order of the files."""

from __future__ import annotations

import os
import signal
from collections import deque
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing import connection, parent_process
from threading import Thread
from typing import TYPE_CHECKING

from winnow_ci.errors import CorpusError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from winnow_ci.corpus import CorpusFile
    from winnow_ci.indexer.preparation import Preparation, Prepared

# Below this many bytes, starting worker processes costs more than they save.
WORTH_WORKERS = 1 << 20
# A batch is large enough that handing over costs little, and small enough that all cores end together.
BATCH_BYTES = 1 << 18
BATCH_FILES = 64
# What is under way when a build is interrupted is lost.
BATCHES_A_CORE = 4
# Members of archives travel with their contents, which wait in memory.
MOST_UNDER_WAY = 1 << 27


def prepare_all(
    files: Iterable[CorpusFile], total: int, prepare: Preparation
) -> Iterator[tuple[list[CorpusFile], Prepared]]:
    """Prepare files, which have so many bytes; each batch of them is given with its results.

    Raises:
        CorpusError: a file cannot be read, or a worker process was killed.
    """
    if total < WORTH_WORKERS:
        for batch in _batches(files):
            yield batch, prepare(batch)
        return
    with ProcessPoolExecutor(os.cpu_count(), initializer=_start_worker, initargs=(prepare,)) as pool:
        try:
            yield from _in_order(pool, _batches(files))
        except BrokenProcessPool as error:
            raise CorpusError("a worker process was killed", "free some memory, then run this again") from error
        finally:
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
) -> Iterator[tuple[list[CorpusFile], Prepared]]:
    """Run on all cores with a bounded number of batches under way, so that memory does not grow with the corpus."""
    most = BATCHES_A_CORE * (os.cpu_count() or 1)
    waiting: deque[tuple[list[CorpusFile], Future[Prepared]]] = deque()
    for batch in batches:
        with _uninterrupted():
            waiting.append((batch, pool.submit(_prepare_in_worker, batch)))
        while len(waiting) >= most or _held(waiting) > MOST_UNDER_WAY:
            first, future = waiting.popleft()
            yield first, future.result()
    while waiting:
        first, future = waiting.popleft()
        yield first, future.result()


def _held(waiting: Iterable[tuple[list[CorpusFile], Future[Prepared]]]) -> int:
    return sum(len(file.content or b"") for batch, _ in waiting for file in batch)


@contextmanager
def _uninterrupted() -> Iterator[None]:
    """Let ^C wait: it must not reach a worker process before that ignores it."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _start_worker(preparation: Preparation) -> None:
    # The parent gets the same ^C and stops its workers; their own tracebacks would only hide its message.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    Thread(target=_end_with_parent, daemon=True).start()
    global _preparation  # noqa: PLW0603 - the one way in which a worker process of a pool can keep what it was given
    _preparation = preparation


def _end_with_parent() -> None:
    """A worker of a killed parent would wait for work for ever, and hold the lock on the unfinished index."""
    parent = parent_process()
    assert parent is not None
    connection.wait([parent.sentinel])
    os._exit(1)


def _prepare_in_worker(files: Sequence[CorpusFile]) -> Prepared:
    return _preparation(files)


_preparation: Preparation
