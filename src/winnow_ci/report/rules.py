"""The rules that findings fall under in SARIF, Code Quality and JUnit. Their ids are the same in all and never change.

GitHub shows the texts beside an alert, and cuts descriptions at 1,024 characters.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from winnow_ci.start_up import record

if TYPE_CHECKING:
    from winnow_ci.model import Kind
    from winnow_ci.model.findings import Finding

NOT_SCANNED = "not-scanned"
LEFT_OUT = "left-out"


@record(frozen=True, slots=True)
class FindingRule:
    """A kind of finding. ``precision`` says in GitHub's words how often such a finding is right."""

    id: str
    name: str
    short: str
    full: str
    precision: str


_RULES: dict[Kind, FindingRule] = {
    "verbatim": FindingRule(
        "copied-verbatim",
        "CopiedVerbatim",
        "Lines copied from known external code",
        "The change adds code whose tokens are those of a file in the index of known code, or all but a few. White "
        "space and comments are not compared. The licence of that source governs the copied lines.",
        "very-high",
    ),
    "renamed": FindingRule(
        "copied-renamed",
        "CopiedRenamed",
        "Lines copied from known external code, with names changed",
        "The change adds code that has the structure of a file in the index of known code: the same keywords, "
        "operators and punctuation, and most names correspond one to one. The licence of that source may govern the "
        "copied lines.",
        "high",
    ),
}
RULES = tuple(_RULES.values())

HELP = {
    "Where it comes from": "The message names the source, its version and licence, and the lines there.",
    "If it was copied": (
        "Keep to the licence (notice, attribution, source code: whatever it asks for) and allow it in the policy, or "
        "take the library as a dependency, or write the code anew."
    ),
    "If it was not": (
        "List files that everybody has as boilerplate, leave generated or vendored folders out of the paths, or allow "
        "the licence. All of these stand in .winnow.yml."
    ),
}
"""What to do about a finding: heading → paragraph."""


def rule(finding: Finding) -> FindingRule:
    """The rule that a finding falls under."""
    return _RULES[finding.kind]
