"""Add the files of a corpus to a draft, each under its licence, which is decided when all files have been read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from contextlib import closing
from functools import cache, cached_property

from winnow_ci.corpus import CorpusFile
from winnow_ci.errors import CorpusError, UsageError
from winnow_ci.index import HeldFile, IndexDraft
from winnow_ci.indexer.engine import BuildEngine, SourceFiles
from winnow_ci.indexer.preparation import FilePreparation, FingerprintedFile, PreparedBatch
from winnow_ci.licensing import UNKNOWN, FileLicence, LicenceClaims, LicenceEvidence, SourceLicences
from winnow_ci.model import Fallback, Progress, Skipped, Source
from winnow_ci.named_tuples import NamedTuple
from winnow_ci.start_up import field, record

MOST_DATA = 20_000  # most data files of one addition whose digests an index keeps: more would be a large part of it
BY_ARGUMENT = "argument"
BY_MANIFEST = "manifest"
GIVEN = frozenset({BY_ARGUMENT, BY_MANIFEST})
"""Values of ``Source.license_from`` of a licence that a person has given."""


class IndexAddition(NamedTuple):
    """Sources to add to an index."""

    corpus: SourceFiles  # the files of all sources, each once
    sources: Sequence[Source]  # an unknown licence is read from the code, unless ``license_from`` says who knows
    sources_of: Callable[[CorpusFile], Iterable[Source]]  # the sources that a file belongs to
    replaces: Callable[[Source], bool]  # tells whether a source of the old index is removed
    with_text: bool = False  # whether the index keeps the text of these sources


class AddedFiles(NamedTuple):
    """The result of adding files."""

    files: int  # with fingerprints; one that several versions have counts once
    known: int  # of these, with a content that was known before
    whole: int  # with only a digest: data, and text in an unknown language
    skipped: tuple[Skipped, ...]
    fallback: tuple[Fallback, ...]  # that only the fallback tokenizer could read
    sources: tuple[Source, ...]  # those with a file, with their licences and where these were read
    own_licences: tuple[tuple[str, int], ...]  # licences of single files, with the number of files; the most first
    objections: tuple[tuple[str, str], ...]  # path and licence that a file states, and that were not believed


def fill(draft: IndexDraft, addition: IndexAddition, progress: Progress, engine: BuildEngine) -> AddedFiles:
    """Add the files to the draft, after all of them have stated their licences.

    Raises what ``BuildEngine.prepare`` does, and ``CorpusError`` if nothing can be fingerprinted.
    """
    corpus, filling = addition.corpus, _Filling()
    for source in addition.sources if addition.with_text else ():
        draft.keep_text(source)
    total, done = sum(file.size for file in corpus.files), 0
    # ^C anywhere in the block ends the workers before anybody says what is kept.
    with closing(engine.prepare(corpus, preparation_for(draft, addition))) as batches:
        for batch, prepared in batches:
            filling.add_contents(draft, prepared)
            for file, outcome, said in zip(batch, prepared.outcomes, prepared.sayings, strict=True):
                filling.add(file, tuple(addition.sources_of(file)), outcome, said)
                done += file.size
                progress(done, total)
    if not filling.held:
        what, first = addition.sources[0].name, filling.skipped[0].reason
        msg = f"nothing to fingerprint in {what}: {len(corpus.files)} files, the first skipped because: {first}"
        raise CorpusError(msg, "name folders with source code in a language that winnow-ci knows")
    return filling.finish(draft, corpus.skipped)


def preparation_for(draft: IndexDraft, addition: IndexAddition) -> FilePreparation:
    """Return how to prepare files for a draft."""
    texts = draft.texts() if addition.with_text else None
    return FilePreparation(draft.parameters, draft.keys(), texts, addition.sources[0].boilerplate)


class _HeldFile(NamedTuple):
    """A file that the index gets."""

    sources: tuple[Source, ...]
    path: str
    keys: tuple[bytes, ...]  # of its contents
    header: tuple[str | None, str | None]  # the licences that a tag and a notice in its header state


@record(slots=True)
class _Filling:
    """The files so far, held until all have been read, as any may state a licence."""

    new: int = 0  # contents with fingerprints that were unknown
    data: int = 0  # files of data
    skipped: list[Skipped] = field(default_factory=list)
    fallback: list[Fallback] = field(default_factory=list)
    collectors: dict[str, LicenceCollector] = field(default_factory=dict)
    held: list[_HeldFile] = field(default_factory=list)

    def add_contents(self, draft: IndexDraft, prepared: PreparedBatch) -> None:
        read = {
            outcome.keys[0]
            for outcome in prepared.outcomes
            if isinstance(outcome, FingerprintedFile) and not outcome.is_data
        }
        self.new += sum(key not in draft for key in read)
        draft.add_contents(prepared.contents)
        for key, text in prepared.texts:
            draft.add_text(key, text)

    def add(
        self,
        file: CorpusFile,
        sources: tuple[Source, ...],
        outcome: FingerprintedFile | Skipped,
        said: LicenceClaims | None,
    ) -> None:
        for source in sources:
            self.collectors.setdefault(source.name, LicenceCollector(source)).add(said)
        if isinstance(outcome, Skipped):
            self.skipped.append(outcome)
            return
        self.data += outcome.is_data
        if outcome.is_data and self.data > MOST_DATA:
            self.skipped.append(Skipped(file.path, f"data beyond {MOST_DATA:,} files", "out-of-scope"))
            return
        self.held.append(_HeldFile(sources, file.path, outcome.keys, (said.own, said.notice) if said else (None, None)))
        if outcome.failure is not None:
            self.fallback.append(Fallback(file.path, outcome.failure))

    def finish(self, draft: IndexDraft, left_out: Sequence[Skipped]) -> AddedFiles:
        """Add all files to the draft: each source under its licence, each file under its own, if it has one."""
        used = dict.fromkeys(source.name for held in self.held for source in held.sources)
        licensed = {name: self.collectors[name].licensed() for name in used}
        own_licences: Counter[str] = Counter()
        for sources, path, keys, header in self.held:
            own: str | None = None
            for source in (licensed[source.name][0] for source in sources):
                licence = self.collectors[source.name].own_licence(source.license, path, header)
                own = own or (licence.license if licence else None)
                stored = path.encode("utf-8", "surrogateescape")
                for key in keys:
                    draft.add_file(source, HeldFile(key, stored, *(licence or ())))
            own_licences.update([own] if own else [])
        whole = min(self.data, MOST_DATA)
        fingerprinted = len(self.held) - whole
        return AddedFiles(
            files=fingerprinted,
            known=fingerprinted - self.new,
            whole=whole,
            skipped=(*self.skipped, *left_out),
            fallback=tuple(self.fallback),
            sources=tuple(source for source, _ in licensed.values()),
            own_licences=tuple(sorted(own_licences.items(), key=lambda one: (-one[1], one[0]))),
            objections=tuple(dict.fromkeys(said for _, objections in licensed.values() for said in objections)),
        )


class LicenceCollector:
    """Collects the licences that the files of a source state, until all have been read.

    A licence that the source has stays, whether given or read from the code before; so does a licence that somebody has
    stated to be unknown.
    """

    def __init__(self, source: Source) -> None:
        self._source = source
        self._is_known = source.license != UNKNOWN or source.license_from is not None
        self._is_given = self._is_known and (source.license_from is None or source.license_from in GIVEN)
        self._evidence = LicenceEvidence()

    def add(self, claims: LicenceClaims | None) -> None:
        """Add what a file states."""
        self._evidence.add(claims)

    def licensed(self) -> tuple[Source, tuple[tuple[str, str], ...]]:
        """Return the source with its licence, and path and licence of statements that were not believed."""
        stated = None if self._is_known else self._decided.source
        if stated is None:
            return self._source, ()
        origin = _storable(", ".join(stated.origin))
        return self._source._replace(license=stated.license, license_from=origin), stated.objections

    def own_licence(self, licence: str, path: str, header: tuple[str | None, str | None]) -> FileLicence | None:
        """Return the licence of a file, and where it was read; None if it is that of its source.

        Where the source's licence was given, only statements in the file itself or in a file beside it count.
        """
        decided = self._decided
        found = decided.of_file_itself(path, header[0]) if self._is_given else decided.of_file(path, *header)
        return None if found is None or found.license == licence else found._replace(origin=_storable(found.origin))

    @cached_property
    def _decided(self) -> SourceLicences:
        return SourceLicences(self._evidence, canonical_licence)


def _storable(paths: str) -> str:
    return paths.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


@cache
def canonical_licence(expression: str) -> str | None:
    """Return the canonical form of an SPDX expression; None if it is not one."""
    from winnow_ci.policy.spdx import canonical_expression  # noqa: PLC0415 - reads the list of licences

    try:
        return canonical_expression(expression)
    except UsageError:
        return None
