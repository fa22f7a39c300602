"""What may be a copy: segments of a change that match a content, with what is judged of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from winnow_ci.matching.shared_phrases import PhraseBits
from winnow_ci.named_tuples import NamedTuple

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from winnow_ci.matching.layout import Layout
    from winnow_ci.matching.segments import Segment

NOTHING_SAID = PhraseBits()


class Candidate(NamedTuple):
    """Segments that may be a copy.

    Attributes:
        segments: what matches, ordered by start.
        here: int64, rising; numbers of the matched tokens in the change.
        there: uint8; sketches of the tokens of the source that they match.
        layout: how the lines of both sides agree.
        by_text: whether its seeds carry information only as text.
        said: the worth of the phrases that both sides have there.
    """

    segments: tuple[Segment, ...]
    here: NDArray[np.int64]
    there: NDArray[np.uint8]
    layout: Layout
    by_text: bool = False
    said: PhraseBits = NOTHING_SAID

    @property
    def span(self) -> tuple[int, int]:
        """The tokens of the change, from the first to the last."""
        return self.segments[0].start, self.segments[-1].end

    @property
    def span_there(self) -> tuple[int, int]:
        """The tokens of the content, from the first to the last."""
        spans = [part.span_there for part in self.segments]
        return min(start for start, _ in spans), max(end for _, end in spans)

    @property
    def longest(self) -> int:
        """Length of the longest segment."""
        return max(part.end - part.start for part in self.segments)
