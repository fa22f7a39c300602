"""Checking a whole index: every row against its digest, and every number against the rows that it counts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from winnow_ci.index import schema
from winnow_ci.index.rows import source_fields
from winnow_ci.model import PHRASE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

    from winnow_ci.index.reader import IndexReader
    from winnow_ci.index.rows import ContentRow


def verify(index: IndexReader, progress: Callable[[int, int], None] = lambda done, total: None) -> None:  # noqa: ARG005
    """Read everything in an index and check it.

    Args:
        index: the index.
        progress: called after each row with the number of rows done and of all rows.

    Raises:
        IndexFileError: something is damaged; the message says what.
    """
    index.check_structure()
    digests = [
        schema.digest(*source_fields(source, text=number in index.with_text))
        for number, source in enumerate(index.sources)
    ]
    rows = index.contents + (1 << index.bits)
    counts = _Counts.of(index.contents)
    texts = []
    for number, row in enumerate(_content_rows(index)):
        counts.tokens[number] = len(index.token_map(number).sketch)
        counts.expected[number] = row.fingerprints
        counts.files += len(row.files)
        digests.append(row.digest())
        texts += _text_digest(index, number)
        progress(number + 1, rows)
    index.check_files(counts.files)
    for number, block in enumerate(index.block_rows(range(1 << index.bits))):
        postings = np.frombuffer(block, schema.POSTING)
        _check_block(index, number, postings, counts.tokens)
        np.add.at(counts.found, postings["content"], 1)
        digests.append(schema.block_digest(number, block))
        progress(index.contents + number + 1, rows)
    _check_counts(index, counts)
    index.check_digest(digests + texts)


@dataclass(slots=True)
class _Counts:
    """For each content, its tokens and the fingerprints expected and found; and the number of all file rows."""

    tokens: NDArray[np.int64]
    expected: NDArray[np.int64]
    found: NDArray[np.int64]
    files: int = 0

    @classmethod
    def of(cls, contents: int) -> _Counts:
        tokens, expected, found = np.zeros((3, contents), np.int64)
        return cls(tokens, expected, found)


def _content_rows(index: IndexReader) -> Iterator[ContentRow]:
    """All contents: those of boilerplate first, by rising key, then the others, by rising key."""
    before, front_ends = b"", index.front_ends
    for number in range(index.contents):
        row = index.content(number)
        if number == index.boilerplate:
            before = b""
        if row.key <= before or row.front_end not in front_ends or not _belongs(index, number, row):
            raise index.damaged(f"content {number} cannot be")
        before = row.key
        yield row


def _belongs(index: IndexReader, number: int, row: ContentRow) -> bool:
    """Whether a content has files, all of boilerplate if it is boilerplate, else none."""
    is_boilerplate = {index.sources[file.source].boilerplate for file in row.files} | {row.boilerplate}
    return bool(row.files) and is_boilerplate == {number < index.boilerplate}


def _check_counts(index: IndexReader, counts: _Counts) -> None:
    wrong = np.flatnonzero(counts.expected != counts.found)
    if len(wrong):
        raise index.damaged(f"content {wrong[0]} does not have as many fingerprints as it says")
    if counts.found.sum() != index.postings:
        raise index.damaged("it does not have as many fingerprints as it says")


def _text_digest(index: IndexReader, number: int) -> list[bytes]:
    """The digest of a content's text, if the index keeps it, after checking that it is the text of that content."""
    index.text(number)
    text = index.packed_text(number)
    return [schema.digest(number, *text)] if text else []


def _ends(postings: NDArray[np.void], k: int) -> NDArray[np.int64]:
    """The token after each k-gram, and after the token at which each phrase stands."""
    positions = postings["position"].astype(np.int64)
    return np.where(positions >= PHRASE, positions - PHRASE + 1, positions + k)


def _check_block(index: IndexReader, number: int, postings: NDArray[np.void], lengths: NDArray[np.int64]) -> None:
    """Check that a block was written correctly; its digest only tells that it is as it was written."""
    hashes, contents = postings["hash"], postings["content"]
    right = (
        (schema.block_numbers(hashes, index.bits) == number).all()
        and (hashes[1:] >= hashes[:-1]).all()
        and (contents < len(lengths)).all()
        and (_ends(postings, index.parameters.k) <= lengths[contents]).all()
    )
    if not right:
        raise index.damaged(f"block {number} holds postings that cannot be")
