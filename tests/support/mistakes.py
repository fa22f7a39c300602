"""Mistakes that people make in their files: ``tests/config/mistakes``, each with what the program says of it.

Below the text of a file stands the line that the message names, a part of the message and, after an arrow, a part of
the advice. ``!!`` instead of ``!`` marks what only the program refuses, and not the document of JSON Schema::

    policy: {denny: []}
    ! 1: unknown key 'denny' -> did you mean deny?
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

FOLDER = Path(__file__).parents[1] / "config" / "mistakes"
_MISTAKE = re.compile(
    r"(?P<text>.*?)^(?P<marks>!!?) (?P<line>\d+): (?P<problem>.*?)(?: -> (?P<remedy>.*?))?\n\n?",
    re.MULTILINE | re.DOTALL,
)


class Mistake(NamedTuple):
    """A file with a mistake."""

    text: str
    line: int
    problem: str
    remedy: str
    only_the_program: bool


def mistakes(name: str) -> list[Mistake]:
    """The mistakes of a kind of file: baseline, manifest or settings."""
    content = (FOLDER / f"{name}.txt").read_text(encoding="utf-8")
    found = list(_MISTAKE.finditer(content))
    assert "".join(one[0] for one in found) == content
    return [
        Mistake(one["text"], int(one["line"]), one["problem"], one["remedy"] or "", one["marks"] == "!!")
        for one in found
    ]
