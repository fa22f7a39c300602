"""Changed files full of copied runs of exactly t tokens, beside, inside and across each other.

A file is a row of arrangements, with random tokens between most of them:

- alone: one run;
- adjacent: two to four runs of any files, with a space, a line end or a blank line between them;
- nested: two neighbouring runs of one file, and between them a run of another, which may itself be parted by a third;
- out of order: neighbouring runs of one file in another order;
- in a weak chain: runs of a file, and between them the code that is between them there, with all names changed;
- across a weak chain: runs of several files between parts of a further one, all of whose names are changed.

Tokens are winnow-ci's own here, since the promise is about them.
"""

from __future__ import annotations

from bisect import bisect_left
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from lexing import SYNTAX, Lexeme
from naming import names_in, with_names

from winnow_ci.evidence.weights import common_grams, common_kgrams, grams, informative
from winnow_ci.languages import in_imports, tokenize

if TYPE_CHECKING:
    import random
    from collections.abc import Callable, Sequence

    from winnow_ci.model import Parameters, Tokens

RUNS = 12
TRIES = 400
# Lexemes of renamed code between two runs, and how far the next one may be looked for.
BETWEEN, FURTHER = range(15, 50), 60
SIGNS = ("+", "-", "*", "%", "<", "==", "(", ")", "[", "]", ",", ".", "=", "|", "&")
WORDS_A_LINE = 8


class KnownFile(NamedTuple):
    """A file that runs are cut from.

    Attributes:
        path: below known/.
        lexemes: all of its text.
        tokens: the same as a scan sees it.
        parameters: of the index that has it.
    """

    path: str
    lexemes: tuple[Lexeme, ...]
    tokens: Tokens
    parameters: Parameters

    @property
    def suffix(self) -> str:
        return self.path[self.path.rindex(".") :]

    @property
    def syntax(self) -> str:
        return SYNTAX[self.suffix]


class Run(NamedTuple):
    """One trial: a copied run in a changed file.

    Attributes:
        source: the file that it was cut from.
        arrangement: what it is part of.
        first: its first line in the changed file.
        last: its last one.
        text: all of it.
        lines: those that have a token of it.
        shared: the first and the last line, if other code has half of its tokens or more, or the run a single one.
    """

    source: KnownFile
    arrangement: str
    first: int
    last: int
    text: str
    lines: frozenset[int] = frozenset()
    shared: frozenset[int] = frozenset()


class ChangedFile(NamedTuple):
    """A file of a commit.

    Attributes:
        text: all of it.
        runs: the trials in it.
        planted: lines that a finding may name: those of runs, and of the renamed code around them.
    """

    text: str
    runs: tuple[Run, ...]
    planted: frozenset[int]


class _Piece(NamedTuple):
    """Part of a changed file: a run of a known file, renamed code of one, or neither."""

    text: str
    source: KnownFile | None = None
    renamed: bool = False


def changed_file(files: Sequence[KnownFile], rng: random.Random) -> ChangedFile:
    """A file with some RUNS runs."""
    while True:
        pieces: list[tuple[str, _Piece]] = [("", _noise(rng)), ("", _line())]
        while sum(piece.source is not None for _, piece in pieces) < RUNS:
            name = rng.choice(list(ARRANGEMENTS))
            arranged = ARRANGEMENTS[name](files, rng)
            pieces += [(name, piece) for piece in (*arranged, _line(), *_some_noise(rng))]
        made = _composed(pieces)
        if made.runs:
            return made


def _composed(pieces: Sequence[tuple[str, _Piece]]) -> ChangedFile:
    text, line = "".join(piece.text for _, piece in pieces), 1
    runs, planted = [], set()
    for name, piece in pieces:
        last = line + piece.text.count("\n")
        if piece.source is not None:
            # A directive of C ends with its line break.
            runs.append(Run(piece.source, name, line, line + piece.text.rstrip().count("\n"), piece.text))
        if piece.source is not None or piece.renamed:
            planted.update(range(line, last + 1))
        line = last
    return ChangedFile(text, tuple(_that_stand_whole(runs, text)), frozenset(planted))


def _that_stand_whole(runs: Sequence[Run], text: str) -> list[Run]:
    """The runs whose tokens are the same in the file as by themselves: a quote before one changes all behind it."""
    tokens = tokenize(runs[0].source.syntax, text.encode())
    return [_with_lines(run, tokens) for run in runs if _stands(run, tokens)]


def _stands(run: Run, tokens: Tokens) -> bool:
    there = (tokens.first_lines >= run.first) & (tokens.last_lines <= run.last)
    return has_run(tokens.verbatim[there], tokenize(run.source.syntax, run.text.encode()).verbatim)


def _with_lines(run: Run, tokens: Tokens) -> Run:
    own = tokenize(run.source.syntax, run.text.encode())
    firsts, lasts = own.first_lines + run.first - 1, own.last_lines + run.first - 1
    lines = frozenset(n for first, last in zip(firsts, lasts, strict=True) for n in range(first, last + 1))
    ends = (min(lines), max(lines))
    counts = {n: ((firsts == n).sum(), (tokens.first_lines == n).sum()) for n in ends}
    shared = (n for n, (own_count, every) in counts.items() if own_count == 1 or max(1, 2 * own_count) <= every)
    return run._replace(lines=lines, shared=frozenset(shared))


def has_run(whole: np.ndarray, part: np.ndarray) -> bool:
    starts = np.flatnonzero(whole[: max(0, len(whole) - len(part) + 1)] == part[0])
    return any(np.array_equal(whole[start : start + len(part)], part) for start in starts)


# ---- runs ------------------------------------------------------------------------------------------------------


def _run(files: Sequence[KnownFile], rng: random.Random) -> _Piece:
    while True:
        file = rng.choice(files)
        text, _ = run_at(file, rng.randrange(len(file.lexemes)))
        if text:
            return _Piece(text, file)


def run_at(file: KnownFile, start: int) -> tuple[str, int]:
    """The text of an informative run of t tokens that begins with a lexeme, and the number of the lexeme after it.

    The text is empty if there is no such run.
    """
    text, end = _cut(file, start)
    return (text, end) if text and _is_promised(file, text) else ("", start)


def _cut(file: KnownFile, start: int) -> tuple[str, int]:
    t = file.parameters.guarantee
    significant = [n for n in range(start, min(start + 4 * t, len(file.lexemes))) if file.lexemes[n].significant]
    if not significant or significant[0] != start:
        return "", start

    def text(last: int) -> str:
        return "".join(lexeme.text for lexeme in file.lexemes[start : last + 1])

    def count(last: int) -> int:
        return len(tokenize(file.syntax, text(last).encode()))

    number = bisect_left(significant, t, key=count)
    if number == len(significant) or count(significant[number]) != t:
        return "", start
    return text(significant[number]), significant[number] + 1


def _is_promised(file: KnownFile, text: str) -> bool:
    """Whether all k-grams of a run are informative, none imports something, and its tokens are those of its file."""
    k, tokens = file.parameters.k, tokenize(file.syntax, text.encode())
    says = informative(grams(tokens), k) & ~common_kgrams(tokens, k, common_grams(tokens))
    imports = in_imports(tokens, file.syntax).any()
    return bool(says.all()) and not imports and has_run(file.tokens.verbatim, tokens.verbatim)


def _neighbours(files: Sequence[KnownFile], count: int, rng: random.Random) -> list[_Piece]:
    """Runs of one file that follow each other there, or nearly."""
    for _ in range(TRIES):
        file = rng.choice(files)
        at, found = rng.randrange(len(file.lexemes)), []
        while len(found) < count and (near := _next_run(file, at)):
            text, _, at = near
            found.append(_Piece(text, file))
        if len(found) == count:
            return found
    return [_run(files, rng) for _ in range(count)]


def _next_run(file: KnownFile, at: int) -> tuple[str, int, int] | None:
    """The first run at a lexeme or soon after it, and the lexemes where it begins and ends."""
    for start in range(at, min(at + FURTHER, len(file.lexemes))):
        text, end = run_at(file, start)
        if text:
            return text, start, end
    return None


# ---- arrangements ----------------------------------------------------------------------------------------------


def _alone(files: Sequence[KnownFile], rng: random.Random) -> list[_Piece]:
    return [_run(files, rng)]


def _adjacent(files: Sequence[KnownFile], rng: random.Random) -> list[_Piece]:
    count = rng.randint(2, 4)
    runs = _neighbours(files, count, rng) if rng.random() < 0.3 else [_run(files, rng) for _ in range(count)]
    return _joined(runs, rng)


def _joined(runs: Sequence[_Piece], rng: random.Random) -> list[_Piece]:
    pieces = [runs[0]]
    for run in runs[1:]:
        pieces += [_Piece(rng.choice(("\n", "\n", "\n\n", " "))), run]
    return pieces


def _nested(files: Sequence[KnownFile], rng: random.Random) -> list[_Piece]:
    first, last = _neighbours(files, 2, rng)
    inner = _nested(files, rng) if rng.random() < 0.3 else [_run(files, rng)]
    return [first, _line(), *inner, _line(), last]


def _out_of_order(files: Sequence[KnownFile], rng: random.Random) -> list[_Piece]:
    runs = _neighbours(files, rng.randint(2, 4), rng)
    order = rng.sample(range(len(runs)), len(runs))
    return _joined([runs[number] for number in (order if order != sorted(order) else order[::-1])], rng)


def _in_a_weak_chain(files: Sequence[KnownFile], rng: random.Random) -> list[_Piece]:
    file = rng.choice(files)
    rename, at = _renaming(file, rng), rng.randrange(len(file.lexemes) // 2)
    pieces: list[_Piece] = []
    for _ in range(rng.randint(2, 4)):
        near = _next_run(file, at + rng.choice(BETWEEN))
        if near is None:
            break
        text, start, end = near
        pieces += [rename(at, start), _Piece(text, file)]
        at = end
    return [*pieces, rename(at, at + rng.choice(BETWEEN))]


def _across_a_weak_chain(files: Sequence[KnownFile], rng: random.Random) -> list[_Piece]:
    file = rng.choice(files)
    rename, at = _renaming(file, rng), rng.randrange(len(file.lexemes) // 2)
    pieces: list[_Piece] = []
    for _ in range(rng.randint(2, 4)):
        end = at + rng.choice(BETWEEN)
        pieces += [rename(at, end), _line(), _run(files, rng), _line()]
        at = end
    return [*pieces, rename(at, at + rng.choice(BETWEEN))]


def _renaming(file: KnownFile, rng: random.Random) -> Callable[[int, int], _Piece]:
    """A maker of renamed code: lexemes of a file, in which each name has the same other name everywhere."""
    names: dict[str, str] = {}
    taken = names_in(file.lexemes)

    def rename(start: int, end: int) -> _Piece:
        return _Piece("".join(with_names(file.lexemes[start:end], names, taken, rng)), renamed=True)

    return rename


ARRANGEMENTS: dict[str, Callable[[Sequence[KnownFile], random.Random], list[_Piece]]] = {
    "alone": _alone,
    "adjacent": _adjacent,
    "nested": _nested,
    "out of order": _out_of_order,
    "in a weak chain": _in_a_weak_chain,
    "across a weak chain": _across_a_weak_chain,
}


# ---- random tokens ---------------------------------------------------------------------------------------------


def _line() -> _Piece:
    return _Piece("\n")


def _some_noise(rng: random.Random) -> list[_Piece]:
    return [_noise(rng), _line()] if rng.random() < 0.7 else []


def _noise(rng: random.Random) -> _Piece:
    """Lines of random names and signs."""
    count = rng.randint(1, 5) * WORDS_A_LINE
    words = [rng.choice(SIGNS) if rng.random() < 0.5 else f"zq{rng.randrange(16**5):05x}" for _ in range(count)]
    return _Piece("\n".join(" ".join(words[n : n + WORDS_A_LINE]) for n in range(0, count, WORDS_A_LINE)))
