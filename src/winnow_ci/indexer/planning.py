"""What there is to do, for an index to agree with its manifest: found out without asking anybody but the disk."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Literal, TypeAlias

from winnow_ci.config.lock import PinnedSource
from winnow_ci.errors import ConfigError, CorpusError, FetchError, GitError, UsageError
from winnow_ci.index import WholeIndex
from winnow_ci.indexer.compatibility import staleness
from winnow_ci.indexer.pinning import carried, inputs, pinned_path
from winnow_ci.indexer.revisions import is_version
from winnow_ci.model import Source
from winnow_ci.named_tuples import NamedTuple
from winnow_ci.start_up import record, replace

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    from winnow_ci.config.lock import SourceLock, SourcePins
    from winnow_ci.config.manifest import Manifest
    from winnow_ci.config.source import DeclaredSource
    from winnow_ci.model import Parameters

SourceState: TypeAlias = Literal["added", "replaced", "removed", "unchanged", "not fetched"]
_STAYING = {"unchanged", "not fetched"}


@record(frozen=True, slots=True)
class SyncOptions:
    """How to sync.

    Attributes:
        frozen: take only what the lock pins.
        offline: ask nobody for anything.
        upgrade: names of the sources that are pinned anew.
    """

    frozen: bool = False
    offline: bool = False
    upgrade: frozenset[str] = frozenset()


class SyncStep(NamedTuple):
    """A source of the manifest on its way into the index.

    Attributes:
        declared: the source.
        pins: what it is; None if that must be asked.
        state: what becomes of it.
        sources: what the index has of it.
        locked: what the lock said that it is, if it did.
    """

    declared: DeclaredSource
    pins: SourcePins | None
    state: SourceState
    sources: tuple[Source, ...] = ()
    locked: SourcePins | None = None

    @property
    def pinned(self) -> PinnedSource:
        """The source and what it is, once that is known."""
        assert self.pins is not None
        return PinnedSource(self.declared, self.pins)

    @property
    def stays(self) -> bool:
        """Whether what the index has of it stays as it is."""
        return self.state in _STAYING

    @property
    def to_lock(self) -> PinnedSource | None:
        """What the lock is to say of it; None if nobody knows what it is."""
        pins = self.pins or self.locked
        return PinnedSource(self.declared, pins) if pins else None

    def with_sources(self, sources: Sequence[Source]) -> SyncStep:
        """What the index has of it; its licence is pinned, if nobody has said it and it is one for all of it."""
        step = self._replace(sources=tuple(sources))
        if self.declared.license is not None or self.declared.origin.all_tags or self.pins is None:
            return step
        (source,) = sources
        return step._replace(pins=replace(self.pins, license=source.license, license_from=source.license_from))


@record(frozen=True, slots=True)
class SyncPlan:
    """What there is to do.

    Attributes:
        steps: for the sources of the manifest, in its order.
        gone: names of sources of the index that the manifest has not.
        parameters: of the index.
        remade: why nothing of the index that is there can be used, if so.
        held: the sources that the index has.
    """

    steps: tuple[SyncStep, ...]
    gone: tuple[str, ...]
    parameters: Parameters
    remade: str | None
    held: frozenset[Source]

    @property
    def is_empty(self) -> bool:
        """Whether the index agrees."""
        return not self.gone and all(step.stays for step in self.steps)


def plan(manifest: Manifest, lock: SourceLock, parameters: Parameters, options: SyncOptions) -> SyncPlan:
    """Compare an index with its manifest, asking nobody but the disk.

    Raises:
        ConfigError: the manifest has no source, or does not agree with a lock that is frozen.
        UsageError: a source is to be upgraded that is not there, or the index has sources that nobody declared.
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
        return marked(known, old.sources, parameters, _why_unusable(old, parameters))


def _check_names(manifest: Manifest, options: SyncOptions) -> None:
    names = [declared.name for declared in manifest.sources]
    if not names:
        problem = f"{manifest.path}: no sources: a scan with an empty index would find nothing, and say so"
        raise ConfigError(problem, "add one: winnow-ci index add PURL|URL|PATH")
    for name in sorted(options.upgrade.difference(names)):
        raise UsageError(f"{manifest.path} has no source {name!r}", f"it has {', '.join(names)[:1000]}")


def _check_frozen(manifest: Manifest, lock: SourceLock, parameters: Parameters) -> None:
    locked = {one.declared for one in lock.sources}
    differing = sorted({one.name for one in locked.symmetric_difference(manifest.sources)})
    if lock.parameters != parameters:
        differing.append("k, w or selection")
    if differing:
        problem = f"{manifest.path} and its lock do not agree about {', '.join(differing)[:500]}"
        raise ConfigError(problem, "run winnow-ci index sync without --frozen, and commit both files")


def _known(manifest: Manifest, declared: DeclaredSource, lock: SourceLock, options: SyncOptions) -> SyncStep:
    """A source with what is known of it without asking anybody."""
    pins = locked = carried(declared, lock)
    if declared.origin.path is not None:
        with telling(manifest, declared):
            now = pinned_path(declared, manifest.path.parent)
            if pins is None or pins.digest != now.digest:
                if options.frozen:
                    problem = f"{declared.origin.path} does not have the content that the lock pins"
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


def _why_unusable(old: WholeIndex, parameters: Parameters) -> str | None:
    if old.parameters != parameters:
        return "was made with other parameters (k, w or selection)"
    return staleness(old)


def marked(
    steps: Iterable[SyncStep],
    sources: Sequence[Source],
    parameters: Parameters,
    remade: str | None,
    failed: Collection[str] = (),
) -> SyncPlan:
    """The steps with their states, given what the index has, and the names of the sources that cannot be fetched."""
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
    """The sources that have been made of what a step has, under the licence that it has."""
    if step.pins is None:
        return []
    digest, pins = inputs(step.pinned), step.pins
    # Of a name that is another's, somebody has made the index up.
    same = [source for source in sources if source.inputs == digest and _belongs(source, step.declared)]
    other = pins.license is not None and any(
        (source.license, source.license_from) != (pins.license, pins.license_from) for source in same
    )
    return [] if other else same


def _belongs(source: Source, declared: DeclaredSource) -> bool:
    """Whether a source of the index is what a manifest calls so: of all tags, each is a source of its own."""
    return source.name == declared.name or is_version(source, Source(declared.name))


@contextmanager
def telling(manifest: Manifest, declared: DeclaredSource) -> Iterator[None]:
    """Put before an error which source of the manifest it is about."""
    try:
        yield
    except (ConfigError, CorpusError, FetchError, GitError, UsageError) as error:
        # That a folder is not there is no mistake of the command line here.
        kind = CorpusError if isinstance(error, UsageError) else type(error)
        raise kind(f"{manifest.path}:{declared.line}: {declared.name}: {error.problem}", error.remedy) from error
