"""Recognise errors that mean that the system gives no more memory, processes or open files."""

from __future__ import annotations

from errno import EAGAIN, EMFILE, ENOMEM

REMEDY = "raise the limit of the job, container or shell (`ulimit -a`), then run it again"
_MEMORY, _PROCESSES = "winnow-ci ran out of memory", "winnow-ci could not start another thread or process"
_NUMBERS = {ENOMEM: _MEMORY, EAGAIN: _PROCESSES, EMFILE: "winnow-ci has too many files open"}
_ROOM = 64 << 20
"""Bytes without which Python and its libraries may fail with any error at all."""


def of(error: BaseException | None) -> str:
    """Say what ran out, if an error or one that led to it says so, or if there is little memory left; else nothing."""
    while error is not None:
        if isinstance(error, MemoryError):
            return _MEMORY
        if isinstance(error, OSError) and error.errno in _NUMBERS:
            return _NUMBERS[error.errno]
        if isinstance(error, RuntimeError) and "can't start new thread" in str(error):
            return _PROCESSES
        error = error.__cause__ or error.__context__
    try:
        bytes(_ROOM)
    except MemoryError:
        return _MEMORY
    return ""
