"""Log what a run reads and how long its stages take (``-v``).

Any module may log; only the command listens and prints. This is not the standard library's ``logging``, as every commit
hook would wait for its import.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from time import perf_counter
from typing import TypeVar

_T = TypeVar("_T")

_listeners: list[Callable[[str], None]] = []
_seconds: dict[str, float] = {}


def listen(listener: Callable[[str], None]) -> None:
    """Call a function with each line that is logged from now on."""
    _listeners.append(listener)


def tell(line: str) -> None:
    """Log what is read and from where; the printer makes it harmless."""
    for listener in _listeners:
        listener(line)


@contextmanager
def stage(name: str) -> Iterator[None]:
    """Count the time of the block for a stage, which may have several blocks."""
    start = perf_counter()
    try:
        yield
    finally:
        _seconds[name] = _seconds.get(name, 0.0) + perf_counter() - start


def timed(name: str, items: Iterable[_T]) -> Iterator[_T]:
    """Yield the same items, and count the time that each takes to come for a stage."""
    rest, end = iter(items), object()
    while True:
        with stage(name):
            item = next(rest, end)
        if item is end:
            return
        yield item  # type: ignore[misc]  # it is not the end


def seconds() -> dict[str, float]:
    """Return how long each stage has taken so far, in the order in which they began."""
    return dict(_seconds)
