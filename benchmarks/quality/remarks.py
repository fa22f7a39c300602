"""The mutation that replaces all comments by others."""

from __future__ import annotations

from typing import TYPE_CHECKING

from grammars import GRAMMARS
from lexing import SYNTAX, lex
from structure import outline
from wording import remark

if TYPE_CHECKING:
    import random
    from collections.abc import Sequence

    from snippets import Snippet

GONE = "\0"


def recommented(snippet: Snippet, rng: random.Random, _: Sequence[str]) -> list[str]:
    """Comments and docstrings are gone, and other comments stand every two to four lines."""
    syntax = SYNTAX[snippet.suffix]
    bare = without_comments(snippet.lines, syntax)
    lines = outline("\n".join(bare), syntax).lines
    result: list[str] = []
    until_next = rng.randrange(3)
    for before, line in zip(("", *bare), lines, strict=False):
        if until_next <= 0 and not line.inside and not before.endswith("\\") and line.text.strip():
            result += [line.indent + said for said in _comment(rng, syntax)]
            until_next = rng.randint(2, 4)
        result.append(line.text)
        until_next -= 1
    return result


def without_comments(lines: Sequence[str], syntax: str) -> list[str]:
    """The lines without comments and docstrings; lines that held nothing else are gone."""
    parts = []
    for lexeme in lex("\n".join(lines), syntax):
        if lexeme.kind in ("comment", "doc"):
            parts.append("\n".join(GONE if part or not last else "" for part, last in _with_last(lexeme.text)))
        else:
            parts.append(lexeme.text)
    kept = []
    for line in "".join(parts).split("\n"):
        if GONE not in line:
            kept.append(line)
        elif line.replace(GONE, "").strip():
            kept.append(line.replace(GONE, "").rstrip())
    return kept


def _with_last(text: str) -> list[tuple[str, bool]]:
    parts = text.split("\n")
    return [(part, number == len(parts) - 1) for number, part in enumerate(parts)]


def _comment(rng: random.Random, syntax: str) -> list[str]:
    said = remark(rng)
    if GRAMMARS[syntax].hash_comments:
        return [f"# {said}"]
    return rng.choice(([f"// {said}"], [f"/* {said} */"], ["/*", f" * {said}", " */"]))
