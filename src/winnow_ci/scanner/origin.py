"""Which of several places of the same code a person would name as its origin.

Among places that match a stretch about equally well, these come first, in this order:

1. a place that is no copy itself: not in a folder for third-party code (``vendor``, ``node_modules`` …), and not below
   a folder that is named like another of the sources (``pip/_vendor/requests/api.py`` beside the source ``requests``);
2. a file of the same name as the changed one: who copies a file seldom gives it another name;
3. the source that covers most of the whole change;
4. the newest version, which is the one that people copy from today;
5. the file that has most of the tokens: two that say the same may differ in closing brackets;
6. the file that is nearest to the top of its source.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from winnow_ci.named_tuples import NamedTuple
from winnow_ci.start_up import compiled_on_use

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from winnow_ci.model import Place
    from winnow_ci.scanner.values import Match

OTHERS_CODE = frozenset(
    """3rdparty bower-components extern external externals node-modules site-packages third-party thirdparty
    vendor vendored vendors""".split()
)
_VERSIONED = compiled_on_use(r"(.*?)-v?(\d.*)")
_PART = compiled_on_use(r"(\d+)|([a-z]+)")
_VersionKey: TypeAlias = tuple[tuple[float, int, str], ...]


class OriginRank(NamedTuple):
    """Sort key of a place: the likeliest origin first; the fields stand in the order of their weight."""

    embedded: bool
    other_name: bool
    less_coverage: int
    project: str
    older: _VersionKey
    less_matched: int
    depth: int
    name: str
    path: str


def origin(place: Place, match: Match, coverage: Mapping[str, int], sources: Iterable[str]) -> OriginRank:
    """Rank a place.

    Args:
        place: a place of the code.
        match: that it is a place of.
        coverage: tokens of the change that each source has.
        sources: names of all sources that have the code.
    """
    file, source = place.file, place.file.source
    *folders, base = file.path.split("/")
    project, numbers = _project(source.name)
    others = {_project(name)[0] for name in sources} - {project}
    return OriginRank(
        embedded=any(_project(folder)[0] in OTHERS_CODE | others for folder in folders),
        other_name=base != match.path.rpartition("/")[2],
        less_coverage=-coverage.get(source.name, 0),
        project=project,
        older=newest_first(source.version or numbers),
        less_matched=-match.region.matched,
        depth=len(folders),
        name=source.name,
        path=file.path,
    )


def newest_first(version: str | None) -> _VersionKey:
    """Sorts versions by their numbers, the newest first: 2.10, 2.9, 2.9rc1, none."""
    if not version:
        return ((2.0, 0, ""),)
    parts = (
        (0.0, -int(number[:18]), "") if number else (1.0, 0, letters)
        for number, letters in _PART.findall(version.lower().removeprefix("v"))
    )
    # A version that ends here is older than one that goes on with a number, and newer than one that goes on with "rc".
    return (*parts, (0.5, 0, ""))


def _project(name: str) -> tuple[str, str]:
    """The project that a source or a folder is named after, and its version: ``Zlib-1.3`` is zlib, 1.3."""
    plain = name.lower().lstrip("._").replace("_", "-")
    parts = _VERSIONED.fullmatch(plain)
    return (parts[1], parts[2]) if parts else (plain, "")
