"""What is pinned → the files of a source: from the user's cache, which gets what is missing."""

from __future__ import annotations

import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from winnow_ci.corpus import Limits, collect
from winnow_ci.errors import FetchError
from winnow_ci.fetching import cache
from winnow_ci.fetching.artifact import Resolved
from winnow_ci.indexer.building import Addition
from winnow_ci.indexer.pinning import ecosystem_of, place_of, source_of
from winnow_ci.indexer.preparation import LARGEST_FILE
from winnow_ci.indexer.selecting import selected

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from winnow_ci.config.sources import Pinned
    from winnow_ci.indexer.pinning import Progress


def is_here(one: Pinned) -> bool:
    """Whether nothing of a source is missing from the cache."""
    return all(cache.get(artifact.sha256) for artifact in one.pins.artifacts)


def obtain(one: Pinned, progress: Progress) -> None:
    """Bring what is missing of a source into the cache.

    Raises:
        FetchError: it cannot be had.
    """
    if one.pins.artifacts:
        _fetched(one, progress)


@contextmanager
def opened(one: Pinned, folder: Path) -> Iterator[Addition]:
    """Give what an index shall get of a source, of which nothing is missing.

    Args:
        one: the source.
        folder: that of the manifest.

    Raises:
        CorpusError: it cannot be read.
        ConfigError: the patterns of its paths leave nothing.
    """
    with tempfile.TemporaryDirectory(prefix="winnow-ci-") as names:
        roots = _named(one, Path(names)) if one.pins.artifacts else [place_of(one.declared, folder)]
        with collect(roots, Limits(member=LARGEST_FILE)) as corpus:
            source = source_of(one)
            yield Addition(selected(corpus, one.declared), (source,), lambda _: (source,), lambda _: False)


def _fetched(one: Pinned, progress: Progress) -> tuple[Path, ...]:
    origin = one.declared.origin
    if origin.purl:
        ecosystem, package = ecosystem_of(origin.purl)
        pinned = Resolved(one.declared.name, one.pins.version, one.pins.artifacts)
        found: tuple[Path, ...] = ecosystem.fetch(package, pinned, progress)
        return found
    from winnow_ci.fetching import plain  # noqa: PLC0415

    return plain.fetch(origin.url or "", Resolved(one.declared.name, None, one.pins.artifacts), progress)


def _named(one: Pinned, folder: Path) -> Sequence[Path]:
    """The artifacts under the names that they have where they come from; the cache calls them by their sha256."""
    roots = []
    for artifact, path in zip(one.pins.artifacts, _fetched(one, lambda done, total: None), strict=True):  # noqa: ARG005
        if artifact.filename != Path(artifact.filename).name or artifact.filename == "..":
            raise FetchError(f"{one.declared.name}: {artifact.filename!r:.100} is no name of a file", "pin it anew")
        root = folder / artifact.filename
        root.symlink_to(path)
        roots.append(root)
    # That of a Debian source names the others, which lie beside it.
    return [root for root in roots if root.suffix == ".dsc"] or roots
