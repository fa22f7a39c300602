"""All that cutting and changing code must know of a language beside its lexemes: one row a language."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable

CONTROL = frozenset(
    "if for while switch catch do else try with select synchronized return case default new throw defer go".split()
)
CONTINUES = frozenset("else catch finally elif except".split())
TYPES = frozenset("class interface enum struct union namespace".split())
AFTER_PARAMETERS = frozenset("const volatile override final noexcept & &&".split())


class Grammar(NamedTuple):
    """A language.

    Attributes:
        is_function: whether the words before an opening brace are the head of a function.
        types: words of a head that opens a class, or what holds functions as classes do.
        control: words that no head of a function or class begins with.
        continues: words at the begin of a line that continue the statement before it.
        definition: the head of a function or class, if indentation says where it ends.
        closer: the line that belongs to a definition although it is indented as its head is.
        goes_on: lexemes at the end of a line after which a statement goes on, if indentation matters.
        line_ends: whether a statement may end with its line, without a mark.
        spaced: operators that mean another thing without spaces.
        hash_comments: whether # begins a comment, and nothing else does.
        moves_braces: whether an opening brace may stand on a line of its own.
        built_in: names that everybody has, and that Pygments takes for others.
    """

    is_function: Callable[[list[str]], bool]
    types: frozenset[str] = TYPES
    control: frozenset[str] = CONTROL
    continues: frozenset[str] = CONTINUES
    definition: re.Pattern[str] | None = None
    closer: str = ""
    goes_on: frozenset[str] = frozenset()
    line_ends: bool = False
    spaced: frozenset[str] = frozenset()
    hash_comments: bool = False
    moves_braces: bool = False
    built_in: frozenset[str] = frozenset()


def _is_never(_: list[str]) -> bool:
    return False


def _has_word(word: str) -> Callable[[list[str]], bool]:
    """A test for a language in which every function has this word; what is assigned is part of another statement."""
    return lambda words: word in words and "=" not in words[: words.index(word)]


def _is_called(test: Callable[[list[str]], bool]) -> Callable[[list[str]], bool]:
    """A test for a language in which brackets make a function."""
    return lambda words: ")" in words and "new" not in words and test(words)


def _is_script(words: list[str]) -> bool:
    after = words[words.index(")") :]
    return words[-1] in (")", "=>") or (":" in after and "=" not in after)


def _is_c(words: list[str]) -> bool:
    return words[-1] == ")" and "=" not in words


def _is_cpp(words: list[str]) -> bool:
    """A function may be a constructor with initialisers."""
    if words[0] in TYPES or ("=" in words and "operator" not in words):
        return False
    after = words[words.index(")") + 1 :]
    return AFTER_PARAMETERS.issuperset(after) or words[-1] == ")" or "->" in after


def _is_java(words: list[str]) -> bool:
    return (words[-1] == ")" or "throws" in words) and not TYPES & set(words) and "=" not in words


_SCRIPT = Grammar(_is_called(_is_script), moves_braces=True)
GRAMMARS = {
    "python": Grammar(
        _is_never,
        definition=re.compile(r"\s*(async\s+def|def|class)\b"),
        goes_on=frozenset({"\\"}),
        hash_comments=True,
    ),
    "javascript": _SCRIPT,
    "typescript": _SCRIPT,
    "c": Grammar(_is_called(_is_c), moves_braces=True),
    "java": Grammar(_is_called(_is_java), moves_braces=True),
    "go": Grammar(lambda words: words[0] == "func", line_ends=True),
    "cpp": Grammar(_is_called(_is_cpp), moves_braces=True),
    "rust": Grammar(_has_word("fn"), types=TYPES | {"impl", "trait", "mod"}, moves_braces=True),
    "php": Grammar(
        _has_word("function"),
        types=TYPES | {"trait"},
        moves_braces=True,
        built_in=frozenset(
            "parent instanceof fn match string int float bool array void iterable callable mixed object null true "
            "false _GET _POST _COOKIE _FILES _REQUEST _SERVER _SESSION GLOBALS".split()
        ),
    ),
    "ruby": Grammar(
        _is_never,
        continues=CONTINUES | {"end", "elsif", "rescue", "ensure"},
        definition=re.compile(r"\s*(def|class|module)\b"),
        closer="end",
        spaced=frozenset({"?", "<<"}),
        goes_on=frozenset("\\ , = + - * . < << && || and or not += -= ||= &&= == ? :".split()),
        hash_comments=True,
        built_in=frozenset("new initialize raise attr_reader attr_writer attr_accessor nil lambda proc".split()),
    ),
    "csharp": Grammar(
        _is_called(_is_java),
        control=CONTROL | {"foreach", "using", "lock", "fixed", "unsafe", "checked"},
        moves_braces=True,
        built_in=frozenset("class string object var value".split()),
    ),
    "kotlin": Grammar(
        _has_word("fun"),
        types=TYPES | {"object"},
        line_ends=True,
        built_in=frozenset(
            "companion object sealed internal field it also apply let run with lazy println "
            "Int Long Double Float Boolean Char Any Unit Array List Map Set".split()
        ),
    ),
}
