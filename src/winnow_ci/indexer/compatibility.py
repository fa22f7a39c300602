"""Whether indexes can be compared with code that this version reads, and with each other."""

from __future__ import annotations

from typing import TYPE_CHECKING

from winnow_ci.errors import IndexFileError
from winnow_ci.evidence import tables_digest
from winnow_ci.index import rebuild_remedy
from winnow_ci.languages import revisions

if TYPE_CHECKING:
    from collections.abc import Sequence

    from winnow_ci.index import WholeIndex


def check_current(index: WholeIndex) -> None:
    """Refuse an index that this version can neither scan with nor add to.

    Raises:
        IndexFileError: it was made by other revisions of the front ends, or with other learnt tables.
    """
    if reason := staleness(index):
        again = "build it again from all its sources, in a new place: winnow-ci index build DIR --output INDEX"
        raise IndexFileError(
            f"{index.path} {reason}", rebuild_remedy(index.path, f"{again} --name NAME", is_there=False)
        )


def staleness(index: WholeIndex) -> str | None:
    """Why an index cannot be compared with code that this version reads; None if it can."""
    current = revisions()
    for name, revision in sorted(index.front_ends.items()):
        if current.get(name) != revision:
            here = f"this is revision {current[name]}" if name in current else "this winnow-ci has none of that name"
            return f"was made with revision {revision} of the {name} front end, {here}"
    if index.tables != (ours := tables_digest()):
        return f"was made with revision {index.tables[:12]} of the learnt tables, this is revision {ours[:12]}"
    return None


def check_alike(indexes: Sequence[WholeIndex]) -> None:
    """Refuse to merge indexes that were made in different ways.

    Raises:
        IndexFileError: two have different parameters, or one is not current.
    """
    first, *others = indexes
    for other in others:
        if other.parameters != first.parameters:
            one, another = first.parameters.described(), other.parameters.described()
            msg = f"{first.path} was made with {one}, {other.path} with {another}"
            again = "build one of them again with the other's -k, -w and --selection"
            raise IndexFileError(msg, f"{again}: winnow-ci index build")
    # Agreement among them is not enough: where one lacks a front end, another front end may have read such code.
    for index in indexes:
        check_current(index)
