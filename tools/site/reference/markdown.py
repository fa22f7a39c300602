"""What is written in Markdown stays what it is."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

_MARKUP = re.compile(r"[\\`*_{}\[\]<>|#~$]")


def plain(text: str) -> str:
    """A text on one line, in which nothing is markup."""
    return _MARKUP.sub(r"\\\g<0>", " ".join(text.split()))


def code(text: str) -> str:
    """A text without backticks as code; in a table a bar would divide it."""
    return f"`{text}`".replace("|", r"\|")


def table(heading: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    """A table; its cells are Markdown."""
    lines = [heading, ("---",) * len(heading), *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)
