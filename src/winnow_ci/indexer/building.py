"""A source becomes part of an index.

A content that the index already has is not fingerprinted again, so replacing a source by its next version costs what
has changed; neither is one that a build had done before it was interrupted.
"""

from __future__ import annotations

import json
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from winnow_ci.corpus import Limits, collect
from winnow_ci.errors import CorpusError, IndexFileError, Interrupted
from winnow_ci.index import IndexDraft, IndexReader, continuing, replacing
from winnow_ci.indexer.agreement import check_current
from winnow_ci.indexer.licences import Hearing, Licensed
from winnow_ci.indexer.preparation import LARGEST_FILE, Outcome, Preparation
from winnow_ci.indexer.workers import prepare_all
from winnow_ci.languages import revisions
from winnow_ci.model import Fallback, Parameters, Skipped, Source

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    from winnow_ci.corpus import Corpus, CorpusFile
    from winnow_ci.index import Journal
    from winnow_ci.indexer.preparation import Prepared
    from winnow_ci.licensing import Saying


class BuildProgress(NamedTuple):
    """Whom a build tells how far it is: functions of what is done and what there is to do.

    Attributes:
        fingerprinting: is called after each file with bytes.
        writing: is called after each block of the index.
    """

    fingerprinting: Callable[[int, int], None]
    writing: Callable[[int, int], None]


def _in_silence(done: int, total: int) -> None:
    """Tell nobody."""


_IN_SILENCE = BuildProgress(_in_silence, _in_silence)


@dataclass(frozen=True, slots=True)
class BuildReport:
    """What a build did.

    Attributes:
        files: files of the source that the index holds.
        known: those of them whose content was there already, and was not fingerprinted again.
        continued: contents that were there already because a build had done them before it was interrupted.
        skipped: files of the source that have no fingerprints, with the reason.
        fallback: files of the source that only the fallback tokenizer could read.
        digest: of the whole index.
        source: as it is in the index, with its licence and where that was read.
        own_licences: files of the source that have a licence of their own.
        objections: what files say of the licence that was not believed: path and licence.
    """

    files: int
    known: int
    continued: int
    skipped: tuple[Skipped, ...]
    fallback: tuple[Fallback, ...]
    digest: str
    source: Source
    own_licences: int
    objections: tuple[tuple[str, str], ...]


def build(
    roots: Sequence[Path],
    output: Path,
    source: Source,
    parameters: Mapping[str, Any] = MappingProxyType({}),
    progress: BuildProgress = _IN_SILENCE,
    *,
    with_text: bool = False,
) -> BuildReport:
    """Add a source to an index, or replace the source of that name.

    Args:
        roots: folders and archives of the source's code.
        output: the index; it is made if there is none.
        source: what the code is. If its licence is unknown and nobody says so (``license_from``), it is read from
            the code (``licensing``).
        parameters: those of ``Parameters`` that are asked for; the others are an existing index's, or the defaults.
        progress: whom to tell how far it is.
        with_text: whether the index shall keep the text of this source; what it keeps of others stays.

    Raises:
        CorpusError: the code could not be read, or nothing of it can be fingerprinted.
        IndexFileError: the index is damaged, was made with other parameters or front ends, or cannot be written.
        Interrupted: by ^C, once there was something to keep for the next build.
    """
    # An archive is listed, and refused, before the index is touched.
    with collect(roots, Limits(member=LARGEST_FILE)) as corpus, replacing(output) as unfinished, ExitStack() as stack:
        old = stack.enter_context(IndexReader(output)) if output.exists() else None
        agreed = _agreed(parameters, old)
        journal = stack.enter_context(continuing(output, _description(agreed)))
        stack.enter_context(_telling_what_is_kept(output, journal))
        continued = len(journal.numbers)
        draft = IndexDraft(agreed, revisions(), journal)
        if old:
            draft.keep(old, without=source.name)
        if with_text:
            draft.keep_text(source)
        filled = _fill(draft, source, corpus, progress.fingerprinting)
        draft.write(unfinished, progress.writing)
        with IndexReader(unfinished) as written:
            digest = written.digest
    indexed = len(corpus.files) - len(filled.skipped)
    known = indexed - filled.new
    skipped = (*filled.skipped, *corpus.skipped)
    fallback, (licensed, objections) = tuple(filled.fallback), filled.licensed
    return BuildReport(indexed, known, continued, skipped, fallback, digest, licensed, filled.own_licences, objections)


@contextmanager
def _telling_what_is_kept(output: Path, journal: Journal) -> Iterator[None]:
    try:
        yield
    except KeyboardInterrupt as interruption:
        # Another ^C while this is written leaves less behind, and nothing wrong.
        journal.flush()
        if not journal.kept:
            raise
        what = "1 content is" if journal.kept == 1 else f"{journal.kept:,} contents are"
        problem = f"interrupted; the fingerprints of {what} kept beside {output}"
        raise Interrupted(problem, "run it again to go on from there; the index is as it was") from interruption


def _description(parameters: Parameters) -> str:
    """What fingerprints depend on besides the content and its language."""
    return json.dumps([parameters.k, parameters.w, parameters.selection, revisions()], sort_keys=True)


def _agreed(asked: Mapping[str, Any], old: IndexReader | None) -> Parameters:
    """The parameters to build with: an index has one set for all that is in it."""
    if old is None:
        return Parameters(**asked)
    if replace(old.parameters, **asked) != old.parameters:
        p = old.parameters
        msg = f"{old.path} was made with k = {p.k}, w = {p.w} and {p.selection} selection, not with those asked for"
        raise IndexFileError(msg, "leave out -k, -w and --selection, or build a new index with another --output")
    check_current(old)
    return old.parameters


@dataclass(slots=True)
class _Filling:
    """What came of the files so far.

    Attributes:
        licensed: the source with its licence, once all files have been heard.
        hearing: what they say of licences.
        held: files with fingerprints: path, keys of their contents, licence by their header.
        new: files whose content nobody had fingerprinted.
        own_licences: files with a licence of their own.
        skipped: files without fingerprints.
        fallback: files that only the fallback tokenizer could read.
    """

    licensed: Licensed
    hearing: Hearing
    held: list[_Held] = field(default_factory=list)
    new: int = 0
    own_licences: int = 0
    skipped: list[Skipped] = field(default_factory=list)
    fallback: list[Fallback] = field(default_factory=list)


class _Held(NamedTuple):
    path: str
    keys: tuple[bytes, ...]
    header: str | None


def _fill(draft: IndexDraft, source: Source, corpus: Corpus, progress: Callable[[int, int], None]) -> _Filling:
    """Add the files to the draft, once all of them have said under which licence they are."""
    total, done, filling = sum(file.size for file in corpus.files), 0, _Filling(Licensed(source, ()), Hearing(source))
    for batch, prepared in prepare_all(corpus, total, _preparation_for(draft, source)):
        _add(draft, prepared, filling)
        for file, outcome, said in zip(batch, prepared.outcomes, prepared.sayings, strict=True):
            _hold(file, outcome, said, filling)
            done += file.size
            progress(done, total)
    if len(filling.skipped) == len(corpus.files):
        first = filling.skipped[0].reason
        msg = f"nothing to fingerprint in {source.name}: {len(corpus.files)} files, the first skipped for: {first}"
        raise CorpusError(msg, "name folders with source code in a language that winnow-ci knows")
    _add_files(draft, filling)
    return filling


def _add(draft: IndexDraft, prepared: Prepared, filling: _Filling) -> None:
    """Add the contents of a batch."""
    read = {outcome.keys[0] for outcome in prepared.outcomes if isinstance(outcome, Outcome)}
    filling.new += sum(key not in draft for key in read)
    draft.add_contents(prepared.contents)
    for key, text in prepared.texts:
        draft.add_text(key, text)


def _hold(file: CorpusFile, outcome: Outcome | Skipped, said: Saying | None, filling: _Filling) -> None:
    filling.hearing.add(said)
    if isinstance(outcome, Skipped):
        filling.skipped.append(outcome)
        return
    filling.held.append(_Held(file.path, outcome.keys, said.own if said else None))
    if outcome.failure is not None:
        filling.fallback.append(Fallback(file.path, outcome.failure))


def _add_files(draft: IndexDraft, filling: _Filling) -> None:
    filling.licensed = filling.hearing.licensed()
    licensed = filling.licensed.source
    while filling.held:
        path, keys, header = filling.held.pop()
        licence = filling.hearing.own_licence(licensed.license, path, header)
        filling.own_licences += licence is not None
        for key in keys:
            draft.add_file(licensed, path.encode("utf-8", "surrogateescape"), key, licence)


def _preparation_for(draft: IndexDraft, source: Source) -> Preparation:
    return Preparation(draft.parameters, draft.keys(), draft.texts() if draft.keeps_text(source) else None)
