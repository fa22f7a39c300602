"""What the experiments compute, against its definition; the experiments themselves are run by hand."""

import xml.etree.ElementTree as ET
from math import comb

import lower_bounds
import numpy as np
import planted
import pytest
import ranks
import real_text
import sketches
import zero_mod_p
from hypothesis import given
from hypothesis import strategies as st
from pages import NO_TEXT, Page
from plotting import Curve, plot

from winnow_ci.winnowing.bounded import Bound, sketch

FEW = st.lists(st.integers(0, 30), min_size=20, max_size=200).map(lambda values: np.array(values, np.uint64))


@given(FEW, st.integers(1, 20), st.integers(1, 9))
def test_0_mod_p_with_the_guarantee_leaves_no_window_empty(hashes, w, p):
    chosen = set(zero_mod_p.guaranteed(hashes, w, p).tolist())

    expected = {place for place, value in enumerate(hashes.tolist()) if value % p == 0}
    for start in range(len(hashes) - w + 1):
        if all(value % p for value in hashes[start : start + w].tolist()):
            expected.add(start + w - 1)
    assert chosen == expected


@given(FEW, st.integers(1, 20), st.integers(1, 60))
def test_a_window_is_detected_by_what_the_sketch_stores_of_it(hashes, window, size):
    made = sketch(hashes, Bound(window, size))

    found = []
    for start in range(len(hashes) - window + 1):
        asked = set(hashes[start : start + window].tolist())
        found.append(
            bool(
                asked & set(hashes[made.everywhere].tolist())
                or asked & set(hashes[made.in_block[made.blocks == start // window]].tolist())
                or any(start <= place < start + window for place in made.sampled.tolist())
            )
        )
    assert sketches.detecting(made, hashes, window) == pytest.approx(np.mean(found))


@pytest.mark.parametrize("delta", planted.DELTAS)
def test_planted_windows_are_found_as_promised(delta):
    """A share of the 10,000 for each δ that the experiment has."""
    found = planted.tallies([planted.trial(delta, number) for number in range(120)])

    assert all(own.used <= own.size and own.trials == 120 for own in found.values())
    assert all(own.is_kept for own in found.values() if own.promised < own.trials)
    assert found["one a window"].missed == found["two passes"].missed == found["one pass"].missed == 0
    assert found["two passes, too small"].missed > 0


def test_a_promise_is_broken_by_misses_that_are_too_many_for_chance():
    def kept(missed):
        return planted.Tally(5, 5, 100, 100 * 0.05, missed).is_kept

    tail = [sum(comb(100, n) * 0.05**n * 0.95 ** (100 - n) for n in range(missed, 101)) for missed in range(101)]
    assert [kept(missed) for missed in range(101)] == [chance >= 0.001 for chance in tail]
    assert not planted.Tally(5, 6, 100, 5.0, 0).is_kept


def test_a_power_law_is_fitted_to_what_follows_one():
    frequencies = (1000 * np.arange(1.0, 501) ** -0.8).astype(np.int64)

    found = ranks.fitted(np.repeat(np.arange(500, dtype=np.uint64), frequencies))

    assert found.frequencies.tolist() == frequencies.tolist()
    assert found.slope == pytest.approx(-0.8, abs=0.02)
    assert found.fit > 0.99


def test_the_longest_run_without_a_fingerprint_is_found_with_its_place():
    random = np.random.default_rng(1)
    letters = "".join(map(chr, random.integers(97, 123, 5000)))
    pages = [Page("a/random.html", letters), Page("b/constant.html", "abc" + "x" * 3000)]

    found = real_text.measured(pages)

    assert found["winnowing"].longest.length < real_text.W
    assert found["robust"].kept < found["winnowing"].kept
    assert found["mod-p"].longest.path == "b/constant.html"
    assert found["mod-p"].longest.length > 2900


def test_mod_minimizers_pass_under_the_bound_for_hashes_but_not_under_that_for_forward_scheme():
    ids = np.random.default_rng(1).integers(0, 2**32, 100_000, np.uint64)

    found = lower_bounds.densities(ids, 50, 10)

    assert lower_bounds.for_forward(50, 10) < found.mod_minimizer < lower_bounds.for_hashes(10) < found.winnowing


def test_tags_scripts_and_comments_are_no_text():
    page = "<p>a<b>b</b><script>if (a < b) c</script><!-- <p>no --><style>p{}</style> c"
    assert "".join(NO_TEXT.sub(" ", page).split()) == "abc"


@pytest.mark.parametrize("logarithmic", ["", "x", "xy"])
def test_a_plot_stays_inside_its_frame(logarithmic):
    drawn = plot(
        [Curve("a < b", [(1, 0.5), (30, 800)]), Curve("c", [(2, 3), (4, 5)], dashed=True)], "x", "y", logarithmic
    )

    root = ET.fromstring(drawn)
    places = [
        tuple(map(float, place.split(",")))
        for line in root.iter("{http://www.w3.org/2000/svg}polyline")
        for place in line.get("points").split()
    ]
    assert len(places) == 4
    assert all(84 <= x <= 500 and 16 <= y <= 340 for x, y in places)
