"""How likely a finding is a copy, in words, and what speaks for it and against it.

The words say what the log-odds of the evidence model say, since a probability would need to know how many copies there
are among all changes. ``evidence.model`` has the features; of one that this version does not know, only the name is
written.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from winnow_ci.report import printable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from winnow_ci.model.findings import Finding, Reason

# Log-odds from which a copy is very likely: nine to one.
VERY_LIKELY = 2.2
# A reader need not see less.
LEAST_SHOWN = 0.05
_FEATURES = {
    "score": "bits of structure and text",
    "whole": "share on lines that are whole in both files",
    "remarks": "bits of equal comments and strings",
    "names": "equal rare names",
    "run": "tokens in the longest equal run",
    "flow": "names that recur and meet the same name each time",
    "bare": "no equal line and no equal comment",
    "short": "tokens fewer than 40",
    "again": "share that the file has elsewhere, too",
    "places": "other known files that have it",
    "files": "other changed files that match the same lines (3 for two and more)",
    "breaks": "breaks per ten tokens",
    "astray": "names per ten tokens that meet several names",
    "unlearnt": "a language without tables of common code",
}
# Features that count on a scale of powers of two.
_COUNTED = {"names", "flow", "places"}


def likelihood(finding: Finding) -> str:
    """``very likely``, ``likely`` or ``possible``: what is weak is only possible."""
    if finding.strength == "weak":
        return "possible"
    is_sure = finding.identical or (finding.log_odds is not None and finding.log_odds >= VERY_LIKELY)
    return "very likely" if is_sure else "likely"


def odds(finding: Finding) -> str:
    """How likely a copy is, with its log-odds if they are known: ``very likely a copy (log-odds 6.5)``."""
    words = "possibly" if finding.strength == "weak" else likelihood(finding)
    known = "" if finding.log_odds is None or finding.identical else f" (log-odds {finding.log_odds:.1f})"
    return f"{words} a copy{known}"


def reasons(finding: Finding) -> Iterator[tuple[str, str]]:
    """What speaks for a copy, then against it, by weight: log-odds with a sign, and the feature in words."""
    for reason in sorted(finding.reasons, key=lambda reason: -reason.log_odds):
        if abs(reason.log_odds) >= LEAST_SHOWN or reason.feature == "unlearnt":
            yield f"{reason.log_odds:+.1f}", _described(reason)


def _described(reason: Reason) -> str:
    words = _FEATURES.get(reason.feature, printable.name(reason.feature))
    value = 2**reason.value - 1 if reason.feature in _COUNTED else reason.value
    return words if reason.feature in {"bare", "unlearnt"} else f"{words}: {value:.3g}"
