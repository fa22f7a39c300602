"""The lines of a file on one side of a copy are those of its text, whatever its end."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from winnow_ci.languages import FALLBACK, Untokenizable
from winnow_ci.model import Tokens
from winnow_ci.scanner.side_text import SideText, read_side


@given(st.lists(st.sampled_from([b"a", b"bc", b"\n", b"\r"])).map(b"".join))
@example(b"")
@example(b"\n")
@example(b"a\n\n")
def test_lines_are_those_of_the_text(text: bytes) -> None:
    side = SideText(text)
    lines = text.split(b"\n")
    lines = lines[:-1] if text.endswith(b"\n") else lines
    assert side.lines == len(lines)
    assert [text[slice(*side.span(number))] for number in range(1, len(lines) + 1)] == lines
    assert side.span(0) == side.span(len(lines) + 1) == (0, 0)
    assert side.between(1, len(lines)) == b"\n".join(lines)
    assert side.between(1, len(lines) + 9) == b"\n".join(lines)


def test_without_a_text_there_are_no_lines() -> None:
    assert (SideText().lines, SideText().span(1), SideText().between(1, 2)) == (0, (0, 0), b"")


@pytest.mark.parametrize(
    ("language", "front_end", "has_places"),
    [
        ("python", "python", True),
        ("scheme", FALLBACK, True),
        ("notebook", "notebook", False),
        ("fortranfixed", "fortran", True),
    ],
)
def test_a_file_is_read_by_the_front_end_that_read_it(language: str, front_end: str, has_places: bool) -> None:
    text = b'{"cells": [{"cell_type": "code", "source": ["a = 1"]}]}' if language == "notebook" else b"      a = 1\n"
    side = read_side(text, language, front_end)
    assert isinstance(side.tokens, Tokens)
    assert len(side.tokens) == 3
    assert (side.places is not None) == has_places
    assert read_side(text, language, front_end, has_places=False).places is None


def test_a_comment_in_the_first_column_is_none_in_free_form() -> None:
    """Both forms of Fortran share a name."""
    text = b"C     x = y\n      a = 1\n"
    fixed, free = (read_side(text, language, "fortran").tokens for language in ("fortranfixed", "fortran"))
    assert fixed is not None
    assert free is not None
    assert np.array_equal(fixed.first_lines, [2, 2, 2])
    assert len(free.sketch) > 3


def test_what_a_lexer_fails_on_has_its_text(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("winnow_ci.languages.pygments_lexer.MOST_SECONDS", 0.0001)
    text = b"(a b)\n" * 3000
    assert read_side(text, "scheme", "pygments") == SideText(text, front_end="pygments")


def test_binary_content_is_none() -> None:
    with pytest.raises(Untokenizable):
        read_side(b"\0" * 99, "python", "python")
