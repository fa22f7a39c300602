"""Estimate how likely a match is a copy, with one linear model of the evidence for and against.

The log-odds of a copy are a base and a weight times each of the *features* of a match (logistic regression; Hosmer,
Lemeshow and Sturdivant 2013, chapter 1). ``python tools/evidence`` learns the weights from copies that were planted in
real code, and from what unrelated projects and users of one framework have in common. They stand in ``model.json`` with
the two cuts. A feature is bounded, so that no single one decides, and its weight has a fixed sign: more equal text
never speaks against a copy. All are 0 if there is nothing to say.

The base holds a *prior*, one copy in two matches of the learnt data. In a change where copies are rarer than that, the
same log-odds are less likely a copy, so reports say them in words, and cuts are log-odds, not percentages.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from functools import cache
from math import log2
from pathlib import Path

from winnow_ci.model import RESTATED
from winnow_ci.model.findings import Reason
from winnow_ci.model.regions import Region, Signs
from winnow_ci.named_tuples import NamedTuple
from winnow_ci.start_up import sha256

FILE = Path(__file__).with_name("model.json")
# Of log-odds: those of a report add up to its sum, also when it was stored.
DIGITS = 3
# Two other files that match the same lines are no accident: they count as three.
SEVERAL, MOST_FILES = 2, 3.0
# Fewer matched tokens are few.
FEW = 40
# A share counts in parts: all of it is this many.
SHARES = 16


class Feature(NamedTuple):
    """The weight and bounds of one feature."""

    sign: int  # 1 if it speaks for a copy, -1 if against it
    most: float  # a larger value counts as this one


FEATURES = {
    "score": Feature(1, 160),
    "whole": Feature(1, 1),
    "remarks": Feature(1, 40),
    "names": Feature(1, 4),
    "run": Feature(1, 64),
    "flow": Feature(1, 6),
    "bare": Feature(-1, 1),
    "short": Feature(-1, FEW),
    "again": Feature(-1, 1),
    "places": Feature(-1, 3),
    "files": Feature(-1, MOST_FILES),
    "breaks": Feature(-1, 1),
    "astray": Feature(-1, 1),
    "unlearnt": Feature(-1, 1),
    "words": Feature(1, 24),
    "share": Feature(1, 3.2),
}
"""By name, in the order in which reports list them."""
_MOST = {name: float(feature.most) for name, feature in FEATURES.items()}


class EvidenceModel(NamedTuple):
    """The learnt model."""

    base: float  # log-odds of a match without any feature
    weights: Mapping[str, float]  # log-odds of each feature, a unit of it
    report: float  # log-odds from which a match is reported
    error: float  # log-odds from which it is strong
    digest: str  # sha256 of the file that it stands in, hexadecimal

    def reasons(self, region: Region) -> Iterator[Reason]:
        """The evidence for and against a copy: each feature of a region."""
        found = features(region)
        for name, odds in self._odds(found).items():
            yield Reason(name, round(found[name], DIGITS), odds)

    def log_odds(self, region: Region) -> float:
        """The log-odds (natural logarithm) that a region is a copy."""
        said = self.base + sum(self._odds(features(region)).values())
        return round(max(region.least_odds, said), DIGITS)

    def odds_of_words(self, signs: Signs) -> float:
        """The log-odds that code with these signs restates or translates its source."""
        return self.base + sum(self._odds(_of_words(signs)).values())

    def _odds(self, found: Mapping[str, float]) -> dict[str, float]:
        """The log-odds that each present feature adds."""
        return {name: round(value * self.weights[name], DIGITS) for name, value in found.items() if value}

    def is_reported(self, region: Region) -> bool:
        """Whether a region is worth a note: a verbatim run of guaranteed length always is."""
        return region.identical or region.is_run or self.log_odds(region) >= self.report


def features(region: Region) -> dict[str, float]:
    """The features of a region, by name, each between 0 and its bound."""
    found = _of_words(region.signs) if region.kind in RESTATED else _of_copy(region)
    return {name: min(max(found.get(name, 0.0), 0.0), most) for name, most in _MOST.items()}


def _of_words(signs: Signs) -> dict[str, float]:
    share = log2(1 + SHARES * signs.share)
    return {"words": min(signs.words, _MOST["words"]), "share": min(share, _MOST["share"])}


def _of_copy(region: Region) -> dict[str, float]:
    """Rows of one shape say what one row says, so their lines and names do not count."""
    signs, evidence, matched = region.signs, region.evidence, region.matched
    return {
        "score": region.bits,
        "whole": (signs.whole - signs.rows) / matched,
        "remarks": signs.remarks,
        "names": log2(1 + evidence.names),
        "run": float(signs.run),
        "flow": log2(1 + signs.agreeing * max(0.0, 1 - signs.rows / matched)),
        "bare": float(not evidence.lines and not evidence.phrases),
        "short": float(FEW - matched),
        "again": signs.again,
        "places": log2(1 + signs.places),
        "files": float(signs.files) if signs.files < SEVERAL else MOST_FILES,
        "breaks": 10 * (len(region.stretches) - 1) / matched,
        "astray": 10 * signs.astray / matched,
        "unlearnt": float(signs.unlearnt),
    }


@cache
def evidence_model() -> EvidenceModel:
    """The model that findings are judged by."""
    content = FILE.read_bytes()
    stored = json.loads(content)
    return EvidenceModel(**{**stored, "digest": sha256(content).hexdigest()})
