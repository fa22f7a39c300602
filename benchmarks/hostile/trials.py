"""What a campaign is made of: parts, trials, and how each trial ends."""

from __future__ import annotations

import random
from enum import Enum
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

MOST_CPU = 10.0
"""Seconds of the processor that one trial may take (issue of the campaign; ``docs/security.md``)."""
MOST_MEMORY = 1 << 30
"""Bytes of memory that one process may have."""


class Verdict(str, Enum):
    """How a trial ends."""

    HELD = "held"
    MISSED = "not held"
    LIMIT = "documented limit"
    TRACEBACK = "traceback"
    OVER = "over bounds"


class Outcome(NamedTuple):
    """What a trial found out.

    Attributes:
        verdict: how it ended.
        what: which way was tried.
        says: what shows that it was not held, or which limit is documented.
        files: what reproduces it, by name.
        cpu: seconds of the processor that the costliest command took; None if the trial started none.
    """

    verdict: Verdict
    what: str
    says: str = ""
    files: Mapping[str, bytes] = {}
    cpu: float | None = None


class Trial(NamedTuple):
    """An outcome with its number and its cost.

    Attributes:
        number: of the trial in its part; with the seed, it makes the trial again.
        outcome: how it ended.
        cpu: seconds of the processor.
        memory: bytes that the largest process took so far.
    """

    number: int
    outcome: Outcome
    cpu: float
    memory: int


class Part(NamedTuple):
    """A part of the campaign.

    Attributes:
        name: on the command line.
        about: what it tries, in a few words.
        some: trials of a short campaign.
        full: trials of a whole one.
        prepare: makes what its trials share in a folder, and returns the trial of a number.
        is_table: whether the trials are the rows of a table, which are tried once each.
        cpu: seconds of the processor that a trial may take.
    """

    name: str
    about: str
    some: int
    full: int
    prepare: Callable[[Path], Attempt]
    is_table: bool = False
    cpu: float = MOST_CPU


if TYPE_CHECKING:
    Attempt = Callable[[int, random.Random], Outcome]


def chance_of(part: str, seed: int, number: int) -> random.Random:
    """The random numbers of a trial: the same ones whatever was tried before."""
    return random.Random(f"{part} {seed} {number}")


def numbers_of(part: Part, trials: int, first: int, seed: int) -> list[int]:
    """Which trials of a part to make. Of a table, a sample is drawn, unless a first row is named."""
    if part.is_table and trials < part.full and not first:
        return sorted(chance_of(part.name, seed, -1).sample(range(part.full), trials))
    last = min(first + trials, part.full) if part.is_table else first + trials
    return list(range(first, last))
