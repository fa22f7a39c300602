"""Sources of a manifest → what they are, exactly: versions, hashes, commits."""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path
from typing import TYPE_CHECKING

from winnow_ci import fetching, git
from winnow_ci.config.lock import PinnedSource, SourcePins, declaration
from winnow_ci.config.source import is_remote
from winnow_ci.corpus import ArchiveLimits, collect, read_file
from winnow_ci.errors import ConfigError, CorpusError, FetchError, UsageError
from winnow_ci.fetching.cache import cache_folder
from winnow_ci.indexer.licences import MANIFEST
from winnow_ci.indexer.revisions import version_of
from winnow_ci.indexer.selecting import selected
from winnow_ci.languages import LARGEST_FILE
from winnow_ci.model import Source
from winnow_ci.regular_file import open_regular
from winnow_ci.start_up import replace

if TYPE_CHECKING:
    from collections.abc import Mapping

    from winnow_ci.config.lock import SourceLock
    from winnow_ci.config.source import DeclaredSource
    from winnow_ci.model import Progress

# What is made of the same inputs may change: then this does, and sources are made again.
_REVISION = 2


def inputs(one: PinnedSource) -> str:
    """A digest of all that a source of an index depends on, besides the parameters of the index: 64 digits.

    Not of the licence that was found in it, which is not known before it has been read.
    """
    described = [_REVISION, declaration(one.declared), replace(one.pins, license=None, license_from=None)]
    return hashlib.sha256(json.dumps(described, sort_keys=True, default=_fields).encode()).hexdigest()


def source_of(one: PinnedSource) -> Source:
    """What an index calls a source; of a repository with all tags, what all its versions have in common."""
    declared, pins = one
    origin = declared.origin
    return Source(
        declared.name,
        declared.version or pins.version,
        declared.license or pins.license or "unknown",
        _url(declared),
        _exact(origin.purl, pins.version) if origin.purl else None,
        MANIFEST if declared.license else pins.license_from,
        inputs(one),
        boilerplate=declared.boilerplate,
    )


def carried(declared: DeclaredSource, lock: SourceLock) -> SourcePins | None:
    """What the lock pins of a source, if it pins one of that origin; not its licence, if the manifest has it."""
    alike = [one for one in lock.sources if one.declared.origin == declared.origin]
    for one in sorted(alike, key=lambda one: one.declared.name != declared.name)[:1]:
        return replace(one.pins, license=None, license_from=None) if declared.license else one.pins
    return None


def pinned_path(declared: DeclaredSource, folder: Path) -> SourcePins:
    """What is at the path of a source now, given the folder of the manifest.

    Raises:
        UsageError: it is neither a folder nor an archive.
        ConfigError: it holds the manifest itself.
        CorpusError: it cannot be read.
    """
    return SourcePins(digest=_digest(declared, place_of(declared, folder)))


def place_of(declared: DeclaredSource, folder: Path) -> Path:
    """Where a path leads.

    Raises:
        ConfigError: to a folder that holds the manifest itself.
    """
    place = beside(folder, declared.origin.path or "")
    if folder.resolve().is_relative_to(place.resolve()):
        problem = f"path: {declared.origin.path} holds the manifest itself, and with it the index"
        raise ConfigError(problem, "name a folder or an archive beside it")
    return place


def beside(folder: Path, path: str) -> Path:
    """Where a path leads that is relative to a folder, which need not be there yet."""
    return folder / path if folder.is_dir() else Path(os.path.normpath(folder.resolve() / path))


def resolved(declared: DeclaredSource, folder: Path, progress: Progress) -> SourcePins:
    """Ask the origin of a source, other than a path, what the source is; what must be fetched for that is counted.

    Raises:
        ConfigError: there is no way to fetch it.
        FetchError: it could not be fetched.
        GitError: a repository of this machine does not have it.
    """
    origin = declared.origin
    if origin.git:
        return _of_repository(declared, folder, progress)
    if origin.purl:
        found = fetching.resolve(origin.purl, progress)
        return SourcePins(found.version, found.artifacts)
    from winnow_ci.fetching import archive_url  # noqa: PLC0415 - what downloads takes 0.1 s to import

    return SourcePins(artifacts=archive_url.resolve(origin.url or "", progress, origin.sha256).artifacts)


def _of_repository(declared: DeclaredSource, folder: Path, progress: Progress) -> SourcePins:
    origin = declared.origin
    assert origin.git is not None
    if is_remote(origin.git):
        from winnow_ci.fetching import remote_git  # noqa: PLC0415 - few need it

        if origin.all_tags:
            return _of_tags(remote_git.resolve_tags(origin.git, repositories(), progress))
        commit = remote_git.resolve(origin.git, origin.revision or "")
    else:
        repository = git.Repository.at(beside(folder, origin.git))
        if origin.all_tags:
            return _of_tags({tag.name: tag.commit for tag in git.tags(repository) if tag.commit})
        commit = git.resolve_revision(repository, origin.revision or "")
    version = version_of(origin.revision or "", declared.name)
    # A branch says nothing of what it was then.
    return SourcePins(version if version[:1].isdecimal() and version != commit else commit[:12], commit=commit)


def _of_tags(tags: Mapping[str, str]) -> SourcePins:
    named = {tag: commit for tag, commit in tags.items() if tag.isprintable()}
    if not named:
        raise FetchError("the repository has no tags of commits", "name one revision of it")
    return SourcePins(tags=tuple(sorted(named.items())))


def repositories() -> Path:
    """Where repositories are kept that were fetched."""
    return cache_folder() / "git"


def _fields(pins: object) -> object:
    assert isinstance(pins, SourcePins)
    return {name: getattr(pins, name) for name in pins.__slots__}


def _url(declared: DeclaredSource) -> str | None:
    repository = declared.origin.git
    return declared.origin.url or (repository if repository and is_remote(repository) else None)


def _exact(purl: str, version: str | None) -> str:
    from winnow_ci.fetching.packages import parse_purl  # noqa: PLC0415

    package = parse_purl(purl)
    if version is None or package.version:
        return purl
    return str(package._replace(version=version).to_string())


def _digest(declared: DeclaredSource, place: Path) -> str:
    """Of the files that are taken of a folder, and all of an archive."""
    limits, state, total = ArchiveLimits(), hashlib.sha256(), 0
    if not place.is_dir():
        return _of_file(place)
    with collect([place]) as corpus:
        files = selected(corpus, declared).files
    for number, file in enumerate(files, 1):
        total += file.size
        if number > limits.members or total > limits.total:
            raise CorpusError(f"{place}: has more files or bytes than an archive may", "take parts of it (paths)")
        path = file.path.encode("utf-8", "surrogateescape")
        content = b"" if file.size > LARGEST_FILE else read_file(file, LARGEST_FILE)
        state.update(b"%d:%b%d:" % (len(path), path, file.size))
        state.update(hashlib.sha256(content).digest())
    return state.hexdigest()


def _of_file(place: Path) -> str:
    digest = hashlib.sha256()
    try:
        with open_regular(place) as file:
            while chunk := file.read(1 << 20):
                digest.update(chunk)
    except OSError as error:
        raise UsageError(f"{place}: {error.strerror}", "name a folder or an archive that can be read") from error
    return digest.hexdigest()
