"""Check a whole index: every row against its digest, and every number against the rows that it counts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np
from numpy.typing import NDArray

from winnow_ci.index import schema
from winnow_ci.index.blocks import in_sample, merged, runs_of, thinned_crowds, whole_files
from winnow_ci.index.rows import ContentRow, DigestTree, shard_of_block, shard_of_content, source_fields
from winnow_ci.index.whole_index import WholeIndex
from winnow_ci.model import PHRASE, Progress, no_progress
from winnow_ci.named_tuples import NamedTuple


def verify(index: WholeIndex, progress: Progress = no_progress) -> None:
    """Read everything in an index and check it; ``progress`` gets the number of rows done and of all rows."""
    index.check_structure()
    tree = DigestTree()
    for number, source in enumerate(index.sources):
        tree.add("source", 0, schema.digest(*source_fields(source, text=number in index.with_text)))
    blocks = index.blocks.how_many + index.crowd_blocks.how_many
    held: dict[int, _HeldContent] = {}
    for done, (content, row) in enumerate(_content_rows(index), 1):
        index.unpacked_map(content, row)
        held[content] = _HeldContent(row.key, row.fingerprints, row.leaf())
        progress(done, index.contents + blocks)
    for number in range(-(-index.contents // schema.DIRECTORY)):
        tree.add("directory", 0, index.directory.leaf(number))
    for content, (_, _, leaf) in sorted(held.items()):
        tree.add("content", shard_of_content(content), leaf)
        # This checks, too, that it is the text of that content.
        if (text := index.text(content)) is not None:
            tree.add("text", shard_of_content(content), schema.text_leaf(content, len(text)))
    done = 0
    for branch, kind in (("block", index.blocks), ("crowd", index.crowd_blocks)):
        for number, _, digest in index.block_rows(kind):
            tree.add(branch, shard_of_block(number - kind.first, kind.bits), digest)
            done += 1
            progress(index.contents + done, index.contents + blocks)
    for _, digest in index.overflow_rows():
        tree.add("overflow", 0, digest)
    _check_postings(index, held)
    if tree.root(index.described()) != index.digest:
        raise index.damaged("its digest is wrong")


class _HeldContent(NamedTuple):
    key: bytes
    fingerprints: int
    leaf: bytes


def _content_rows(index: WholeIndex) -> Iterator[tuple[int, ContentRow]]:
    boilerplate = 0
    for content, row in index.all_contents():
        # All of its files must be of boilerplate if it is boilerplate, and none otherwise.
        kinds = {index.sources[file.source].boilerplate for file in row.files}
        if row.front_end not in index.front_ends or kinds != {row.boilerplate}:
            raise index.damaged(f"content {content} has impossible values")
        boilerplate += row.boilerplate
        yield content, row
    if boilerplate != index.boilerplate:
        raise index.damaged("its count of boilerplate is wrong")


def _check_postings(index: WholeIndex, held: Mapping[int, _HeldContent]) -> None:
    """Check that the blocks hold what all postings together give; digests only tell that they are as written."""
    ids, found, crowded = index.content_ids(), np.zeros(index.contents, np.int64), 0
    blocks = (packed for _, packed, _ in index.block_rows(index.blocks))
    whole = whole_files({content: own.key for content, own in held.items()})
    for part in merged([*runs_of(index), iter([whole])], index.blocks.bits):
        postings = part.postings
        _check_places(index, postings)
        is_kgram = postings["position"] != schema.WHOLE
        found += np.bincount(np.searchsorted(ids, postings["content"][is_kgram]), minlength=len(found))
        thin = thinned_crowds(postings)
        crowded += thin.crowded
        kept = part._replace(postings=thin.kept).blocks(index.blocks.bits, index.directory)
        for number, wanted in enumerate(kept, part.first):
            if next(blocks) != wanted:
                raise index.damaged(f"block {number} holds impossible postings")
    _check_crowds(index)
    for content, count in zip(ids.tolist(), found.tolist(), strict=True):
        if held[content].fingerprints != count:
            raise index.damaged(f"content {content} has the wrong number of fingerprints")
    if (found.sum(), crowded) != (index.postings, index.crowded):
        raise index.damaged("it has the wrong number of fingerprints")


def _check_crowds(index: WholeIndex) -> None:
    """Check that no text of a crowd has more places than it should."""
    rest = np.empty(0, schema.POSTING)
    for postings in index.all_blocks(index.crowd_blocks):
        together = np.concatenate([rest, postings])
        if not in_sample(together).all():
            raise index.damaged("a block of crowds holds impossible postings")
        rest = together[together["hash"] == together["hash"][-1]] if len(together) else together


def _check_places(index: WholeIndex, postings: NDArray[np.void]) -> None:
    """Check that postings are inside of their contents; what has been read is of known contents."""
    positions = postings["position"].astype(np.int64)
    ends = np.where(positions >= PHRASE, positions - PHRASE + 1, positions + index.parameters.k)
    ends[positions == schema.WHOLE] = 0
    if (ends > index.directory.tokens_of(postings["content"])).any():
        raise index.damaged("a block holds impossible postings")
