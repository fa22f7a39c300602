"""Indexes that are built without the command."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from winnow_ci import indexer
from winnow_ci.operations.indexing import addition_of

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from winnow_ci.indexer import BuildReport
    from winnow_ci.model import Source


def build(
    roots: Sequence[Path], output: Path, source: Source, parameters: dict[str, Any] | None = None, **options: Any
) -> BuildReport:
    """Add folders and archives to an index as one source; the options are those of ``indexer.add``."""
    with addition_of(roots, source) as addition:
        return indexer.add(addition, output, parameters or {}, **options)
