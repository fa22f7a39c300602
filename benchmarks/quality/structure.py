"""Where statements, functions and classes are in a file, from its lexemes: enough to cut code, but not a parser."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from grammars import GRAMMARS
from lexing import CLOSERS, OPENERS, Lexeme, lex

if TYPE_CHECKING:
    from grammars import Grammar

ENDING_KINDS = frozenset({"name", "builtin", "number", "string", "interpolation"})
ACCESS = frozenset("public protected private".split())
ENDING_WORDS = frozenset("break continue fallthrough return true false nil iota null this super ) ] ++ --".split())


class Line(NamedTuple):
    """A line of a file.

    Attributes:
        text: without its end.
        code: whether something stands on it besides comments, docstrings and blanks.
        inside: whether it begins inside a lexeme of several lines.
        starts: whether a statement begins with it.
        ends: whether a statement, or the head of a block, ends with it.
    """

    text: str
    code: bool
    inside: bool
    starts: bool
    ends: bool

    @property
    def indent(self) -> str:
        return self.text[: len(self.text) - len(self.text.lstrip())]


class Block(NamedTuple):
    """A function or class.

    Attributes:
        first: index of its first line.
        last: index of its last line.
        function: rather than a class.
        outermost: whether it stands in no other function or class.
    """

    first: int
    last: int
    function: bool
    outermost: bool


class Outline(NamedTuple):
    """A file cut up."""

    lines: tuple[Line, ...]
    blocks: tuple[Block, ...]


def outline(text: str, syntax: str) -> Outline:
    reader = _Reader(syntax, text.count("\n") + 1)
    for lexeme in lex(text, syntax):
        reader.take(lexeme)
    lines = reader.lines(text.split("\n"))
    return Outline(lines, tuple(_indented(lines, GRAMMARS[syntax]) if GRAMMARS[syntax].definition else reader.blocks))


class _Open(NamedTuple):
    bracket: str
    head: list[tuple[Lexeme, int]]
    block: tuple[bool, bool] | None


class _Reader:
    """Goes once over the lexemes; keeps the stack of open brackets and what has come since the last statement's end."""

    def __init__(self, syntax: str, count: int) -> None:
        self._syntax = syntax
        self._grammar = GRAMMARS[syntax]
        self._line = 0
        self._code = [False] * count
        self._inside = [False] * count
        self._starts = [False] * count
        self._ends = [False] * count
        self._stack = [_Open("", [], None)]
        self._last: Lexeme | None = None
        self._last_line = -1
        self.blocks: list[Block] = []

    def take(self, lexeme: Lexeme) -> None:
        if lexeme.significant:
            self._significant(lexeme)
        breaks = lexeme.text.count("\n")
        if lexeme.kind != "space":
            for line in range(self._line + 1, self._line + breaks + 1):
                self._inside[line] = True
                self._code[line] |= lexeme.significant
            # A preprocessor line holds its own end.
            self._inside[self._line + breaks] &= not lexeme.text.endswith("\n")
            self._code[self._line + breaks] &= not lexeme.text.endswith("\n")
        elif breaks and self._last is not None and self._last_line == self._line:
            self._ends[self._line] = self._ended()
        self._line += breaks
        if lexeme.significant:
            self._last_line = self._line

    def lines(self, texts: list[str]) -> tuple[Line, ...]:
        columns = zip(texts, self._code, self._inside, self._starts, self._ends, strict=True)
        return tuple(Line(*column) for column in columns)

    def _significant(self, lexeme: Lexeme) -> None:
        first_on_line = not self._code[self._line]
        self._code[self._line] = True
        if first_on_line and not self._inside[self._line]:
            self._starts[self._line] = self._begins(lexeme)
            if lexeme.text[0] in ".?" and self._last is not None and (self._grammar.line_ends or self._grammar.closer):
                self._ends[self._last_line] = False
        if not self._grammar.definition and lexeme.kind != "preproc":
            if self._grammar.line_ends and first_on_line and self._ended():
                self._stack[-1].head.clear()
            if self._is_labelled():
                self._stack[-1].head.clear()
            self._nest(lexeme)
        elif lexeme.kind in ("punctuation", "operator"):
            self._nest_only(lexeme.text)
        self._last = lexeme

    def _begins(self, lexeme: Lexeme) -> bool:
        if lexeme.text in self._grammar.continues or lexeme.text[0] in ")]},.;:?=&|<>+-/":
            return False
        return self._last is None or self._ended() or (lexeme.kind == "preproc" and self._stack[-1].bracket != "(")

    def _ended(self) -> bool:
        last = self._last
        if last is None:
            return True
        if self._grammar.definition:
            return len(self._stack) == 1 and last.text not in self._grammar.goes_on
        if self._stack[-1].bracket in ("(", "["):
            return False
        if last.kind == "preproc" or last.text[-1] in ";{}":
            return last.kind in ("preproc", "punctuation", "operator")
        if self._grammar.line_ends:
            return last.kind in ENDING_KINDS or last.text in ENDING_WORDS
        return (
            last.text == ":" and bool(self._stack[-1].head) and self._stack[-1].head[0][0].text in ("case", "default")
        ) or self._is_labelled()

    def _is_labelled(self) -> bool:
        """Whether the head says how public the next members of a class are, and nothing else so far."""
        head = [item.text for item, _ in self._stack[-1].head]
        return self._syntax == "cpp" and head[-1:] == [":"] and ACCESS.issuperset(head[:1])

    def _nest_only(self, text: str) -> None:
        for char in text:
            if char in OPENERS:
                self._stack.append(_Open(char, [], None))
            elif char in CLOSERS and len(self._stack) > 1:
                self._stack.pop()

    def _nest(self, lexeme: Lexeme) -> None:
        marks = lexeme.text if lexeme.kind in ("punctuation", "operator", "interpolation") else ""
        if not any(char in "(){}[];" for char in marks):
            self._stack[-1].head.append((lexeme, self._line))
            return
        for char in marks:
            self._mark(char, lexeme)

    def _mark(self, char: str, lexeme: Lexeme) -> None:
        head = self._stack[-1].head
        if char in OPENERS:
            block = self._judged([item for item, _ in head]) if char == "{" else None
            if char != "{":
                head.append((Lexeme("punctuation", char), self._line))
            self._stack.append(_Open(char, [], block))
        elif char in CLOSERS and len(self._stack) > 1:
            self._close(char)
        elif char == ";":
            head.clear()
        else:
            head.append((lexeme, self._line))

    def _close(self, char: str) -> None:
        closed = self._stack.pop()
        head = self._stack[-1].head
        if char != "}":
            head.append((Lexeme("punctuation", char), self._line))
            return
        if closed.block and head:
            outermost = not any(level.block for level in self._stack)
            in_function = any(level.block and level.block[0] for level in self._stack)
            if not in_function:
                self.blocks.append(Block(head[0][1], self._line, closed.block[0], outermost))
        head.clear()

    def _judged(self, head: list[Lexeme]) -> tuple[bool, bool] | None:
        """(is a function, is a class) of the block that a head opens; None if it is another kind of block."""
        words = [lexeme.text for lexeme in head]
        if not words or words[0] in self._grammar.control:
            return None
        if self._grammar.is_function(words):
            return True, False
        return (False, True) if self._grammar.types & set(words) and "=" not in words else None


def _indented(lines: tuple[Line, ...], grammar: Grammar) -> list[Block]:
    found = []
    open_: list[tuple[int, int, bool]] = []
    last_code = 0
    for number, line in enumerate(lines):
        if not line.code:
            continue
        if line.starts:
            while open_ and len(line.indent) <= open_[-1][1]:
                found.append(_indented_block(open_, last_code))
            definition = grammar.definition.match(line.text)
            if definition:
                open_.append((_decorated(lines, number), len(line.indent), definition[1].endswith("def")))
        elif open_ and _closes(line, grammar, open_[-1][1]):
            found.append(_indented_block(open_, number))
        last_code = number
    while open_:
        found.append(_indented_block(open_, last_code))
    return [block for block in found if block is not None]


def _closes(line: Line, grammar: Grammar, indent: int) -> bool:
    return bool(grammar.closer) and line.text.strip() == grammar.closer and len(line.indent) == indent


def _indented_block(open_: list[tuple[int, int, bool]], last: int) -> Block | None:
    first, _, function = open_.pop()
    in_function = any(outer[2] for outer in open_)
    return None if in_function else Block(first, last, function, not open_)


def _decorated(lines: tuple[Line, ...], number: int) -> int:
    """The first line of a definition's decorators."""
    first = number
    for earlier in range(number - 1, -1, -1):
        line = lines[earlier]
        if not line.code or len(line.indent) < len(lines[number].indent):
            break
        if line.starts and not line.text.lstrip().startswith("@"):
            break
        if line.starts:
            first = earlier
    return first
