"""Which lines are further rows of one shape, against the definition written out naively."""

from __future__ import annotations

from itertools import groupby

from hypothesis import event, given
from hypothesis import strategies as st

from winnow_ci.evidence.weights import in_further_rows
from winnow_ci.languages import tokenize

# Shapes of lines that are alike in some tokens, or the same but for names; an empty line is no row.
LINES = st.sampled_from(["a = b", "c = d", "a = 1", "a(b, c)", "d(e, f)", "a(b, c)[d]", ""])
CODE = st.lists(st.tuples(LINES, st.integers(1, 7)), max_size=8).map(
    lambda parts: [p for p, n in parts for _ in range(n)]
)


def naive(code: list[str]) -> list[bool]:
    tokens = tokenize("python", "\n".join(code).encode())
    rows = list(zip(tokens.first_lines.tolist(), tokens.structural.tolist(), strict=True))
    shapes = [[shape for _, shape in line] for _, line in groupby(rows, lambda row: row[0])]
    further = [shapes[max(0, n - 6) : n].count(shape) >= 4 for n, shape in enumerate(shapes)]
    event(f"further rows: {any(further)}, others behind them: {any(further) and not further[-1]}")
    return [one for one, shape in zip(further, shapes, strict=True) for _ in shape]


@given(CODE)
def test_a_line_is_a_further_row_if_four_of_the_six_before_it_have_its_shape(code: list[str]) -> None:
    tokens = tokenize("python", "\n".join(code).encode())
    assert in_further_rows(tokens).tolist() == naive(code)


def test_order_and_number_of_tokens_are_part_of_a_shape() -> None:
    for other in ("b(a)", "(a)b", "a", "a(b)(c)"):
        rows = "\n".join(["a(b)"] * 4 + [other])
        found = in_further_rows(tokenize("javascript", rows.encode()))
        assert found.any() == (other == "b(a)")
