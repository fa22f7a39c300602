"""The files of a pinned source, from the user's cache; what the cache lacks is fetched."""

from __future__ import annotations

import shutil
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from winnow_ci import fetching
from winnow_ci.config.source import is_remote
from winnow_ci.corpus import ArchiveLimits, collect
from winnow_ci.fetching.cache import cached_file
from winnow_ci.fetching.packages import POM, ResolvedSource, link_artifacts
from winnow_ci.indexer.filling import IndexAddition
from winnow_ci.indexer.pinning import beside, place_of, repositories, source_of
from winnow_ci.indexer.revisions import SourceVersion, at_commits, versions
from winnow_ci.indexer.selecting import selected
from winnow_ci.languages import LARGEST_FILE

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from winnow_ci.config.lock import PinnedSource
    from winnow_ci.model import Progress, Source


def is_cached(one: PinnedSource) -> bool:
    """Whether the cache has all files of a source."""
    if one.declared.origin.git and is_remote(one.declared.origin.git):
        from winnow_ci.fetching import remote_git  # noqa: PLC0415 - few need it

        return remote_git.has_commits(one.declared.origin.git, commits(one), repositories())
    return all(cached_file(artifact.sha256) for artifact in one.pins.artifacts)


def fetch(one: PinnedSource, folder: Path, progress: Progress) -> None:
    """Fetch the files of a source that the cache lacks, given the folder of the manifest.

    Raises:
        FetchError: a file could not be fetched.
    """
    if one.declared.origin.git:
        _repository(one, folder, progress)
    elif one.pins.artifacts:
        _fetched(one, progress)


def commits(one: PinnedSource) -> tuple[str, ...]:
    """The full ids of the commits of a source."""
    return (one.pins.commit,) if one.pins.commit else tuple(commit for _, commit in one.pins.tags)


@contextmanager
def opened(one: PinnedSource, folder: Path) -> Iterator[IndexAddition]:
    """Give the files of a source, all of which the cache has, given the folder of the manifest.

    Raises:
        CorpusError: it cannot be read.
        ConfigError: the patterns of its paths leave nothing.
    """
    source = source_of(one)
    if one.declared.origin.git:
        yield _addition(one, _repository(one, folder, _in_silence), source)
        return
    with tempfile.TemporaryDirectory(prefix="winnow-ci-") as names:
        if one.pins.artifacts:
            roots = named_archives(one, _fetched(one, _in_silence), Path(names))
        else:
            roots = [place_of(one.declared, folder)]
        with collect(roots, ArchiveLimits(member=LARGEST_FILE)) as corpus:
            yield IndexAddition(selected(corpus, one.declared), (source,), lambda _: (source,), lambda _: False)


def _addition(one: PinnedSource, repository: Path, source: Source) -> IndexAddition:
    """The files of a repository at a revision, or at each tag."""
    wanted = [SourceVersion(source, one.pins.commit)] if one.pins.commit else versions(dict(one.pins.tags), source)
    addition = at_commits(repository, wanted, lambda _: False)
    return addition._replace(corpus=selected(addition.corpus, one.declared))


def _repository(one: PinnedSource, folder: Path, progress: Progress) -> Path:
    repository = one.declared.origin.git
    assert repository is not None
    if not is_remote(repository):
        return beside(folder, repository)
    from winnow_ci.fetching import remote_git  # noqa: PLC0415 - few need it

    return remote_git.fetch(repository, commits(one), repositories(), progress)


def _fetched(one: PinnedSource, progress: Progress) -> tuple[Path, ...]:
    origin, pins = one.declared.origin, one.pins
    pinned = ResolvedSource(one.declared.name, pins.version, pins.artifacts)
    return fetching.fetch(origin.purl or origin.url or "", pinned, progress)


def named_archives(one: PinnedSource, cached: Sequence[Path], folder: Path) -> Sequence[Path]:
    """The artifacts of a source under their own names; the cache names them by their sha256.

    Args:
        one: the source.
        cached: where its artifacts are, in their order.
        folder: an empty one for links.

    Raises:
        FetchError: a name is none, or the folder cannot be written.
    """
    roots = link_artifacts(one.pins.artifacts, cached, folder)
    # The .dsc of a Debian source names the other files, which lie beside it.
    return [root for root in roots if root.suffix == ".dsc"] or [_readable(root, folder) for root in roots]


def _readable(root: Path, folder: Path) -> Path:
    """An archive; for the metadata that stand beside one, a folder of them."""
    if root.name != POM:
        return root
    about = folder / "metadata"
    about.mkdir()
    shutil.copyfile(root, about / POM)
    return about


def _in_silence(done: int, total: int | None) -> None:
    """Tell nobody."""
