"""A function as a tree of statements that can be moved about and written out again.

Python's trees come from `ast`, those of languages with braces from the layout that people give them: a block opens at
the end of a line and closes at the beginning of one. What is laid out otherwise stays one simple statement.
"""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING, NamedTuple

from lexing import lex
from structure import Line, outline

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


class Clause(NamedTuple):
    """A head, such as ``else:`` or ``} else {``, and the statements below it."""

    head: tuple[str, ...]
    body: tuple[Statement, ...]


class Statement(NamedTuple):
    """A simple statement, or one with clauses; no line has the indentation of the statement.

    Attributes:
        lead: comments before it.
        lines: of a simple statement.
        clauses: of a compound one.
        tail: what closes the last clause.
    """

    lead: tuple[str, ...] = ()
    lines: tuple[str, ...] = ()
    clauses: tuple[Clause, ...] = ()
    tail: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        return "\n".join(self.lines)

    @property
    def head(self) -> str:
        return " ".join(self.clauses[0].head) if self.clauses else ""


def simple(*lines: str) -> Statement:
    return Statement(lines=lines)


def compound(*clauses: tuple[str, Sequence[Statement]], tail: str = "") -> Statement:
    made = tuple(Clause((head,), tuple(body)) for head, body in clauses)
    return Statement(clauses=made, tail=(tail,) if tail else ())


def written(statements: Sequence[Statement], indent: str, unit: str) -> list[str]:
    """Statements as lines."""
    lines: list[str] = []
    for one in statements:
        lines += [indent + line for line in (*one.lead, *one.lines)]
        for clause in one.clauses:
            lines += [indent + line for line in clause.head]
            lines += written(clause.body, indent + unit, unit)
        lines += [indent + line for line in one.tail]
    return [line.rstrip() for line in lines]


def walked(statements: Sequence[Statement]) -> Iterator[Statement]:
    """All statements, each before those inside it."""
    for one in statements:
        yield one
        for clause in one.clauses:
            yield from walked(clause.body)


def read(lines: Sequence[str], syntax: str) -> tuple[Statement, ...]:
    """The statements of a stretch; a function is one statement with one clause.

    Raises:
        ValueError: the stretch is no whole statement.
    """
    common = min((len(line) - len(line.lstrip()) for line in lines if line.strip()), default=0)
    bare = [line[common:].rstrip() for line in lines]
    return _Python(bare).statements() if syntax == "python" else _Braces(bare, syntax).statements()


def _dedented(lines: Sequence[str], column: int) -> tuple[str, ...]:
    return tuple(line[min(column, len(line) - len(line.lstrip())) :] for line in lines if line.strip())


class _Python:
    def __init__(self, lines: Sequence[str]) -> None:
        self._lines = lines
        try:
            self._tree = ast.parse("\n".join(lines))
        except SyntaxError as error:
            raise ValueError(str(error)) from None

    def statements(self) -> tuple[Statement, ...]:
        return self._block(self._tree.body, 0)

    def _block(self, body: Sequence[ast.stmt], before: int) -> tuple[Statement, ...]:
        """Statements after a line, numbered from 1."""
        found = []
        for node in body:
            first = _first(node)
            if first <= before:
                raise ValueError("two statements on one line")
            lead = _dedented(self._lines[before : first - 1], node.col_offset)
            found.append(self._statement(node)._replace(lead=tuple(line.strip() for line in lead)))
            before = node.end_lineno or first
        return tuple(found)

    def _statement(self, node: ast.stmt) -> Statement:
        clauses, at = [], _first(node)
        for body in _bodies(node, self._lines):
            first = _first(body[0])
            if first <= at:
                clauses = []
                break
            clauses.append(
                Clause(_dedented(self._lines[at - 1 : first - 1], node.col_offset), self._block(body, first - 1))
            )
            at = (body[-1].end_lineno or first) + 1
        if clauses:
            return Statement(clauses=tuple(clauses))
        return Statement(lines=_dedented(self._lines[_first(node) - 1 : node.end_lineno], node.col_offset))


def _first(node: ast.stmt) -> int:
    return min([node.lineno, *(one.lineno for one in getattr(node, "decorator_list", ()))])


def _bodies(node: ast.stmt, lines: Sequence[str]) -> list[list[ast.stmt]]:
    """The bodies of a compound statement; those of its ``elif`` are among them."""
    if (
        isinstance(node, ast.If)
        and len(node.orelse) == 1
        and lines[node.orelse[0].lineno - 1].strip().startswith("elif")
    ):
        return [node.body, *_bodies(node.orelse[0], lines)]
    handlers = [handler.body for handler in getattr(node, "handlers", ())]
    bodies = [getattr(node, "body", []), *handlers, getattr(node, "orelse", []), getattr(node, "finalbody", [])]
    return [body for body in bodies if body]


class _Braces:
    def __init__(self, lines: Sequence[str], syntax: str) -> None:
        self._lines = outline("\n".join(lines), syntax).lines
        self._depths = [_depth(line.text, syntax) for line in self._lines]
        self._at = 0

    def statements(self) -> tuple[Statement, ...]:
        found = self._block()
        if self._at < len(self._lines):
            raise ValueError("a bracket too many")
        return found

    def _block(self) -> tuple[Statement, ...]:
        """Statements up to the line that closes their block."""
        found, lead = [], []
        while self._at < len(self._lines) and not self._here.text.strip().startswith("}"):
            if self._here.code:
                found.append(self._statement()._replace(lead=tuple(lead)))
                lead = []
            else:
                lead += [self._here.text.strip()] * bool(self._here.text.strip())
                self._at += 1
        return tuple(found)

    @property
    def _here(self) -> Line:
        return self._lines[self._at]

    def _statement(self) -> Statement:
        head = self._head()
        if not self._opens() or re.search(r"(=|\(|\breturn|:|,|\]|\?)\s*\{$", head[-1]):
            return self._rest(head)
        clauses = []
        while True:
            self._at += 1
            body = self._block()
            clauses.append(Clause(tuple(head), body))
            if self._at >= len(self._lines):
                raise ValueError("a block that does not end")
            if not self._here.text.rstrip().endswith("{"):
                break
            head = [self._here.text.strip()]
        tail = self._here.text.strip()
        self._at += 1
        return Statement(clauses=tuple(clauses), tail=(tail,))

    def _head(self) -> list[str]:
        """The lines of a statement up to its end, or to the bracket that opens its first block."""
        first, indent = self._at, len(self._here.indent)
        while not (self._here.code and self._here.ends) and self._at + 1 < len(self._lines):
            self._at += 1
        return list(_dedented([line.text for line in self._lines[first : self._at + 1]], indent))

    def _opens(self) -> bool:
        return self._here.text.rstrip().endswith("{") and self._depths[self._at] > 0

    def _rest(self, head: list[str]) -> Statement:
        """A simple statement; a table in brackets belongs to it."""
        first, depth, indent = self._at, self._depths[self._at], len(self._here.indent)
        self._at += 1
        while depth > 0 and self._at < len(self._lines):
            depth += self._depths[self._at]
            self._at += 1
        more = _dedented([line.text for line in self._lines[first + 1 : self._at]], indent)
        return Statement(lines=(*head, *more))


def _depth(line: str, syntax: str) -> int:
    """How many braces a line opens more than it closes."""
    text = "".join(one.text for one in lex(line, syntax) if one.kind in ("punctuation", "operator"))
    return text.count("{") - text.count("}")
