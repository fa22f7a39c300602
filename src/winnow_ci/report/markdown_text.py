r"""Names and code of others in GitHub-flavoured Markdown, where they are never markup.

Names stand in code spans, where nothing is a link, a mention or HTML; in them ``|``, ``<`` and backticks are written as
escapes (``\x7c``), since programs disagree on what a backslash before them does. Code stands in fences longer than any
run of backticks in it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from winnow_ci.report import printable, wording

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

LONGEST_NAME = 200
_ACTIVE = re.compile(r"[`|<]")
_BACKTICKS = re.compile("`+")


def span(name: str) -> str:
    """A name in a code span, on one line."""
    # Cut before escaping as well as after, since there may be many long names.
    short = wording.cut(printable.name(name[: LONGEST_NAME + 1]), LONGEST_NAME)
    shown = _ACTIVE.sub(lambda active: f"\\x{ord(active[0]):02x}", short)
    return f"`{shown}`" if shown else "(no name)"


def linked(text: str, address: str | None) -> str:
    """Text that is Markdown already, as a link if there is an address.

    The functions of ``report.addresses`` leave no brackets, quotation marks and spaces in it, so that nothing ends it.
    """
    return text if address is None else f"[{text}]({address})"


def fenced(lines: Sequence[str]) -> str:
    """Lines of code, each of which is harmless on a line of its own."""
    longest = max((len(run) for line in lines for run in _BACKTICKS.findall(line)), default=0)
    fence = "`" * max(longest + 1, 3)
    return "\n".join([fence, *lines, fence])


def row(cells: Iterable[str]) -> str:
    """The line of a table with these cells, which are Markdown already."""
    return f"| {' | '.join(cells)} |"


def table(heading: Sequence[str], rows: Iterable[str]) -> str:
    """A table of rows."""
    return "\n".join([row(heading), "|---" * len(heading) + "|", *rows])
