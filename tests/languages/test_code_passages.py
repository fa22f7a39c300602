"""Passages that look like code, by their definition, with the kernel and without it."""

from __future__ import annotations

import numpy as np
from hypothesis import event, given
from hypothesis import strategies as st

from support.kernels import need_kernel, without_kernel
from winnow_ci.languages.kernel_or_python import (
    CODE_MARKS,
    FEWER_MARKS,
    LEAST_MARKS,
    PASSAGE_LINES,
    code_marks,
    passages,
)

TEXTS = st.lists(st.sampled_from([b"\n", b"=", b"==", b"x", b" ", b"\r", b"\xff", b"f(a[0]) = {};", b"()"])).map(
    b"".join
)
LINES = st.lists(st.tuples(st.integers(0, 7), st.sampled_from([False, False, False, True])), max_size=60)


def expected(marks: list[int], wanted: list[bool]) -> list[bool]:
    """Line by line, from the definition."""

    def near(least: int) -> list[bool]:
        windows = range(max(1, len(marks) - PASSAGE_LINES + 1))
        many = [start for start in windows if sum(marks[start : start + PASSAGE_LINES]) >= least]
        return [any(start <= line < start + PASSAGE_LINES for start in many) for line in range(len(marks))]

    inside, dense = near(FEWER_MARKS), near(LEAST_MARKS)
    found = []
    for line, is_inside in enumerate(inside):
        run = {line} if is_inside else set[int]()
        for step in (-1, 1):
            at = line + step
            while run and 0 <= at < len(inside) and inside[at]:
                run.add(at)
                at += step
        found.append(any(dense[at] for at in run) and any(wanted[at] for at in run))
    return found


@given(TEXTS)
def test_marks_are_counted_by_line(text: bytes) -> None:
    plain = text
    while b"==" in plain:
        plain = plain.replace(b"==", b"=")
    counts = [sum(byte in CODE_MARKS for byte in line) for line in plain.split(b"\n")]
    with without_kernel():
        assert code_marks(text).tolist() == counts


@given(LINES)
def test_passages_are_those_of_the_definition(lines: list[tuple[int, bool]]) -> None:
    marks, wanted = [one for one, _ in lines], [one for _, one in lines]
    with without_kernel():
        found = passages(np.array(marks, np.int64), np.array(wanted, np.bool_))
    event("some lines, not all" if 0 < found.sum() < len(found) else "none or all")
    assert found.tolist() == expected(marks, wanted)


@given(TEXTS, LINES)
def test_the_kernel_finds_the_same(text: bytes, lines: list[tuple[int, bool]]) -> None:
    need_kernel()
    marks, wanted = np.array([one for one, _ in lines], np.int64), np.array([one for _, one in lines], np.bool_)
    both = code_marks(text), passages(marks, wanted)
    with without_kernel():
        assert [one.tolist() for one in both] == [code_marks(text).tolist(), passages(marks, wanted).tolist()]
    assert [one.dtype for one in both] == [np.int64, np.bool_]
