"""Globs of REUSE and Debian, against their definitions."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from winnow_ci.licensing.annotation_globs import AnnotationGlob, LastMatchingGlob

PATTERNS = st.lists(st.sampled_from([*"ab/*?", "**", "\\*", "\\?", "\\\\"]), max_size=8).map("".join)
PATHS = st.text("ab/*?\\", max_size=10)


def naive(pattern: str, path: str, *, debian: bool) -> bool:
    """Whether a pattern matches a path, by trying everything."""
    if not pattern:
        return not path
    if pattern.startswith("\\") and len(pattern) > 1:
        return path[:1] == pattern[1] and naive(pattern[2:], path[1:], debian=debian)
    if pattern.startswith("*"):
        stars = 2 if pattern.startswith("**") and not debian else 1
        goes_on = bool(path) and (debian or stars == 2 or path[0] != "/")
        return naive(pattern[stars:], path, debian=debian) or (goes_on and naive(pattern, path[1:], debian=debian))
    fits = path[:1] == pattern[0] or (debian and pattern[0] == "?" and bool(path))
    return fits and naive(pattern[1:], path[1:], debian=debian)


@given(PATTERNS, PATHS, st.booleans())
def test_a_glob_matches_what_its_definition_says(pattern: str, path: str, debian: bool) -> None:
    assert AnnotationGlob(pattern, debian=debian).matches(path) == naive(pattern, path, debian=debian)


@given(st.lists(PATTERNS, max_size=8), PATHS, st.booleans())
def test_the_last_that_matches_counts(patterns: list[str], path: str, debian: bool) -> None:
    wanted = [number for number, one in enumerate(patterns) if naive(one, path, debian=debian)]
    numbered = [(one, number) for number, one in enumerate(patterns)]
    assert LastMatchingGlob(numbered, debian=debian)(path) == (wanted[-1] if wanted else None)


@pytest.mark.parametrize("debian", [False, True])
def test_a_hostile_glob_takes_no_more_time_than_another(debian: bool) -> None:
    assert not AnnotationGlob("*a" * 500 + "b", debian=debian).matches("a" * 4000)
