"""Which lines are the same."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from support.donor import ROUTES
from winnow_ci.comparing.bodies import find_body
from winnow_ci.comparing.documents import FingerprintedDocument, document_of
from winnow_ci.comparing.stretches import stretches
from winnow_ci.model import Fingerprints, LineRange, Parameters

if TYPE_CHECKING:
    from pathlib import Path

NONE = np.empty(0, np.uint64)


def read(path: Path, text: str) -> FingerprintedDocument:
    path.write_text(text)
    document = document_of(find_body(str(path)).files[0], Parameters(), NONE)
    assert isinstance(document, FingerprintedDocument)
    return document


def made_of(hashes: list[int]) -> FingerprintedDocument:
    count = np.arange(len(hashes))
    fingerprints = Fingerprints(np.array(hashes, np.uint64), count.astype(np.uint32), (3 * count).astype(np.uint32))
    return FingerprintedDocument(fingerprints, (count + 1).astype(np.int32), (count + 1).astype(np.int32))


def test_a_copied_function_is_one_stretch(tmp_path: Path) -> None:
    lines = ROUTES.splitlines()
    first = lines.index("def shortest_route(roads, start, goal):")
    last = lines.index("    return list(route), distance[goal]")
    copied = "\n".join(["VALUES = {}", "", "", *lines[first : last + 1], "", ""])
    (stretch,) = stretches(read(tmp_path / "a.py", ROUTES), read(tmp_path / "b.py", copied), 27)
    assert stretch.verbatim == stretch.fingerprints
    assert first + 1 <= stretch.lines.first <= first + 4
    assert last - 2 <= stretch.lines.last <= last + 1
    shift = first - 3
    assert stretch.lines_there == LineRange(stretch.lines.first - shift, stretch.lines.last - shift)


def test_renamed_code_is_shared_but_not_verbatim(tmp_path: Path) -> None:
    renamed = (
        ROUTES.replace("route", "path_").replace("distance", "far").replace("place", "spot").replace("closures", "c")
    )
    found = stretches(read(tmp_path / "a.py", ROUTES), read(tmp_path / "b.py", renamed), 27)
    assert sum(stretch.verbatim for stretch in found) < sum(stretch.fingerprints for stretch in found) / 2


@given(one=st.lists(st.integers(0, 9), max_size=40), other=st.lists(st.integers(0, 9), max_size=40))
def test_each_shared_fingerprint_is_in_one_stretch_that_rises_on_both_sides(one: list[int], other: list[int]) -> None:
    found = stretches(made_of(one), made_of(other), 9)
    assert sum(stretch.fingerprints for stretch in found) == sum(value in other for value in one)
    for stretch in found:
        assert stretch.lines.last - stretch.lines.first <= 3 * (stretch.fingerprints - 1)
        assert stretch.lines_there.last - stretch.lines_there.first >= stretch.fingerprints - 1
    assert [s.lines for s in found] == sorted(s.lines for s in found)
