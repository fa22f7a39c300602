"""What reports show of a scan, and in which order."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from support.reports import finding
from winnow_ci.report.shown import copied_lines

PLACES = st.lists(st.tuples(st.sampled_from("ab"), st.integers(1, 20), st.integers(0, 9)), max_size=9)


@given(PLACES)
def test_a_line_of_several_findings_counts_once(places: list[tuple[str, int, int]]) -> None:
    findings = [finding(path=path, first=first, last=first + more) for path, first, more in places]
    assert copied_lines(findings) == len(
        {(path, line) for path, first, more in places for line in range(first, first + more + 1)}
    )
