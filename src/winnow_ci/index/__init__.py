"""The index of known code: its stored format (``schema``), reading, writing, checking."""

from __future__ import annotations

from typing import TYPE_CHECKING

from winnow_ci.start_up import on_demand

HEAD, BLOCKS = ".head", ".blocks"
"""Endings of the two files of a folder of blocks (``block_folder``)."""

if TYPE_CHECKING:
    from winnow_ci.index.block_folder import *
    from winnow_ci.index.coding import *
    from winnow_ci.index.journal import *
    from winnow_ci.index.lookup import *
    from winnow_ci.index.publishing import *
    from winnow_ci.index.reader import *
    from winnow_ci.index.rows import *
    from winnow_ci.index.schema import *
    from winnow_ci.index.store import *
    from winnow_ci.index.verification import *
    from winnow_ci.index.whole_index import *
    from winnow_ci.index.writer import *
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
