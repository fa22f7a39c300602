"""Mutants of a module: copies of its text that differ in one operator, one number or one condition.

A mutant is made by its place in the text, so that all else stays as it is. What only types, messages and documentation
say is left alone: a test that pins it would prove nothing.
"""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_COMPARISONS = {
    ast.Lt: "<=",
    ast.LtE: "<",
    ast.Gt: ">=",
    ast.GtE: ">",
    ast.Eq: "!=",
    ast.NotEq: "==",
    ast.Is: "is not",
    ast.IsNot: "is",
    ast.In: "not in",
    ast.NotIn: "in",
}
_ARITHMETIC = {
    ast.Add: "-",
    ast.Sub: "+",
    ast.Mult: "+",
    ast.Div: "*",
    ast.FloorDiv: "*",
    ast.Mod: "//",
    ast.LShift: ">>",
    ast.RShift: "<<",
    ast.BitAnd: "|",
    ast.BitOr: "&",
    ast.BitXor: "|",
}
_OPERATOR = re.compile(r"[^\w\s()#]+|\bis\s+not\b|\bnot\s+in\b|\b(?:is|in|and|or)\b")


class Mutant(NamedTuple):
    """One change of one file: the bytes from ``start`` to ``end`` become ``text``."""

    path: Path
    line: int
    start: int
    end: int
    text: bytes
    was: bytes

    def applied(self, source: bytes) -> bytes:
        """The mutated text."""
        return source[: self.start] + self.text + source[self.end :]

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.was.decode()} → {self.text.decode()}"


def mutants(path: Path, source: bytes) -> Iterator[Mutant]:
    """All mutants of a module."""
    module = _Module(path, source)
    for node in _of_interest(ast.parse(source)):
        yield from module.of(node)


def _of_interest(node: ast.AST) -> Iterator[ast.AST]:
    """The nodes that decide what a program does: no annotations, documentation, messages or type checking."""
    for name, value in ast.iter_fields(node):
        if name in {"annotation", "returns", "decorator_list", "type_params"}:
            continue
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST) and not _says_nothing(child):
                yield child
                yield from _of_interest(child)


def _says_nothing(node: ast.AST) -> bool:
    """Whether a node is documentation, a message, an inner rule (``strict=True``) or for type checkers alone."""
    return (
        isinstance(node, (ast.JoinedStr, ast.Raise, ast.Assert, ast.Import, ast.ImportFrom))
        or (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant))
        or (isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING")
        or (isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) in {"__all__", "msg", "problem", "remedy"})
        or (isinstance(node, ast.keyword) and node.arg == "strict")
        or (isinstance(node, ast.AnnAssign) and ast.unparse(node.annotation) == "TypeAlias")
    )


class _Module:
    """A module's text, and where its lines begin in it."""

    def __init__(self, path: Path, source: bytes) -> None:
        self._path = path
        self._source = source
        self._lines = [0]
        for line in source.splitlines(keepends=True):
            self._lines.append(self._lines[-1] + len(line))

    def of(self, node: ast.AST) -> Iterator[Mutant]:
        """The mutants of one node, not of those inside it."""
        match node:
            case ast.Compare(left=left, ops=[operator, *_], comparators=[right, *_]) if type(operator) in _COMPARISONS:
                yield self._between(left, right, _COMPARISONS[type(operator)])
            case ast.BinOp(left=left, op=operator, right=right) if type(operator) in _ARITHMETIC:
                yield self._between(left, right, _ARITHMETIC[type(operator)])
            case ast.BoolOp(op=operator, values=[left, right, *_]):
                yield self._between(left, right, "or" if isinstance(operator, ast.And) else "and")
            case ast.UnaryOp(op=operator) if not isinstance(operator, ast.UAdd):
                yield self._mutant(
                    self._start(node), self._start(node) + (3 if isinstance(operator, ast.Not) else 1), ""
                )
            case ast.Constant(value=bool(value)):
                yield self._mutant(self._start(node), self._end(node), str(not value))
            case ast.Constant(value=int(value) | float(value)):
                yield self._mutant(self._start(node), self._end(node), repr(value + 1))
                yield self._mutant(self._start(node), self._end(node), f"({value - 1!r})")
            case ast.If(test=test) | ast.While(test=test) | ast.IfExp(test=test):
                yield self._mutant(self._start(test), self._end(test), f"(not ({self._text(test)}))")
            case ast.Break() | ast.Continue():
                other = "continue" if isinstance(node, ast.Break) else "break"
                yield self._mutant(self._start(node), self._end(node), other)

    def _between(self, left: ast.AST, right: ast.AST, operator: str) -> Mutant:
        """Another operator in the place of the one between two nodes; brackets and comments may stand there, too."""
        first, last = self._end(left), self._start(right)
        found = _OPERATOR.search(re.sub(r"#[^\n]*", lambda part: " " * len(part[0]), self._source[first:last].decode()))
        assert found is not None
        return self._mutant(first + found.start(), first + found.end(), operator)

    def _mutant(self, start: int, end: int, text: str) -> Mutant:
        line = self._source.count(b"\n", 0, start) + 1
        return Mutant(self._path, line, start, end, text.encode(), self._source[start:end])

    def _start(self, node: ast.AST) -> int:
        return self._lines[node.lineno - 1] + node.col_offset  # type: ignore[attr-defined]

    def _end(self, node: ast.AST) -> int:
        return self._lines[node.end_lineno - 1] + node.end_col_offset  # type: ignore[attr-defined]

    def _text(self, node: ast.AST) -> str:
        return self._source[self._start(node) : self._end(node)].decode()
