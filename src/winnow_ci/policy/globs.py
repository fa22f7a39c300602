"""Globs without slashes, in time linear in the text.

The syntax is that of the standard library's fnmatch: ``*``, ``?``, ``[abc]``, ``[!abc]``; there is no escape
character, ``[*]`` stands for a star. Since Python 3.9 fnmatch translates each ``*`` into an atomic group, so that a
hostile pattern such as ``*a*a*a*a*b`` cannot make the matcher go back over its choices, as it can with pathspec
(https://github.com/cpburnz/python-pathspec/issues/131).
"""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Callable
from typing import TypeAlias

MAX_LENGTH = 1024

Glob: TypeAlias = Callable[[str], object]


def compiled(pattern: str) -> Glob:
    """The function that is true of the texts that the whole pattern matches; upper and lower case differ."""
    if any(character in pattern for character in "*?["):
        return re.compile(fnmatch.translate(pattern)).match
    return pattern.__eq__


def refuse_unfit(pattern: str) -> None:
    """Raise ValueError for a pattern that is empty, or too long to be one that a person wrote."""
    if not pattern:
        raise ValueError("a pattern must not be empty")
    if len(pattern) > MAX_LENGTH:
        raise ValueError(f"a pattern of {len(pattern):,} characters is longer than {MAX_LENGTH:,}")
