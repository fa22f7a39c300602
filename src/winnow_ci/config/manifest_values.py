"""The values of a manifest and of its lock: sources as declared, and as pinned."""

from __future__ import annotations

from typing import TYPE_CHECKING

from winnow_ci.model import Parameters
from winnow_ci.named_tuples import NamedTuple
from winnow_ci.start_up import field, record

if TYPE_CHECKING:
    from pathlib import Path

    from winnow_ci.fetching.packages import Artifact


class SourceOrigin(NamedTuple):
    """Where a source comes from: one of ``purl``, ``git``, ``url`` and ``path``, with its details.

    Attributes:
        purl: a package URL.
        git: URL or path of a repository; also that of a package URL that stands for a repository.
        url: of an archive.
        path: of a folder or an archive; relative to the folder of the manifest.
        revision: of the repository; its tag, branch or commit.
        all_tags: of the repository; each tag is a version.
        sha256: of the archive at ``url``, if the manifest has it.
    """

    purl: str | None = None
    git: str | None = None
    url: str | None = None
    path: str | None = None
    revision: str | None = None
    all_tags: bool = False
    sha256: str | None = None

    def __str__(self) -> str:
        return self.purl or self.git or self.url or self.path or ""


@record(frozen=True, slots=True)
class DeclaredSource:
    """A source as a manifest declares it.

    Attributes:
        name: unique in a manifest.
        origin: where it comes from.
        version: what to call it; None for what its origin says.
        license: as somebody has stated it; None to find it in the files.
        include: patterns of the files that are taken; None for all.
        exclude: patterns of files that are left out even so.
        boilerplate: whether everybody has this code.
        with_text: whether the index keeps its text.
        line: of the manifest.
    """

    name: str
    origin: SourceOrigin
    version: str | None = None
    license: str | None = None
    include: tuple[str, ...] | None = None
    exclude: tuple[str, ...] = ()
    boilerplate: bool = False
    with_text: bool = False
    line: int = field(default=0, compare=False)


@record(frozen=True, slots=True)
class SourcePins:
    """What a source is exactly.

    Attributes:
        version: as its origin says; None if it says none.
        artifacts: files of a package, or the archive at a URL.
        commit: the full id of a revision.
        tags: with ``all_tags``, each tag and the full id of its commit.
        digest: of the content of a path.
        license: what was found in it; None if the manifest has one.
        license_from: where that was found.
    """

    version: str | None = None
    artifacts: tuple[Artifact, ...] = ()
    commit: str | None = None
    tags: tuple[tuple[str, str], ...] = ()
    digest: str | None = None
    license: str | None = None
    license_from: str | None = None


class PinnedSource(NamedTuple):
    """A source as it was declared when it was pinned, and what it is exactly."""

    declared: DeclaredSource
    pins: SourcePins


@record(frozen=True, slots=True)
class Manifest:
    """What an index is to hold.

    Attributes:
        path: of the file.
        index: the index.
        parameters: of fingerprints that the manifest has; by the names of ``Parameters``.
        sources: in the order of the file.
    """

    path: Path
    index: Path
    parameters: dict[str, int | str]
    sources: tuple[DeclaredSource, ...]


@record(frozen=True, slots=True)
class SourceLock:
    """What an index holds: enough to make it again.

    Attributes:
        parameters: of fingerprints.
        sources: by name.
    """

    parameters: Parameters = field(default_factory=Parameters)
    sources: tuple[PinnedSource, ...] = ()
