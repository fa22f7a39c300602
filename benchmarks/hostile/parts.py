"""The parts of the campaign, in the order in which they run."""

from __future__ import annotations

import configurations
import evasions
import front_ends
import indexes
import launderings
import rules

_MODULES = (evasions, rules, launderings, front_ends, configurations, indexes)
PARTS = {module.PART.name: module.PART for module in _MODULES}
