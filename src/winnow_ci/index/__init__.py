"""The index of known code: its stored format, reading, writing, checking.

What only a build or a check needs is imported when it is asked for: a commit hook pays for every import.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from winnow_ci.index.places import Found, lookup
from winnow_ci.index.reader import IndexReader
from winnow_ci.index.remaking import remedy
from winnow_ci.index.rows import ContentRow, SourceSummary
from winnow_ci.index.schema import BOILERPLATE, PackedText, content_key, pack_map, pack_text
from winnow_ci.index.versions import stored_name, told

if TYPE_CHECKING:
    from winnow_ci.index.entries import Batch, Entry, batched
    from winnow_ci.index.inventory import file_digests, files_of
    from winnow_ci.index.journal import Journal
    from winnow_ci.index.publishing import continuing, replacing
    from winnow_ci.index.sharing import SharedKgram, most_shared, owners
    from winnow_ci.index.verify import verify
    from winnow_ci.index.writer import IndexDraft

__all__ = [
    "BOILERPLATE",
    "Batch",
    "ContentRow",
    "Entry",
    "Found",
    "IndexDraft",
    "IndexReader",
    "Journal",
    "PackedText",
    "SharedKgram",
    "SourceSummary",
    "batched",
    "content_key",
    "continuing",
    "file_digests",
    "files_of",
    "lookup",
    "most_shared",
    "owners",
    "pack_map",
    "pack_text",
    "remedy",
    "replacing",
    "stored_name",
    "told",
    "verify",
]

_LATER = {
    **dict.fromkeys(("Batch", "Entry", "batched"), "entries"),
    "Journal": "journal",
    **dict.fromkeys(("continuing", "replacing"), "publishing"),
    **dict.fromkeys(("file_digests", "files_of"), "inventory"),
    **dict.fromkeys(("SharedKgram", "most_shared", "owners"), "sharing"),
    "verify": "verify",
    "IndexDraft": "writer",
}


def __getattr__(name: str) -> Any:
    if name not in _LATER:
        msg = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(msg)
    found = getattr(importlib.import_module(f"{__name__}.{_LATER[name]}"), name)
    # In the place of the module ``verify``, too, which the import has put there.
    globals()[name] = found
    return found
