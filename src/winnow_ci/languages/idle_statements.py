"""Statements without effect, which somebody may have put into copied code to hide it.

Two kinds can be told from tokens alone: a value that is assigned to a name which stands nowhere else in the file, and a
statement of numbers without any name (``assert 5 != 3``, ``(void) 5;``). A statement has lines of its own here, outside
of brackets, and leads nowhere (``return``, ``case``).

Ordinary code has such statements, too: the attributes of a class, the constants of a module. But there they stand in
rows, or far from each other. So only those count of which no more than ``MOST_IN_A_ROW`` stand together and another one
is near. Of the tokens of SQLAlchemy, NetworkX and Scrapy 0.3 % are left, of React Native's Java 0.01 %.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from winnow_ci.arrays import nearest
from winnow_ci.languages.tokens import Alphabet, sketch_classes
from winnow_ci.model import IDENTIFIER_SKETCH, NUMBER_SKETCH
from winnow_ci.named_tuples import NamedTuple
from winnow_ci.native import kernel

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from winnow_ci.model import Tokens

# Families in which a name is assigned with ``=``; Go's compiler refuses values that nobody uses.
FAMILIES = frozenset({"c", "java", "javascript", "python", "rust"})
MOST_IN_A_ROW = 2
# Tokens from one such statement to the next one, at most.
NEAR = 150
# ``f()`` may have an effect; with fewer tokens, nothing says that it has none.
SHORTEST = 3
# What a token is, as bits.
OPENS, CLOSES, ASSIGNS, OF_ANOTHER, NO_START, NO_END, JUMPS = (1 << bit for bit in range(7))
_WORDS = {
    OPENS: b"( [",
    CLOSES: b") ]",
    ASSIGNS: b"=",
    OF_ANOTHER: b". -> ?. ::",
    NO_START: b"{ } : @",
    NO_END: b"{ : = + - * / % & | ^ < > ? , . && || == != <= >= -> =>",
    JUMPS: b"return case default break continue goto yield throw raise await import from global nonlocal del with",
}


class _Statements(NamedTuple):
    """The statements of a document, as lines outside of brackets.

    Attributes:
        starts: int64, one a statement; its first token.
        ends: int64; the token after its last one.
        owners: int64, one a token; number of its statement.
        outside: bool, one a token; whether it is outside of brackets.
    """

    starts: NDArray[np.int64]
    ends: NDArray[np.int64]
    owners: NDArray[np.int64]
    outside: NDArray[np.bool_]


def idle_statements(tokens: Tokens, family: str) -> NDArray[np.bool_]:
    """Which tokens stand in a statement without effect near another one: bool, one a token.

    Args:
        tokens: of a document.
        family: name of the front end that made them; of those that are not in ``FAMILIES``, no statement is known.
    """
    nothing = np.zeros(len(tokens), np.bool_)
    if family not in FAMILIES or not len(tokens):
        return nothing
    if kernel():
        return np.asarray(_native(family).marks(tokens))
    bits = _bits(tokens.structural, family)
    statements = _statements(tokens, bits)
    whole = _are_whole(statements, bits)
    numbers = np.flatnonzero(whole & (_say_numbers(tokens, statements) | _assign(tokens, statements, bits, whole)))
    counted = _scattered(numbers, statements.starts[numbers])
    if len(counted):
        nothing = np.bincount(counted, minlength=len(statements.starts))[statements.owners] > 0
    return nothing


@cache
def _native(family: str) -> Any:
    """The same in the kernel, which is told what the statements of a family are made of."""
    known = [(int(own), int(bits)) for own, bits in zip(*_known(family), strict=True)]
    return kernel().IdleStatements(known, sketch_classes())


def _bits(structural: NDArray[np.uint64], family: str) -> NDArray[np.uint8]:
    """What each token is: uint8."""
    ids, bits = _known(family)
    places = nearest(structural, ids)
    return np.where(ids[places] == structural, bits[places], np.uint8(0))


@cache
def _known(family: str) -> tuple[NDArray[np.uint64], NDArray[np.uint8]]:
    """The structural ids of a family's tokens that are something, sorted, and what they are."""
    word = Alphabet(family).word
    known: dict[int, int] = {}
    for bit, texts in _WORDS.items():
        for text in texts.split():
            own = word(text).structural
            known[own] = known.get(own, 0) | bit
    return np.array(sorted(known), np.uint64), np.array([known[own] for own in sorted(known)], np.uint8)


def _statements(tokens: Tokens, bits: NDArray[np.uint8]) -> _Statements:
    depth = np.cumsum((bits & OPENS > 0).astype(np.int32) - (bits & CLOSES > 0))
    # A bracket that closes nothing is in no statement's way.
    outside = depth - np.minimum(np.minimum.accumulate(depth), 0) == 0
    last = np.append(tokens.first_lines[1:] > tokens.last_lines[:-1], True) & outside
    last[-1] = True
    ends = np.flatnonzero(last) + 1
    starts = np.concatenate([[0], ends[:-1]])
    return _Statements(starts, ends, np.repeat(np.arange(len(ends)), ends - starts), outside)


def _are_whole(statements: _Statements, bits: NDArray[np.uint8]) -> NDArray[np.bool_]:
    """Which lines are whole statements that lead nowhere, and in which no other begins: bool, one a statement."""
    firsts, lasts = bits[statements.starts], bits[statements.ends - 1]
    goes_on = lasts & NO_END > 0
    follows = np.concatenate([[False], goes_on[:-1] & (lasts[:-1] & NO_START == 0)])
    is_long = statements.ends - statements.starts >= SHORTEST
    leads_away = np.bitwise_or.reduceat(bits, statements.starts) & JUMPS > 0
    return np.asarray(is_long & ~goes_on & ~follows & (firsts & NO_START == 0) & ~leads_away, np.bool_)


def _say_numbers(tokens: Tokens, statements: _Statements) -> NDArray[np.bool_]:
    """Which statements have numbers and no name: bool, one a statement."""
    names, numbers = _are(tokens, IDENTIFIER_SKETCH), _are(tokens, NUMBER_SKETCH)
    starts = statements.starts
    return np.asarray(np.logical_or.reduceat(numbers, starts) & ~np.logical_or.reduceat(names, starts), np.bool_)


def _assign(
    tokens: Tokens, statements: _Statements, bits: NDArray[np.uint8], whole: NDArray[np.bool_]
) -> NDArray[np.bool_]:
    """Which of the whole statements first assign to a name that stands nowhere else: bool, one a statement."""
    names, found = _are(tokens, IDENTIFIER_SKETCH), np.zeros(len(whole), np.bool_)
    at = np.flatnonzero((bits & ASSIGNS > 0) & statements.outside)
    owners = statements.owners[at]
    at = at[(np.diff(owners, prepend=-1) > 0) & whole[owners] & (at > statements.starts[owners])]
    at = at[names[at - 1] & (bits[np.maximum(at - 2, 0)] & OF_ANOTHER == 0)]
    if len(at):
        texts = np.sort(tokens.verbatim[names])
        own = tokens.verbatim[at - 1]
        single = np.searchsorted(texts, own, "right") - np.searchsorted(texts, own) == 1
        found[statements.owners[at[single]]] = True
    return found


def _scattered(idle: NDArray[np.int64], starts: NDArray[np.int64]) -> NDArray[np.int64]:
    """Those of statements, given by rising numbers and first tokens, that stand in no row, and near another one."""
    if not len(idle):
        return idle
    rows = np.cumsum(np.diff(idle, prepend=-2) != 1) - 1
    short = np.bincount(rows)[rows] <= MOST_IN_A_ROW
    idle, near = idle[short], np.diff(starts[short]) <= NEAR
    return idle[np.append(near, False) | np.append(False, near)] if len(idle) else idle


def _are(tokens: Tokens, sketches: range) -> NDArray[np.bool_]:
    return np.asarray((tokens.sketch >= sketches.start) & (tokens.sketch < sketches.stop), np.bool_)
