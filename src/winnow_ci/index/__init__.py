"""The index of known code: its stored format (``schema``), reading, writing, checking."""

from __future__ import annotations

from typing import TYPE_CHECKING

from winnow_ci.start_up import on_demand

HEAD, BLOCKS = ".head", ".blocks"
"""Endings of the two files of a folder of blocks (``block_folder``)."""

if TYPE_CHECKING:
    from winnow_ci.index.block_folder import BlockFolderStore, write_block_folder
    from winnow_ci.index.coding import PackedText, pack_map, pack_text
    from winnow_ci.index.journal import Journal
    from winnow_ci.index.lookup import KgramPlaces, known_files, places_of
    from winnow_ci.index.publishing import continuing, replacing
    from winnow_ci.index.reader import IndexReader
    from winnow_ci.index.rows import (
        ContentBatch,
        ContentRow,
        HeldFile,
        NewContent,
        SourceSummary,
        batched,
        display_source,
        stored_name,
    )
    from winnow_ci.index.schema import BOILERPLATE, CROWD, content_key
    from winnow_ci.index.store import rebuild_remedy
    from winnow_ci.index.verification import verify
    from winnow_ci.index.whole_index import WholeIndex
    from winnow_ci.index.writer import IndexDraft
else:
    __getattr__ = on_demand(
        __name__,
        block_folder="BlockFolderStore write_block_folder",
        coding="PackedText pack_map pack_text",
        journal="Journal",
        lookup="KgramPlaces known_files places_of",
        publishing="continuing replacing",
        reader="IndexReader",
        rows="ContentBatch ContentRow HeldFile NewContent SourceSummary batched display_source stored_name",
        schema="BOILERPLATE CROWD content_key",
        store="rebuild_remedy",
        verification="verify",
        whole_index="WholeIndex",
        writer="IndexDraft",
    )
