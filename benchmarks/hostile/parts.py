"""The parts of the campaign, in the order in which they run."""

from __future__ import annotations

import archives
import configurations
import confusions
import evasions
import front_ends
import indexes
import launderings
import misfortunes
import repositories
import rules
import surroundings

_MODULES = (evasions, rules, launderings, confusions, front_ends, configurations, indexes, archives, repositories)
_PARTS = (
    *(module.PART for module in _MODULES),
    misfortunes.KILLS,
    misfortunes.DISKS,
    misfortunes.CROWDS,
    surroundings.PART,
)
PARTS = {part.name: part for part in _PARTS}
