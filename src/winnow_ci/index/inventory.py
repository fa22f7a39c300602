"""The files of sources and their contents, to compare sources of two indexes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import xxhash

if TYPE_CHECKING:
    from collections.abc import Collection

    from winnow_ci.index.reader import IndexReader


def file_digests(index: IndexReader) -> dict[str, bytes]:
    """Digests of the files of each source, their contents and licences, by name; equal in every index that has them.

    Raises:
        IndexFileError: the index is damaged; every content is checked.
    """
    states = [xxhash.xxh3_128() for _ in index.sources]
    # Every index has contents ordered by key and their files by path.
    for number in range(index.contents):
        row = index.content(number)
        for source, path, licence in row.files:
            states[source].update(b"%b%d:%b%b\0" % (row.key, len(path), path, (licence or "").encode()))
    return {source.name: state.digest() for source, state in zip(index.sources, states, strict=True)}


def files_of(index: IndexReader, names: Collection[str]) -> dict[str, dict[bytes, tuple[bytes, ...]]]:
    """For each named source its files: path → keys of the contents that front ends made of it.

    Raises:
        IndexFileError: the index is damaged.
    """
    files: dict[str, dict[bytes, tuple[bytes, ...]]] = {name: {} for name in names}
    for number in range(index.contents) if files else ():
        row = index.content(number)
        for source, path, _ in row.files:
            if (of_source := files.get(index.sources[source].name)) is not None:
                of_source[path] = (*of_source.get(path, ()), row.key)
    return files
