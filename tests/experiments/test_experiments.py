"""What the experiments compute, against its definition; the experiments themselves are run by hand."""

import xml.etree.ElementTree as ET
from collections import Counter
from math import comb
from pathlib import Path

import catalogue
import empty_runs
import later_schemes
import lower_bounds
import numpy as np
import planted
import pytest
import ranks
import real_text
import rolling
import sketch_pairs
import sketches
import streams
import zero_mod_p
from hypothesis import given
from hypothesis import strategies as st
from pages import NO_TEXT, Page
from plotting import Curve, plot

from winnow_ci.winnowing import kgram_hashes, schemes, select
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
    found = planted.tallies([planted.trial(delta, number) for number in range(60)])

    assert all(own.used <= own.size and own.trials == 60 for own in found.values())
    assert all(own.is_kept for own in found.values() if own.promised < own.trials)
    assert found["one a window"].missed == found["two passes"].missed == found["one pass"].missed == 0
    assert found["two passes, too small"].missed > 0


def test_two_documents_have_the_planted_window_and_sketches_of_both_show_it():
    for number, kind in enumerate(planted.KINDS):
        both, window = sketch_pairs.planted_pair(kind, number)
        text = window.tobytes()
        assert all(text in own.tobytes() for own in both)
        assert len(window) == planted.WINDOW
    assert sketch_pairs.tried("one-a-window", None, 0).is_found
    assert sketch_pairs.tried("bounded", sketch_pairs.TENTH, 1).is_found


@pytest.mark.parametrize("name", sketch_pairs.NAMES)
def test_two_sketches_of_real_code_are_compared_with_all_k_grams(name):
    """Random items for k-grams of code: what is shared is known."""
    code = np.random.default_rng(1).integers(0, 2**64, 3 * sketch_pairs.LENGTH, np.uint64)
    both, stretch = sketch_pairs.code_pair(code, 0)
    true = len(stretch) / (2 * sketch_pairs.LENGTH - len(stretch))

    everything = sketch_pairs.compared(name, both, stretch, sketch_pairs.LENGTH, true)
    some = sketch_pairs.compared(name, both, stretch, 2_000, true)

    assert len(np.intersect1d(*both)) == len(np.intersect1d(both[0], stretch)) == len(stretch)
    if name not in {"one-a-window", "next-of-level"}:
        assert everything == (True, pytest.approx(0, abs=1e-9), sketch_pairs.LENGTH)
        assert abs(some.error) < 0.03
        assert some.entries < 2_400
    assert some.is_found or name == "next-of-level"


def test_a_promise_is_broken_by_misses_that_are_too_many_for_chance():
    def kept(missed):
        return planted.Tally(5, 5, 100, 100 * 0.05, missed).is_kept

    tail = [sum(comb(100, n) * 0.05**n * 0.95 ** (100 - n) for n in range(missed, 101)) for missed in range(101)]
    assert [kept(missed) for missed in range(101)] == [chance >= 0.001 for chance in tail]
    assert not planted.Tally(5, 6, 100, 5.0, 0).is_kept


@given(
    st.lists(st.lists(st.integers(0, 3), max_size=40), min_size=1, max_size=8),
    st.integers(1, 6),
    st.integers(1, 9),
    st.sampled_from(["winnowing", "robust", "mod-p"]),
)
def test_a_stream_in_parts_is_selected_as_a_whole(pages, k, w, scheme):
    """Few letters, so that smallest hashes are often equal and some parts have no change to be cut at."""
    pages = [Page(str(n), "".join(map(str, letters))) for n, letters in enumerate(pages)]
    whole = kgram_hashes(Page("", "".join(page.text for page in pages)).ids, k)

    parts = list(streams.selected(streams.hashes_of(pages, k, block=5), w, scheme))

    chosen = [0, *np.cumsum([len(part) for part, _ in parts])]
    places = [place + start for start, (_, own) in zip(chosen, parts, strict=False) for place in own.tolist()]
    # ``select`` takes a text shorter than a window as one window, and p from its length.
    is_short = scheme == "mod-p" and len(whole) < w
    expected = (
        [n for n in range(len(whole)) if int(whole[n]) % ((w + 1) // 2) == 0]
        if is_short
        else (select(whole, w, scheme).tolist())
    )
    assert np.concatenate([np.empty(0, np.uint64), *(part for part, _ in parts)]).tolist() == whole.tolist()
    assert places == expected
    runs = np.diff([-1, *expected, len(whole)]) - 1
    found = streams.counted(streams.hashes_of(pages, k, block=5), w, scheme)
    assert found == (len(whole), len(expected), runs.max())
    kept = list(ranks._kept(parts))
    assert np.concatenate([np.empty(0, np.uint64), *kept]).tolist() == whole[expected].tolist()


def plateaus(values):
    return ranks.Plateaus.of(np.array(values, np.uint64))


@given(st.lists(st.integers(0, 12), min_size=1, max_size=60))
def test_a_plateau_has_the_ranks_that_occur_equally_often(values):
    found = plateaus(values)

    falling = sorted(Counter(values).values(), reverse=True)
    drawn = [
        frequency
        for frequency, left, right in zip(*map(np.ndarray.tolist, found), strict=True)
        for _ in range(left, right + 1)
    ]
    assert drawn == falling
    assert [falling[left - 1] for left in found.left] == found.frequencies.tolist()
    for times in (1, 2, 3):
        assert found.share(times) == falling.count(times) / len(falling)


def test_a_power_law_is_fitted_to_the_ends_of_plateaus_without_the_aberrant_one():
    frequencies = (1000 * np.arange(1.0, 501) ** -0.8).astype(np.int64)
    frequencies[20:200] = 60
    found = plateaus(np.repeat(np.arange(500), frequencies))
    own = found.line()
    every = np.repeat(np.log10(found.frequencies), found.right - found.left + 1)

    out = found.aberrant()

    assert found.frequencies[out] == 60
    x, y = (each.ravel() for each in found.without(out).ends())
    assert len(x) == 2 * (len(np.unique(frequencies)) - 1)
    area = [
        np.log10(right / left) * (np.log10(frequency) - own.slope * np.log10(left * right) / 2 - own.start)
        for frequency, left, right in zip(*map(np.ndarray.tolist, found), strict=True)
    ]
    assert out == int(np.argmax(area))
    cleaned = found.without(out).line()
    assert (cleaned.slope, cleaned.start) == pytest.approx(tuple(np.polyfit(x, y, 1)))
    assert cleaned.slope == pytest.approx(-0.8, abs=0.03)
    assert cleaned.fit > found.line().fit
    slope, start = np.polyfit(np.log10(np.arange(1, 501)), every, 1)
    assert found.line_of_all()[:2] == pytest.approx((slope, start))


def test_pages_are_picked_wherever_they_stand():
    pages = [Page(f"p/{n}.html", "") for n in range(50)]

    chosen = ranks.picked(pages, 20)

    assert len(chosen) == 20
    assert chosen == [page for page in pages if page in chosen]
    assert set(ranks.picked(pages[::-1], 20)) == set(chosen)


def test_the_longest_run_without_a_fingerprint_is_found_with_its_place():
    random = np.random.default_rng(1)
    letters = "".join(map(chr, random.integers(97, 123, 5000)))
    pages = [Page("a/random.html", letters), Page("b/constant.html", "abc" + "x" * 3000)]

    found = real_text.measured(pages)

    assert found["winnowing"].longest.length < real_text.W
    assert found["robust"].kept < found["winnowing"].kept
    assert found["mod-p"].longest.path == "b/constant.html"
    assert found["mod-p"].longest.length > 2900


def test_no_scheme_passes_under_the_bounds_that_hold_for_it():
    ids = np.random.default_rng(1).integers(0, 2**32, 100_000, np.uint64)

    found = lower_bounds.densities(ids, 50, 10)

    bound = lower_bounds.for_forward(50, 10)
    assert bound < found[lower_bounds.OPEN_CLOSED] < found["mod-minimizer"] < lower_bounds.theorem_1(10)
    assert lower_bounds.theorem_1(10) < lower_bounds.observation_1(10) < found["winnowing"]
    assert found[lower_bounds.CLOSED] == pytest.approx(2 / 11, rel=0.02)
    assert found[lower_bounds.OPEN] == pytest.approx(1 / 11, rel=0.02)


@pytest.mark.parametrize(
    ("k", "w", "bound"), [(16, 12, 0.1081), (16, 9, 0.1429), (23, 17, 0.0769), (50, 10, 0.1148), (50, 100, 0.0149)]
)
def test_the_bound_for_forward_schemes_is_the_highest_for_any_longer_k_gram(k, w, bound):
    assert lower_bounds.for_forward(k, w) == pytest.approx(bound, abs=5e-5)
    assert lower_bounds.for_forward(k, w) == max(-(-(w + n) // w) / (w + n) for n in range(k, 2000))
    assert lower_bounds.for_forward(1, w) == lower_bounds.conjecture(w)


@given(FEW, st.integers(1, 12), st.integers(1, 9))
def test_closed_syncmers_leave_no_window_empty(ids, s, w):
    k = s + w
    found = set(later_schemes.closed_syncmers(ids, k, s).tolist())

    grams = kgram_hashes(ids, s).tolist()
    inside = [grams[start : start + w + 1] for start in range(len(ids) - k + 1)]
    first = [own.index(min(own)) for own in inside]
    assert found == {place for place, at in enumerate(first) if at in {0, w}}
    assert later_schemes.open_syncmers(ids, k, s).tolist() == [place for place, at in enumerate(first) if at == 0]
    assert all(found & set(range(start, start + w)) for start in range(len(inside) - w + 1))


@given(FEW, st.integers(5, 14), st.integers(1, 6), st.integers(1, 3))
def test_open_closed_mod_sampling_chooses_by_the_best_t_gram_of_each_window(ids, k, w, s):
    t = schemes.gram_length(k, w)
    order = []
    for start in range(len(ids) - t + 1):
        grams = kgram_hashes(ids[start : start + t], s).tolist()
        at = grams.index(min(grams))
        kind = 0 if at == (t - s) // 2 else 1 if at in {0, t - s} else 2
        order.append((kind, int(kgram_hashes(ids[start : start + t], t)[0]) >> 2))
    expected = set()
    for start in range(len(ids) - k - w + 2):
        smallest = min(range(start, start + w + k - t), key=lambda place: (order[place], -place))
        expected.add(start + (smallest - start) % w)
    assert later_schemes.open_closed_mod_minimizer(ids, k, w, s).tolist() == sorted(expected)


@given(FEW, st.integers(1, 9).map(lambda n: 2 * n - 1))
def test_a_window_is_empty_if_none_of_its_hashes_is_0_mod_p(hashes, w):
    chosen = np.flatnonzero(hashes % 3 == 0)

    windows = [hashes[start : start + w] for start in range(len(hashes) - w + 1)]
    assert empty_runs._empty(chosen, len(hashes), w) == sum(all(own % 3) for own in windows)


def test_0_mod_p_leaves_as_many_runs_empty_as_chance():
    ids = np.random.default_rng(1).integers(0, 256, 200_000, np.uint64)

    found = empty_runs.empty([ids], 9)

    assert found[0] == pytest.approx(empty_runs.chance(9), rel=0.02)
    assert found[1] == 0


@given(st.lists(st.integers(0, 2**64 - 1), min_size=12, max_size=40), st.integers(1, 12))
def test_rolled_hashes_are_those_from_scratch(ids, k):
    expected = rolling.from_scratch(ids, k)
    assert expected[0] == sum(one * rolling.BASE ** (k - 1 - n) for n, one in enumerate(ids[:k])) % 2**64
    assert rolling.rolled(ids, k) == expected
    assert rolling.arrays_from_scratch(np.array(ids, np.uint64), k).tolist() == expected


def test_the_list_has_every_experiment():
    folder = Path(catalogue.__file__).parent
    own = {path.stem.replace("_", "-") for path in folder.glob("*.py") if "def result(" in path.read_text()}
    assert own == set(catalogue.EXPERIMENTS)
    assert all(name in catalogue.listed() for name in own)


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
