"""Mutations of lines: some of them edited, or their blocks in another order."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

from lexing import SYNTAX, lex
from structure import Line, outline
from wording import WORDS

if TYPE_CHECKING:
    import random
    from collections.abc import Sequence

    from snippets import Snippet

SHARE = 0.1
SWAPS = {"==": "!=", "!=": "==", "<": ">=", ">": "<=", "+": "-", "-": "+", "*": "+", "&&": "||", "||": "&&"}
SWAPS |= {"and": "or", "or": "and", "is": "is not", "===": "!==", "!==": "===", "<=": ">", ">=": "<", "+=": "-="}
BLOCKS = {"6": (2,), "10": (2,), "20": (3,), "40": (3, 4), "function": (3, 4)}


def edited(snippet: Snippet, rng: random.Random, host: Sequence[str]) -> list[str]:
    """A tenth of the code lines, at least one, is deleted, replaced, changed inside, or has another put before it."""
    syntax = SYNTAX[snippet.suffix]
    lines = outline("\n".join(snippet.lines), syntax).lines
    alone = _single(lines)
    count = max(1, round(SHARE * sum(line.code for line in lines)))
    chosen = set(rng.sample(alone, min(count, len(alone))))
    result: list[str] = []
    for number, line in enumerate(lines):
        result += _edit(line, syntax, rng, host) if number in chosen else [line.text]
    return result


def _single(lines: Sequence[Line]) -> list[int]:
    """Code lines that share no lexeme with another line."""
    after = [*lines[1:], None]
    return [
        number
        for number, (line, following) in enumerate(zip(lines, after, strict=True))
        if line.code and not line.inside and not (following and following.inside)
    ]


def _edit(line: Line, syntax: str, rng: random.Random, host: Sequence[str]) -> list[str]:
    way = rng.choice(("delete", "replace", "insert", "change"))
    if way == "change":
        return [line.indent + changed(line.text.strip(), syntax, rng)]
    if way == "delete":
        return []
    other = line.indent + rng.choice(host)
    return [other] if way == "replace" else [other, line.text]


def changed(text: str, syntax: str, rng: random.Random) -> str:
    """A line with another operator or name, or one more argument."""
    parts = [lexeme.text for lexeme in lex(text, syntax)]
    kinds = [lexeme.kind for lexeme in lex(text, syntax)]
    ways = [(at, SWAPS[part]) for at, part in enumerate(parts) if part in SWAPS]
    ways += [(at, rng.choice(WORDS)) for at, kind in enumerate(kinds) if kind == "name"]
    ways += [(at, f", {rng.choice(WORDS)})") for at, part in enumerate(parts) if part == ")" and parts[at - 1] != "("]
    if not ways:
        return f"{text} "
    at, new = rng.choice(ways)
    return "".join((*parts[:at], new, *parts[at + 1 :]))


def reordered(snippet: Snippet, rng: random.Random, _: Sequence[str]) -> list[str]:
    """Two to four blocks of statements, in an order in which none follows the one that it followed."""
    lines = outline("\n".join(snippet.lines), SYNTAX[snippet.suffix]).lines
    head, tail = _kept_ends(lines) if snippet.length == "function" else (0, len(lines))
    cuts = _cuts(lines, head, tail, rng.choice(BLOCKS[snippet.length]))
    edges = list(itertools.pairwise((head, *cuts, tail)))
    order = rng.choice([way for way in itertools.permutations(range(len(edges))) if _apart(way)])
    middle = [number for block in order for number in range(*edges[block])]
    return [lines[number].text for number in (*range(head), *middle, *range(tail, len(lines)))]


def can_be_reordered(snippet: Snippet) -> bool:
    lines = outline("\n".join(snippet.lines), SYNTAX[snippet.suffix]).lines
    head, tail = _kept_ends(lines) if snippet.length == "function" else (0, len(lines))
    return len(_boundaries(lines, head, tail)) >= max(BLOCKS[snippet.length]) - 1


def _apart(order: tuple[int, ...]) -> bool:
    return all(after != before + 1 for before, after in itertools.pairwise(order))


def _kept_ends(lines: Sequence[Line]) -> tuple[int, int]:
    """Where a function's body begins and ends: its head and its last bracket stay in their places."""
    begins = [number for number, line in enumerate(lines) if line.starts and number and _depth(line) > _depth(lines[0])]
    last = lines[-1].text.strip()
    closed = last[:1] in "})]" or last == "end"
    return (begins[0] if begins else 0), len(lines) - closed


def _cuts(lines: Sequence[Line], head: int, tail: int, blocks: int) -> list[int]:
    """The shallowest boundaries that suffice, and of those the ones nearest to equal parts."""
    boundaries = _boundaries(lines, head, tail)
    depths = sorted(_depth(lines[statement]) for statement, _ in boundaries)
    deepest = depths[blocks - 2]
    free = [cut for statement, cut in boundaries if _depth(lines[statement]) <= deepest]
    cuts = []
    for part in range(1, blocks):
        ideal = head + part * (tail - head) / blocks
        _, nearest = min((abs(cut - ideal), cut) for cut in free)
        free.remove(nearest)
        cuts.append(nearest)
    return sorted(cuts)


def _boundaries(lines: Sequence[Line], head: int, tail: int) -> list[tuple[int, int]]:
    """(line of a statement, where to cut before it): comments right above a statement belong to it."""
    found = []
    last_code = head
    for number in range(head + 1, tail):
        line = lines[number]
        before = lines[last_code]
        decorated = before.text.strip().startswith(("@", "#["))
        if line.code and line.starts and not line.inside and before.ends and not decorated:
            found.append((number, last_code + 1))
        if line.code:
            last_code = number
    return found


def _depth(line: Line) -> int:
    return len(line.indent.expandtabs(8))
