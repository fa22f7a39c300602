"""Plan how to make an index agree with its manifest, without asking a server."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Literal, TypeAlias

from winnow_ci.config.lock import PinnedSource
from winnow_ci.errors import ConfigError, CorpusError, FetchError, GitError, UsageError
from winnow_ci.fetching.client_process import BrokenClientError
from winnow_ci.index import WholeIndex
from winnow_ci.indexer.building import staleness
from winnow_ci.indexer.pinning import inputs, is_installed_package, pinned_files
from winnow_ci.indexer.revisions import is_version
from winnow_ci.model import Source
from winnow_ci.named_tuples import NamedTuple
from winnow_ci.start_up import record, replace

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    from winnow_ci.config.lock import SourceLock, SourcePins
    from winnow_ci.config.manifest import Manifest
    from winnow_ci.config.source import DeclaredSource
    from winnow_ci.indexer.filling import AddedFiles
    from winnow_ci.model import Parameters

SourceState: TypeAlias = Literal["added", "replaced", "removed", "unchanged", "not fetched"]


@record(frozen=True, slots=True)
class SyncOptions:
    """How to sync."""

    frozen: bool = False  # take only what the lock pins
    offline: bool = False  # ask no server
    upgrade: frozenset[str] = frozenset()  # names of the sources to pin again


class SyncStep(NamedTuple):
    """A source of the manifest on its way into the index."""

    declared: DeclaredSource
    pins: SourcePins | None  # None if its origin must be asked
    state: SourceState
    sources: tuple[Source, ...] = ()  # what the index has of it
    locked: SourcePins | None = None  # what the lock had
    added: AddedFiles | None = None  # what came of its files, if they were read

    @property
    def pinned(self) -> PinnedSource:
        """Return the source with its pins, once these are known."""
        assert self.pins is not None
        return PinnedSource(self.declared, self.pins)

    @property
    def stays(self) -> bool:
        """Return whether its part of the index stays unchanged."""
        return self.state in {"unchanged", "not fetched"}

    @property
    def to_lock(self) -> PinnedSource | None:
        """Return its pins for the lock; None if they are unknown."""
        pins = self.pins or self.locked
        return PinnedSource(self.declared, pins) if pins else None

    def with_sources(self, sources: Sequence[Source]) -> SyncStep:
        """Set what the index has of it, and pin the licence that was found, if it is one for all of it."""
        step = self._replace(sources=tuple(sources))
        if self.declared.license is not None or self.declared.origin.is_several or self.pins is None:
            return step
        (source,) = sources
        return step._replace(pins=replace(self.pins, license=source.license, license_from=source.license_from))


@record(frozen=True, slots=True)
class SyncPlan:
    """The steps to do."""

    steps: tuple[SyncStep, ...]  # for the sources of the manifest, in its order
    gone: tuple[str, ...]  # names of sources of the index that the manifest does not have
    parameters: Parameters  # of the index
    remade: str | None  # why nothing of an existing index can be used, if so
    held: frozenset[Source]  # the sources that the index has

    @property
    def is_empty(self) -> bool:
        """Return whether the index agrees with the manifest."""
        return not self.gone and all(step.stays for step in self.steps)


def plan(manifest: Manifest, lock: SourceLock, parameters: Parameters, options: SyncOptions) -> SyncPlan:
    """Compare an index with its manifest, without asking a server.

    Raises:
        ConfigError: the manifest has no source, or does not agree with a lock that is frozen.
        UsageError: a source to upgrade does not exist, or the index has sources that nobody declared.
        CorpusError: a folder cannot be read.
        IndexFileError: the index is damaged, or of another format.
    """
    _check_names(manifest, options)
    if options.frozen:
        _check_frozen(manifest, lock, parameters)
    known = [_known(manifest, declared, lock, options) for declared in manifest.sources]
    if not manifest.index.exists():
        return marked(known, (), parameters, None)
    with WholeIndex(manifest.index) as old:
        _check_made_by_hand(manifest, old)
        other = old.parameters != parameters
        remade = "was made with other parameters (k, w or selection)" if other else staleness(old)
        return marked(known, old.sources, parameters, remade)


def _check_names(manifest: Manifest, options: SyncOptions) -> None:
    names = [declared.name for declared in manifest.sources]
    if not names:
        problem = f"{manifest.path}: no sources: a scan with an empty index would find nothing"
        raise ConfigError(problem, "add one: winnow-ci index add PURL|URL|PATH")
    for name in sorted(options.upgrade.difference(names)):
        raise UsageError(f"{manifest.path} has no source {name!r}", f"it has {', '.join(names)[:1000]}")


def _check_frozen(manifest: Manifest, lock: SourceLock, parameters: Parameters) -> None:
    locked = {one.declared for one in lock.sources}
    differing = sorted({one.name for one in locked.symmetric_difference(manifest.sources)})
    if lock.parameters != parameters:
        differing.append("k, w or selection")
    if differing:
        problem = f"{manifest.path} and its lock disagree about {', '.join(differing)[:500]}"
        raise ConfigError(problem, "run winnow-ci index sync without --frozen, and commit both files")


def carried(declared: DeclaredSource, lock: SourceLock) -> SourcePins | None:
    """Return what the lock pins of the same origin; without the licence, if the manifest has one."""
    alike = [one for one in lock.sources if one.declared.origin == declared.origin]
    for one in sorted(alike, key=lambda one: one.declared.name != declared.name)[:1]:
        return replace(one.pins, license=None, license_from=None) if declared.license else one.pins
    return None


def _known(manifest: Manifest, declared: DeclaredSource, lock: SourceLock, options: SyncOptions) -> SyncStep:
    pins = locked = carried(declared, lock)
    if declared.origin.is_local:
        with naming_source(manifest, declared):
            now = pinned_files(declared, manifest.path.parent)
            if pins is None or pins.digest != now.digest:
                if options.frozen:
                    problem = f"{declared.origin} differs from the content that the lock pins"
                    raise ConfigError(problem, "run winnow-ci index sync without --frozen, and commit the lock")
                pins = now
    elif declared.name in options.upgrade:
        pins = None
    return SyncStep(declared, pins, "added", locked=locked)


def _check_made_by_hand(manifest: Manifest, old: WholeIndex) -> None:
    declared = {one.name for one in manifest.sources}
    others = [source.name for source in old.sources if source.inputs is None and source.name not in declared]
    if others:
        problem = f"{old.path} has sources that {manifest.path} does not declare: {', '.join(others)[:500]}"
        raise UsageError(problem, "declare them, or remove them with winnow-ci index remove, or name another index")


def marked(
    steps: Iterable[SyncStep],
    sources: Sequence[Source],
    parameters: Parameters,
    remade: str | None,
    failed: Collection[str] = (),
) -> SyncPlan:
    """Set the states of steps, given the sources in the index, and the names of sources that cannot be fetched."""
    held = [] if remade else sources
    steps_now = []
    kept: set[str] = set()
    for unmarked in steps:
        same = _of_inputs(held, unmarked)
        before = same or [source for source in sources if _belongs(source, unmarked.declared)]
        if unmarked.declared.name in failed:
            steps_now.append(unmarked._replace(state="not fetched", sources=() if remade else tuple(before)))
        else:
            state: SourceState = "unchanged" if same else "replaced" if before else "added"
            step = unmarked._replace(state=state)
            steps_now.append(step.with_sources(same) if same else step)
        kept.update(source.name for source in before)
    gone = tuple(source.name for source in sources if source.name not in kept)
    return SyncPlan(tuple(steps_now), gone, parameters, remade, frozenset(sources))


def _of_inputs(sources: Iterable[Source], step: SyncStep) -> list[Source]:
    """Return the sources that were made of the inputs of a step, under its licence."""
    if step.pins is None:
        return []
    digest, pins = inputs(step.pinned), step.pins
    # Under another name, the index is forged.
    same = [source for source in sources if source.inputs == digest and _belongs(source, step.declared)]
    other = pins.license is not None and any(
        (source.license, source.license_from) != (pins.license, pins.license_from) for source in same
    )
    return [] if other else same


def _belongs(source: Source, declared: DeclaredSource) -> bool:
    """Tell whether a source of the index comes from a declared one; each tag, and each installed package, is one."""
    if declared.origin.installed:
        return is_installed_package(source)
    return source.name == declared.name or is_version(source, Source(declared.name))


@contextmanager
def naming_source(manifest: Manifest, declared: DeclaredSource) -> Iterator[None]:
    """Begin an error with the source of the manifest that it is about."""
    try:
        yield
    except BrokenClientError:
        raise
    except (ConfigError, CorpusError, FetchError, GitError, UsageError) as error:
        # A missing folder is not a mistake of the command line here.
        kind = CorpusError if isinstance(error, UsageError) else type(error)
        raise kind(f"{manifest.path}:{declared.line}: {declared.name}: {error.problem}", error.remedy) from error
