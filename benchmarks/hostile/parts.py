"""The parts of the campaign, in the order in which they run."""

from __future__ import annotations

import evasions
import launderings
import rules

PARTS = {part.name: part for part in (evasions.PART, rules.PART, launderings.PART)}
