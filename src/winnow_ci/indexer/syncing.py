"""An index is made to agree with its manifest: sources are added, replaced and removed, all of them in one rewrite.

A source of an index has a digest of all that it was made of (``Source.inputs``), so it is known without a network which
ones are current. What is fetched stays in the user's cache, and what is fingerprinted in the journal beside the index,
so a sync that is stopped at any moment goes on when it is run again. If one source cannot be had, the index, the
manifest and the lock stay as they are.
"""

from __future__ import annotations

from contextlib import AbstractContextManager, ExitStack
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from winnow_ci.config.manifest_values import SourceLock
from winnow_ci.errors import ConfigError, CorpusError, FetchError, GitError, IndexFileError, WinnowError
from winnow_ci.index import IndexDraft, IndexReader, continuing, replacing
from winnow_ci.indexer.building import description, telling_what_is_kept
from winnow_ci.indexer.filling import fill
from winnow_ci.indexer.obtaining import is_here, obtain, opened
from winnow_ci.indexer.pinning import pinned_path, resolved
from winnow_ci.indexer.planning import Plan, State, Step, Wishes, marked, telling
from winnow_ci.languages import revisions

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from winnow_ci.config.manifest_values import Manifest
    from winnow_ci.indexer.filling import Filling, Material
    from winnow_ci.model import Fallback, Skipped, Source


class Watch(NamedTuple):
    """Whom to tell how a sync goes.

    Attributes:
        counting: given what is done and its unit, gives a function of how much of how much is done.
        failing: is told why a source cannot be had, if it is not the only one.
    """

    counting: Callable[[str, str], AbstractContextManager[Callable[[int, int | None], None]]]
    failing: Callable[[WinnowError], None]


_ONLINE = "run it without --offline"


class Outcome(NamedTuple):
    """What became of a source.

    Attributes:
        name: of the source, or of what the index had that the manifest no longer has.
        state: what became of it.
        sources: what the index has of it; of a repository with all tags each version is one.
        files: that were read for it and have fingerprints.
        skipped: files that were left out, with the reason.
        fallback: files that only the fallback tokenizer could read.
    """

    name: str
    state: State
    sources: tuple[Source, ...] = ()
    files: int = 0
    skipped: tuple[Skipped, ...] = ()
    fallback: tuple[Fallback, ...] = ()


class Synced(NamedTuple):
    """What a sync did.

    Attributes:
        outcomes: of the sources of the manifest, in its order, then of those that are gone.
        lock: what they are.
        digest: of the index.
        remade: why nothing of the old index could be used, if so.
    """

    outcomes: tuple[Outcome, ...]
    lock: SourceLock
    digest: str
    remade: str | None


def sync(
    manifest: Manifest, planned: Plan, wishes: Wishes, watch: Watch, commit: Callable[[SourceLock], None]
) -> Synced:
    """Do what is planned.

    Args:
        manifest: what the index shall hold.
        planned: what there is to do.
        wishes: how to sync.
        watch: whom to tell how far it is.
        commit: is called with what the sources are, when all is ready but the new index is not in its place yet.

    Raises:
        FetchError: a source cannot be had; all others that can be are in the cache.
        CorpusError: a source could not be read, or nothing of it can be fingerprinted.
        IndexFileError: the index cannot be written.
        Interrupted: by ^C, once there was something to keep for the next sync.
    """
    planned = replace(planned, steps=_obtained(manifest, planned.steps, wishes, watch))
    if manifest.index.exists() and planned.remade is None:
        with IndexReader(manifest.index) as old:
            # What was asked for may be what the index has already.
            planned = marked(planned.steps, old.sources, planned.parameters, None)
            if planned.is_empty:
                return _unchanged(planned, old, commit)
    return _written(manifest, planned, watch, commit)


# ---- obtaining -------------------------------------------------------------------------------------------------


def _obtained(manifest: Manifest, steps: Sequence[Step], wishes: Wishes, watch: Watch) -> tuple[Step, ...]:
    """The steps, of which each is pinned and has its files in the cache.

    Raises:
        FetchError: some cannot be had.
    """
    tried = [step if step.state == "as it was" else _try_to_obtain(manifest, step, wishes, watch) for step in steps]
    failed = [one for one in tried if isinstance(one, _Failed)]
    if failed:
        raise _all_of(failed, watch.failing)
    return tuple(one for one in tried if isinstance(one, Step))


class _Failed(NamedTuple):
    """A source that cannot be had, and why."""

    name: str
    error: WinnowError


def _try_to_obtain(manifest: Manifest, step: Step, wishes: Wishes, watch: Watch) -> Step | _Failed:
    try:
        with telling(manifest, step.declared):
            return _obtain(manifest.path.parent, step, wishes, watch)
    except (ConfigError, FetchError, GitError) as error:
        return _Failed(step.declared.name, error)


def _obtain(folder: Path, step: Step, wishes: Wishes, watch: Watch) -> Step:
    declared = step.declared
    if step.pins is None:
        if wishes.offline:
            raise FetchError(f"{declared.origin} is not pinned, and nobody is asked (--offline)", _ONLINE)
        with watch.counting(f"asking for {declared.name}", "B") as progress:
            step = step._replace(pins=resolved(declared, folder, progress))
    if wishes.offline and not is_here(step.pinned):
        raise FetchError(f"{declared.origin} is not in the cache, and nobody is asked (--offline)", _ONLINE)
    with watch.counting(f"fetching {declared.name}", "B") as progress:
        obtain(step.pinned, folder, progress)
    return step


def _all_of(failed: Sequence[_Failed], failing: Callable[[WinnowError], None]) -> WinnowError:
    """The error to raise; of several, each is told before."""
    first = failed[0].error
    kept = "the index is as it was, and what could be fetched is in the cache"
    if len(failed) == 1:
        return type(first)(first.problem, f"{first.remedy}; {kept}")
    for one in failed:
        failing(one.error)
    problem = f"{len(failed)} sources cannot be had: {', '.join(one.name for one in failed)}"
    return FetchError(problem, f"mend or remove them, then run this again; {kept}")


# ---- writing ---------------------------------------------------------------------------------------------------


def _unchanged(planned: Plan, old: IndexReader, commit: Callable[[SourceLock], None]) -> Synced:
    lock = SourceLock(planned.parameters, tuple(step.pinned for step in planned.steps))
    commit(lock)
    return Synced(tuple(_as_it_was(step) for step in planned.steps), lock, old.digest, None)


def _as_it_was(step: Step) -> Outcome:
    return Outcome(step.declared.name, "as it was", step.sources)


def _written(manifest: Manifest, planned: Plan, watch: Watch, commit: Callable[[SourceLock], None]) -> Synced:
    with replacing(manifest.index) as unfinished, ExitStack() as stack:
        journal = stack.enter_context(continuing(manifest.index, description(planned.parameters)))
        stack.enter_context(telling_what_is_kept(manifest.index, journal))
        draft = IndexDraft(planned.parameters, revisions(), journal)
        old = stack.enter_context(IndexReader(manifest.index)) if manifest.index.exists() else None
        if planned.held != frozenset(old.sources if old else ()):
            raise IndexFileError(f"{manifest.index} has changed meanwhile", "run this again")
        if old and planned.remade is None:
            draft.keep(old, without={source.name for source in planned.held} - _current(planned))
        done = [_done(manifest, draft, step, watch) for step in planned.steps]
        lock = SourceLock(planned.parameters, tuple(step.pinned for step, _ in done))
        with watch.counting("writing", " blocks") as progress:
            draft.write(unfinished, progress)
        with IndexReader(unfinished) as written:
            digest = written.digest
        commit(lock)
    gone = tuple(Outcome(name, "removed") for name in planned.gone)
    return Synced((*(outcome for _, outcome in done), *gone), lock, digest, planned.remade)


def _current(planned: Plan) -> set[str]:
    """Names of the sources of the index that stay."""
    return {source.name for step in planned.steps if step.state == "as it was" for source in step.sources}


def _done(manifest: Manifest, draft: IndexDraft, step: Step, watch: Watch) -> tuple[Step, Outcome]:
    if step.state == "as it was":
        return step, _as_it_was(step)
    with telling(manifest, step.declared), watch.counting(f"fingerprinting {step.declared.name}", "B") as progress:
        return _fill(manifest, draft, step, progress)


def _fill(
    manifest: Manifest, draft: IndexDraft, step: Step, progress: Callable[[int, int | None], None]
) -> tuple[Step, Outcome]:
    folder = manifest.path.parent
    with opened(step.pinned, folder) as addition:
        for source in addition.sources if step.declared.with_text else ():
            draft.keep_text(source)
        filled = fill(draft, addition, progress)
        _check_unchanged(step, manifest)
        step = step.with_sources(filled.sources)
        return step, _outcome(step, addition.corpus, filled)


def _outcome(step: Step, material: Material, filled: Filling) -> Outcome:
    indexed, left_out = len(material.files) - len(filled.skipped), (*filled.skipped, *material.skipped)
    return Outcome(step.declared.name, step.state, step.sources, indexed, left_out, tuple(filled.fallback))


def _check_unchanged(step: Step, manifest: Manifest) -> None:
    """The digest of a folder must be that of what was read."""
    if step.declared.origin.path is not None:
        now = pinned_path(step.declared, manifest.path.parent)
        if step.pins is None or now.digest != step.pins.digest:
            raise CorpusError("has changed while it was read", "run it again when nobody writes there")
