"""What a reader can do about a finding, which depends on where the report is read."""

from __future__ import annotations

from typing import Literal, TypeAlias

from winnow_ci.named_tuples import NamedTuple

BaselineInForce: TypeAlias = Literal["here", "base", "server"]
"""Whose baseline judges a change: that of the work tree, of the branch that it is for, or of the server."""
REASON_HERE = "TEXT"
"""Stands for the reason in a command that is printed; ``approve`` does not take it for one."""


class Advice(NamedTuple):
    """What is true where a report is read.

    The author of a change reads the log of a CI, but works in another clone.

    Attributes:
        options: those with which ``explain`` and ``approve`` look at the same change in the same indexes.
        comments: whether a comment that the reader adds above a copy would allow it.
        baseline: where an entry of the baseline has to be to count.
        commands: whether ``explain`` and ``approve`` can look at the same again.
    """

    options: tuple[str, ...] = ()
    comments: bool = True
    baseline: BaselineInForce = "here"
    commands: bool = True
