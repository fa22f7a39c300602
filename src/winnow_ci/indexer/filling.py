"""The files of a corpus go into a draft, each under its licence."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple, Protocol

from winnow_ci.errors import CorpusError
from winnow_ci.indexer.licences import Hearing
from winnow_ci.indexer.preparation import Outcome, Preparation
from winnow_ci.indexer.workers import prepare_all
from winnow_ci.model import Fallback, Skipped

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from winnow_ci.corpus import CorpusFile
    from winnow_ci.index import IndexDraft
    from winnow_ci.indexer.preparation import Prepared
    from winnow_ci.licensing import LicenceClaims
    from winnow_ci.model import Source


class Addition(NamedTuple):
    """What an index shall get.

    Attributes:
        corpus: the files, each once, and contents when it is iterated over.
        sources: what they belong to. If the licence of one is unknown and nobody says so (``license_from``), it is read
            from the code (``licensing``).
        sources_of: those of these that a file belongs to.
        replaces: tells whether a source that the index has goes.
    """

    corpus: Material
    sources: Sequence[Source]
    sources_of: Callable[[CorpusFile], Iterable[Source]]
    replaces: Callable[[Source], bool]


class Material(Protocol):
    """Files of known code: listed without content, and iterated over with it, in any order."""

    @property
    def files(self) -> tuple[CorpusFile, ...]:
        """All of them."""

    @property
    def skipped(self) -> tuple[Skipped, ...]:
        """What is none of them, and why."""

    def __iter__(self) -> Iterator[CorpusFile]:
        """All of them, with their contents where these cannot be read at any time."""


class _Held(NamedTuple):
    """A file with fingerprints: its sources, its path, keys of its contents, and its licence by its header."""

    sources: tuple[Source, ...]
    path: str
    keys: tuple[bytes, ...]
    header: str | None


@dataclass(slots=True)
class Filling:
    """What came of the files so far.

    Attributes:
        new: files whose content nobody had fingerprinted.
        own_licences: files with a licence of their own, in any source.
        skipped: files without fingerprints.
        fallback: files that only the fallback tokenizer could read.
        sources: those with a file that has fingerprints, with their licences, once all files have been heard.
        objections: what files say of the licence that was not believed: path and licence.
    """

    new: int = 0
    own_licences: int = 0
    skipped: list[Skipped] = field(default_factory=list)
    fallback: list[Fallback] = field(default_factory=list)
    sources: tuple[Source, ...] = ()
    objections: tuple[tuple[str, str], ...] = ()
    _hearings: dict[str, Hearing] = field(default_factory=dict)
    _held: list[_Held] = field(default_factory=list)

    def add(
        self, file: CorpusFile, sources: Iterable[Source], outcome: Outcome | Skipped, said: LicenceClaims | None
    ) -> None:
        """Hear a file, and hold it until all have been heard."""
        sources = tuple(sources)
        for source in sources:
            self._hearing(source).add(said)
        if isinstance(outcome, Skipped):
            self.skipped.append(outcome)
            return
        self._held.append(_Held(sources, file.path, outcome.keys, said.own if said else None))
        if outcome.failure is not None:
            self.fallback.append(Fallback(file.path, outcome.failure))

    def _hearing(self, source: Source) -> Hearing:
        if source.name not in self._hearings:
            self._hearings[source.name] = Hearing(source)
        return self._hearings[source.name]

    def finish(self, draft: IndexDraft) -> None:
        """Add all files to the draft: each source under its licence, each file under its own, if it has one."""
        used = dict.fromkeys(source.name for held in self._held for source in held.sources)
        licensed = {name: self._hearings[name].licensed() for name in used}
        for sources, path, keys, header in self._held:
            has_own = False
            for name in [source.name for source in sources]:
                source = licensed[name].source
                licence = self._hearings[name].own_licence(source.license, path, header)
                has_own |= licence is not None
                for key in keys:
                    draft.add_file(source, path.encode("utf-8", "surrogateescape"), key, licence)
            self.own_licences += has_own
        self.sources = tuple(one.source for one in licensed.values())
        self.objections = tuple(dict.fromkeys(said for one in licensed.values() for said in one.objections))


def fill(draft: IndexDraft, addition: Addition, progress: Callable[[int, int], None]) -> Filling:
    """Add the files to the draft, once all of them have said under which licence they are.

    Raises:
        CorpusError: the code could not be read, or nothing of it can be fingerprinted.
    """
    corpus, filling = addition.corpus, Filling()
    total, done = sum(file.size for file in corpus.files), 0
    for batch, prepared in prepare_all(corpus, total, _preparation_for(draft, addition.sources[0])):
        _add_contents(draft, prepared, filling)
        for file, outcome, said in zip(batch, prepared.outcomes, prepared.sayings, strict=True):
            filling.add(file, addition.sources_of(file), outcome, said)
            done += file.size
            progress(done, total)
    if len(filling.skipped) == len(corpus.files):
        what, first = addition.sources[0].name, filling.skipped[0].reason
        msg = f"nothing to fingerprint in {what}: {len(corpus.files)} files, the first skipped for: {first}"
        raise CorpusError(msg, "name folders with source code in a language that winnow-ci knows")
    filling.finish(draft)
    return filling


def _add_contents(draft: IndexDraft, prepared: Prepared, filling: Filling) -> None:
    """Add the contents of a batch."""
    read = {outcome.keys[0] for outcome in prepared.outcomes if isinstance(outcome, Outcome)}
    filling.new += sum(key not in draft for key in read)
    draft.add_contents(prepared.contents)
    for key, text in prepared.texts:
        draft.add_text(key, text)


def _preparation_for(draft: IndexDraft, source: Source) -> Preparation:
    texts = draft.texts() if draft.keeps_text(source) else None
    return Preparation(draft.parameters, draft.keys(), texts, source.boilerplate)
