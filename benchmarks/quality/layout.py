"""The mutation that changes the layout: the same tokens, other white space."""

from __future__ import annotations

import re
from math import gcd
from typing import TYPE_CHECKING

from grammars import GRAMMARS
from lexing import CLOSERS, OPENERS, SYNTAX, Lexeme, lex
from structure import outline

if TYPE_CHECKING:
    import random
    from collections.abc import Sequence

    from snippets import Snippet

BINARY = frozenset("= == != < > <= >= + - * / % & | && || += -= *= /= |= &= := === !== << >> => ?".split())
OPENING_WORDS = frozenset("else do try finally".split())
WRAPPABLE = frozenset(", && || + and or".split())
WIDEST, WORTH_WRAPPING = 100, 30
SPACE = Lexeme("space", " ")
NOTHING = Lexeme("space", "")


def reformatted(snippet: Snippet, rng: random.Random, _: Sequence[str]) -> list[str]:
    """Another indentation unit, other spaces, lines wrapped and joined inside brackets, braces on other lines."""
    syntax = SYNTAX[snippet.suffix]
    binary = BINARY - GRAMMARS[syntax].spaced
    lexemes = _spaced(lex("\n".join(snippet.lines), syntax), binary if rng.random() < 0.5 else None)
    if GRAMMARS[syntax].moves_braces:
        lexemes = _braced(lexemes)
    return _indented("".join(_broken(lexemes, rng)), syntax, rng)


def _spaced(lexemes: list[Lexeme], tight: frozenset[str] | None) -> list[Lexeme]:
    return _padded(lexemes) if tight is None else _without_spaces(lexemes, tight)


def _without_spaces(lexemes: list[Lexeme], binary: frozenset[str]) -> list[Lexeme]:
    """No spaces around these operators and after commas, where none are needed to part tokens."""
    result: list[Lexeme] = []
    at = 0
    while at < len(lexemes):
        after = at + 1
        while after < len(lexemes) and lexemes[after].kind == "operator":
            after += 1
        operator = "".join(lexeme.text for lexeme in lexemes[at + 1 : after])
        if lexemes[at] == SPACE and operator in binary and _free(lexemes, at - 1, after):
            result += lexemes[at + 1 : after]
            at = after + 1
        elif lexemes[at] == SPACE and at and lexemes[at - 1].text == ",":
            at += 1
        else:
            result.append(lexemes[at])
            at += 1
    return result


def _free(lexemes: list[Lexeme], before: int, after: int) -> bool:
    """Whether an operator may touch its neighbours: a space follows, and no operator stands behind it."""
    if before < 0 or after + 1 >= len(lexemes) or lexemes[after] != SPACE:
        return False
    return bool(re.match(r"[\w)\]\"']", lexemes[before].text[-1:]) and re.match(r"[\w(\"']", lexemes[after + 1].text))


def _padded(lexemes: list[Lexeme]) -> list[Lexeme]:
    """Spaces inside round brackets."""
    result: list[Lexeme] = []
    for at, lexeme in enumerate(lexemes):
        after = lexemes[at + 1] if at + 1 < len(lexemes) else NOTHING
        if lexeme.text == ")" and result and result[-1].kind != "space" and result[-1].text != "(":
            result.append(SPACE)
        result.append(lexeme)
        if lexeme.text == "(" and after.kind != "space" and after.text != ")":
            result.append(SPACE)
    return result


def _braced(lexemes: list[Lexeme]) -> list[Lexeme]:
    """Opening braces that end a line get their own, those that have one join the line before."""
    result: list[Lexeme] = []
    indent = lexemes[0].text.rsplit("\n", 1)[-1] if lexemes and lexemes[0].kind == "space" else ""
    for at, lexeme in enumerate(lexemes):
        ends_line = at + 1 < len(lexemes) and lexemes[at + 1].text.startswith("\n")
        if lexeme.text == "{" and len(result) > 1 and ends_line and result[-1].kind == "space":
            before = result[-2]
            if "\n" in result[-1].text and before.kind not in ("comment", "preproc"):
                result[-1] = SPACE
            elif before.text == ")" or before.text in OPENING_WORDS:
                result[-1] = Lexeme("space", "\n" + indent)
        result.append(lexeme)
        if "\n" in lexeme.text:
            indent = re.match(r"[ \t]*", lexeme.text.rsplit("\n", 1)[1])[0]
    return result


def _broken(lexemes: list[Lexeme], rng: random.Random) -> list[str]:
    """Texts with other line breaks inside round and square brackets."""
    parts: list[str] = []
    stack: list[str] = []
    column, indent = 0, ""
    for at, lexeme in enumerate(lexemes):
        text = lexeme.text
        before = lexemes[at - 1] if at else NOTHING
        if lexeme.kind in ("punctuation", "operator", "interpolation"):
            _follow(stack, text)
        if stack and stack[-1] in "([" and lexeme.kind == "space" and before.kind not in ("comment", "preproc"):
            text = _other_break(lexemes, at, column, indent, rng)
        elif stack and stack[-1] in "([" and before.text == "," and lexeme.kind != "space":
            text = _maybe_wrapped(column, indent, rng) + text
        if "\n" in text:
            last = text.rsplit("\n", 1)[1]
            column = len(last)
            if lexeme.kind == "space" and "\n" in lexeme.text:
                indent = lexeme.text.rsplit("\n", 1)[1]
        else:
            column += len(text)
        parts.append(text)
    return parts


def _follow(stack: list[str], text: str) -> None:
    for char in text:
        if char in OPENERS:
            stack.append(char)
        elif char in CLOSERS and stack:
            stack.pop()


def _other_break(lexemes: list[Lexeme], at: int, column: int, indent: str, rng: random.Random) -> str:
    """What stands in place of white space inside brackets."""
    text, before = lexemes[at].text, lexemes[at - 1].text
    after = lexemes[at + 1] if at + 1 < len(lexemes) else NOTHING
    if text.count("\n") == 1:
        short = column + len(after.text) < WIDEST and after.kind not in ("comment", "preproc")
        if short and rng.random() < 0.7:
            return "" if before in OPENERS or after.text in CLOSERS else " "
        return text
    if "\n" not in text and before in WRAPPABLE and after.kind != "comment":
        return _maybe_wrapped(column, indent, rng) or text
    return text


def _maybe_wrapped(column: int, indent: str, rng: random.Random) -> str:
    return "\n" + indent + " " * 8 if column - len(indent) > WORTH_WRAPPING and rng.random() < 0.4 else ""


def _indented(text: str, syntax: str, rng: random.Random) -> list[str]:
    """Lines with another unit of indentation."""
    lines = outline(text, syntax).lines
    widths = [len(line.indent.expandtabs(8)) for line in lines if line.text.strip() and not line.inside]
    least = min(widths, default=0)
    tabs = any(line.indent.startswith("\t") for line in lines)
    unit = 8 if tabs else max(2, gcd(*(width - least for width in widths if width > least), 0) or 4)
    others = ("  ", "    ", "   ") if GRAMMARS[syntax].definition else ("  ", "    ", "   ", "\t")
    new = rng.choice([other for other in others if other != ("\t" if tabs else " " * unit)])
    return [line.text if line.inside else _reindented(line.text, unit, new) for line in lines]


def _reindented(line: str, unit: int, new: str) -> str:
    bare = line.lstrip(" \t")
    width = len(line[: len(line) - len(bare)].expandtabs(8))
    return new * (width // unit) + " " * (width % unit) + bare.rstrip() if bare else ""
