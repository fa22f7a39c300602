"""Checking a whole index: every row against its digest, and every number against the rows that it counts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from winnow_ci.index import schema

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from winnow_ci.index.reader import IndexReader


def verify(index: IndexReader, progress: Callable[[int, int], None] = lambda done, total: None) -> None:  # noqa: ARG005
    """Read everything in an index and check it.

    Args:
        index: the index.
        progress: is called after each row with the rows done and the number of all rows.

    Raises:
        IndexFileError: something is damaged; the message says what.
    """
    index.check_structure()
    digests = [
        schema.digest(s.name, s.version, s.license, s.url, int(number in index.with_text))
        for number, s in enumerate(index.sources)
    ]
    texts = []
    rows = index.contents + (1 << index.bits)
    lengths = np.zeros(index.contents, np.int64)
    for number in range(index.contents):
        row = index.content(number)
        lengths[number] = len(index.token_map(number).sketch)
        digests.append(row.digest())
        texts += _text_digest(index, number)
        progress(number, rows)
    for number, postings in enumerate(index.block_rows(range(1 << index.bits))):
        _check_block(index, number, np.frombuffer(postings, schema.POSTING), lengths)
        digests.append(schema.block_digest(number, postings))
        progress(index.contents + number, rows)
    index.check_digest(digests + texts)


def _text_digest(index: IndexReader, number: int) -> list[bytes]:
    """The digest of a content's text, if it is kept, which must be that of the content."""
    index.text(number)
    text = index.packed_text(number)
    return [schema.digest(number, *text)] if text else []


def _check_block(index: IndexReader, number: int, postings: NDArray[np.void], lengths: NDArray[np.int64]) -> None:
    """Digests tell that a block is as it was written; this tells that it was written rightly."""
    hashes, contents = postings["hash"], postings["content"]
    right = (
        (schema.block_numbers(hashes, index.bits) == number).all()
        and (hashes[1:] >= hashes[:-1]).all()
        and (contents < len(lengths)).all()
        and (postings["position"] + index.parameters.k <= lengths[contents]).all()
    )
    if not right:
        raise index.damaged(f"block {number} holds postings that cannot be")
