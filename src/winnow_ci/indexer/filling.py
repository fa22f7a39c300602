"""The files of a corpus are added to a draft, each under its licence."""

from __future__ import annotations

from collections import Counter
from contextlib import closing
from typing import TYPE_CHECKING

from winnow_ci.errors import CorpusError
from winnow_ci.index import HeldFile
from winnow_ci.indexer.licences import LicenceCollector
from winnow_ci.indexer.preparation import FilePreparation, FingerprintedFile
from winnow_ci.model import Fallback, Skipped
from winnow_ci.named_tuples import NamedTuple
from winnow_ci.start_up import field, record

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from winnow_ci.corpus import CorpusFile
    from winnow_ci.index import IndexDraft
    from winnow_ci.indexer.engine import BuildEngine, SourceFiles
    from winnow_ci.indexer.preparation import PreparedBatch
    from winnow_ci.licensing import LicenceClaims
    from winnow_ci.model import Progress, Source

# Files of data in one addition of which an index keeps the digests: those of more would be a large part of it.
MOST_DATA = 20_000


class IndexAddition(NamedTuple):
    """Sources to add to an index.

    Attributes:
        corpus: the files of all sources, each once.
        sources: the sources. If the licence of one is unknown and nobody has stated that (``license_from``), it is
            read from the code (``licensing``).
        sources_of: the sources that a file belongs to.
        replaces: tells whether a source of the old index is removed.
    """

    corpus: SourceFiles
    sources: Sequence[Source]
    sources_of: Callable[[CorpusFile], Iterable[Source]]
    replaces: Callable[[Source], bool]


class AddedFiles(NamedTuple):
    """What came of the files of an addition.

    Attributes:
        files: number of files with fingerprints; one that several versions have counts once.
        known: how many of them had a content that was there already, and was not fingerprinted again.
        whole: number of files that have only a digest: data, and text in an unknown language.
        skipped: files without fingerprints, and why.
        fallback: files that only the fallback tokenizer could read.
        sources: those with a file that has fingerprints, with their licences and where these were read.
        own_licences: licences of files that have their own, with the number of files; the most first.
        objections: licences that files state and that were not believed: path and licence.
    """

    files: int
    known: int
    whole: int
    skipped: tuple[Skipped, ...]
    fallback: tuple[Fallback, ...]
    sources: tuple[Source, ...]
    own_licences: tuple[tuple[str, int], ...]
    objections: tuple[tuple[str, str], ...]


class _HeldFile(NamedTuple):
    """A file that the index gets: its sources, its path, the keys of its contents, and the licence in its header."""

    sources: tuple[Source, ...]
    path: str
    keys: tuple[bytes, ...]
    header: str | None


@record(slots=True)
class _Filling:
    """The files so far, held until all have been read, as any may state a licence.

    ``new`` of those with fingerprints had unknown contents, ``data`` are data.
    """

    new: int = 0
    data: int = 0
    skipped: list[Skipped] = field(default_factory=list)
    fallback: list[Fallback] = field(default_factory=list)
    collectors: dict[str, LicenceCollector] = field(default_factory=dict)
    held: list[_HeldFile] = field(default_factory=list)

    def add(
        self,
        file: CorpusFile,
        sources: Iterable[Source],
        outcome: FingerprintedFile | Skipped,
        said: LicenceClaims | None,
    ) -> None:
        sources = tuple(sources)
        for source in sources:
            self.collectors.setdefault(source.name, LicenceCollector(source)).add(said)
        if isinstance(outcome, Skipped):
            self.skipped.append(outcome)
            return
        self.data += outcome.is_data
        if outcome.is_data and self.data > MOST_DATA:
            self.skipped.append(Skipped(file.path, f"data beyond {MOST_DATA:,} files", "out-of-scope"))
            return
        self.held.append(_HeldFile(sources, file.path, outcome.keys, said.own if said else None))
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


def fill(draft: IndexDraft, addition: IndexAddition, progress: Progress, engine: BuildEngine) -> AddedFiles:
    """Add the files to the draft, after all of them have stated their licences.

    Raises:
        CorpusError: the code could not be read, or nothing of it can be fingerprinted.
        EngineError: the engine failed.
    """
    corpus, filling = addition.corpus, _Filling()
    total, done = sum(file.size for file in corpus.files), 0
    # ^C anywhere in the block ends the workers before it is told what is kept.
    with closing(engine.prepare(corpus, preparation_for(draft, addition.sources[0]))) as batches:
        for batch, prepared in batches:
            _add_contents(draft, prepared, filling)
            for file, outcome, said in zip(batch, prepared.outcomes, prepared.sayings, strict=True):
                filling.add(file, addition.sources_of(file), outcome, said)
                done += file.size
                progress(done, total)
    if not filling.held:
        what, first = addition.sources[0].name, filling.skipped[0].reason
        msg = f"nothing to fingerprint in {what}: {len(corpus.files)} files, the first skipped for: {first}"
        raise CorpusError(msg, "name folders with source code in a language that winnow-ci knows")
    return filling.finish(draft, corpus.skipped)


def _add_contents(draft: IndexDraft, prepared: PreparedBatch, filling: _Filling) -> None:
    """Add the contents of a batch."""
    read = {
        outcome.keys[0]
        for outcome in prepared.outcomes
        if isinstance(outcome, FingerprintedFile) and not outcome.is_data
    }
    filling.new += sum(key not in draft for key in read)
    draft.add_contents(prepared.contents)
    for key, text in prepared.texts:
        draft.add_text(key, text)


def preparation_for(draft: IndexDraft, source: Source) -> FilePreparation:
    """How files of a source are prepared for a draft."""
    texts = draft.texts() if draft.keeps_text(source) else None
    return FilePreparation(draft.parameters, draft.keys(), texts, source.boilerplate)
