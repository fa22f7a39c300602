"""What the base had, as tokens: a scan asks for them up to three times.

First to tell which lines of a file were no code before (``uncovered``), then whether what matches was there
(``moved_code``): in the files that the change replaces, and in those that hold a line of a match, which are often the
same ones. So the last few short texts are kept. The files of a commit's change are few and short; of a longer change
all but the last are read anew, so that memory does not grow with it.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from winnow_ci.languages import front_ends_of, readings

if TYPE_CHECKING:
    from collections.abc import Iterable
    from collections.abc import Set as AbstractSet

    from winnow_ci.languages import TokenizedContent

# How many contents are kept, and how long one may be, in bytes.
MOST_KEPT = 32
LONGEST_KEPT = 1 << 16


def earlier_readings(language: str, content: bytes, wanted: AbstractSet[str]) -> Iterable[TokenizedContent]:
    """``languages.readings`` of a content of the base.

    Raises:
        Untokenizable, LexerError: as there.
    """
    if len(content) > LONGEST_KEPT:
        return readings(language, content, wanted)
    # What the files of a batch ask for together may be more than a language has.
    alphabets = frozenset[str]().union(*(front_end.alphabets for front_end in front_ends_of(language)))
    return _kept(language, content, alphabets & wanted)


@lru_cache(MOST_KEPT)
def _kept(language: str, content: bytes, wanted: frozenset[str]) -> tuple[TokenizedContent, ...]:
    return tuple(readings(language, content, wanted))
