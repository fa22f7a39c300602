"""Two bodies, or all files of one: each file is read and fingerprinted once; those of the best pairs are read again."""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING

import numpy as np

from winnow_ci.comparing.documents import (
    boilerplate_of,
    document_kept,
    document_of,
    kept_document,
    reading_of,
    text_of,
    with_contents,
)
from winnow_ci.comparing.kept_sketches import written
from winnow_ci.comparing.pairing import POSTING, PairRanking, postings, rank
from winnow_ci.comparing.partitions import Partitions
from winnow_ci.comparing.similarity import similarity
from winnow_ci.comparing.stretches import stretches
from winnow_ci.comparing.word_vectors import word_likeness
from winnow_ci.errors import CorpusError
from winnow_ci.exact_runs import exact_runs
from winnow_ci.model import Fallback, Skipped
from winnow_ci.model.comparison import ComparedBody, Comparison, FilePair, PairedFile
from winnow_ci.report.wording import counted
from winnow_ci.start_up import field, record, replace
from winnow_ci.winnowing.bounded import Reduction

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from winnow_ci.comparing.bodies import CodeBody
    from winnow_ci.comparing.documents import FingerprintedDocument
    from winnow_ci.comparing.kept_sketches import KeptDocument
    from winnow_ci.comparing.pairing import DocumentPair
    from winnow_ci.corpus import CorpusFile
    from winnow_ci.languages import TokenizedContent
    from winnow_ci.model import U64, Progress
    from winnow_ci.model.comparison import BodySimilarity, ComparisonOptions, SharedStretch

_REMEDY = "name code in a language that winnow-ci knows"


def _in_silence(done: int, total: int | None) -> None:
    """Tell nobody."""


def all_pairs(
    body: CodeBody, options: ComparisonOptions, base: Iterable[CodeBody] = (), progress: Progress = _in_silence
) -> Comparison:
    """Compare the files of a body with each other.

    Args:
        body: the files.
        options: how to compare them.
        base: bodies of boilerplate, whose k-grams do not count.
        progress: is called after each file with the files read and the number of all files.

    Raises:
        CorpusError: something cannot be read, or there is nothing to compare.
        GitError: git failed.
    """
    with Partitions(POSTING) as by_hash:
        reading = _Reading(options, boilerplate_of(base, options.parameters), by_hash, _progress(progress, [body]))
        compared = reading.add(body, lambda path, document: None)  # noqa: ARG005
        return reading.comparison([compared], rank(by_hash, options.limits))


def compare(
    a: CodeBody,
    b: CodeBody,
    options: ComparisonOptions,
    base: Iterable[CodeBody] = (),
    progress: Progress = _in_silence,
) -> Comparison:
    """Compare two bodies; arguments and errors are those of ``all_pairs``."""
    with Partitions(POSTING) as by_hash:
        reading = _Reading(options, boilerplate_of(base, options.parameters), by_hash, _progress(progress, [a, b]))
        compared_a, hashes_a = _read_body(reading, a)
        compared_b, hashes_b = _read_body(reading, b)
        ranking = rank(by_hash, options.limits, second_body=compared_a.files)
        return reading.comparison([compared_a, compared_b], ranking, reading.similarity(hashes_a, hashes_b))


def sketches(
    body: CodeBody, options: ComparisonOptions, base: Iterable[CodeBody] = (), progress: Progress = _in_silence
) -> tuple[str, ComparedBody]:
    """The sketches of a body as a file keeps them (``kept_sketches``), and what was read; errors of ``all_pairs``."""
    with Partitions(POSTING) as by_hash:
        reading = _Reading(options, boilerplate_of(base, options.parameters), by_hash, _progress(progress, [body]))
        kept: list[KeptDocument] = []
        compared = reading.add(body, lambda path, document: kept.append(kept_document(path, document)))
        return written(kept, options), compared


def _progress(progress: Progress, bodies: Iterable[CodeBody]) -> Callable[[], None]:
    """What is called after each file of some bodies."""
    total, done = sum(len(body.files) for body in bodies), count(1)
    return lambda: progress(next(done), total)


def _read_body(reading: _Reading, body: CodeBody) -> tuple[ComparedBody, U64]:
    """A body with the number of its different hashes, and these: uint64, sorted, each once."""
    collected: list[U64] = []
    compared = reading.add(body, lambda _, document: collected.append(document.hashes))
    hashes = np.unique(np.concatenate(collected))
    return compared._replace(fingerprints=len(hashes)), hashes


@record(slots=True)
class _Reading:
    """Files that have been read, by number; ``sizes`` has how many different fingerprints each of them has."""

    options: ComparisonOptions
    boilerplate: U64
    postings: Partitions
    has_read: Callable[[], None]
    files: list[CorpusFile] = field(default_factory=list)
    bodies: list[CodeBody] = field(default_factory=list)
    sizes: list[int] = field(default_factory=list)
    reduction: Reduction = field(default_factory=Reduction)

    def add(self, body: CodeBody, keep: Callable[[str, FingerprintedDocument], None]) -> ComparedBody:
        """Read the files of a body, and pass each with its path to ``keep``."""
        if body.kept is not None:
            body.kept.check(body.name, self.options)
        before, skipped, fallback = len(self.files), list(body.skipped), []
        for file in with_contents(body, body.files):
            document = self._document(body, file)
            self.has_read()
            if isinstance(document, Skipped):
                skipped.append(document)
                continue
            self._add(body, file, document)
            keep(file.path, document)
            if document.failure is not None:
                fallback.append(Fallback(file.path, document.failure))
        sizes = self.sizes[before:]
        if not sizes:
            why = f"{counted(len(skipped), 'file')}, the first skipped for: {skipped[0].reason}"
            raise CorpusError(f"nothing to fingerprint in {body.name}: {why}", _REMEDY)
        return ComparedBody(body.name, len(sizes), sum(sizes), tuple(skipped), tuple(fallback), body.commit)

    def _document(self, body: CodeBody, file: CorpusFile) -> FingerprintedDocument | Skipped:
        """A file's fingerprints, or why it has none."""
        if body.kept is None:
            return document_of(file.path, reading_of(file), self.options, self.boilerplate)
        return document_kept(body.kept.documents[file.path], self.boilerplate)

    def _add(self, body: CodeBody, file: CorpusFile, document: FingerprintedDocument) -> None:
        if document.sketch is not None:
            self.reduction = self.reduction.and_that_of(document.sketch)
        hashes = document.hashes
        self.postings.add(postings(hashes, len(self.files)), hashes)
        # Contents from git are read again for the few pairs that are shown, instead of being kept for all.
        self.files.append(replace(file, content=None))
        self.bodies.append(body)
        self.sizes.append(len(hashes))

    def comparison(
        self, bodies: Iterable[ComparedBody], ranking: PairRanking, shares: BodySimilarity | None = None
    ) -> Comparison:
        """The outcome; the files of the pairs are read again for the lines that they share."""
        ones = self._again([pair.one for pair in ranking.pairs])
        others = self._again([pair.other for pair in ranking.pairs])
        pairs = tuple(map(self._pair, ranking.pairs, ones, others))
        reduced = self.options.reduced
        miss = self.reduction.chance_of_miss(reduced.window) if reduced else None
        return Comparison(tuple(bodies), pairs, ranking.found, ranking.matches, ranking.left_out, shares, miss)

    def similarity(self, a: U64, b: U64) -> BodySimilarity:
        """How alike two bodies are, by their hashes (``_read_body``)."""
        reduced = self.options.reduced
        if reduced is None:
            return similarity(a, b, self.options.sketch)
        a, b = (each[self.reduction.sampled(each)] for each in (a, b))
        return similarity(a, b, is_sample=self.reduction.rate < 1)

    def _again(self, numbers: Sequence[int]) -> Iterator[CorpusFile]:
        """Files by number, in this order."""
        streams = {
            body: with_contents(body, [self.files[n] for n in numbers if self.bodies[n] is body])
            for body in dict.fromkeys(self.bodies[n] for n in numbers)
        }
        return (next(streams[self.bodies[n]]) for n in numbers)

    def _pair(self, pair: DocumentPair, file: CorpusFile, other_file: CorpusFile) -> FilePair:
        sides = self._paired(pair.one, pair.shared), self._paired(pair.other, pair.shared)
        made = FilePair(*sides, pair.shared, pair.weight, ())
        mine, theirs = reading_of(file), reading_of(other_file)
        if isinstance(mine, Skipped) or isinstance(theirs, Skipped):
            return made
        exact, words = exact_runs(mine.tokens, theirs.tokens), word_likeness(mine.tokens, theirs.tokens)
        found = self._stretches((file.path, mine), (other_file.path, theirs))
        texts = (text_of(file), text_of(other_file)) if self.options.texts and found else (None, None)
        shown = None if texts[0] is None or texts[1] is None else (texts[0], texts[1])
        return made._replace(stretches=found, texts=shown, exact=exact, words=words)

    def _stretches(self, *sides: tuple[str, TokenizedContent]) -> tuple[SharedStretch, ...]:
        one, other = (document_of(*side, self.options, self.boilerplate) for side in sides)
        if isinstance(one, Skipped) or isinstance(other, Skipped):
            return ()
        parameters, reduced = self.options.parameters, self.options.reduced
        reach = reduced.window + parameters.k - 1 if reduced else parameters.guarantee
        return tuple(stretches(one, other, reach))

    def _paired(self, number: int, shared: int) -> PairedFile:
        size = self.sizes[number]
        return PairedFile(self.files[number].path, size, shared / size)
