"""Check a whole index: every row against its digest, and every number against the rows that it counts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from winnow_ci.arrays import among
from winnow_ci.index import schema
from winnow_ci.index.blocks import in_sample, merged, runs_of, thinned_crowds, whole_files
from winnow_ci.index.rows import DigestTree, shard_of_block, shard_of_content, source_fields
from winnow_ci.model import PHRASE, no_progress
from winnow_ci.start_up import record

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from winnow_ci.index.rows import ContentRow
    from winnow_ci.index.whole_index import WholeIndex
    from winnow_ci.model import Progress


def verify(index: WholeIndex, progress: Progress = no_progress) -> None:
    """Read everything in an index and check it.

    ``progress`` is called after each row with the number of rows done and of all rows.
    """
    index.check_structure()
    tree = DigestTree()
    for number, source in enumerate(index.sources):
        tree.add("source", 0, schema.digest(*source_fields(source, text=number in index.with_text)))
    blocks = index.blocks.how_many + index.crowd_blocks.how_many
    counts = _Counts(index.content_ids(), {}, *np.zeros((2, index.contents), np.int64))
    leaves: dict[int, bytes] = {}
    for done, (content, row) in enumerate(_content_rows(index), 1):
        counts.add(content, row, len(index.unpacked_map(content, row).sketch))
        leaves[content] = row.leaf()
        progress(done, index.contents + blocks)
    for number in range(-(-index.contents // schema.DIRECTORY)):
        tree.add("directory", 0, index.directory.leaf(number))
    for content, leaf in sorted(leaves.items()):
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
    _check_postings(index, counts)
    if tree.root(index.described()) != index.digest:
        raise index.damaged("its digest is wrong")


@record(slots=True)
class _Counts:
    """For each content, by rising ids: its id and key, its tokens, and the fingerprints expected."""

    ids: NDArray[np.int64]
    keys: dict[int, bytes]
    tokens: NDArray[np.int64]
    expected: NDArray[np.int64]

    def add(self, content: int, row: ContentRow, tokens: int) -> None:
        """Count a content."""
        number = int(np.searchsorted(self.ids, content))
        self.keys[content] = row.key
        self.tokens[number], self.expected[number] = tokens, row.fingerprints


def _content_rows(index: WholeIndex) -> Iterator[tuple[int, ContentRow]]:
    """Yield all contents."""
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


def _check_postings(index: WholeIndex, counts: _Counts) -> None:
    """Check that the blocks hold what all postings together give; digests only tell that they are as written."""
    found, crowded = np.zeros(index.contents, np.int64), 0
    blocks = (packed for _, packed, _ in index.block_rows(index.blocks))
    whole = whole_files(counts.keys)
    for part in merged([*runs_of(index), iter([whole])], index.blocks.bits):
        postings = part.postings
        _check_places(index, postings, counts)
        is_kgram = postings["position"] != schema.WHOLE
        found += np.bincount(np.searchsorted(counts.ids, postings["content"][is_kgram]), minlength=len(found))
        thin = thinned_crowds(postings)
        crowded += thin.crowded
        kept = part._replace(postings=thin.kept).blocks(index.blocks.bits, index.directory)
        for number, wanted in enumerate(kept, part.first):
            if next(blocks) != wanted:
                raise index.damaged(f"block {number} holds impossible postings")
    _check_crowds(index)
    wrong = np.flatnonzero(counts.expected != found)
    if len(wrong):
        raise index.damaged(f"content {counts.ids[wrong[0]]} has the wrong number of fingerprints")
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


def _check_places(index: WholeIndex, postings: NDArray[np.void], counts: _Counts) -> None:
    """Check that postings are of contents, and inside of them."""
    contents, positions = postings["content"], postings["position"].astype(np.int64)
    known = bool(among(contents, counts.ids).all())
    if known:
        ends = np.where(positions >= PHRASE, positions - PHRASE + 1, positions + index.parameters.k)
        ends[positions == schema.WHOLE] = 0
        known = bool((ends <= counts.tokens[np.searchsorted(counts.ids, contents)]).all())
    if len(postings) and not known:
        raise index.damaged("a block holds impossible postings")
