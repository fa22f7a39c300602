"""Opening indexes: one on a server on a thread of its own, since connecting takes many answers over the network.

Meanwhile the change is read. What goes wrong is raised where the index is asked for. A thread whose index nobody wants
any more, since something else went wrong, closes it itself, and is not waited for.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from winnow_ci.config.index_reference import ServedIndex
from winnow_ci.operations.named_indexes import opener

if TYPE_CHECKING:
    from pathlib import Path
    from types import TracebackType

    from typing_extensions import Self

    from winnow_ci.index import IndexReader


class OpeningIndex:
    """An index that is being opened, and is closed in the end.

    Args:
        place: its file, or the server that has it.

    Raises:
        WinnowError: something is lacking here that the server cannot be asked without.
    """

    def __init__(self, place: Path | ServedIndex) -> None:
        # Importing is no work for a thread: it would take turns with what this one does.
        self._open_now = opener(place)
        self._lock = threading.Lock()
        self._is_wanted = True
        self._reader: IndexReader | None = None
        self._error: BaseException | None = None
        self._thread: threading.Thread | None = None
        if isinstance(place, ServedIndex):
            self._thread = threading.Thread(target=self._open, daemon=True)
            self._thread.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with self._lock:
            self._is_wanted = False
            if self._reader is not None:
                self._reader.__exit__(kind, error, trace)

    @property
    def is_waiting(self) -> bool:
        """Whether one would wait for it now."""
        return self._thread is not None and self._thread.is_alive()

    def reader(self) -> IndexReader:
        """The index, as soon as it is open.

        Raises:
            WinnowError: it cannot be opened.
        """
        if self._thread is None:
            self._open()
        else:
            self._thread.join()
        if self._error is not None:
            raise self._error
        assert self._reader is not None
        return self._reader

    def _open(self) -> None:
        try:
            reader = self._open_now()
        except BaseException as error:
            self._error = error
            return
        with self._lock:
            if self._is_wanted:
                self._reader = reader
                return
        reader.__exit__(None, None, None)
