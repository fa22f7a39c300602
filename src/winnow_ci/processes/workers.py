"""What every worker process of ours does, whatever its work: it leaves ^C to its parent, and does not outlive it."""

from __future__ import annotations

import os
import signal
from contextlib import contextmanager
from multiprocessing import connection, parent_process
from threading import Thread
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextmanager
def held_back(number: signal.Signals) -> Iterator[None]:
    """Let a signal wait until the block ends, such as ^C: a worker must not get it before it ignores it."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, [number])
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def begin_worker() -> None:
    """Ignore ^C, and end when the parent does, however that is killed.

    The parent gets the same ^C and stops its workers; their tracebacks would hide its message. A worker that outlived
    it would wait for work for ever, and hold the locks that it has inherited.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # A signal that this thread took would be raised in the main one, even while that holds it back.
    with held_back(signal.SIGPROF):
        Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = parent_process()
    assert parent is not None
    connection.wait([parent.sentinel])
    os._exit(1)
