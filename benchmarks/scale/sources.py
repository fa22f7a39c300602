"""Code for the benchmark: any amount of it, fast, and the same each time on one machine.

The scanned code is made of functions of Python's own library in new combinations: real code, no two files of which are
the same. The known code is random expressions, none of which real code has. So nothing matches, and only the search
is measured.
"""

from __future__ import annotations

import random
import re
import sysconfig
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

FILE_BYTES = 4_000
LINES = 60
STATEMENTS = 50_000

_BLOCK = re.compile(r"^(?=(?:def|class) )", re.MULTILINE)
_OPERATORS = ("+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>", "<", ">", "<=", ">=", "==", "!=")
_SYLLABLES = "ba co di fu ga he jo ki lu ma ne po qui ra si to va wo xe zy".split()


class Real:
    """Files made of functions of Python's library."""

    def __init__(self) -> None:
        library = sorted(Path(sysconfig.get_paths()["stdlib"]).glob("*.py"))
        texts = (path.read_text(encoding="utf-8", errors="replace") for path in library)
        blocks = (block for text in texts for block in _BLOCK.split(text)[1:])
        self._blocks = [block for block in blocks if 200 < len(block) < FILE_BYTES]

    def file(self, seed: int) -> bytes:
        """A file of some ``FILE_BYTES`` bytes."""
        chosen = random.Random(seed)
        parts = [f"NUMBER = {seed}\n\n\n"]
        while sum(map(len, parts)) < FILE_BYTES:
            parts.append(chosen.choice(self._blocks))
        return "".join(parts).encode()


class Random:
    """Files of statements with random expressions; another seed has others."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        self._names = ["".join(self._random.choices(_SYLLABLES, k=3)) for _ in range(5_000)]
        self._statements = [self._statement() for _ in range(STATEMENTS)]

    def file(self, seed: int) -> bytes:
        """A file of ``LINES`` lines."""
        return ("\n".join(random.Random(seed).choices(self._statements, k=LINES)) + "\n").encode()

    def minified(self, size: int) -> Iterator[bytes]:
        """Pieces of one line of code, ``size`` bytes together."""
        while size > 0:
            piece = (";".join(self._random.choices(self._statements, k=1_000)).replace(" ", "") + ";").encode()[:size]
            size -= len(piece)
            yield piece

    def _statement(self) -> str:
        operands = [self._operand() for _ in range(self._random.randrange(4, 9))]
        operators = self._random.choices(_OPERATORS, k=len(operands) - 1)
        rest = (f" {operator} {operand}" for operator, operand in zip(operators, operands[1:], strict=True))
        return f"{self._name()} = {operands[0]}{''.join(rest)}"

    def _operand(self) -> str:
        kind = self._random.randrange(6)
        if kind == 0:
            return str(self._random.randrange(1_000))
        if kind == 1:
            return f"{self._name()}({', '.join(self._name() for _ in range(self._random.randrange(4)))})"
        if kind == 2:
            return f"{self._name()}[{self._name()} {self._random.choice(_OPERATORS)} {self._random.randrange(100)}]"
        if kind == 3:
            return f"({self._name()} {self._random.choice(_OPERATORS)} {self._name()}.{self._name()})"
        return ("", "-", "~")[self._random.randrange(3)] + self._name()

    def _name(self) -> str:
        return self._random.choice(self._names)
