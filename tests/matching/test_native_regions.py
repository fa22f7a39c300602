"""The kernel finds the regions that Python finds, to the last bit."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
import pytest

from support.kernels import need_kernel, without_kernel
from support.matching_cases import at_an_edge, matching_case, outline, whole_file_case
from winnow_ci.matching import constants
from winnow_ci.matching.regions import find_regions, whole_file
from winnow_ci.model import TokenMap

if TYPE_CHECKING:
    from winnow_ci.model.regions import Region

CASES = 30


def what_it_has(region: Region) -> list[str]:
    """By which of its properties a region shows what led to it."""
    marks = {
        "several segments": len(region.stretches) > 1,
        "blocks in another order": any(b.source_start < a.source_start for a, b in pairwise(region.stretches)),
        **{f"{name} that are the same": count > 0 for name, count in region.evidence._asdict().items()},
    }
    return [region.kind, "run" if region.is_run else "no run", *(mark for mark, is_there in marks.items() if is_there)]


def test_it_finds_what_python_finds() -> None:
    need_kernel()
    found: Counter[str] = Counter()
    for seed in range(CASES):
        case = matching_case(seed)
        native = find_regions(*case)
        with without_kernel():
            regions = find_regions(*case)
        # As text, numbers of another type differ, too.
        assert repr(native) == repr(regions), f"case {seed}"
        found.update(mark for region in regions for mark in what_it_has(region))
        found["nothing"] += not regions
    reached = {"verbatim", "renamed", "run", "no run", "several segments", "blocks in another order", "nothing"}
    assert not {mark for mark in reached if found[mark] < 3}
    assert not {name for name in ("lines", "names", "literals", "phrases") if found[f"{name} that are the same"] < 3}


def differs_at_an_edge(seed: int) -> bool | None:
    """Whether Python and the kernel differ at an edge of a case; None if it has none."""
    edges = at_an_edge(matching_case(seed), seed, outline)
    native = [find_regions(*edge) for edge in edges]
    with without_kernel():
        return repr(native) != repr([find_regions(*edge) for edge in edges]) if edges else None


def test_it_finds_it_from_the_same_thresholds_on() -> None:
    need_kernel()
    found = Counter(map(differs_at_an_edge, range(CASES)))
    assert not found[True]
    assert found[False] > CASES // 3


@pytest.mark.parametrize("name", ["LEAST_SCORE", "SEGMENT_BREAK"])
def test_cases_at_edges_tell_thresholds_apart(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    need_kernel()
    # The kernel keeps the numbers that it was given.
    constants.kernel_numbers()
    monkeypatch.setattr(constants, name, 1.08 * getattr(constants, name))
    assert any(map(differs_at_an_edge, range(10 * CASES)))


def test_arrays_that_do_not_belong_together_are_refused() -> None:
    need_kernel()
    case = matching_case(0)
    short = TokenMap(np.ones(2, np.int32), np.ones(2, np.int32), np.zeros(3, np.uint8))
    with pytest.raises(ValueError, match="other lengths"):
        find_regions(*case._replace(token_map=lambda _: short))
    far = case.shared.seeds._replace(positions=case.shared.seeds.positions + 10_000)
    with pytest.raises(ValueError, match="outside"):
        find_regions(*case._replace(shared=case.shared._replace(seeds=far)))


def test_it_says_of_a_whole_file_what_python_says() -> None:
    need_kernel()
    lines = 0
    for seed in range(CASES):
        case = whole_file_case(seed)
        native = whole_file(*case)
        with without_kernel():
            region = whole_file(*case)
        assert repr(native) == repr(region), f"case {seed}"
        assert native.identical
        lines += native.evidence.lines > 0
    assert lines > CASES // 2
