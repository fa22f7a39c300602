"""Texts of known files that an index does not keep: who makes a report is told which ones it needs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, TypeAlias

from winnow_ci.named_tuples import NamedTuple

if TYPE_CHECKING:
    from winnow_ci.model import SourceFile
    from winnow_ci.model.findings import KnownContent


class NeededText(NamedTuple):
    """A content of an index whose text is needed, and a known file that has it."""

    content: KnownContent
    file: SourceFile


TextSupply: TypeAlias = Callable[[Sequence[NeededText]], Mapping[str, bytes]]
"""Gives the bytes of those contents that it finds, by key; each has been checked against its key."""


def no_texts(_: Sequence[NeededText]) -> Mapping[str, bytes]:
    """Find nothing, for reports that do not show a source's code."""
    return {}
