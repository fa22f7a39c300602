"""The result of an experiment: tables in Markdown, and plots."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


class ExperimentResult(NamedTuple):
    """The outcome of an experiment.

    Attributes:
        text: Markdown.
        plots: SVG by file name.
    """

    text: str
    plots: dict[str, str]


def table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A table of Markdown; the first column is to the left, all others to the right."""
    lines = [head, ["---"] + ["---:"] * (len(head) - 1), *rows]
    return "\n".join(f"| {' | '.join(map(str, line))} |" for line in lines)
