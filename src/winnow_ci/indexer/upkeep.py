"""Maintain existing indexes: remove sources, and merge.

A rewritten index is as if it had been built like that from scratch.
"""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING, TypeAlias

import xxhash

from winnow_ci.errors import IndexFileError, UsageError, did_you_mean
from winnow_ci.index import IndexDraft, WholeIndex, display_source, replacing
from winnow_ci.indexer.building import check_alike, write_draft

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path
    from typing import Literal

    from winnow_ci.indexer.building import WrittenIndex
    from winnow_ci.model import Progress

    Preference: TypeAlias = Literal["first", "last"]


def remove_sources(path: Path, names: Sequence[str], progress: Progress) -> WrittenIndex:
    """Rewrite an index without some sources; the name of a project stands for all its versions.

    That does not need the front ends, so it also works on an index that a scan refuses. Raises ``UsageError`` if it has
    no source with such a name, or no other source; ``IndexFileError`` if it is damaged, or cannot be written.
    """
    with WholeIndex(path) as old:
        _check_names(old, names)
    remedy = "make room in its folder, and check that it can be written"
    with replacing(path, remedy=remedy) as unfinished, WholeIndex(path) as old:
        # Another process may have replaced the index since.
        _check_names(old, names)
        draft = IndexDraft(old.parameters, old.front_ends, old.tables)
        draft.keep(old, without=_named(old, names))
        return write_draft(draft, unfinished, progress)


def merge_indexes(paths: Sequence[Path], output: Path, prefer: Preference | None, progress: Progress) -> WrittenIndex:
    """Put the sources of several indexes into one.

    Args:
        paths: the indexes; a source that several have with the same files is one.
        output: the new index, which may be one of them, and otherwise must not exist.
        prefer: which index's source is taken if several have different ones of a name. With None that is an error, and
            the text of equal sources is kept if one of them keeps it.

    Raises:
        UsageError: ``output`` exists and is not to be merged.
        IndexFileError: an index is missing or damaged, they do not agree, or ``output`` cannot be written.
    """
    if output.is_file() and not any(path.exists() and output.samefile(path) for path in paths):
        remedy = "add it to the indexes to merge, or name another place with --output"
        raise UsageError(f"{output} already exists, and is not among the indexes to merge", remedy)
    with ExitStack() as stack:
        for path in paths:
            stack.enter_context(WholeIndex(path))
    with replacing(output) as unfinished, ExitStack() as stack:
        indexes = [stack.enter_context(WholeIndex(path)) for path in paths]
        check_alike(indexes)
        taken = _taken(indexes, prefer)
        front_ends = {k: v for index in indexes for k, v in index.front_ends.items()}
        draft = IndexDraft(indexes[0].parameters, front_ends, indexes[0].tables)
        for number, index in enumerate(indexes):
            names = {source.name for source in index.sources}
            draft.keep(index, without={name for name in names if taken[name] != number})
        if prefer is None:
            # Sources of one name are the same here, but not each index need keep the text.
            for source in (index.sources[number] for index in indexes for number in index.with_text):
                draft.keep_text(source)
        return write_draft(draft, unfinished, progress)


def _check_names(index: WholeIndex, names: Sequence[str]) -> None:
    known = [source.name for source in index.sources]
    for name in names:
        if not _named(index, [name]):
            remedy = did_you_mean(name, known, f"list its sources: winnow-ci index list {index.path}")
            raise UsageError(f"{index.path} has no source {name!r}", remedy)
    if not set(known) - _named(index, names):
        msg = f"nothing would be left in {index.path}: a scan with an empty index would find nothing"
        raise UsageError(msg, "delete the file and remove it from .winnow.yml, or build another source into it first")


def _named(index: WholeIndex, names: Sequence[str]) -> frozenset[str]:
    """Return the sources with these names, and all versions of projects with these names."""
    return frozenset(source.name for source in index.sources if {source.name, display_source(source).name} & set(names))


def _taken(indexes: Sequence[WholeIndex], prefer: Preference | None) -> dict[str, int]:
    """Return for each name of a source the number of the index to take it from."""
    holders: dict[str, list[int]] = {}
    for number, index in enumerate(indexes):
        for source in index.sources:
            holders.setdefault(source.name, []).append(number)
    if prefer is None:
        _check_same(indexes, {name: numbers for name, numbers in holders.items() if len(numbers) > 1})
    return {name: numbers[-1 if prefer == "last" else 0] for name, numbers in holders.items()}


def file_digests(index: WholeIndex) -> dict[str, bytes]:
    """Return digests of the files of each source, their contents and licences, by name: equal in every index."""
    files: list[list[bytes]] = [[] for _ in index.sources]
    for _, row in index.all_contents():
        for source, path, licence, _ in row.files:
            described = b"%b%d:%b%b" % (row.key, len(path), path, (licence or "").encode())
            files[source].append(xxhash.xxh3_128_digest(described))
    # The order of contents depends on what else an index has.
    digests = (xxhash.xxh3_128_digest(b"".join(sorted(own))) for own in files)
    return {source.name: digest for source, digest in zip(index.sources, digests, strict=True)}


def _check_same(indexes: Sequence[WholeIndex], holders: Mapping[str, Sequence[int]]) -> None:
    several = {number for numbers in holders.values() for number in numbers}
    files = {number: file_digests(indexes[number]) for number in several}
    for name, (first, *others) in sorted(holders.items()):
        for other in others:
            ours, theirs = (next(s for s in indexes[n].sources if s.name == name) for n in (first, other))
            same = ours == theirs
            if not (same and files[first][name] == files[other][name]):
                what = "other files" if same else "another version, licence or URL"
                msg = f"the source {name!r} of {indexes[other].path} has {what} than in {indexes[first].path}"
                remedy = "choose one: --prefer first or --prefer last; or build one of them under another name"
                raise IndexFileError(msg, remedy)
