"""What a task of Spark runs, in a Python process of an executor: today's front end on a slice, without other processes.

What it gives depends on nothing but the slice, so Spark may run it again, elsewhere, or twice at a time.
"""

from __future__ import annotations

import gc
import json
import pickle
from itertools import count
from typing import TYPE_CHECKING

from winnow_ci.errors import WinnowError
from winnow_ci.index.records import framed
from winnow_ci.indexer.spark.parts import fingerprinted, packed
from winnow_ci.indexer.spark.slices import made_by

if TYPE_CHECKING:
    from pyspark import Broadcast

    from winnow_ci.indexer.spark.slices import FileSlice

# Cycles are looked for after so many tasks.
COLLECTED_EVERY = 64

OTHER = b"othr"
FAILED = b"fail"


def given(task: FileSlice) -> tuple[str, bytes]:
    """What a task gets: a winnow-ci of another version may be unable to read more than the first of these."""
    return task.made_by, pickle.dumps(task, pickle.HIGHEST_PROTOCOL)


class SliceTask:
    """Runs one task, whose slice executors fetch from the driver when they get to it."""

    def __init__(self, of_task: Broadcast[tuple[str, bytes]]) -> None:
        self._of_task = of_task

    def __call__(self, _: object) -> bytes:
        """See ``run``."""
        record = run(self._of_task.value)
        _spare_collection()
        return record


def run(of_task: tuple[str, bytes]) -> bytes:
    """Fingerprint a slice.

    Returns:
        A record: a part; or ``OTHER``, what made the winnow-ci that is installed here; or ``FAILED``, problem and
        remedy of an error that another try would not mend.
    """
    by, content = of_task
    here = made_by()
    if by != here:
        return framed(OTHER, here.encode())
    try:
        return packed(fingerprinted(pickle.loads(content)))  # noqa: S301 - the driver's, whose work this is
    except WinnowError as error:
        return framed(FAILED, json.dumps([error.problem, error.remedy]).encode())


def _spare_collection() -> None:
    """Keep what front ends remember from PySpark, which looks for cycles after every task: a quarter of the work."""
    if next(_tasks) % COLLECTED_EVERY:
        gc.freeze()
    else:
        gc.unfreeze()


_tasks = count(1)
