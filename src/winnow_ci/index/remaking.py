"""What to do where an index is missing or cannot be used."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

MANIFEST = "sources.yml"


def remedy(index: Path, otherwise: str, *, is_there: bool = True) -> str:
    """How to make an index again: of the manifest, if there is one beside it.

    Args:
        index: the index.
        otherwise: what to do without a manifest.
        is_there: whether a file is in its place that nothing writes over.
    """
    if not index.with_name(MANIFEST).is_file():
        return otherwise
    return f"{'delete it, then ' if is_there else ''}make it of its manifest: winnow-ci index sync"
