"""Mutations of names and literals."""

from __future__ import annotations

import random
import re
from typing import TYPE_CHECKING

from lexing import SYNTAX, Lexeme, lex
from wording import WORDS

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from snippets import Snippet

IDENTIFIER = re.compile(r"[A-Za-z_$][\w$]*")
# What Pygments takes for plain names although everybody has it built in.
KEPT = frozenset(
    """
    self cls this super undefined arguments String Object Integer Long Double Float Boolean Override Deprecated
    Exception RuntimeException IllegalArgumentException IllegalStateException IOException Math System Class Nullable
    property staticmethod classmethod NULL size_t uint8_t uint16_t uint32_t uint64_t int8_t int16_t int32_t int64_t err
    _
    """.split()
)
IN_STRING = re.compile(r"\\.|%[-+ #0-9.*lhz]*[a-zA-Z]|\{[^{}]*\}|[A-Za-z0-9]+")
NUMBER = re.compile(r"(0[xX][0-9a-fA-F_]+|0[bB][01_]+|0[oO][0-7_]+|[0-9][0-9_]*)(\.[0-9_]*)?([eE][-+]?[0-9]+)?(\w*)$")


def renamed(snippet: Snippet, rng: random.Random, _: Sequence[str]) -> list[str]:
    """Every identifier but keywords, builtins and __names__ has another name, the same one everywhere."""
    lexemes = lex("\n".join(snippet.lines), SYNTAX[snippet.suffix])
    return "".join(with_names(lexemes, {}, names_in(lexemes), rng)).split("\n")


def names_in(lexemes: Iterable[Lexeme]) -> set[str]:
    """Everything that could be taken for a name."""
    return {name for lexeme in lexemes for name in IDENTIFIER.findall(lexeme.text)}


def with_names(lexemes: Iterable[Lexeme], names: dict[str, str], taken: set[str], rng: random.Random) -> list[str]:
    """The texts of lexemes with other names; what becomes of which name is put into ``names`` and ``taken``."""

    def new(match: re.Match[str]) -> str:
        old = match[0]
        if old in KEPT or old.startswith("__"):
            return old
        if old not in names:
            names[old] = other_name(old, rng, taken)
            taken.add(names[old])
        return names[old]

    return [IDENTIFIER.sub(new, one.text) if one.kind == "name" else one.text for one in lexemes]


def other_name(old: str, rng: random.Random, taken: set[str]) -> str:
    """A name that is not taken, of another length, in another case style where the old one leaves a choice."""
    while True:
        words = rng.sample(WORDS, rng.choice((1, 2, 2, 3)))
        name = _styled(old, words)
        if name not in taken and len(name) != len(old):
            return name


def _styled(old: str, words: list[str]) -> str:
    bare = old.strip("_$")
    if len(bare) > 1 and bare.isupper():
        return "_".join(words).upper()
    if bare[:1].isupper():
        return "".join(word.title() for word in words)
    if "_" in bare:
        return words[0] + "".join(word.title() for word in words[1:])
    return "_".join(words)


def literals(snippet: Snippet, rng: random.Random, _: Sequence[str]) -> list[str]:
    """Every number and string is another one; escapes, formats and the empty string stay."""
    lexemes = lex("\n".join(snippet.lines), SYNTAX[snippet.suffix])
    return "".join(_other(lexeme, rng) for lexeme in lexemes).split("\n")


def has_literals(snippet: Snippet) -> bool:
    lexemes = lex("\n".join(snippet.lines), SYNTAX[snippet.suffix])
    return any(_other(lexeme, random.Random(0)) != lexeme.text for lexeme in lexemes)


def _other(lexeme: Lexeme, rng: random.Random) -> str:
    if lexeme.kind == "number":
        return _other_number(lexeme.text, rng)
    if lexeme.kind == "string":
        return IN_STRING.sub(lambda match: _other_word(match[0], rng), lexeme.text)
    return lexeme.text


def _other_word(old: str, rng: random.Random) -> str:
    if old[0] in "\\%{":
        return old
    if old.isdigit():
        return str(rng.randrange(2, 999))
    new = rng.choice([word for word in WORDS if word != old.lower()])
    return new.upper() if old.isupper() else new.title() if old[0].isupper() else new


def _other_number(old: str, rng: random.Random) -> str:
    match = NUMBER.match(old)
    if not match:
        return str(rng.randrange(2, 999))
    whole, fraction, exponent, suffix = match.groups()
    value = rng.choice([n for n in range(2, 200) if str(n) != whole])
    if whole[:2] in ("0x", "0X"):
        return f"0x{value:0{len(whole) - 2}x}{suffix}"
    return f"{value}{f'.{rng.randrange(1, 99)}' if fraction else ''}{exponent or ''}{suffix}"
