"""Runs of tokens that two files share, compared exactly. A module of its own, since no commit hook needs it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from winnow_ci.named_tuples import NamedTuple

if TYPE_CHECKING:
    from winnow_ci.model import LineRange


class ExactRun(NamedTuple):
    """A run of tokens that two files share.

    Attributes:
        tokens: how many.
        lines: of the one.
        lines_there: of the other.
    """

    tokens: int
    lines: LineRange
    lines_there: LineRange


class ExactRuns(NamedTuple):
    """The longest runs that two files share; None if they share no token.

    Attributes:
        equal: of tokens with the same text.
        renamed: of tokens of the same structure, in which names, numbers and strings correspond one to one.
    """

    equal: ExactRun | None
    renamed: ExactRun | None
