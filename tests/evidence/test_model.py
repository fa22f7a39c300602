"""One linear model says how likely a match is a copy; each feature is bounded and has one sign."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from winnow_ci.evidence.model import FEATURES, EvidenceModel, evidence_model, features
from winnow_ci.model.regions import Evidence, Region, Signs, Stretch

MODEL = EvidenceModel(-1.0, {name: 0.25 * feature.sign for name, feature in FEATURES.items()}, 2.0, 4.0, "")


def region(matched: int = 100, *, same: int = 0, parts: int = 1, **more: object) -> Region:
    """A region of which the first ``same`` tokens have equal text, in parts side by side in the change."""
    size = matched // parts
    stretches = tuple(Stretch(n * size, 2 * n * size, size) for n in range(parts))
    marks = np.packbits(np.arange(matched) < same).tobytes()
    plain = Region(0, 0, matched, 0, 2 * matched, matched, same, 1, "renamed", stretches, 0.0, same=marks)
    return plain._replace(**more)


def test_log_odds_are_a_base_and_what_each_feature_adds() -> None:
    found = region(bits=80.0, evidence=Evidence(lines=1, names=3), signs=Signs(whole=50.0, again=0.5))
    told = {reason.feature: (reason.value, reason.log_odds) for reason in MODEL.reasons(found)}
    assert told == {"score": (80.0, 20.0), "whole": (0.5, 0.125), "names": (2.0, 0.5), "again": (0.5, -0.125)}
    assert MODEL.log_odds(found) == pytest.approx(-1 + 20 + 0.125 + 0.5 - 0.125)


@pytest.mark.parametrize(
    ("found", "name", "value"),
    [
        (region(bits=500.0), "score", 160.0),
        (region(30), "short", 10.0),
        (region(300), "short", 0.0),
        (region(evidence=Evidence(lines=1)), "bare", 0.0),
        (region(evidence=Evidence(phrases=1)), "bare", 0.0),
        (region(evidence=Evidence(names=9)), "bare", 1.0),
        (region(signs=Signs(run=99)), "run", 64.0),
        (region(signs=Signs(whole=90.0, rows=70.0)), "whole", 0.2),
        (region(signs=Signs(agreeing=15.0, rows=80.0)), "flow", 2.0),
        (region(signs=Signs(agreeing=7.0)), "flow", 3.0),
        (region(signs=Signs(agreeing=999.0)), "flow", 6.0),
        (region(parts=5), "breaks", 0.4),
        (region(parts=50), "breaks", 1.0),
        (region(signs=Signs(files=1)), "files", 1.0),
        (region(signs=Signs(files=2)), "files", 3.0),
        (region(signs=Signs(files=1000)), "files", 3.0),
    ],
)
def test_features_are_counted_and_bounded(found: Region, name: str, value: float) -> None:
    assert features(found)[name] == pytest.approx(value)


@given(
    numbers=st.lists(st.floats(0, 1e4), min_size=5, max_size=5),
    counts=st.lists(st.integers(0, 1000), min_size=6, max_size=6),
    same=st.integers(0, 100),
)
def test_every_feature_of_every_region_is_within_its_bound(numbers: list[float], counts: list[int], same: int) -> None:
    found = region(
        same=same,
        bits=numbers[0],
        evidence=Evidence(*counts[:4]),
        signs=Signs(*numbers, counts[3], counts[4] / 1000, *counts[5:]),
    )
    assert features(found).keys() == FEATURES.keys()
    assert all(0 <= value <= FEATURES[name].most for name, value in features(found).items())


def test_the_learnt_weights_have_the_signs_of_their_features() -> None:
    model = evidence_model()
    assert all(model.weights[name] * feature.sign >= 0 for name, feature in FEATURES.items())
    assert model.report <= model.error


@pytest.mark.parametrize(("above", "reported"), [(0.0, True), (0.001, False)])
def test_a_region_is_reported_from_the_odds_of_the_cut_on(above: float, reported: bool) -> None:
    found = region(bits=20.0, evidence=Evidence(lines=1), signs=Signs(whole=0.0))
    assert MODEL._replace(report=MODEL.log_odds(found) + above).is_reported(found) is reported


def test_a_guaranteed_run_and_an_identical_file_are_always_reported() -> None:
    nothing = region()
    assert not MODEL.is_reported(nothing)
    assert MODEL.is_reported(nothing._replace(is_run=True))
    assert MODEL.is_reported(nothing._replace(identical=True))


def test_an_exact_copy_inside_lends_its_odds() -> None:
    assert MODEL.log_odds(region()._replace(least_odds=7.5)) == 7.5
