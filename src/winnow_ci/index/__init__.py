"""The index of known code: its stored format, reading, writing, checking.

Modules that only a build or a check needs are imported on first use: a commit hook pays for every import.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from winnow_ci.index.lookup import KgramPlaces, known_files, places_of
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
from winnow_ci.index.whole_index import WholeIndex

if TYPE_CHECKING:
    from winnow_ci.index.assembly import HeldFile
    from winnow_ci.index.inventory import SharedKgram, file_digests, files_of, most_shared, owners_of
    from winnow_ci.index.journal import Journal
    from winnow_ci.index.publishing import continuing, replacing
    from winnow_ci.index.verify import verify
    from winnow_ci.index.writer import IndexDraft

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

_LATER = {
    "Journal": "journal",
    **dict.fromkeys(("continuing", "replacing"), "publishing"),
    **dict.fromkeys(("SharedKgram", "file_digests", "files_of", "most_shared", "owners_of"), "inventory"),
    "verify": "verify",
    "IndexDraft": "writer",
    "HeldFile": "assembly",
}


def __getattr__(name: str) -> Any:
    if name not in _LATER:
        msg = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(msg)
    found = getattr(importlib.import_module(f"{__name__}.{_LATER[name]}"), name)
    # This also replaces the module ``verify``, which the import has put there.
    globals()[name] = found
    return found
