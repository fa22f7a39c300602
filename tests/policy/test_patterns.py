from __future__ import annotations

import fnmatch
import time
import warnings
from contextlib import suppress

import pytest
from hypothesis import event, given
from hypothesis import strategies as st

from winnow_ci.policy.patterns import PathPatterns, SourcePatterns


@pytest.mark.parametrize(
    ("pattern", "matched", "unmatched"),
    [
        ("vendor", ["vendor", "vendor/a.c", "src/vendor/x/a.c"], ["vendors/a.c", "src/vendor.c"]),
        ("vendor/", ["vendor/a.c", "src/vendor/x/a.c"], ["vendor", "src/vendor"]),
        ("*.min.js", ["a.min.js", "x/y/a.min.js"], ["a.js", "min.js"]),
        ("/vendor", ["vendor/a.c"], ["src/vendor/a.c"]),
        ("./vendor", ["vendor/a.c"], ["src/vendor/a.c"]),
        ("src/gen", ["src/gen", "src/gen/a.c"], ["x/src/gen/a.c", "src/general/a.c"]),
        ("src/**", ["src/a.c", "src/x/y/a.c"], ["src", "x/src/a.c"]),
        ("**/generated/**", ["generated/a", "x/y/generated/z/a"], ["generated", "x/generated", "ungenerated/a"]),
        ("src/**/test.c", ["src/test.c", "src/a/b/test.c"], ["test.c", "src/a/test.cc"]),
        ("a/**/b/**/c", ["a/b/c", "a/x/b/y/b/z/c", "a/b/c/inside"], ["a/c", "a/b", "b/a/c"]),
        ("src/*.c", ["src/a.c"], ["src/x/a.c", "src/a.cc"]),
        ("src/?.[ch]", ["src/a.c", "src/b.h"], ["src/ab.c", "src/a.x"]),
        ("[!a]*.py", ["b.py", "x/b.py"], ["a.py", "abc.py"]),
        ("[*].c", ["*.c"], ["a.c"]),
        ("*", ["a", ".hidden", "x/y"], []),
        ("**", ["a", "x/y"], []),
        ("Vendor", ["Vendor/a"], ["vendor/a"]),
        ("*.c", ["new\nline.c", "\udcff.c", "é.c"], []),
    ],
)
def test_patterns_match_as_in_gitignore(pattern: str, matched: list[str], unmatched: list[str]) -> None:
    patterns = PathPatterns((pattern,))
    assert [path for path in matched if not patterns.matches(path)] == []
    assert [path for path in unmatched if patterns.matches(path)] == []


def test_the_first_pattern_that_matches_is_named() -> None:
    patterns = PathPatterns(("*.h", "src", "*.c"))
    assert patterns.first_match("src/a.c") == "src"
    assert patterns.first_match("lib/a.py") is None


def test_no_patterns_match_nothing() -> None:
    assert not PathPatterns()
    assert PathPatterns(("a",))
    assert not PathPatterns().matches("a")


@pytest.mark.parametrize(
    ("patterns", "matched", "unmatched"),
    [
        (("curl",), ["curl"], ["Curl", "libcurl", "curl2"]),
        (("acme-*", "zlib"), ["acme-", "acme-x", "zlib"], ["acme", "xacme-x"]),
        (("lib?[0-9]", "[!a]"), ["libx1", "b"], ["lib1", "a"]),
        ((), [], ["", "a"]),
    ],
)
def test_patterns_of_sources(patterns: tuple[str, ...], matched: list[str], unmatched: list[str]) -> None:
    sources = SourcePatterns(patterns)
    assert bool(sources) == bool(patterns)
    assert [name for name in matched if not sources.matches(name)] == []
    assert [name for name in unmatched if sources.matches(name)] == []


def test_the_longest_pattern() -> None:
    for patterns in (SourcePatterns, PathPatterns):
        assert patterns(("a" * 1024,)).matches("a" * 1024)
        with pytest.raises(ValueError, match=r"^a pattern of 1,025 characters is longer than 1,024$"):
            patterns(("a" * 1025,))
        with pytest.raises(ValueError, match=r"^a pattern must not be empty$"):
            patterns(("",))


@pytest.mark.parametrize("pattern", ["", "/", ".", "./", "!a", "../a", "a/../b", "a" * 1025])
def test_patterns_that_mean_nothing_are_refused(pattern: str) -> None:
    with pytest.raises(ValueError, match="pattern"):
        PathPatterns((pattern,))


@pytest.mark.parametrize(
    ("pattern", "path"),
    [
        ("*a" * 500 + "b", "a" * 4000),
        ("a*" * 500 + "b", "a" * 4000),
        ("**/a/" * 200 + "b", "a/" * 2000 + "c"),
        ("[ab]*" * 200 + "c", "ab" * 2000),
        ("*" + "a" * 1000 + "b", "a" * 4000),
    ],
)
def test_hostile_patterns_take_no_longer_than_others(pattern: str, path: str) -> None:
    patterns = PathPatterns((pattern,))
    started = time.process_time()
    assert not patterns.matches(path)
    assert time.process_time() - started < 1


@given(st.text("ab[]!*?-^\\&|~/.", min_size=1, max_size=12), st.text("ab[]-^/.", max_size=8))
def test_any_text_is_a_pattern_or_refused(pattern: str, path: str) -> None:
    with warnings.catch_warnings():
        # A set that looks nested warns of a change to come in re.
        warnings.simplefilter("error")
        with suppress(ValueError):
            PathPatterns((pattern,)).matches(path)


NAMES = st.lists(st.text("ab", min_size=1, max_size=3), min_size=1, max_size=5)
SEGMENTS = st.sampled_from(["**", "*", "?", "a*", "?b", "a", "b", "[!a]*"])


@st.composite
def anchored(draw: st.DrawFn) -> tuple[list[str], list[str]]:
    """A path, and a pattern of several segments, most of them made of the path's."""
    names = draw(NAMES)
    kept = draw(st.lists(st.sampled_from(range(len(names))), min_size=1, max_size=4).map(sorted))
    pattern = [draw(st.just(names[number]) | SEGMENTS) for number in kept]
    return [*pattern, *draw(st.lists(SEGMENTS, min_size=max(0, 2 - len(pattern)), max_size=2))], names


@given(anchored())
def test_anchored_patterns_agree_with_trying_everything(example: tuple[list[str], list[str]]) -> None:
    pattern, names = example
    expected = any(_tried(pattern, names[:depth]) for depth in range(1, len(names) + 1))
    event(f"matches: {expected}, by **: {'**' in pattern}")
    assert PathPatterns(("/".join(pattern),)).matches("/".join(names)) == expected


def _tried(pattern: list[str], names: list[str]) -> bool:
    """The same by exponential backtracking."""
    if not pattern:
        return not names
    if pattern[0] == "**":
        # A last ** stands for something inside.
        fewest = 1 if len(pattern) == 1 else 0
        return any(_tried(pattern[1:], names[skipped:]) for skipped in range(fewest, len(names) + 1))
    return bool(names) and fnmatch.fnmatchcase(names[0], pattern[0]) and _tried(pattern[1:], names[1:])
