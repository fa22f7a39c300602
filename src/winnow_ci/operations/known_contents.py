"""The contents of the indexes that a stored report was made with, by their keys."""

from __future__ import annotations

import os
from contextlib import ExitStack, suppress
from functools import lru_cache
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from winnow_ci.errors import IndexFileError
from winnow_ci.index import IndexReader, WholeIndex, known_files
from winnow_ci.languages import DATA, FALLBACK, front_end_named, resolve
from winnow_ci.operations.named_indexes import opened

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from typing_extensions import Self

    from winnow_ci.model import TokenMap
    from winnow_ci.model.findings import FileReading, UsedIndex
    from winnow_ci.operations.named_indexes import NamedIndex

KEPT_CONTENTS = 256
MOST_INDEXES = 200
"""Indexes of a report that are looked for; it may name any number, and each that is open takes memory."""


def is_readable(reading: FileReading) -> bool:
    """Whether a language and a front end are ours; a stored report may name anything."""
    is_language = reading.language in {DATA, FALLBACK} or resolve(reading.language) == reading.language
    return is_language and front_end_named(reading.front_end).name == reading.front_end


class KnownContents:
    """Indexes, opened for reading.

    Of those that a report names, only files in the repository with the recorded digest are opened: a report may be
    anybody's. Those that a user names are opened whatever their digest is, since keys tell which of their contents are
    meant; so an index that was built again with text serves older reports.

    Args:
        named: those that the user names.
        used: the indexes that the report names.
        root: of the repository, if we are in one.

    Raises:
        IndexFileError: an index that the user names cannot be read; also from the methods, if one is damaged.

    Attributes:
        notices: what a person should know about the indexes.
    """

    def __init__(self, named: Sequence[NamedIndex], used: Sequence[UsedIndex], root: Path | None) -> None:
        self.notices: list[str] = []
        self._stack = ExitStack()
        with self._stack:
            readers = [self._stack.enter_context(opened(index.place)) for index in named] or self._used(used, root)
            self._indexes = readers
            self._stack = self._stack.pop_all()
        self._find = lru_cache(KEPT_CONTENTS)(self._look_for)
        if named:
            self._compare(used)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def text(self, key: str) -> bytes | None:
        """The text of a content, if an index keeps it."""
        texts = (index.text(number) for index, number in self._find(key))
        return next((text for text in texts if text is not None), None)

    def token_map(self, key: str) -> TokenMap | None:
        """What an index keeps of the tokens of a content; None if none has it."""
        return next((index.token_map(number) for index, number in self._find(key)), None)

    def _look_for(self, key: str) -> tuple[tuple[IndexReader, int], ...]:
        wanted = bytes.fromhex(key)
        found = ((index, known_files(index, [wanted]).get(wanted)) for index in self._indexes)
        return tuple((index, content) for index, content in found if content is not None)

    def _used(self, used: Sequence[UsedIndex], root: Path | None) -> list[IndexReader]:
        """Those indexes of the report that are in the repository."""
        found: dict[str, IndexReader] = {}
        for index in list(dict.fromkeys(used))[:MOST_INDEXES]:
            if index.digest not in found and (reader := self._opened(index, root)):
                found[index.digest] = reader
        return list(found.values())

    def _opened(self, index: UsedIndex, root: Path | None) -> WholeIndex | None:
        """An index of the report, if it is in the repository; it stays open only if it has the digest."""
        place, problem = _inside(index.path, root), "is not here: name the index with --index"
        # What a path that is too long for the system leads to is not here either.
        with ExitStack() as stack, suppress(IndexFileError, OSError):
            reader = stack.enter_context(WholeIndex(place)) if place else None
            if reader and reader.digest == index.digest:
                self._stack.push(stack.pop_all())
                return reader
            if reader:
                problem = "is another index now: name the one of the scan with --index"
        self.notices.append(f"{index.path} {problem}")
        return None

    def _compare(self, used: Iterable[UsedIndex]) -> None:
        expected = {index.digest for index in used}
        for index in self._indexes:
            if index.digest not in expected:
                self.notices.append(f"{index.name} is not the index of the scan; of the same contents it is used")


def _inside(path: str, root: Path | None) -> Path | None:
    """The file of a repository that a report names; None for anything else, also behind a link."""
    parts = PurePosixPath(path).parts
    if root is None or not parts or ".." in parts or "\0" in path:
        return None
    real = Path(os.path.realpath(root))
    place = real.joinpath(*parts)
    return place if place.is_relative_to(real) and os.path.realpath(place) == str(place) else None
