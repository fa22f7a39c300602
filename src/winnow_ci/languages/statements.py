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

The kernel, which is given these tables, does the same as Python here.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from functools import cache
from itertools import accumulate, groupby, pairwise
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from winnow_ci.languages.tokens import Alphabet
from winnow_ci.model import IDENTIFIER_SKETCH, NUMBER_SKETCH, STRING_SKETCH
from winnow_ci.native import kernel

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from numpy.typing import NDArray

    from winnow_ci.model import Tokens

_SKETCH_CLASSES = tuple((one.start, one.stop) for one in (IDENTIFIER_SKETCH, NUMBER_SKETCH, STRING_SKETCH))

IMPORTING = {
    **dict.fromkeys("dart go groovy java javascript kotlin scala solidity swift".split(), b"import"),
    **dict.fromkeys(("php", "rust"), b"use"),
    "c": b"#",
    "csharp": b"using",
    "julia": b"import using",
    "perl": b"use require",
    "python": b"import from",
    "ruby": b"require require_relative",
}
"""Front end → the words that begin a statement; in C the second token is one of ``_DIRECTIVES``."""
_DIRECTIVES = b"include import"
IMPORT_BRACKETS = {
    **dict.fromkeys(("go", "python"), b"( )"),
    **dict.fromkeys("javascript php rust scala solidity".split(), b"{ }"),
}
"""The brackets that may be open at the end of a line; a language's other brackets can hold code that runs."""
# After its first token a statement has names, strings, these, and its language's brackets.
_MARKS = b"import include from static type typeof as default self super crate function const . , * :: : / < > \\ - _"
LONGEST_IMPORT = 2048  # tokens of the last statement at most; Go's longest blocks have a few hundred
# What a token of an import is, as bits.
_FITS, _OPENS, _CLOSES, _ENDS = (1 << bit for bit in range(4))


def in_imports(tokens: Tokens, front_end: str) -> NDArray[np.bool_]:
    """Mark the tokens of statements that import something: bool, one a token; none if the front end has no such."""
    found = np.zeros(len(tokens), np.bool_)
    if front_end not in IMPORTING:
        return found
    opens, closes = IMPORT_BRACKETS.get(front_end, b" ").split(b" ")
    words = _ids(front_end, IMPORTING[front_end]), _ids(front_end, _DIRECTIVES) if front_end == "c" else []
    kinds = _kinds(front_end, (_FITS, _MARKS), (_ENDS, b";"), (_OPENS, opens), (_CLOSES, closes))
    if native := kernel():
        return np.asarray(native.ImportStatements(*words, kinds, _SKETCH_CLASSES, LONGEST_IMPORT).marks(tokens))
    starts = list(_import_starts(tokens, *words))
    if not starts:
        return found
    end = min(len(tokens), starts[-1] + LONGEST_IMPORT)
    known = dict(kinds)
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


def _import_starts(tokens: Tokens, words: list[int], directives: list[int]) -> Iterator[int]:
    """Yield the tokens that begin a line and may begin a statement; ``directives`` follow the words, if given."""
    first, last, texts = tokens.first_lines, tokens.last_lines, tokens.verbatim
    for at in np.flatnonzero(np.isin(texts, np.array(words, np.uint64))).tolist():
        if (at == 0 or first[at] > last[at - 1]) and (
            not directives or (at + 1 < len(texts) and int(texts[at + 1]) in directives)
        ):
            yield at


def _ids(front_end: str, words: bytes) -> list[int]:
    word = Alphabet(front_end).word
    return [word(text).verbatim for text in words.split()]


@cache
def _kinds(front_end: str, *words: tuple[int, bytes]) -> list[tuple[int, int]]:
    """List the ids of words, sorted, with what each is, as bits; both ids of a word are the same."""
    known: Counter[int] = Counter()
    for bit, texts in words:
        known.update(dict.fromkeys(_ids(front_end, texts), bit))
    return sorted(known.items())


ASSIGNING = frozenset({"c", "java", "javascript", "python", "rust"})  # with ``=``; Go allows no unused values
MOST_IN_A_ROW = 2
NEXT_IDLE = 150  # tokens from one such statement to the next one, at most
SHORTEST_IDLE = 3  # tokens; ``f()`` may have an effect, and fewer say nothing
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


# Its tokens ``[start, end)``, and the first ``=`` outside of brackets, if there is one.
_Statement: TypeAlias = tuple[int, int, "int | None"]


def idle_statements(tokens: Tokens, family: str) -> NDArray[np.bool_]:
    """Mark the tokens of statements without effect that are near another one: bool, one a token."""
    marks = np.zeros(len(tokens), np.bool_)
    if family not in ASSIGNING or not len(tokens):
        return marks
    kinds = _kinds(family, *IDLE_WORDS.items())
    if native := kernel():
        bounds = MOST_IN_A_ROW, NEXT_IDLE, SHORTEST_IDLE
        return np.asarray(native.IdleStatements(kinds, _SKETCH_CLASSES, bounds).marks(tokens))
    known = dict(kinds)
    bits = [known.get(own, 0) for own in tokens.structural.tolist()]
    statements = list(_statements(tokens, bits))
    texts, sketches = tokens.verbatim.tolist(), tokens.sketch.tolist()
    uses = Counter(text for text, sketch in zip(texts, sketches, strict=True) if sketch in IDENTIFIER_SKETCH)

    def says_numbers(start: int, end: int) -> bool:
        own = sketches[start:end]
        return any(sketch in NUMBER_SKETCH for sketch in own) and not any(sketch in IDENTIFIER_SKETCH for sketch in own)

    def assigns_unused_name(start: int, at: int | None) -> bool:
        if at is None or at == start or bits[max(at - 2, 0)] & _OF_ANOTHER:
            return False
        return sketches[at - 1] in IDENTIFIER_SKETCH and uses[texts[at - 1]] == 1

    found, goes_on = [], False
    for number, (start, end, assigns) in enumerate(statements):
        follows, first, last = goes_on, bits[start], bits[end - 1]
        goes_on = bool(last & _NO_END) and not last & _NO_START
        is_whole = end - start >= SHORTEST_IDLE and not (follows or first & _NO_START or last & _NO_END)
        if is_whole and not any(bit & _JUMPS for bit in bits[start:end]):
            found += [number] if says_numbers(start, end) or assigns_unused_name(start, assigns) else []
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
            yield start, at + 1, assigns
            start, assigns = at + 1, None


def _scattered(statements: list[_Statement], numbers: Iterable[int]) -> set[_Statement]:
    """Choose the statements of these rising numbers that are in no row, and near another one."""
    rows = (list(row) for _, row in groupby(enumerate(numbers), lambda pair: pair[1] - pair[0]))
    left = [statements[number] for row in rows if len(row) <= MOST_IN_A_ROW for _, number in row]
    near = (pair for pair in pairwise(left) if pair[1][0] - pair[0][0] <= NEXT_IDLE)
    return {statement for pair in near for statement in pair}


FEWEST_SET = 2  # attributes or items of an object that are set, for the object to be state
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


def around_variables(tokens: Tokens, family: str) -> NDArray[np.bool_]:
    """Mark the tokens that state has around variables: bool, one a token."""
    kinds = _kinds(family, *STATE_WORDS.items())
    if native := kernel():
        bounds = FEWEST_SET, STATE_REACH, LEAST_AROUND
        return np.asarray(native.State(kinds, _SKETCH_CLASSES, bounds).marks(tokens))
    known = dict(kinds)
    bits = [*(known.get(own, 0) for own in tokens.structural.tolist()), 0, 0, 0]
    texts, found = tokens.verbatim.tolist(), list(_variables(bits, tokens.sketch.tolist()))
    fields: dict[int, set[int]] = {}
    is_set = False
    for number in range(len(found) - 1, -1, -1):
        start, at, end = found[number]
        goes_on = bits[end] & _GOES_ON and number + 1 < len(found) and found[number + 1][0] == end + 1
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


def _variables(bits: list[int], sketches: list[int]) -> Iterator[tuple[int, int, int]]:
    """Yield start, name or string, and end of each attribute and each item of an object that is no part of another."""
    for at, sketch in enumerate(sketches[:-2]):
        is_object = (sketch in IDENTIFIER_SKETCH or bits[at] & _SELF) and not (at and bits[at - 1] & _READS)
        if is_object and bits[at + 1] & _READS and sketches[at + 2] in IDENTIFIER_SKETCH:
            yield at, at + 2, at + 3
        is_item = bits[at + 1] & _OPENS_ITEM and sketches[at + 2] in STRING_SKETCH and bits[at + 3] & _CLOSES_ITEM
        if is_object and is_item:
            yield at, at + 2, at + 4
