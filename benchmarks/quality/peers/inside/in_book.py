"""Winnowing by the book: in_book.py CHANGED KNOWN RESULT.

Pygments tokens without comments, docstrings and white space; identifiers, numbers and strings are one class each;
k-grams of 16 tokens, windows of 9, rightmost minimum, both sides winnowed alike, no filter. Fingerprints on one
diagonal, each at most a window after the last, are one overlap.
"""

from __future__ import annotations

import hashlib
import json
import sys
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from pygments.lexers import get_lexer_for_filename
from pygments.token import Comment, Name, Number, String
from pygments.util import ClassNotFound

if TYPE_CHECKING:
    from collections.abc import Iterator

K, W = 16, 9
CLASSES = ((Name, "N"), (Number, "0"), (String, "S"))


class Winnowed(NamedTuple):
    lines: list[int]  # of each token, its first
    picks: list[tuple[int, int]]  # hash of a k-gram, position of its first token


def winnowed(file: Path) -> Winnowed | None:
    try:
        tokens = list(read(file))
    except (ClassNotFound, UnicodeDecodeError):
        return None
    names, lines = [name for name, _ in tokens], [line for _, line in tokens]
    grams = [hashed(names[at : at + K]) for at in range(len(names) - K + 1)]
    return Winnowed(lines, [(grams[at], at) for at in selected(grams)])


def read(file: Path) -> Iterator[tuple[str, int]]:
    """Each token, or the name of its class, and its line; pieces of one string are one token."""
    line, last = 1, None
    for _, kind, text in get_lexer_for_filename(file.name).get_tokens_unprocessed(file.read_text(encoding="utf-8")):
        if text.strip() and kind not in Comment and kind not in String.Doc:
            name = next((name for of, name in CLASSES if kind in of), text)
            if not name == last == "S":
                yield name, line
            last = name
        line += text.count("\n")


def hashed(names: list[str]) -> int:
    return int.from_bytes(hashlib.blake2b("\0".join(names).encode(), digest_size=8).digest(), "big")


def selected(grams: list[int]) -> list[int]:
    windows = range(max(len(grams) - W + 1, min(len(grams), 1)))
    return sorted({min(range(at, min(at + W, len(grams))), key=lambda i: (grams[i], -i)) for at in windows})


def main(changed: str, known: str, result: str) -> None:
    places = defaultdict(list)
    for name, file in files(known):
        for value, at in file.picks:
            places[value].append((name, at))
    rows = []
    for path, file in files(changed):
        diagonals = defaultdict(list)
        for value, at in file.picks:
            for name, known_at in places.get(value, ()):
                diagonals[name, known_at - at].append(at)
        for (name, _), found in diagonals.items():
            rows += [(path, file.lines[first], file.lines[last + K - 1], name) for first, last in runs(found)]
    Path(result).write_text(json.dumps(rows))


def files(tree: str) -> Iterator[tuple[str, Winnowed]]:
    for file in sorted(Path(tree).rglob("*")):
        read = winnowed(file) if file.is_file() else None
        if read:
            yield file.relative_to(tree).as_posix(), read


def runs(found: list[int]) -> Iterator[tuple[int, int]]:
    first = last = found[0]
    for at in found[1:]:
        if at - last > W:
            yield first, last
            first = at
        last = at
    yield first, last


if __name__ == "__main__":
    main(*sys.argv[1:])
