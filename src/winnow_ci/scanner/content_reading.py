"""The contents of an index that files are compared with: read many at a time, and each once.

A server answers a question after a round trip, whatever it asks for. So a batch of files first says which contents it
needs, and they are read together.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from winnow_ci.index import ContentRow, IndexReader
    from winnow_ci.model import SourceFile, TokenMap

# Bytes of rows that are kept for files still to come: a row has some two bytes a token and the paths of its files.
KEPT_BYTES = 64 << 20
# What a path and its row take besides its bytes.
OF_A_FILE = 200
# Unpacked maps that are kept: some nine bytes a token.
KEPT_MAPS = 256


class ContentReading:
    """Reads contents of one index, and keeps those that were used last.

    Args:
        index: known code.
    """

    def __init__(self, index: IndexReader) -> None:
        self._index = index
        self._rows: dict[int, ContentRow] = {}
        self._bytes = 0
        self.token_map = lru_cache(maxsize=KEPT_MAPS)(self._unpacked)

    def read(self, contents: Iterable[int]) -> None:
        """Read contents together, as far as they are not there yet; they are kept until the next ones are read.

        Raises:
            IndexFileError: the index is damaged.
        """
        wanted = dict.fromkeys(contents)
        lacking = [content for content in wanted if content not in self._rows]
        self._rows |= {content: self._rows.pop(content) for content in wanted if content in self._rows}
        if lacking:
            found = self._index.content_rows(lacking)
            self._rows |= found
            self._bytes += sum(map(_size, found.values()))
        for content in list(self._rows)[: -len(wanted) or None]:
            if self._bytes <= KEPT_BYTES:
                break
            self._bytes -= _size(self._rows.pop(content))

    def row(self, content: int) -> ContentRow:
        """The row of a content, checked.

        Raises:
            IndexFileError: the index is damaged.
        """
        if content not in self._rows:
            self.read([content])
        return self._rows[content]

    def files(self, content: int) -> tuple[SourceFile, ...]:
        """The files that have a content (``IndexReader.files``).

        Raises:
            IndexFileError: the index is damaged.
        """
        return self._index.files_of_row(self.row(content))

    def _unpacked(self, content: int) -> TokenMap:
        """Lines and sketches of a content's tokens.

        Raises:
            IndexFileError: the index is damaged.
        """
        return self._index.unpacked_map(content, self.row(content))


def _size(row: ContentRow) -> int:
    """What a row takes, in bytes, about."""
    return len(row.map.packed) + sum(len(file.path) + OF_A_FILE for file in row.files)
