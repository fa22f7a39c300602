"""Writing an index: collect sources and contents in a draft, then write them all at once."""

from __future__ import annotations

import json
import sqlite3
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from winnow_ci.index import schema

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from numpy.typing import NDArray

    from winnow_ci.index.reader import ContentRow, IndexReader
    from winnow_ci.model import Fingerprints, Parameters, Source


class Entry(NamedTuple):
    """A content ready to be stored: its row (whose files are not known yet) and its postings."""

    row: ContentRow
    fingerprints: Fingerprints


class IndexDraft:
    """What a new index shall hold; nothing is written before ``write``.

    The caller writes into the unfinished file of ``index.publishing.replacing``.

    Args:
        parameters: of every fingerprint that is added.
        front_ends: revision of each front end, at least of those used.
    """

    def __init__(self, parameters: Parameters, front_ends: Mapping[str, str]) -> None:
        self.parameters = parameters
        self._front_ends = front_ends
        self._rows: list[ContentRow] = []
        self._numbers: dict[bytes, int] = {}
        self._postings: list[NDArray[np.void]] = []
        self._files: dict[Source, list[tuple[bytes, bytes]]] = {}
        self._texts: dict[bytes, schema.PackedText] = {}
        self._with_text: set[str] = set()

    def __contains__(self, key: bytes) -> bool:
        return key in self._numbers

    def keys(self) -> frozenset[bytes]:
        """Keys of the contents in the draft."""
        return frozenset(self._numbers)

    def texts(self) -> frozenset[bytes]:
        """Keys of the contents whose text is in the draft."""
        return frozenset(self._texts)

    def keep(self, old: IndexReader, *, without: str) -> None:
        """Take over all contents of an index, and its sources but the one of that name.

        Contents that no source refers to in the end are left out by ``write``, and texts that none asks for.
        """
        self._with_text |= {old.sources[number].name for number in old.with_text} - {without}
        for content in range(old.contents):
            row = old.content(content)
            self._number(row)
            if text := old.packed_text(content):
                self.add_text(row.key, text)
            for source, path in row.files:
                if old.sources[source].name != without:
                    self.add_file(old.sources[source], path, row.key)
        self._postings.append(old.blocks(range(1 << old.bits)))

    def add_content(self, entry: Entry) -> None:
        """Add a content that is not in the draft yet."""
        number = self._number(entry.row)
        postings = np.empty(len(entry.fingerprints), schema.POSTING)
        postings["hash"] = entry.fingerprints.hashes
        postings["content"] = number
        postings["position"] = entry.fingerprints.positions
        postings["check"] = entry.fingerprints.checks
        self._postings.append(postings)

    def add_text(self, key: bytes, text: schema.PackedText) -> None:
        """Add the text of a content; it is written if a source keeps it."""
        self._texts[key] = text

    def keep_text(self, source: Source) -> None:
        """Say that the text of all contents of a source shall be kept; each of them must be added."""
        self._with_text.add(source.name)

    def keeps_text(self, source: Source) -> bool:
        """Whether the text of a source shall be kept."""
        return source.name in self._with_text

    def add_file(self, source: Source, path: bytes, key: bytes) -> None:
        """Say that a file of a source has a content, by its key."""
        self._files.setdefault(source, []).append((key, path))

    def write(self, path: Path) -> None:
        """Write the index into an empty file.

        Raises:
            sqlite3.Error: the file could not be written.
        """
        connection = sqlite3.connect(path, isolation_level=None)
        try:
            _fill(connection, self._tables())
        finally:
            connection.close()

    def _number(self, row: ContentRow) -> int:
        number = self._numbers[row.key] = len(self._rows)
        self._rows.append(row)
        return number

    def _tables(self) -> dict[str, list[tuple[Any, ...]]]:
        """The rows of each table."""
        sources = sorted(self._files, key=lambda source: source.name)
        contents, renumbering = self._live_contents(sources)
        postings = self._live_postings(renumbering)
        bits = schema.block_bits(len(postings))
        texts = list(self._live_texts(sources, contents))
        meta = self._describe(contents, len(sources), len(postings), bits)
        meta["texts"] = str(len(texts))
        tables: dict[str, list[tuple[Any, ...]]] = {
            "source": [
                (n, *_digested(s.name, s.version, s.license, s.url, int(self.keeps_text(s))))
                for n, s in enumerate(sources)
            ],
            "content": [(n, *row.fields(), row.digest()) for n, row in enumerate(contents)],
            "block": [(n, *_digested(n, block)[1:]) for n, block in enumerate(_blocks(postings, bits))],
            "text": [_digested(n, *text) for n, text in texts],
        }
        digests = (row[-1] for rows in tables.values() for row in rows)
        meta["digest"] = schema.index_digest(meta, digests)
        meta["meta_digest"] = schema.digest(*(part for row in sorted(meta.items()) for part in row)).hex()
        tables["file"] = [(n, *file) for n, row in enumerate(contents) for file in row.files]
        tables["meta"] = sorted(meta.items())
        return tables

    def _describe(self, contents: list[ContentRow], sources: int, postings: int, bits: int) -> dict[str, str]:
        used = sorted({row.front_end for row in contents})
        return {
            "k": str(self.parameters.k),
            "w": str(self.parameters.w),
            "selection": self.parameters.selection,
            "front_ends": json.dumps({name: self._front_ends[name] for name in used}),
            "algorithm": schema.ALGORITHM,
            "bits": str(bits),
            "sources": str(sources),
            "contents": str(len(contents)),
            "postings": str(postings),
        }

    def _live_contents(self, sources: list[Source]) -> tuple[list[ContentRow], NDArray[np.int64]]:
        """The contents that sources refer to, in their final order, and the final number of each (or −1)."""
        files: dict[bytes, list[tuple[int, bytes]]] = {}
        for number, source in enumerate(sources):
            for key, path in self._files[source]:
                files.setdefault(key, []).append((number, path))
        keys = sorted(files)
        renumbering = np.full(len(self._rows), -1)
        renumbering[[self._numbers[key] for key in keys]] = np.arange(len(keys))
        rows = [replace(self._rows[self._numbers[key]], files=tuple(sorted(files[key]))) for key in keys]
        return rows, renumbering

    def _live_texts(self, sources: list[Source], contents: list[ContentRow]) -> Iterator[tuple[int, schema.PackedText]]:
        """The texts that sources keep, by the final number of their content."""
        keeping = {number for number, source in enumerate(sources) if self.keeps_text(source)}
        for number, row in enumerate(contents):
            if any(source in keeping for source, _ in row.files):
                yield number, self._texts[row.key]

    def _live_postings(self, renumbering: NDArray[np.int64]) -> NDArray[np.void]:
        postings = np.concatenate([np.empty(0, schema.POSTING), *self._postings])
        numbers = renumbering[postings["content"]]
        postings = postings[numbers >= 0]
        postings["content"] = numbers[numbers >= 0]
        order = np.lexsort([postings[field] for field in reversed(schema.ORDER)])
        return np.take(postings, order)


def _blocks(postings: NDArray[np.void], bits: int) -> Iterator[bytes]:
    numbers = schema.block_numbers(postings["hash"], bits)
    edges = np.searchsorted(numbers, np.arange((1 << bits) + 1))
    for start, end in pairwise(edges.tolist()):
        yield postings[start:end].tobytes()


def _digested(*fields: bytes | str | int | None) -> tuple[bytes | str | int | None, ...]:
    return *fields, schema.digest(*fields)


def _fill(connection: sqlite3.Connection, tables: Mapping[str, list[tuple[Any, ...]]]) -> None:
    """Write all rows in one transaction and in one order, so that equal rows give equal bytes."""
    for pragma in ("journal_mode = OFF", "synchronous = OFF"):
        connection.execute(f"PRAGMA {pragma}")
    connection.execute(f"PRAGMA application_id = {schema.APPLICATION_ID}")
    connection.execute(f"PRAGMA user_version = {schema.VERSION}")
    connection.execute("BEGIN")
    for name, create in schema.TABLES.items():
        connection.execute(create)
        marks = ", ".join("?" * schema.COLUMNS[name])
        connection.executemany(f"INSERT INTO {name} VALUES ({marks})", tables[name])  # noqa: S608
    connection.execute("COMMIT")
