"""Indexes made of synthetic contents, for tests of the index alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import xxhash

from winnow_ci.index import (
    ContentRow,
    HeldFile,
    IndexDraft,
    NewContent,
    WholeIndex,
    batched,
    content_key,
    pack_map,
    pack_text,
    replacing,
)
from winnow_ci.model import Fingerprints, Parameters, Source, TokenMap

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

PARAMETERS = Parameters(k=4, w=3)
FRONT_ENDS = {"python": "1"}
TABLES = "0" * 32


def entry(hashes: Sequence[int], checks: Sequence[int] | None = None) -> NewContent:
    """A content with one fingerprint a token, whose key follows from them."""
    count = len(hashes) + PARAMETERS.k
    lines = np.arange(1, count + 1, dtype=np.int32)
    fingerprints = Fingerprints(
        np.array(hashes, np.uint64),
        np.array(checks if checks is not None else [h & 0xFF for h in hashes], np.uint32),
        np.arange(len(hashes), dtype=np.uint32),
    )
    key = xxhash.xxh3_128(repr((hashes, checks)).encode()).digest()
    token_map = pack_map(TokenMap(lines, lines, (lines % 251).astype(np.uint8)))
    return NewContent(ContentRow(key, "python", "python", count, len(hashes), token_map, ()), fingerprints)


def write_index(path: Path, sources: Mapping[Source, Mapping[str, NewContent]]) -> None:
    """Write an index with these files, from nothing."""
    draft = IndexDraft(PARAMETERS, FRONT_ENDS, TABLES)
    for source, files in sources.items():
        add_source(draft, source, files)
    with replacing(path) as unfinished:
        draft.write(unfinished)


def add_source(draft: IndexDraft, source: Source, files: Mapping[str, NewContent]) -> None:
    """Add a source to a draft."""
    for name, content in files.items():
        if content.row.key not in draft:
            draft.add_contents(batched([content]))
        draft.add_file(source, HeldFile(content.row.key, name.encode("utf-8", "surrogateescape")))


def write_texts(path: Path, source: Source, texts: Mapping[str, bytes]) -> None:
    """Write an index of one source with the text of these files, all of the same length in tokens."""
    draft = IndexDraft(PARAMETERS, FRONT_ENDS, TABLES)
    draft.keep_text(source)
    for name, text in texts.items():
        same = entry([1, 2, 3])
        row = same.row._replace(key=content_key("python", text))
        draft.add_contents(batched([NewContent(row, same.fingerprints)]))
        draft.add_text(row.key, pack_text(text))
        draft.add_file(source, HeldFile(row.key, name.encode()))
    with replacing(path) as unfinished:
        draft.write(unfinished)


def make_of_other_tables(path: Path, tables: str = "0123456789abcdef" * 2) -> None:
    """Let an index be one that a winnow-ci with other learnt tables has made."""
    with replacing(path) as unfinished, WholeIndex(path) as old:
        draft = IndexDraft(old.parameters, old.front_ends, tables)
        draft.keep(old)
        draft.write(unfinished)


def only(index: WholeIndex) -> int:
    """The id of the one content of an index."""
    (content,) = index.content_ids().tolist()
    return content
