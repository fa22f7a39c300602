"""Code that was text: lines that a change leaves alone, and makes code.

A change that removes the marks around a comment or string, or gives a file another language, adds hardly a line. But
the lines between were not read as code before, or not as code of this language. They count as added.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from winnow_ci.arrays import among
from winnow_ci.evidence import line_hashes
from winnow_ci.languages import Untokenizable, front_end_of, keeps_reading, language_of, normalise
from winnow_ci.scanner.added import marked_in, ranges_of
from winnow_ci.scanner.earlier_readings import earlier_readings

if TYPE_CHECKING:
    from winnow_ci.languages import FrontEnd
    from winnow_ci.model import Change, LineRange, Tokens


def added_or_uncovered(change: Change, language: str, front_end: FrontEnd, tokens: Tokens) -> tuple[LineRange, ...]:
    """The lines that a change adds or makes code.

    Args:
        change: the changed file.
        language: its language.
        front_end: what made the tokens.
        tokens: its tokens.
    """
    if not change.old or not len(tokens):
        return change.added
    try:
        was, new = normalise(change.old), normalise(change.content)
        language_was = language_of(change.path, change.old)
        if language_was == language and keeps_reading(language, was, new, change.added, careful=tokens.careful):
            return change.added
        found = earlier_readings(language_was, change.old, front_end.alphabets) if language_was else ()
        earlier = next(iter(found), None)
    except Untokenizable:
        earlier = None
    known = np.sort(line_hashes(earlier.tokens, 1).hashes) if earlier else np.empty(0, np.uint64)
    own = line_hashes(tokens, 1)
    lines = tokens.first_lines[own.starts]
    is_added = marked_in(change.added, max(int(lines[-1]), *(last for _, last in change.added), 0))
    is_added[lines[~among(own.hashes, known)] - 1] = True
    return ranges_of(np.flatnonzero(is_added) + 1)


def shares_alphabet(language: str, other: str) -> bool:
    """Whether code in one language may be known as code in another."""
    return bool(front_end_of(language).alphabets & front_end_of(other).alphabets)
