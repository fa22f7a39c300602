"""Texts of known files that an index does not keep: who makes a report is told which ones it needs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

if TYPE_CHECKING:
    from winnow_ci.model import SourceFile
    from winnow_ci.model.findings import KnownContent


class NeededText(NamedTuple):
    """A content of an index whose text is needed, and a known file that has it."""

    content: KnownContent
    file: SourceFile


class FoundTexts(NamedTuple):
    """What was found of the texts that are needed.

    Attributes:
        texts: the bytes of contents, by key; each has been checked against its key.
        notices: how to have those that are not here.
    """

    texts: Mapping[str, bytes]
    notices: tuple[str, ...] = ()


TextSupply: TypeAlias = Callable[[Sequence[NeededText]], FoundTexts]


def no_texts(_: Sequence[NeededText]) -> FoundTexts:
    """Find nothing, for reports that do not show a source's code."""
    return FoundTexts({})
