"""Make an index agree with its manifest: sources are added, replaced and removed, all in one rewrite.

Each source of an index has a digest of all that it was made of (``Source.inputs``), so it takes no network to know
which sources are current. A sync that was stopped at any moment goes on from the user's cache when it is run again.

If a source cannot be fetched, all others are still fetched and pinned, and the sync fails at its end. The index then
has the others as they are now and that one as it was before, if it had it. If it did not, the index stays as it was,
since without one of its sources it would look clean where it should not. It also stays if a source cannot be read.
"""

from __future__ import annotations

from contextlib import contextmanager, nullcontext
from typing import TYPE_CHECKING

from winnow_ci.config.lock import SourceLock
from winnow_ci.errors import ConfigError, CorpusError, FetchError, GitError, IndexFileError, WinnowError
from winnow_ci.index import WholeIndex
from winnow_ci.indexer.building import rewritten
from winnow_ci.indexer.engine import LOCAL
from winnow_ci.indexer.pinning import fetch_source, is_cached, opened_source, pinned_files, resolved
from winnow_ci.indexer.planning import SourceState, SyncOptions, SyncPlan, SyncStep, marked, naming_source
from winnow_ci.named_tuples import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from winnow_ci.config.manifest import Manifest
    from winnow_ci.indexer.building import IndexStart, NewIndex
    from winnow_ci.indexer.engine import BuildEngine
    from winnow_ci.indexer.filling import AddedFiles, IndexAddition
    from winnow_ci.model import Counting, Progress, Source

_UNCHANGED = "the index is unchanged, and whatever could be fetched is in the cache"
_AS_BEFORE = "all other sources in the index are up to date, and these are unchanged"
_ONLINE = "run it without --offline"


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
    ``whole`` all sources must be fetched; otherwise the report has those that could not be.

    Raises:
        FetchError: a source could not be fetched, and all must be, or nothing else needs to be done.
        CorpusError: a source could not be read, or nothing of it can be fingerprinted.
        IndexFileError: the index cannot be written.
        Interrupted: by ^C, once there was something to keep for the next sync.
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
