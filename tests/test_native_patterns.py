"""The kernel's matcher finds what Python's ``re`` finds, and refuses what it does not know."""

from __future__ import annotations

import random
import re

import pytest

from support.kernels import need_kernel
from support.random_patterns import pattern, text
from winnow_ci.native import kernel

PATTERNS = 3000


@pytest.fixture(autouse=True)
def _kernel() -> None:
    need_kernel()


def expression(*alternatives: bytes) -> object:
    return kernel().Expression(list(alternatives))


def found(one: bytes, where: bytes) -> list[tuple[int, int] | None]:
    """What Python finds: the first match from each place on, and the match at each place."""
    compiled = re.compile(one)
    matches = [compiled.search(where, at) for at in range(len(where) + 1)]
    ends = [compiled.match(where, at) for at in range(len(where) + 1)]
    return [match and match.span() for match in matches] + [match and match.span() for match in ends]


def found_natively(one: bytes, where: bytes) -> list[tuple[int, int] | None]:
    compiled = expression(one)
    ends = [compiled.matches(where, at) for at in range(len(where) + 1)]
    places = [compiled.search(where, at) for at in range(len(where) + 1)]
    return places + [end and (at, end[1]) for at, end in enumerate(ends)]


def test_patterns_of_chance() -> None:
    chooser, served, matched = random.Random("patterns"), 0, 0
    for _ in range(PATTERNS):
        one = pattern(chooser)
        try:
            expression(one)
        except ValueError:
            continue
        served += 1
        for where in (text(chooser) for _ in range(5)):
            expected = found(one, where)
            matched += any(expected)
            assert found_natively(one, where) == expected, repr((one, where))
    assert served > PATTERNS / 2
    assert matched > PATTERNS


@pytest.mark.parametrize(("one", "where"), [(rb"x|(?:(?:(?:1b|\n){2,}?|b){1,2}?)+?", b"b")])
def test_what_once_differed(one: bytes, where: bytes) -> None:
    assert found_natively(one, where) == found(one, where)


@pytest.mark.parametrize(
    ("one", "where"),
    [
        # A run, and before it an alternative that only what follows the run tells.
        (rb"[uU]8?\"|[a-z]\w*|[\s\S]", b'u8" u8x uu8" u" u U"'),
        (rb"[ \n](?:(?<=[(=][ \n])|(?<=\bin ))[ \n]*/a|[ \n]+|.", b"( /a =\n /b x /a in /a  /a ="),
        (rb"[a-c]+d|[a-c]+|[a-z]", b"abcd abc abce d"),
        (rb"[a-c]{1,2}d|[a-z]+", b"abd abcd ad abcz"),
        (rb"a*?b|[a-z]+", b"aab aac b c"),
        (rb"(?:ab)*?c|[a-c]+d?", b"abc abd ababc abab"),
        (rb"(?=a)\w+!|\w+", b"ab! ab b!"),
        (rb"(a)\1x|[a-z]+", b"aax aab"),
        # What looks back at the end of a run.
        (rb"//[^\n]*(?:(?<=\\)\n[^\n]*){0,9}|[\s\S]", b"// a\\\n b\n//\\\n//\n//"),
        (rb"a*(?<!a)b|[ab]", b"aab b ab"),
        # The end after the byte that ends a run, or not.
        (rb"'[^'\\\n]*(?:'|(?=\n)|[^\n]*?(?<!\\)')|[\s\S]", rb"'a' 'b\'' '\' '" + b"'c\n'd"),
        (rb"x[a-f]*g?|[\s\S]", b"xg xabg xabh x"),
        (rb"x[a-f]*(?:g|h)(?:i|)|[\s\S]", b"xagi xah xa"),
        # One or two bytes, and choices where a pattern begins.
        (rb"=(?:==|=|>)?|[\s\S]", b"= == === => ==> =a"),
        (rb"[A-Z]?[0-9a-z]+|[A-Z]+(?![a-z])", b"getHTTPServer2 MAX_VALUE aB Ab AB A1 1A"),
        (rb"0[xX][0-9a-f]*(?:\.[0-9]+)?\w*|[0-9][0-9_]*(?:\.[0-9]+)?\w*", b"0x1f, 0x, 0xg 12 1.5 1.x 0.1 00x"),
        (rb"(?:ab|a|)c|a", b"abc ac c a ab"),
        # As few as possible, a bound, and the end of the text.
        (rb"/\*[^!]*?(?:\*/|!)|/", b"/* a */ /*! /* *"),
        (rb"a{0,2}b|a", b"aaab ab a"),
        # Of two bytes that the same alternatives begin with, one is not of the run.
        (rb"\s?a[^a]*", b'a _"'),
        (rb"[xa]+y|[zxa][xa]*", b"zxay zxa xay xa"),
        (rb"[ab]+\Z|a", b"ab ab"),
    ],
)
def test_what_is_told_without_the_machine(one: bytes, where: bytes) -> None:
    assert found_natively(one, where) == found(one, where)


def test_of_alternatives_the_first_that_matches_counts_and_is_told() -> None:
    assert expression(b"ab?", b"abc", b"[^a]").matches(b"abc", 0) == (0, 2)
    assert expression(b"abd", b"abc", b"[^a]").matches(b"abc", 0) == (1, 3)
    assert expression(b"abd", b"abc", b"[^a]").matches(b"abc", 1) == (2, 2)


@pytest.mark.parametrize(
    ("one", "what"),
    [
        (b"(?i)a", "an extension"),
        (b"(?i:a)", "an extension"),
        (b"(?>a)", "an extension"),
        (b"(?#a)", "an extension"),
        (b"a++", "a repetition of a repetition"),
        (b"a*+", "a repetition of a repetition"),
        (b"a{2}{3}", "a repetition of a repetition"),
        (b"(?:a?)*", "a repetition of what may be empty"),
        (b"(a)*", "a repeated group"),
        (b"(?=(a))", "a group in what looks around"),
        (b"(?<=a*)b", "looking behind for any width"),
        (b"a$", "a dollar sign"),
        (rb"\8", "a reference to no group"),
        (rb"\B", "an escape"),
        (rb"\012", "an escape"),
        (rb"[b-a]", "a range"),
        (b"a{99999999}", "a large bound"),
        (b"(a", "no closing parenthesis"),
        (b"a)", "a parenthesis"),
        (b"[a", "an early end"),
        (b"*", "nothing to repeat"),
    ],
)
def test_what_it_does_not_know_it_refuses(one: bytes, what: str) -> None:
    with pytest.raises(ValueError, match=f"not served: {what}"):
        expression(one)


def test_braces_that_are_no_bounds_stand_for_themselves() -> None:
    for one in (b"a{", b"a{}", b"a{x}", b"a{1", b"a{1,x}", b"{", b"{{a}"):
        where = one + b"aa{1,2}{{a}"
        assert found_natively(one, where) == found(one, where)


def test_a_text_that_would_take_too_much_memory_is_given_up() -> None:
    with pytest.raises(RuntimeError, match="too much"):
        expression(rb"(?:ab|a)*c").matches(b"ab" * 2_000_000, 0)
