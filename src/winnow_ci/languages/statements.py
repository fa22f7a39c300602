"""Find what is no evidence in code by its tokens: imports, statements without effect, and where state is kept.

**Imports.** All users of a library import the same names. An import begins with its language's word (``import``,
``#include``, ``use``) at the start of a line, and ends with the line or a semicolon; but it goes on in the brackets in
which its language lists what it imports, as Go's blocks do. It has names, strings and the marks between them: what has
a ``=``, a number or another bracket is another statement, such as a call of ``import`` in JavaScript.

**Idle statements.** Somebody may have put statements without effect into copied code to hide it. Tokens show two kinds:
a value that is assigned to a name which occurs nowhere else in the file, and a statement of numbers without any name
(``assert 5 != 3``, ``(void) 5;``). It has lines of its own, outside of brackets, and leads nowhere (``return``). The
attributes of a class and the constants of a module look alike, but are in rows, or far from each other. So a statement
counts only if it is in no row of more than ``MOST_IN_A_ROW``, and another one is near.

**State.** Somebody who makes a copied function a class, or functions that hand a dictionary on, writes ``self.x`` or
``ctx["x"]`` wherever the function has its variable ``x``. An object is *state* if ``FEWEST_SET`` of its attributes are
set or of its items used. Its own name and the marks beside it are *around* a variable, which is left; what is only read
of ``self`` may be a method. They count only if of ``STATE_REACH`` tokens on each side at least ``LEAST_AROUND`` are
around variables: other code with classes has fewer.

These are the plain definitions; ``kernel_or_python`` has the kernel do the same.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from functools import cache
from itertools import accumulate, groupby, pairwise
from typing import TYPE_CHECKING

import numpy as np

from winnow_ci.languages.tokens import Alphabet
from winnow_ci.model import IDENTIFIER_SKETCH, NUMBER_SKETCH, STRING_SKETCH
from winnow_ci.named_tuples import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from numpy.typing import NDArray

    from winnow_ci.model import Tokens

_IMPORT = b"import"
IMPORTING = {
    "c": b"#",
    "csharp": b"using",
    "dart": _IMPORT,
    "go": _IMPORT,
    "groovy": _IMPORT,
    "java": _IMPORT,
    "javascript": _IMPORT,
    "julia": b"import using",
    "kotlin": _IMPORT,
    "perl": b"use require",
    "php": b"use",
    "python": b"import from",
    "ruby": b"require require_relative",
    "rust": b"use",
    "scala": _IMPORT,
    "solidity": _IMPORT,
    "swift": _IMPORT,
}
"""Front end → the words that begin a statement; in C the second token is one of ``_DIRECTIVES``."""
_DIRECTIVES = b"include import"
_ROUND, _CURLY = b"( )", b"{ }"
IMPORT_BRACKETS = {
    "go": _ROUND,
    "javascript": _CURLY,
    "php": _CURLY,
    "python": _ROUND,
    "rust": _CURLY,
    "scala": _CURLY,
    "solidity": _CURLY,
}
"""The brackets that may be open at the end of a line; a language's other brackets can hold code that runs."""
# After its first token a statement has names, strings, these, and its language's brackets.
_MARKS = b"import include from static type typeof as default self super crate function const . , * :: : / < > \\ - _"
LONGEST_IMPORT = 2048
"""Tokens of the last statement at most; Go's longest blocks have a few hundred."""
# What a token of an import is, as bits.
_FITS, _OPENS, _CLOSES, _ENDS = (1 << bit for bit in range(4))


def importing(tokens: Tokens, front_end: str) -> NDArray[np.bool_]:
    """Mark the tokens of imports in a document, read by a front end of ``IMPORTING``: bool, one a token."""
    found = np.zeros(len(tokens), np.bool_)
    starts = list(_import_starts(tokens, front_end))
    if not starts:
        return found
    end = min(len(tokens), starts[-1] + LONGEST_IMPORT)
    known = dict(import_kinds(front_end))
    bits = [
        known.get(text, 0) | (_FITS if sketch in IDENTIFIER_SKETCH or sketch in STRING_SKETCH else 0)
        for text, sketch in zip(tokens.verbatim[:end].tolist(), tokens.sketch[:end].tolist(), strict=True)
    ]
    depth = list(accumulate(bool(bit & _OPENS) - bool(bit & _CLOSES) for bit in bits))
    ends_line = [*(tokens.first_lines[1:end] > tokens.last_lines[: end - 1]).tolist(), True]
    stops = [*(at for at in range(end) if ends_line[at] or bits[at] & _ENDS), end]
    unfit = [*(at for at in range(end) if not bits[at]), end]
    looked_at = 0
    for start in starts:
        number, limit = bisect_left(stops, start), unfit[bisect_right(unfit, start)]
        # What goes on behind its first end is looked at only once.
        if start >= looked_at:
            while stops[number] < limit and depth[stops[number]] > depth[start]:
                number, looked_at = number + 1, limit
        if stops[number] < limit and depth[stops[number]] <= depth[start]:
            found[start : stops[number] + 1] = True
    return found


def _import_starts(tokens: Tokens, front_end: str) -> Iterator[int]:
    """Yield the tokens that begin a line and may begin a statement."""
    words, directives = import_words(front_end)
    first, last, texts = tokens.first_lines, tokens.last_lines, tokens.verbatim
    for at in np.flatnonzero(np.isin(texts, np.array(words, np.uint64))).tolist():
        if (at == 0 or first[at] > last[at - 1]) and (
            not directives or (at + 1 < len(texts) and int(texts[at + 1]) in directives)
        ):
            yield at


def import_words(front_end: str) -> tuple[list[int], list[int]]:
    """Return the verbatim ids of the words that begin an import, and of what must follow them, if anything."""
    return _ids(front_end, IMPORTING[front_end]), _ids(front_end, _DIRECTIVES) if front_end == "c" else []


@cache
def import_kinds(front_end: str) -> list[tuple[int, int]]:
    """List the verbatim ids of the tokens that an import may have, sorted, with what each is, as bits."""
    opens, closes = IMPORT_BRACKETS.get(front_end, b" ").split(b" ")
    return _kinds(front_end, {_FITS: _MARKS, _ENDS: b";", _OPENS: opens, _CLOSES: closes})


def _ids(front_end: str, words: bytes) -> list[int]:
    word = Alphabet(front_end).word
    return [word(text).verbatim for text in words.split()]


def _kinds(front_end: str, words: Mapping[int, bytes]) -> list[tuple[int, int]]:
    known: Counter[int] = Counter()
    for bit, texts in words.items():
        known.update(dict.fromkeys(_ids(front_end, texts), bit))
    return sorted(known.items())


ASSIGNING = frozenset({"c", "java", "javascript", "python", "rust"})
"""Families in which a name is assigned with ``=``; Go's compiler refuses values that nobody uses."""
MOST_IN_A_ROW = 2
NEXT_IDLE = 150
"""Tokens from one such statement to the next one, at most."""
SHORTEST_IDLE = 3
"""Tokens; ``f()`` may have an effect, and fewer say nothing."""
# What a token of a statement is, as bits.
_OPEN, _CLOSE, _ASSIGNS, _OF_ANOTHER, _NO_START, _NO_END, _JUMPS = (1 << bit for bit in range(7))
IDLE_WORDS = {
    _OPEN: b"( [",
    _CLOSE: b") ]",
    _ASSIGNS: b"=",
    _OF_ANOTHER: b". -> ?. ::",
    _NO_START: b"{ } : @",
    _NO_END: b"{ : = + - * / % & | ^ < > ? , . && || == != <= >= -> =>",
    _JUMPS: b"return case default break continue goto yield throw raise await import from global nonlocal del with",
}


class _Statement(NamedTuple):
    """The tokens ``[start, end)``, and the first ``=`` outside of brackets, if there is one."""

    start: int
    end: int
    assigns: int | None


def idle(tokens: Tokens, family: str) -> NDArray[np.bool_]:
    """Mark the tokens of idle statements in a document, read in one of ``ASSIGNING``: bool, one a token."""
    known = dict(idle_kinds(family))
    bits = [known.get(own, 0) for own in tokens.structural.tolist()]
    statements = list(_statements(tokens, bits))
    texts, sketches = tokens.verbatim.tolist(), tokens.sketch.tolist()
    uses = Counter(text for text, sketch in zip(texts, sketches, strict=True) if sketch in IDENTIFIER_SKETCH)

    def says_numbers(statement: _Statement) -> bool:
        own = sketches[statement.start : statement.end]
        return any(sketch in NUMBER_SKETCH for sketch in own) and not any(sketch in IDENTIFIER_SKETCH for sketch in own)

    def assigns_unused_name(statement: _Statement) -> bool:
        at = statement.assigns
        if at is None or at == statement.start or bits[max(at - 2, 0)] & _OF_ANOTHER:
            return False
        return sketches[at - 1] in IDENTIFIER_SKETCH and uses[texts[at - 1]] == 1

    found, goes_on = [], False
    for number, (statement, (start, end, _)) in enumerate(zip(statements, statements, strict=True)):
        follows, first, last = goes_on, bits[start], bits[end - 1]
        goes_on = bool(last & _NO_END) and not last & _NO_START
        is_whole = end - start >= SHORTEST_IDLE and not (follows or first & _NO_START or last & _NO_END)
        if is_whole and not any(bit & _JUMPS for bit in bits[start:end]):
            found += [number] if says_numbers(statement) or assigns_unused_name(statement) else []
    marks = np.zeros(len(tokens), np.bool_)
    for start, end, _ in _scattered(statements, found):
        marks[start:end] = True
    return marks


def _statements(tokens: Tokens, bits: list[int]) -> Iterator[_Statement]:
    ends_line = (tokens.first_lines[1:] > tokens.last_lines[:-1]).tolist()
    start, depth, assigns = 0, 0, None
    for at, bit in enumerate(bits):
        # A bracket that closes nothing does not count.
        depth = max(0, depth + bool(bit & _OPEN) - bool(bit & _CLOSE))
        if bit & _ASSIGNS and not depth and assigns is None:
            assigns = at
        if at + 1 == len(bits) or (ends_line[at] and not depth):
            yield _Statement(start, at + 1, assigns)
            start, assigns = at + 1, None


def _scattered(statements: list[_Statement], numbers: Iterable[int]) -> set[_Statement]:
    """Choose the statements of these rising numbers that are in no row, and near another one."""
    rows = (list(row) for _, row in groupby(enumerate(numbers), lambda pair: pair[1] - pair[0]))
    left = [statements[number] for row in rows if len(row) <= MOST_IN_A_ROW for _, number in row]
    near = (pair for pair in pairwise(left) if pair[1].start - pair[0].start <= NEXT_IDLE)
    return {statement for pair in near for statement in pair}


@cache
def idle_kinds(family: str) -> list[tuple[int, int]]:
    """List the structural ids of a family's tokens that matter here, sorted, with what each is, as bits."""
    return _kinds(family, IDLE_WORDS)


FEWEST_SET = 2
"""Attributes or items of an object that are set, for the object to be state."""
STATE_REACH = 50
LEAST_AROUND = 18
# What a token is, as bits.
_SELF, _READS, _OPENS_ITEM, _CLOSES_ITEM, _SETS, _GOES_ON = (1 << bit for bit in range(6))
STATE_WORDS = {
    _SELF: b"self this $this",
    _READS: b". -> ?.",
    _OPENS_ITEM: b"[",
    _CLOSES_ITEM: b"]",
    _SETS: b"= += -= *= /= //= %= |= &= ^= <<= >>= := ++ -- in",
    _GOES_ON: b",",
}


class _Variable(NamedTuple):
    """The tokens ``[start, end)``; ``at`` is the attribute's name or the item's string."""

    start: int
    at: int
    end: int


def state_around(tokens: Tokens, family: str) -> NDArray[np.bool_]:
    """Mark the tokens that state puts around variables, in a document read in a family: bool, one a token."""
    known = dict(state_kinds(family))
    bits = [*(known.get(own, 0) for own in tokens.structural.tolist()), 0, 0, 0]
    texts, found = tokens.verbatim.tolist(), list(_variables(bits, tokens.sketch.tolist()))
    fields: dict[int, set[int]] = {}
    is_set = False
    for number in range(len(found) - 1, -1, -1):
        start, at, end = found[number]
        goes_on = bits[end] & _GOES_ON and number + 1 < len(found) and found[number + 1].start == end + 1
        is_set = bool(bits[end] & _SETS) or bool(goes_on and is_set)
        if is_set or bits[end - 1] & _CLOSES_ITEM:
            fields.setdefault(texts[start], set()).add(texts[at])
    marks = np.zeros(len(tokens), np.bool_)
    for start, at, end in found:
        own, is_self = fields.get(texts[start], set()), known.get(texts[start], 0) & _SELF
        if len(own) >= FEWEST_SET and (texts[at] in own or not is_self):
            marks[start:end] = True
            marks[at] = False
    before = np.concatenate([np.zeros(STATE_REACH, np.int64), [0], np.cumsum(marks)])
    before = np.append(before, np.full(STATE_REACH, before[-1]))
    return np.asarray(marks & (before[2 * STATE_REACH + 1 :] - before[: len(tokens)] >= LEAST_AROUND), np.bool_)


def _variables(bits: list[int], sketches: list[int]) -> Iterator[_Variable]:
    """Yield each attribute and each item of an object that is no part of another."""
    for at, sketch in enumerate(sketches[:-2]):
        is_object = (sketch in IDENTIFIER_SKETCH or bits[at] & _SELF) and not (at and bits[at - 1] & _READS)
        if is_object and bits[at + 1] & _READS and sketches[at + 2] in IDENTIFIER_SKETCH:
            yield _Variable(at, at + 2, at + 3)
        is_item = bits[at + 1] & _OPENS_ITEM and sketches[at + 2] in STRING_SKETCH and bits[at + 3] & _CLOSES_ITEM
        if is_object and is_item:
            yield _Variable(at, at + 2, at + 4)


@cache
def state_kinds(family: str) -> list[tuple[int, int]]:
    """List the structural ids of a family's tokens that matter here, sorted, with what each is, as bits."""
    return _kinds(family, STATE_WORDS)
