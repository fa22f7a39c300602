"""What somebody may have meant who wrote a word that nobody knows."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

_LONGEST = 100
_ALIKE = 0.65
# Endings of files are alike whatever else is.
_ALIKE_FILES = 0.8
# What is compared grows with it; an index has thousands of sources, a repository of branches.
_MOST = 10_000


def nearest(given: str, known: Iterable[str], alike: float = _ALIKE) -> str | None:
    """The known word that is most like the given one; None if none is like it.

    Args:
        given: what somebody wrote.
        known: the words that there are. One with the same letters in another order, as in ``scna``, is the nearest.
        alike: how much of the two must agree otherwise, from 0 to 1, as ``difflib`` counts it (Ratcliff and Obershelp).
    """
    import difflib  # noqa: PLC0415 - only mistakes need it

    words, written = list(known)[:_MOST], given[:_LONGEST]
    for word in words:
        if sorted(word) == sorted(written):
            return word
    return next(iter(difflib.get_close_matches(written, words, 1, alike)), None)


def nearest_file(path: Path) -> Path | None:
    """Another file or folder, beside what a path names, whose name is most like it."""
    try:
        names = sorted(one.name for one in path.parent.iterdir() if one.name != path.name)
    except (OSError, ValueError):
        return None
    near = nearest(path.name, names, _ALIKE_FILES)
    return path.with_name(near) if near else None


def did_you_mean(given: str, known: Iterable[str], otherwise: str) -> str:
    """A remedy: the word that may have been meant or, if there is none, another advice."""
    near = nearest(given, known)
    return otherwise if near is None else f"did you mean {near}?"
