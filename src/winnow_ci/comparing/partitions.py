"""Rows split into parts by a number, which go to temporary files once there are many.

Rows that sorting would bring together have the same number and so share a part: each part can be sorted by itself,
and memory holds one at a time.
"""

from __future__ import annotations

from contextlib import ExitStack
from itertools import pairwise
from tempfile import SpooledTemporaryFile
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray
    from typing_extensions import Self

PARTS = 64
# For all parts together; a part moves to a file when it has used up its share.
MEMORY_BYTES = 64 << 20
_BUFFERED_ROWS = 1 << 16


class Partitions:
    """A context that collects rows of one dtype. Rows with the same number keep the order in which they were added."""

    def __init__(self, dtype: np.dtype[Any]) -> None:
        self._dtype = dtype
        self._buffer: list[tuple[NDArray[np.uint8], NDArray[Any]]] = []
        self._buffered = 0
        self._stack = ExitStack()
        self._files = [
            self._stack.enter_context(SpooledTemporaryFile(MEMORY_BYTES // PARTS))  # noqa: SIM115 - until it is closed
            for _ in range(PARTS)
        ]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def add(self, rows: NDArray[Any], numbers: NDArray[Any]) -> None:
        """Add rows.

        Args:
            rows: shape (n,).
            numbers: unsigned, shape (n,); their lower bits choose the part.
        """
        parts = (numbers % numbers.dtype.type(PARTS)).astype(np.uint8)
        self._buffer.append((parts, rows))
        self._buffered += len(rows)
        if self._buffered >= _BUFFERED_ROWS:
            self._flush()

    def __iter__(self) -> Iterator[NDArray[Any]]:
        """The rows of each part."""
        self._flush()
        for file in self._files:
            file.seek(0)
            yield np.frombuffer(file.read(), self._dtype)

    def _flush(self) -> None:
        """Move the buffered rows to their parts."""
        if not self._buffer:
            return
        parts, rows = (np.concatenate(column) for column in zip(*self._buffer, strict=True))
        self._buffer, self._buffered = [], 0
        order = np.argsort(parts, kind="stable")
        rows, edges = rows[order], np.searchsorted(parts[order], np.arange(PARTS + 1))
        for file, (start, end) in zip(self._files, pairwise(edges.tolist()), strict=True):
            file.write(rows[start:end].tobytes())
