"""What a match covers of its file: tokens, lines, and what they are worth."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from winnow_ci.evidence.model import evidence_model
from winnow_ci.matching import SAME_GAIN
from winnow_ci.matching.region_tokens import part_with, region_tokens
from winnow_ci.named_tuples import NamedTuple

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from winnow_ci.model import LineRange, Tokens
    from winnow_ci.scanner.values import Match

# Shorter runs of equal text do not mean that a match has the text.
LEAST_RUN = 8


class Reach(NamedTuple):
    """What a match covers.

    Attributes:
        match: the match.
        here: int64, rising; its tokens of the change.
        same: bool, one a token; whether the source has the same text.
        lines: int64, rising; the lines on which these tokens begin.
        counts: int64, one a line; number of tokens.
        weights: int64, one a line; what the tokens are worth, as in ``score``.
    """

    match: Match
    here: NDArray[np.int64]
    same: NDArray[np.bool_]
    lines: NDArray[np.int64]
    counts: NDArray[np.int64]
    weights: NDArray[np.int64]

    @property
    def is_verbatim(self) -> bool:
        """Whether nearly all of it has the source's text."""
        return self.match.region.kind == "verbatim"

    @property
    def telling(self) -> NDArray[np.bool_]:
        """The tokens that make it a copy of its kind: bool, one a token."""
        return self.same if self.is_verbatim else np.ones(len(self.here), np.bool_)

    def is_evidence(self, which: NDArray[np.bool_]) -> bool:
        """Whether it is a copy with some of its lines only; bool, one a line."""
        if self.is_verbatim:
            return True
        part = part_with(self.match.region, np.repeat(which, self.counts))
        return part is not None and evidence_model().is_reported(part)

    def count(self, lines: LineRange) -> int:
        """How many tokens it has on these lines."""
        return int(self.counts[(self.lines >= lines.first) & (self.lines <= lines.last)].sum())

    @property
    def texts(self) -> NDArray[np.int64]:
        """The tokens in runs of equal text: single ones are often equal in code of the same shape."""
        starts, ends = np.flatnonzero(np.diff(self.same, prepend=False, append=False)).reshape(-1, 2).T
        long = ends - starts >= LEAST_RUN
        runs = zip(starts[long].tolist(), ends[long].tolist(), strict=True)
        return np.concatenate([np.empty(0, np.int64), *(self.here[start:end] for start, end in runs)])


def reach_of(match: Match, tokens: Tokens) -> Reach:
    """What a match covers of the tokens of its file."""
    here, _, same = region_tokens(match.region)
    lines, counts = np.unique(tokens.first_lines[here], return_counts=True)
    texts = np.bincount(np.searchsorted(lines, tokens.first_lines[here[same]]), minlength=len(lines))
    return Reach(match, here, same, lines.astype(np.int64), counts, counts + SAME_GAIN * texts)
