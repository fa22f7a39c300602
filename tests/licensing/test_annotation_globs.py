"""Globs of REUSE and Debian, against their definitions."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import event, given
from hypothesis import strategies as st

from winnow_ci.licensing.source_licences import AnnotationGlob, FolderAnnotations
from winnow_ci.licensing.statements import LicenceAnnotation, LicenceStatement, WrittenLicence

if TYPE_CHECKING:
    from hypothesis.strategies import DrawFn

PATTERNS = st.lists(st.sampled_from([*"ab/*?", "**", "\\*", "\\?", "\\\\"]), max_size=8).map("".join)
PATHS = st.text("ab/*?\\", max_size=10)


@st.composite
def fitting(draw: DrawFn, pattern: str) -> str:
    """A path that a pattern matches most often; any two do so in one of twenty cases only."""
    path, escaped = "", False
    for character in pattern:
        if character in "*?" and not escaped:
            path += draw(st.text("ab/" if draw(st.booleans()) else "ab", max_size=2))
        elif character != "\\" or escaped:
            path += character
        escaped = character == "\\" and not escaped
    return path


@st.composite
def patterns_and_path(draw: DrawFn) -> tuple[list[str], str]:
    patterns = draw(st.lists(PATTERNS, min_size=1, max_size=8))
    return patterns, draw(PATHS | fitting(draw(st.sampled_from(patterns))))


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


@given(patterns_and_path(), st.booleans())
def test_a_glob_matches_what_its_definition_says(drawn: tuple[list[str], str], debian: bool) -> None:
    patterns, path = drawn
    for pattern in patterns:
        wanted = naive(pattern, path, debian=debian)
        event(f"matches: {wanted}, stars: {'*' in pattern}")
        assert AnnotationGlob(pattern, debian=debian).matches(path) == wanted


@given(patterns_and_path(), st.booleans())
def test_the_last_that_matches_counts(drawn: tuple[list[str], str], debian: bool) -> None:
    patterns, path = drawn
    wanted = [number for number, one in enumerate(patterns) if naive(one, path, debian=debian)]
    event(f"globs that match: {min(len(wanted), 2)}")
    annotations = [LicenceAnnotation((one,), WrittenLicence("spdx", str(n))) for n, one in enumerate(patterns)]
    file = "debian/copyright" if debian else "REUSE.toml"
    statement = LicenceStatement(file, "annotations", "", annotations=tuple(annotations))
    assert FolderAnnotations(statement, 1).find(path) == (annotations[wanted[-1]] if wanted else None)


@pytest.mark.parametrize("debian", [False, True])
def test_a_hostile_glob_takes_no_more_time_than_another(debian: bool) -> None:
    assert not AnnotationGlob("*a" * 500 + "b", debian=debian).matches("a" * 4000)
