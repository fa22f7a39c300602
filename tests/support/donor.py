"""Known code for the tests of the command, and changes that copy from it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from support.cases import code

if TYPE_CHECKING:
    from pathlib import Path

ROUTES, LOGS = code("routes.py"), code("logs.py")

KNOWN = {"roads/routes.py": ROUTES, "roads/logs.py": LOGS}
"""The files of a source."""

INNOCENT, PLAN = code("greetings.py"), code("plan.py")

_NAMES = {
    "merge_closures": "fuse",
    "closures": "reservations",
    "tolerance": "slack",
    "merged": "joined",
    "begin": "opens",
    "end": "shuts",
    "previous_begin": "earlier",
    "previous_end": "later",
    "total": "amount",
    "longest": "widest",
    "span": "pair",
}


def write_known(folder: Path) -> Path:
    """Write the files of the source into a folder."""
    for name, text in KNOWN.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return folder


class Excerpt(NamedTuple):
    """A function of known code: its text, and the lines that it stands on."""

    text: str
    first: int
    last: int


def excerpt(name: str, source: str = ROUTES) -> Excerpt:
    """The function of that name."""
    start = source.index(f"def {name}(")
    end = source.find("\n\n\n", start)
    text = source[start : end + 1 if end >= 0 else len(source)]
    first = source.count("\n", 0, start) + 1
    return Excerpt(text, first, first + text.count("\n") - 1)


def renamed(text: str) -> str:
    """The text with other names of its own, and another description."""
    text = re.sub(r'""".*?"""', '"""Combine what overlaps."""', text)
    return re.sub(r"\w+", lambda word: _NAMES.get(word[0], word[0]), text)


SHORTEST_ROUTE = excerpt("shortest_route")
MERGE_CLOSURES = excerpt("merge_closures")
DISTRICTS = excerpt("districts")

BASE = {"src/plan.py": PLAN}
"""What the default branch of a repository has."""

CHANGE = {
    "src/bookings.py": "LIMIT = 30\n\n\n" + renamed(MERGE_CLOSURES.text),
    "src/greetings.py": INNOCENT,
    "src/plan.py": PLAN + "\n\n" + SHORTEST_ROUTE.text,
}
"""What a branch has: a renamed copy, nothing copied, and a verbatim copy below lines that were there."""
