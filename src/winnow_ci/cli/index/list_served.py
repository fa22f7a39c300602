"""``winnow-ci index list`` of an index on a server: its sources, and the name to pin it by.

How much each source has would take reading all of the index; that is for ``index list`` of its file.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from winnow_ci.cli.index.listing import document, source_cells, source_document
from winnow_ci.report.printable import json_text, name, table

if TYPE_CHECKING:
    from winnow_ci.config.index_reference import ServedIndex

_HEADING = ("SOURCE", "VERSION", "LICENCE", "FROM", "URL")


def show(place: ServedIndex, *, as_json: bool) -> None:
    """Print what a server has under a name; without a root, what is current there.

    Raises:
        IndexFileError: the server cannot be asked, or has no such index.
    """
    from winnow_ci.operations.named_indexes import opened, with_root

    with opened(with_root(place)) as index:
        pinned = place.pinned(index.digest)
        if as_json:
            unknown = dict.fromkeys(("files", "whole_files", "fingerprints", "bytes", "text"))
            sources = [{**source_document(source), **unknown} for source in index.sources]
            print(json_text(document(index, str(pinned), None, sources)), end="")
            return
        rows = ((*source_cells(source), source.url or "-") for source in index.sources)
        print(table([_HEADING, *rows]))
        print(f"{index.postings:,} fingerprints, {index.parameters.described(', ')}, digest {index.digest}")
        print(name(str(pinned)))
