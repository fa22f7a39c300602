"""What a tag calls a version: ``v2.31.0``, ``requests-2.31.0`` and ``release/2.31.0`` are 2.31.0."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

_NOTHING_NEW = ("releases", "release", "rel", "version", "tags", "tag")
_BREAK = re.compile(r"[-_/@.\d]")
_NUMBER = re.compile(r"[vV]\.?(?=\d)")


def version_of(tag: str, project: str) -> str:
    """The version that a tag names: without the project's name, ``release`` or ``version``, and ``v``, before it.

    What would not leave a number at the beginning stays: ``requests-stable``, ``releases``.
    """
    rest = tag
    for word in (project, project.rpartition("/")[2], *_NOTHING_NEW):
        if rest.lower().startswith(word.lower()) and _BREAK.match(rest, len(word)):
            rest = rest[len(word) :].lstrip("-_/@.")
    version = _NUMBER.sub("", rest, count=1) if _NUMBER.match(rest) else rest
    return version if version[:1].isdecimal() else tag


def versions_of(tags: Sequence[str], project: str) -> list[str]:
    """The version of each tag; where several would have the same one, each of them is called as it is."""
    versions = [version_of(tag, project) for tag in tags]
    counts = Counter(versions)
    found = [tag if counts[version] > 1 else version for tag, version in zip(tags, versions, strict=True)]
    return found if len(set(found)) == len(found) else list(tags)
