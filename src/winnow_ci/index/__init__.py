"""The index of known code: its stored format, reading, writing, checking."""

from __future__ import annotations

from typing import TYPE_CHECKING

from winnow_ci.start_up import on_demand

if TYPE_CHECKING:
    from winnow_ci.index.assembly import HeldFile
    from winnow_ci.index.inventory import SharedKgram, file_digests, files_of, most_shared, owners_of
    from winnow_ci.index.journal import Journal
    from winnow_ci.index.lookup import KgramPlaces, known_files, places_of
    from winnow_ci.index.publishing import continuing, replacing
    from winnow_ci.index.reader import IndexReader
    from winnow_ci.index.rows import (
        ContentBatch,
        ContentRow,
        NewContent,
        SourceSummary,
        batched,
        display_source,
        stored_name,
    )
    from winnow_ci.index.schema import BOILERPLATE, CROWD, PackedMap, PackedText, content_key, pack_map, pack_text
    from winnow_ci.index.sqlite_store import rebuild_remedy
    from winnow_ci.index.verify import verify
    from winnow_ci.index.whole_index import WholeIndex
    from winnow_ci.index.writer import IndexDraft
else:
    __getattr__ = on_demand(
        __name__,
        assembly="HeldFile",
        inventory="SharedKgram file_digests files_of most_shared owners_of",
        journal="Journal",
        lookup="KgramPlaces known_files places_of",
        publishing="continuing replacing",
        reader="IndexReader",
        rows="ContentBatch ContentRow NewContent SourceSummary batched display_source stored_name",
        schema="BOILERPLATE CROWD PackedMap PackedText content_key pack_map pack_text",
        sqlite_store="rebuild_remedy",
        verify="verify",
        whole_index="WholeIndex",
        writer="IndexDraft",
    )

__all__ = [
    "BOILERPLATE",
    "CROWD",
    "ContentBatch",
    "ContentRow",
    "HeldFile",
    "IndexDraft",
    "IndexReader",
    "Journal",
    "KgramPlaces",
    "NewContent",
    "PackedMap",
    "PackedText",
    "SharedKgram",
    "SourceSummary",
    "WholeIndex",
    "batched",
    "content_key",
    "continuing",
    "display_source",
    "file_digests",
    "files_of",
    "known_files",
    "most_shared",
    "owners_of",
    "pack_map",
    "pack_text",
    "places_of",
    "rebuild_remedy",
    "replacing",
    "stored_name",
    "verify",
]
