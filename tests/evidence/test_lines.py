"""Lines that everybody writes, against the definition written out naively."""

from __future__ import annotations

from itertools import groupby

import numpy as np
import pytest
from hypothesis import event, given
from hypothesis import strategies as st

from winnow_ci.evidence.tables import is_common
from winnow_ci.evidence.weights import LEAST_ON_A_LINE, line_hashes, on_common_lines, weighed
from winnow_ci.languages import tokenize

EVERYBODYS = {
    "c": ["#define MIN(a, b) ((a) < (b) ? (a) : (b))", "int main(int argc, char *argv[])"],
    "python": ['if __name__ == "__main__":', "def __init__(self, *args, **kwargs):", "class Meta:"],
    "rust": ["use super::*;", "fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {"],
    "javascript": [
        'Object.defineProperty(exports, "__esModule", { value: true });',
        "var __importDefault = (this && this.__importDefault) || function (mod) {",
    ],
    "pot": ['"Content-Type: text/plain; charset=UTF-8\\n"', "# FIRST AUTHOR <EMAIL@ADDRESS>, YEAR."],
    "go": ["if err != nil {", "return nil, err"],
    "java": ["@Override", "public int hashCode() {"],
    "html": ['<meta charset="utf-8">', "<!DOCTYPE html>"],
}
OWN = ["zwirbel(a, quark, 17)", "a", "b = c", "", "quark += zwirbel[b](a)"]
CODE = st.lists(st.sampled_from([*EVERYBODYS["python"], *OWN]), max_size=12)


def naive(code: str) -> list[bool]:
    """Of each line's tokens as a document of its own, whether its hash is in the table."""
    tokens = tokenize("python", code.encode())
    placed = zip(tokens.first_lines.tolist(), tokens.verbatim.tolist(), strict=True)
    rows = [list(row) for _, row in groupby(placed, lambda token: token[0])]
    found = []
    for row in rows:
        alone = tokenize("python", code.split("\n")[row[0][0] - 1].strip().encode())
        assert alone.verbatim.tolist() == [text for _, text in row]
        common = len(row) >= LEAST_ON_A_LINE and bool(is_common(line_hashes(alone).hashes)[0])
        found += [common] * len(row)
    return found


@given(CODE)
def test_tokens_of_common_lines_and_of_no_others_are_marked(code: list[str]) -> None:
    text = "\n".join(code)
    found = on_common_lines(tokenize("python", text.encode())).tolist()
    event(f"some: {any(found)}, not all: {not all(found)}")
    assert found == naive(text)


@pytest.mark.parametrize(("language", "line"), [(name, line) for name, lines in EVERYBODYS.items() for line in lines])
def test_what_everybody_writes_is_at_hand(language: str, line: str) -> None:
    tokens = tokenize(language, line.encode())
    assert on_common_lines(tokens).tolist() == [len(tokens) >= LEAST_ON_A_LINE] * len(tokens)


def test_a_line_is_its_own_text_wherever_it_stands() -> None:
    one, two = (tokenize("python", code.encode()) for code in ("f(a, 1)\n", "x = 2\nif y:\n    f(a,  1)  # why\n"))
    assert np.isin(line_hashes(one).hashes, line_hashes(two).hashes).all()


def test_tokens_of_such_lines_say_nothing_and_those_beside_them_what_they_always_say() -> None:
    common, own = "#define MIN(a, b) ((a) < (b) ? (a) : (b))", "zwirbel = quark[b] << 17;"
    tokens = tokenize("c", f"{own}\n{common}\n{own.replace('b', 'MIN')}\n".encode())
    nothing = np.zeros(len(tokens), np.bool_)
    said = weighed(tokens, "c", 16, nothing, nothing)
    for bits in (said.token_bits, said.literal_bits, said.new_literal_bits):
        lines = [float(bits[tokens.first_lines == line].sum()) for line in (1, 2, 3)]
        assert lines[1] == 0
        assert lines[0] > 0
        assert lines[2] > 0
