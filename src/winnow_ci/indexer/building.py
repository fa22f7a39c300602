"""A source becomes part of an index.

A content that the index already has is not fingerprinted again, so replacing a source by its next version costs what
has changed; neither is one that a build had done before it was interrupted.
"""

from __future__ import annotations

import json
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from winnow_ci.corpus import ArchiveLimits, collect
from winnow_ci.errors import IndexFileError, Interrupted
from winnow_ci.index import IndexDraft, IndexReader, continuing, replacing
from winnow_ci.indexer.agreement import check_current
from winnow_ci.indexer.filling import Addition, fill
from winnow_ci.languages import LARGEST_FILE, revisions
from winnow_ci.model import Fallback, Parameters, Skipped, Source

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    from winnow_ci.index import Journal


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
        files: files that the index holds of what was added; one that several versions have counts once.
        known: those of them whose content was there already, and was not fingerprinted again.
        continued: contents that were there already because a build had done them before it was interrupted.
        skipped: files that have no fingerprints, with the reason.
        fallback: files that only the fallback tokenizer could read.
        sources: those with files that have fingerprints, with their licences and where these were read.
        digest: of the whole index.
        own_licences: files that have a licence of their own.
        objections: what files say of the licence that was not believed: path and licence.
    """

    files: int
    known: int
    continued: int
    skipped: tuple[Skipped, ...]
    fallback: tuple[Fallback, ...]
    sources: tuple[Source, ...]
    digest: str
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
        source: what the code is.
        parameters: see ``add``.
        progress: see ``add``.
        with_text: see ``add``.

    Raises:
        CorpusError, IndexFileError, Interrupted: see ``add``.
    """
    # An archive is listed, and refused, before the index is touched.
    with collect(roots, ArchiveLimits(member=LARGEST_FILE)) as corpus:
        addition = Addition(
            corpus,
            (source,),
            sources_of=lambda file: (source,),  # noqa: ARG005
            replaces=lambda old: old.name == source.name,
        )
        return add(addition, output, parameters, progress, with_text=with_text)


def add(
    addition: Addition,
    output: Path,
    parameters: Mapping[str, Any] = MappingProxyType({}),
    progress: BuildProgress = _IN_SILENCE,
    *,
    with_text: bool = False,
) -> BuildReport:
    """Add sources to an index, and take out those that they replace.

    Args:
        addition: the files and their sources.
        output: the index; it is made if there is none.
        parameters: those of ``Parameters`` that are asked for; the others are an existing index's, or the defaults.
        progress: whom to tell how far it is.
        with_text: whether the index shall keep the text of these sources; what it keeps of others stays.

    Raises:
        CorpusError: the code could not be read, or nothing of it can be fingerprinted.
        IndexFileError: the index is damaged, was made with other parameters or front ends, or cannot be written.
        Interrupted: by ^C, once there was something to keep for the next build.
    """
    with replacing(output) as unfinished, ExitStack() as stack:
        old = stack.enter_context(IndexReader(output)) if output.exists() else None
        agreed = _agreed(parameters, old)
        journal = stack.enter_context(continuing(output, description(agreed)))
        stack.enter_context(telling_what_is_kept(output, journal))
        continued = len(journal.numbers)
        draft = IndexDraft(agreed, revisions(), journal)
        if old:
            draft.keep(old, without={one.name for one in old.sources if addition.replaces(one)})
        for source in addition.sources if with_text else ():
            draft.keep_text(source)
        filled = fill(draft, addition, progress.fingerprinting)
        draft.write(unfinished, progress.writing)
        with IndexReader(unfinished) as written:
            digest = written.digest
    indexed = len(addition.corpus.files) - len(filled.skipped)
    known = indexed - filled.new
    skipped = (*filled.skipped, *addition.corpus.skipped)
    fallback, own = tuple(filled.fallback), filled.own_licences
    return BuildReport(indexed, known, continued, skipped, fallback, filled.sources, digest, own, filled.objections)


@contextmanager
def telling_what_is_kept(output: Path, journal: Journal) -> Iterator[None]:
    """Say of a block that ^C has ended what the journal keeps of it."""
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


def description(parameters: Parameters) -> str:
    """What fingerprints depend on besides the content and its language."""
    return json.dumps([parameters.k, parameters.w, parameters.selection, revisions()], sort_keys=True)


def _agreed(asked: Mapping[str, Any], old: IndexReader | None) -> Parameters:
    """The parameters to build with: an index has one set for all that is in it."""
    if old is None:
        return Parameters(**asked)
    if old.parameters._replace(**asked) != old.parameters:
        msg = f"{old.path} was made with {old.parameters.described()}, not with those asked for"
        raise IndexFileError(msg, "leave out -k, -w and --selection, or build a new index with another --output")
    check_current(old)
    return old.parameters
