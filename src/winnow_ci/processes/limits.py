"""What another program may take: time, silence and output, counted here; memory and files, counted by the system."""

from __future__ import annotations

from contextlib import suppress
from math import inf
from typing import Literal

from winnow_ci.named_tuples import NamedTuple


class ProcessLimits(NamedTuple):
    """What a program may take.

    Attributes:
        seconds: until it ends.
        silence: seconds in which it writes nothing.
        output: bytes that it writes to standard output and standard error, together.
    """

    seconds: float = inf
    silence: float = inf
    output: float = inf


UNLIMITED = ProcessLimits()


class ProcessLimitError(Exception):
    """A program exceeds one of its limits.

    Attributes:
        limit: which one, as in ``ProcessLimits``; ``size`` is for whoever counts something else.
    """

    def __init__(self, limit: str) -> None:
        super().__init__(limit)
        self.limit = limit


def limit(process: int, resource_name: Literal["RLIMIT_AS", "RLIMIT_FSIZE"], most: int) -> None:
    """Limit what a process and its children may use, where the system can do that to another process.

    Args:
        process: its number; 0 for this one.
        resource_name: of setrlimit(2).
        most: bytes.
    """
    with suppress(ImportError, AttributeError, ValueError, OSError):
        import resource  # noqa: PLC0415 - Windows has none, and a commit hook needs none

        kind = getattr(resource, resource_name)
        _, hard = resource.getrlimit(kind) if process == 0 else resource.prlimit(process, kind)
        # The hard limit too: what a process could raise again would not hold it.
        bound = most if hard == resource.RLIM_INFINITY else min(most, hard)
        if process == 0:
            resource.setrlimit(kind, (bound, bound))
        else:
            resource.prlimit(process, kind, (bound, bound))
