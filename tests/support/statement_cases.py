"""Documents made by chance of the words that tell statements, for comparing two implementations that look for them."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from support.kernels import without_kernel
from winnow_ci.languages import around_variables, idle_statements, in_imports
from winnow_ci.languages.statements import (
    ASSIGNING,
    IDLE_WORDS,
    IMPORT_BRACKETS,
    IMPORTING,
    LONGEST_IMPORT,
    STATE_WORDS,
)
from winnow_ci.languages.tokens import Alphabet
from winnow_ci.model import Tokens

if TYPE_CHECKING:
    from numpy.random import Generator
    from numpy.typing import NDArray

    from winnow_ci.languages.tokens import TokenIds

FRONT_ENDS = sorted(ASSIGNING.union(IMPORTING, ["css"]))


class StatementCase(NamedTuple):
    """A document, and the front end that is said to have read it."""

    tokens: Tokens
    front_end: str


@cache
def _pieces(front_end: str) -> tuple[list[TokenIds], list[TokenIds]]:
    """Tokens to make statements of: those that say what one is, and others."""
    alphabet = Alphabet(front_end)
    begin = [alphabet.word(word) for word in IMPORTING.get(front_end, b"none").split()]
    marks = b"include from static { } ( ) , . * :: ; [ ] = :".split()
    telling = b" ".join([*IDLE_WORDS.values(), *STATE_WORDS.values()]).split()
    words = [alphabet.word(word) for word in [*marks, *telling]]
    others = [
        *(alphabet.identifier(b"n%d" % number) for number in range(40)),
        *(alphabet.number(b"%d" % number) for number in range(9)),
        *(alphabet.string(b'"s%d"' % number) for number in range(4)),
    ]
    assigned = [alphabet.word(b"=")] * 12
    return begin * 3 + assigned, [*words, *others]


def statement_case(seed: int) -> StatementCase:
    """A document; the same for the same seed."""
    chance = np.random.default_rng(seed)
    front_end = FRONT_ENDS[seed % len(FRONT_ENDS)]
    lines = [line for _ in range(int(chance.choice([0, 1, 5, 60]))) for line in _lines(front_end, chance)]
    if chance.random() < 0.1:
        # The last statement goes on beyond what is looked at of it.
        lines.append([_pieces(front_end)[1][-1]] * (LONGEST_IMPORT + int(chance.integers(-2, 3))))
    begins = [np.append(1, np.zeros(len(line) - 1, np.int64)) for line in lines]
    first = np.cumsum(np.concatenate([np.empty(0, np.int64), *begins]) * (chance.random() < 0.9)) + 1
    last = np.maximum.accumulate(first + (chance.random(len(first)) < chance.choice([0, 0.05])))
    return StatementCase(_tokens([one for line in lines for one in line], first, last), front_end)


def _lines(front_end: str, chance: Generator) -> list[list[TokenIds]]:
    """What assigns a number, says only numbers, imports names from several lines, or has state, or any tokens."""
    (telling, others), alphabet = _pieces(front_end), Alphabet(front_end)
    number, name = alphabet.number(b"1"), alphabet.identifier(b"v%d" % chance.integers(0, 50))
    match int(chance.integers(0, 8)):
        case 0:
            return [[name, alphabet.word(b"="), number]]
        case 1:
            return [[number, alphabet.word(b"!="), number]]
        case 2:
            opens, closes = map(alphabet.word, IMPORT_BRACKETS.get(front_end, b"( )").split())
            return [[telling[0], opens], [name, name], [name, closes]]
        case 3 | 4:
            return [[one for _ in range(12) for one in _of_state(alphabet, chance)]]
    shares = np.array([3.0] * len(telling) + [1.0] * len(others))
    chosen = chance.choice(len(shares), int(chance.choice([1, 2, 4, 9, 60])), p=shares / shares.sum())
    return [[[*telling, *others][at] for at in chosen]]


def _of_state(alphabet: Alphabet, chance: Generator) -> list[TokenIds]:
    """An attribute or item of an object, of another one, or cut off, and what may set it."""
    word, number = alphabet.word, chance.integers(0, 9)
    owner = [word(b"self"), word(b"this"), alphabet.identifier(b"n1"), alphabet.identifier(b"n2")][number % 4]
    attribute = [word(b"."), alphabet.identifier(b"n%d" % number)]
    item = [word(b"["), alphabet.string(b'"s%d"' % (number % 4)), word(b"]")]
    parts = [attribute, attribute, item, item, [*attribute, *attribute], [*item, *attribute], item[:-1], []]
    after = [b"=", b"+=", b",", b",", b"in", b"(", b")", b"+"]
    return [owner, *parts[chance.integers(0, 8)], word(after[chance.integers(0, 8)])]


def _tokens(ids: list[TokenIds], first: NDArray[np.int64], last: NDArray[np.int64]) -> Tokens:
    columns = zip(*ids, strict=True) if ids else ([], [], [])
    structural, verbatim, sketch = (
        np.array(column, kind) for column, kind in zip(columns, (np.uint64, np.uint64, np.uint8), strict=True)
    )
    return Tokens(structural, verbatim, first.astype(np.int32), last.astype(np.int32), sketch)


def told_both_ways(case: StatementCase) -> str:
    """What differs; empty if nothing does."""
    for tell in (in_imports, idle_statements, around_variables):
        native = tell(*case)
        with without_kernel():
            reference = tell(*case)
        if native.dtype != reference.dtype or native.tobytes() != reference.tobytes():
            return f"{tell.__name__}, {case.front_end}: {np.flatnonzero(native)} and {np.flatnonzero(reference)}"
    return ""
