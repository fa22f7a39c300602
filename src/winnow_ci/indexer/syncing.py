"""Make an index agree with its manifest: sources are added, replaced and removed, all in one rewrite.

Each source of an index has a digest of all that it was made of (``Source.inputs``), so a plan takes no network. A sync
that was stopped at any moment goes on from the user's cache when it is run again.

If a source cannot be fetched, all others are still fetched and pinned, and the sync fails at its end. The index then
has the others as they are now and that one as it was before, if it had it. If it did not, the index stays as it was,
since without one of its sources it would look clean where it should not. It also stays if a source cannot be read.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from typing import Literal, TypeAlias

from winnow_ci.config.lock import PinnedSource, SourceLock, SourcePins
from winnow_ci.config.manifest import Manifest
from winnow_ci.config.source import DeclaredSource
from winnow_ci.errors import ConfigError, CorpusError, FetchError, GitError, IndexFileError, UsageError, WinnowError
from winnow_ci.fetching.client_process import BrokenClientError
from winnow_ci.index import WholeIndex
from winnow_ci.indexer.building import IndexStart, NewIndex, rewritten, staleness
from winnow_ci.indexer.engine import LOCAL, BuildEngine
from winnow_ci.indexer.filling import AddedFiles, IndexAddition
from winnow_ci.indexer.pinning import (
    fetch_source,
    inputs,
    is_cached,
    is_installed_package,
    opened_source,
    pinned_files,
    resolved,
)
from winnow_ci.indexer.revisions import is_version
from winnow_ci.model import Counting, Parameters, Progress, Source
from winnow_ci.named_tuples import NamedTuple
from winnow_ci.start_up import record, replace

_UNCHANGED = "the index is unchanged, and whatever could be fetched is in the cache"
_AS_BEFORE = "all other sources in the index are up to date, and these are unchanged"
_ONLINE = "run it without --offline"

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

    Raises ``ConfigError`` if the manifest has no source, or does not agree with a lock that is frozen, ``UsageError``
    if a source to upgrade does not exist, or the index has sources that nobody declared, ``CorpusError`` if a folder
    cannot be read, and ``IndexFileError`` if the index is damaged, or of another format.
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


class SyncProgress(NamedTuple):
    """Shows how a sync proceeds."""

    counting: Counting  # shows the progress of each task
    failing: Callable[[WinnowError], None]  # gets the error of each source that failed, if there are several


class SourceOutcome(NamedTuple):
    """The outcome for a source."""

    name: str  # also of a source that the manifest no longer has
    state: SourceState
    sources: tuple[Source, ...] = ()  # what the index has of it; of a repository with all tags each version is one
    added: AddedFiles | None = None  # what came of its files, if they were read


class SyncReport(NamedTuple):
    """The result of a sync."""

    outcomes: tuple[SourceOutcome, ...]  # sources of the manifest, in its order, then those that were removed
    lock: SourceLock  # what the sources are, exactly
    digest: str | None  # of the index; None if that stays as it was for lack of a source
    remade: str | None  # why nothing of the old index could be used; None if it was used, or there was none
    failure: WinnowError | None  # the error to end with: some sources could not be fetched


@contextmanager
def sync(
    manifest: Manifest,
    planned: SyncPlan,
    options: SyncOptions,
    progress: SyncProgress,
    engine: BuildEngine = LOCAL,
    *,
    whole: bool = False,
) -> Iterator[SyncReport]:
    """Do what is planned; the new index takes the place of the old one if the block ends well.

    So the caller can write down what the sources are (``SyncReport.lock``) when everything else has succeeded. With
    ``whole`` all sources must be fetched; otherwise the report has those that could not be. Raises ``FetchError`` if a
    source could not be fetched, and all must be, or nothing else needs to be done; else what ``building.add`` does.
    """
    steps, failed = _fetched(manifest, planned.steps, options, progress)
    held, digest = _held(manifest, planned)
    # A source may turn out to be what the index has already.
    planned = marked(steps, held, planned.parameters, planned.remade, failed)
    lacking = any(step.state == "not fetched" and not step.sources for step in planned.steps)
    failure = _all_of(failed, progress.failing, _UNCHANGED if lacking or whole else _AS_BEFORE) if failed else None
    if failure and (whole or planned.is_empty):
        raise failure
    if lacking or (digest and planned.is_empty):
        yield _report(planned, planned.steps, None if lacking else digest, failure)
        return
    with rewritten(manifest.index, lambda old: _start(manifest, planned, old), engine) as index:
        counted = _numbered(planned.steps, progress)
        begun = _begun(manifest, index, planned.steps, counted) if engine.works_ahead else {}
        steps = [
            step if step.stays else _added(manifest, index, step, counted[step.declared.name], begun)
            for step in planned.steps
        ]
        with progress.counting("writing", " blocks") as writing:
            digest = index.write(writing).digest
        yield _report(planned, steps, digest, failure)


def _held(manifest: Manifest, planned: SyncPlan) -> tuple[Sequence[Source], str | None]:
    """Return the sources that the index has by now, and its digest if it can be used."""
    if planned.remade is not None or not manifest.index.exists():
        return sorted(planned.held, key=lambda source: source.name), None
    with WholeIndex(manifest.index) as old:
        return old.sources, old.digest


def _report(
    planned: SyncPlan, steps: Sequence[SyncStep], digest: str | None, failure: WinnowError | None
) -> SyncReport:
    lock = SourceLock(planned.parameters, tuple(step.to_lock for step in steps if step.to_lock))
    outcomes = (SourceOutcome(step.declared.name, step.state, step.sources, step.added) for step in steps)
    gone = (SourceOutcome(name, "removed") for name in planned.gone)
    return SyncReport((*outcomes, *gone), lock, digest, planned.remade, failure)


def _fetched(
    manifest: Manifest, steps: Sequence[SyncStep], options: SyncOptions, progress: SyncProgress
) -> tuple[list[SyncStep], dict[str, WinnowError]]:
    """Pin the steps and fetch their files; also return the errors of those that failed, by name."""
    fetched: list[SyncStep] = []
    failed: dict[str, WinnowError] = {}
    counted = _numbered(steps, progress)
    for step in steps:
        try:
            with naming_source(manifest, step.declared):
                fetched.append(step if step.stays else _fetch(manifest, step, options, counted[step.declared.name]))
        except (ConfigError, FetchError, GitError) as error:  # noqa: PERF203 - fetching takes longer
            failed[step.declared.name] = error
            fetched.append(step)
    return fetched, failed


def _numbered(steps: Sequence[SyncStep], progress: SyncProgress) -> dict[str, SyncProgress]:
    """Return for each source to be done, by its name, its progress, which shows the number of the source."""
    names = [step.declared.name for step in steps if not step.stays]

    def counting(number: int) -> Counting:
        return lambda what, unit: progress.counting(f"{number}/{len(names)} {what}", unit)

    return {name: progress._replace(counting=counting(number)) for number, name in enumerate(names, 1)}


def _fetch(manifest: Manifest, step: SyncStep, options: SyncOptions, progress: SyncProgress) -> SyncStep:
    declared, folder = step.declared, manifest.path.parent
    if step.pins is None:
        if options.offline:
            raise FetchError(f"{declared.origin} is not pinned, and --offline forbids the look-up", _ONLINE)
        with progress.counting(f"asking for {declared.name}", "B") as asking:
            step = step._replace(pins=resolved(declared, folder, asking))
    if options.offline and not is_cached(step.pinned):
        raise FetchError(f"{declared.origin} is not in the cache, and --offline forbids fetching it", _ONLINE)
    with progress.counting(f"fetching {declared.name}", "B") as fetching:
        fetch_source(step.pinned, folder, fetching)
    return step


def _all_of(failed: Mapping[str, WinnowError], failing: Callable[[WinnowError], None], kept: str) -> WinnowError:
    """Show several errors, each once; return one to end with. ``kept`` says what became of other sources."""
    if len(failed) == 1:
        (only,) = failed.values()
        return type(only)(only.problem, f"{only.remedy}; {kept}")
    causes = {error.lines: error for error in failed.values()}
    for error in causes.values():
        failing(error)
    problem = f"{len(failed)} sources could not be fetched: {', '.join(failed)}"
    what = "fix that" if len(causes) == 1 else "fix or remove them"
    return FetchError(problem, f"{what}, then run this again; {kept}")


def _start(manifest: Manifest, planned: SyncPlan, old: WholeIndex | None) -> IndexStart:
    if planned.held != frozenset(old.sources if old else ()):
        raise IndexFileError(f"{manifest.index} has changed meanwhile", "run this again")
    if planned.remade is not None:
        return planned.parameters, None
    staying = {source.name for step in planned.steps if step.stays for source in step.sources}
    return planned.parameters, {source.name for source in planned.held} - staying


def _begun(
    manifest: Manifest, index: NewIndex, steps: Sequence[SyncStep], counted: Mapping[str, SyncProgress]
) -> dict[str, IndexAddition]:
    """Begin with all sources before waiting for the first: one would not keep a cluster busy."""
    begun: dict[str, IndexAddition] = {}
    for step in steps:
        if not step.stays:
            with _opened(manifest, step, counted[step.declared.name]) as (addition, progress):
                begun[step.declared.name] = index.begin(addition, progress)
    return begun


@contextmanager
def _opened(
    manifest: Manifest, step: SyncStep, progress: SyncProgress, begun: IndexAddition | None = None
) -> Iterator[tuple[IndexAddition, Progress]]:
    declared = step.declared
    with (
        naming_source(manifest, declared),
        progress.counting(f"fingerprinting {declared.name}", "B") as fingerprinting,
        nullcontext(begun) if begun else opened_source(step.pinned, manifest.path.parent) as addition,
    ):
        yield addition._replace(with_text=declared.with_text), fingerprinting


def _added(
    manifest: Manifest, index: NewIndex, step: SyncStep, progress: SyncProgress, begun: dict[str, IndexAddition]
) -> SyncStep:
    with _opened(manifest, step, progress, begun.pop(step.declared.name, None)) as (addition, fingerprinting):
        added = index.add(addition, fingerprinting)
        if step.declared.origin.is_local:
            now = pinned_files(step.declared, manifest.path.parent)
            if now.digest != step.pinned.pins.digest:
                raise CorpusError("changed while it was being read", "run it again when nobody is writing there")
        return step.with_sources(added.sources)._replace(added=added)
