"""Find lines that are no evidence: lines that everybody writes, and rows of one shape.

``#define min(a, b) ((a) < (b) ? (a) : (b))``, ``<meta charset="utf-8">``, the helpers that a compiler puts into its
output: some of their names may be rare, but many projects have the whole line, word for word. Such a line is no
evidence. Nor is one that generators write into everybody's files, such as the head of a message catalogue:
``tools/tables`` has these as texts.

Tables of calls, options, requires and registrations are *rows* of one shape. Each row of such a table has its own
names, and two tables of one shape that nobody copied have hundreds of them side by side: some look equal by chance,
since an index knows a name by one byte. So the names and literals of a row do not count if the rows before it
have its shape. The first few rows count in full.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from winnow_ci.evidence.tables import is_common
from winnow_ci.named_tuples import NamedTuple
from winnow_ci.native import kernel
from winnow_ci.winnowing import run_hashes

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from winnow_ci.model import Tokens

# A shorter line is hardly any evidence by itself.
LEAST_ON_A_LINE = 4
# A line is a further row if ``ROWS_ALIKE`` of the ``BEFORE`` lines before it have its shape.
ROWS_ALIKE = 4
BEFORE = 6


class LineHashes(NamedTuple):
    """The lines of a document on which some tokens begin; arrays with one element a line.

    Attributes:
        hashes: uint64; of the text of its tokens.
        starts: int64; its first token.
        lengths: int64; how many tokens begin on it.
    """

    hashes: NDArray[np.uint64]
    starts: NDArray[np.int64]
    lengths: NDArray[np.int64]


def line_hashes(tokens: Tokens, shortest: int = LEAST_ON_A_LINE) -> LineHashes:
    """Hash the lines on which at least ``shortest`` tokens begin."""
    if native := kernel():
        return LineHashes(*native.line_hashes(tokens, shortest))
    starts = np.flatnonzero(np.diff(tokens.first_lines, prepend=-1))
    lengths = np.diff(starts, append=len(tokens))
    long = lengths >= shortest
    return LineHashes(run_hashes(tokens.verbatim, starts)[long], starts[long], lengths[long])


def on_common_lines(tokens: Tokens) -> NDArray[np.bool_]:
    """Which tokens begin on a line that several of the learnt projects have: bool, one a token."""
    lines = line_hashes(tokens)
    common = is_common(lines.hashes)
    change = np.zeros(len(tokens) + 1, np.int8)
    starts = lines.starts[common]
    change[starts] = 1
    change[starts + lines.lengths[common]] -= 1
    return np.asarray(change[:-1].cumsum() > 0, np.bool_)


def in_further_rows(tokens: Tokens) -> NDArray[np.bool_]:
    """Return which tokens stand on a further row: bool, one a token."""
    if not len(tokens):
        return np.empty(0, np.bool_)
    starts = np.flatnonzero(np.diff(tokens.first_lines, prepend=-1))
    lengths = np.diff(starts, append=len(tokens))
    shapes = run_hashes(tokens.structural, starts)
    same = np.zeros(len(shapes), np.int64)
    for distance in range(1, min(BEFORE, len(shapes) - 1) + 1):
        same[distance:] += shapes[distance:] == shapes[:-distance]
    return np.repeat(same >= ROWS_ALIKE, lengths)
