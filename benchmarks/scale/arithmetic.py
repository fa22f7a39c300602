"""What an index costs by its fingerprints: by arithmetic, from what was measured of each fingerprint.

Assumptions: a build takes the same for each fingerprint, however many there are (it is 97 % front ends and selection,
and merges once); a fingerprint takes the same room; nothing is there twice; machines have no idle cores; prices are
those of a large provider's list in 2026. Nobody has built more than 1.4 * 10^8 fingerprints of real code with it.
"""

from __future__ import annotations

from typing import NamedTuple

# Seconds of one core for a fingerprint, with the kernel: front end, k-grams and selection, then sorting and merging.
FRONT_END = 12e-6
MERGING = 0.35e-6
# Bytes of a fingerprint on a server, its table and index (docs/figures.md, "An index on a server").
STORED = 23.2
CORE_HOUR = 0.04
GIGABYTE_MONTH = 0.023
LARGEST = 10**12


class Cost(NamedTuple):
    """What an index of so many fingerprints costs.

    Attributes:
        fingerprints: in it.
        core_hours: to build it, once.
        dollars: for these hours.
        gigabytes: that it takes.
        dollars_a_month: to keep them in an object store.
    """

    fingerprints: float
    core_hours: float
    dollars: float
    gigabytes: float
    dollars_a_month: float


def cost(fingerprints: float) -> Cost:
    """The cost of an index."""
    hours, gigabytes = fingerprints * (FRONT_END + MERGING) / 3600, fingerprints * STORED / 1e9
    return Cost(fingerprints, hours, CORE_HOUR * hours, gigabytes, GIGABYTE_MONTH * gigabytes)
