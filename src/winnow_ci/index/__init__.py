"""The index of known code: its stored format, reading, writing, checking."""

from winnow_ci.index.places import lookup
from winnow_ci.index.publishing import replacing
from winnow_ci.index.reader import ContentRow, IndexReader, SourceSummary
from winnow_ci.index.schema import PackedText, content_key, pack_map, pack_text
from winnow_ci.index.verify import verify
from winnow_ci.index.writer import Entry, IndexDraft

__all__ = [
    "ContentRow",
    "Entry",
    "IndexDraft",
    "IndexReader",
    "PackedText",
    "SourceSummary",
    "content_key",
    "lookup",
    "pack_map",
    "pack_text",
    "replacing",
    "verify",
]
