"""The index of known code: its stored format, reading, writing, checking."""

from winnow_ci.index.entries import Batch, Entry, batched
from winnow_ci.index.inventory import file_digests, files_of
from winnow_ci.index.journal import Journal
from winnow_ci.index.places import lookup
from winnow_ci.index.publishing import continuing, replacing
from winnow_ci.index.reader import IndexReader
from winnow_ci.index.rows import ContentRow, SourceSummary
from winnow_ci.index.schema import PackedText, content_key, pack_map, pack_text
from winnow_ci.index.sharing import SharedKgram, most_shared, owners
from winnow_ci.index.verify import verify
from winnow_ci.index.writer import IndexDraft

__all__ = [
    "Batch",
    "ContentRow",
    "Entry",
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
    "replacing",
    "verify",
]
