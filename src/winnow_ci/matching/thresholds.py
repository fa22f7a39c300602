"""Numbers that several steps of matching share."""

from __future__ import annotations

from winnow_ci.named_tuples import NamedTuple

# A candidate of a lower score, in bits (``judge``), is not looked at further.
LEAST_SCORE = 40.0
# With at least this share of equal text, a match is a verbatim copy with a few edits.
SAME_TEXT = 0.95
# A name or literal that says fewer bits is not counted.
RARE = 3.0
# The first tokens of a match are worth nothing: a token says something only after the three before it.
CONTEXT = 3
# In bits: what all phrases of a candidate say at most.
MOST_OF_ALL = 50.0
# What the bits of equal text are multiplied by.
SAME = 1.2


class Thresholds(NamedTuple):
    """The least number of matched tokens on added lines for a region to be reported.

    Attributes:
        verbatim: of a verbatim one.
        renamed: of a renamed one; None if only equal text is evidence, as in prose.
    """

    verbatim: int = 16
    renamed: int | None = 16
