"""The two cuts: as many copies as may be, with no more false findings a million lines than these."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from examples import Part
    from fitting import Fitted

# Errors in unrelated projects, and against a framework.
ERRORS, ERRORS_OF_FRAMEWORK = 1.5, 24.0
# All findings in unrelated projects.
NOTES = 45.0


def chosen_cuts(parts: Sequence[Part], found: Fitted) -> tuple[float, float]:
    """The log-odds from which a match is reported, and from which it is an error."""
    unrelated = [part for part in parts if part.kind == "unrelated"]
    framework = [part for part in parts if part.kind == "framework"]
    error = max(_cut(unrelated, found, ERRORS), _cut(framework, found, ERRORS_OF_FRAMEWORK))
    return round(min(error, _cut(unrelated, found, NOTES)), 3), round(error, 3)


def _cut(parts: Sequence[Part], found: Fitted, most: float) -> float:
    """The least cut at which no more than ``most`` findings a million lines are false."""
    examples = [one for part in parts for one in part.examples if one.filter is None]
    false = [one for one in examples if one.label == "false"]
    odds = sorted(found.log_odds(false).tolist(), reverse=True)
    return float(odds[int(most * sum(part.lines for part in parts) / 1e6)]) + 1e-3
