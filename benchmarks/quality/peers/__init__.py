"""Detectors for the tools that a user would pick today, each on the same rounds.

A detector takes the folder of a round and a folder to work in. It copies the changed and the known files side by side
into the latter, runs the tool in a process of its own, and keeps what the tool reports between a changed and a known
file.

    PEERS[name](round, work)      -> Detection(overlaps, measured): what it found, and what that cost
    DETECTORS[name](round, work)  -> list[Overlap]: the former alone

`Measured` holds the seconds that passed, the CPU seconds (user and system, of the tool and the processes that it waited
for), and the peak memory of its largest process, in MiB. The copying and our reading of the result are not in it; what
an adapter does inside the tool's process (reading its results out, written to a file) is.

A tool must be installed first: `python benchmarks/quality/peers/install.py [DIR]`. DIR is `PEERS_CACHE` in the
environment, or `~/.cache/winnow-ci/peers`. A detector raises `NotInstalledError`, `TimedOutError` (after
`LIMIT_SECONDS`) or `FailedError`, all of them `PeerError`: a peer that could not look has not found nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import book, compare50, copydetect, dolos, jplag, jscpd, scanoss, sim, vendetect
from .running import LIMIT_SECONDS, Detection, FailedError, Measured, NotInstalledError, PeerError, TimedOutError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from rounds import Overlap

__all__ = [
    "DETECTORS",
    "LIMIT_SECONDS",
    "PEERS",
    "Detection",
    "FailedError",
    "Measured",
    "NotInstalledError",
    "PeerError",
    "TimedOutError",
]

PEERS: dict[str, Callable[[Path, Path], Detection]] = {
    "book": book.detect,
    "jscpd": jscpd.detect,
    "jscpd-ignoring-names": jscpd.detect_ignoring_identifiers,
    "jscpd-near-miss": jscpd.detect_near_miss,
    "copydetect": copydetect.detect,
    "Dolos": dolos.detect,
    "compare50": compare50.detect,
    "scanoss": scanoss.detect,
    "sim": sim.detect,
    "JPlag": jplag.detect,
    "Vendetect": vendetect.detect,
}


def _overlaps_alone(detect: Callable[[Path, Path], Detection]) -> Callable[[Path, Path], list[Overlap]]:
    return lambda round, work: detect(round, work).overlaps  # noqa: A006


DETECTORS: dict[str, Callable[[Path, Path], list[Overlap]]] = {
    name: _overlaps_alone(detect) for name, detect in PEERS.items()
}
