"""The texts of a few files of a pinned source, as far as the user's cache has them: for reports. No server is asked."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from winnow_ci import git
from winnow_ci.config.source import is_remote
from winnow_ci.corpus import ArchiveLimits, collect, read_file
from winnow_ci.fetching.cache import cached_file
from winnow_ci.indexer.fetch_sources import commits, is_cached, named_archives
from winnow_ci.indexer.pinning import repositories, source_of
from winnow_ci.indexer.revisions import versions
from winnow_ci.languages import LARGEST_FILE

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from winnow_ci.config.lock import PinnedSource
    from winnow_ci.model import SourceFile


def is_pinned(one: PinnedSource) -> bool:
    """Whether the cache can have the files of a source; a path and a local repository are in no cache."""
    origin = one.declared.origin
    return is_remote(origin.git) if origin.git else bool(one.pins.artifacts)


def pinned_texts(one: PinnedSource, wanted: Collection[SourceFile]) -> Iterator[tuple[str, bytes]]:
    """Paths and contents of those files of a source that are wanted; none if the cache does not have the source.

    Of a project of which the index has several versions, each file is that of its source's version.

    Raises:
        FetchError, CorpusError, GitError: what the cache has cannot be read.
    """
    if not is_pinned(one) or not is_cached(one):
        return
    if one.declared.origin.git:
        yield from _of_repository(one, one.declared.origin.git, wanted)
    else:
        yield from _of_archives(one, {file.path for file in wanted})


def _of_archives(one: PinnedSource, paths: Collection[str]) -> Iterator[tuple[str, bytes]]:
    cached = [path for artifact in one.pins.artifacts if (path := cached_file(artifact.sha256))]
    with tempfile.TemporaryDirectory(prefix="winnow-ci-") as folder:
        roots = named_archives(one, cached, Path(folder))
        with collect(roots, ArchiveLimits(member=LARGEST_FILE)) as corpus:
            for file in corpus:
                if file.path in paths and file.size <= LARGEST_FILE:
                    yield file.path, read_file(file, LARGEST_FILE)


def _of_repository(one: PinnedSource, url: str, wanted: Collection[SourceFile]) -> Iterator[tuple[str, bytes]]:
    from winnow_ci.fetching import remote_git  # noqa: PLC0415 - few need it

    # All commits are here, so this fetches nothing.
    repository = git.Repository.at(remote_git.fetch(url, commits(one), repositories()))
    tagged = {version.source.version: version.commit for version in versions(dict(one.pins.tags), source_of(one))}
    for file in wanted:
        commit = one.pins.commit or tagged.get(file.source.version)
        if commit:
            yield from git.contents_at(repository, commit, file.path)
