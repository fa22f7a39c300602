"""Compare two bodies, or all files of one: fingerprint each file once, and read the best pairs again."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from math import sqrt
from typing import TYPE_CHECKING

import numpy as np

from winnow_ci.arrays import among
from winnow_ci.comparing.bodies import boilerplate_of, fingerprinted, tokenised_document
from winnow_ci.comparing.pairing import HASH_POSTING, Partitions, postings, rank
from winnow_ci.errors import CorpusError
from winnow_ci.exact_runs import exact_runs
from winnow_ci.model import IDENTIFIER_SKETCH, Fallback, LineRange, Skipped, no_progress
from winnow_ci.model import comparison as model
from winnow_ci.report.wording import counted
from winnow_ci.start_up import field, record, replace
from winnow_ci.winnowing.bounded import Reduction

if TYPE_CHECKING:
    from winnow_ci.comparing.bodies import CodeBody, FingerprintedDocument
    from winnow_ci.comparing.pairing import DocumentPair
    from winnow_ci.corpus import CorpusFile
    from winnow_ci.model import U64, Progress, Tokens

CLOSE = 2.5
"""SCAM's ε: with 2, only words that occur equally often would count."""


def compare(
    bodies: Sequence[CodeBody],
    options: model.ComparisonOptions,
    base: Iterable[CodeBody] = (),
    progress: Progress = no_progress,
) -> model.Comparison:
    """Compare the files of two bodies across, or those of one body with each other.

    The k-grams of ``base``, bodies of boilerplate, are left out. After each file, ``progress`` gets the files read and
    the number of all files.

    Raises:
        CorpusError: something cannot be read, or there is nothing to compare.
        GitError: git failed.
    """
    with Partitions(HASH_POSTING) as by_hash:
        total = sum(len(body.files) for body in bodies)
        reading = _Reading(options, boilerplate_of(base, options.parameters), by_hash, progress, total)
        read = [reading.add(body, keep_hashes=len(bodies) > 1) for body in bodies]
        compared = tuple(body for body, _ in read)
        shares = reading.similarity(*(hashes for _, hashes in read)) if len(read) > 1 else None
        ranking = rank(by_hash, options.limits, second_body=compared[0].files if shares else None)
        miss = reading.reduction.chance_of_miss(options.reduced.window) if options.reduced else None
        pairs = reading.pairs(ranking.pairs)
        return model.Comparison(compared, pairs, ranking.found, ranking.matches, ranking.left_out, shares, miss)


@record(slots=True)
class _Reading:
    """Files that have been read, by number."""

    options: model.ComparisonOptions
    boilerplate: U64
    postings: Partitions
    progress: Progress
    total: int  # files to read
    done: int = 0
    files: list[CorpusFile] = field(default_factory=list)
    bodies: list[CodeBody] = field(default_factory=list)
    sizes: list[int] = field(default_factory=list)  # how many different fingerprints each file has
    reduction: Reduction = field(default_factory=Reduction)

    def add(self, body: CodeBody, *, keep_hashes: bool) -> tuple[model.ComparedBody, U64]:
        """Read the files of a body; also return its different hashes, sorted, if they are to be kept."""
        before, skipped, fallback = len(self.files), list(body.skipped), []
        collected = [np.empty(0, np.uint64)]
        for file in body.read(body.files):
            document = fingerprinted(tokenised_document(file), self.options, self.boilerplate)
            self.done += 1
            self.progress(self.done, self.total)
            if isinstance(document, Skipped):
                skipped.append(document)
                continue
            hashes = document.hashes
            self.postings.add(postings(hashes, len(self.files)), hashes)
            # Contents from git are read again for the few pairs that are shown, instead of being kept for all.
            self.files.append(replace(file, content=None))
            self.bodies.append(body)
            self.sizes.append(len(hashes))
            collected += [hashes] if keep_hashes else []
            if document.sketch is not None:
                self.reduction = self.reduction.and_that_of(document.sketch)
            if document.failure is not None:
                fallback.append(Fallback(file.path, document.failure))
        sizes = self.sizes[before:]
        if not sizes:
            why = f"{counted(len(skipped), 'file')}, the first skipped because: {skipped[0].reason}"
            remedy = "name code in a language that winnow-ci knows"
            raise CorpusError(f"nothing to fingerprint in {body.name}: {why}", remedy)
        different = np.unique(np.concatenate(collected))
        count = len(different) if keep_hashes else sum(sizes)
        return model.ComparedBody(body.name, len(sizes), count, tuple(skipped), tuple(fallback), body.commit), different

    def pairs(self, found: Sequence[DocumentPair]) -> tuple[model.FilePair, ...]:
        """Read the files of the pairs again for the lines that they share."""
        ones = self._again([pair.one for pair in found])
        others = self._again([pair.other for pair in found])
        return tuple(map(self._pair, found, ones, others))

    def similarity(self, a: U64, b: U64) -> model.BodySimilarity:
        """Measure how alike two bodies are, by their hashes."""
        if self.options.reduced is None:
            return similarity(a, b, self.options.sketch)
        a, b = (each[self.reduction.sampled(each)] for each in (a, b))
        return similarity(a, b, is_sample=self.reduction.rate < 1)

    def _again(self, numbers: Sequence[int]) -> Iterator[CorpusFile]:
        """Yield files by number, in this order."""
        streams = {
            body: body.read([self.files[n] for n in numbers if self.bodies[n] is body])
            for body in dict.fromkeys(self.bodies[n] for n in numbers)
        }
        return (next(streams[self.bodies[n]]) for n in numbers)

    def _pair(self, pair: DocumentPair, file: CorpusFile, other_file: CorpusFile) -> model.FilePair:
        sides = self._paired(pair.one, pair.shared), self._paired(pair.other, pair.shared)
        made = model.FilePair(*sides, pair.shared, pair.weight, ())
        mine, theirs = tokenised_document(file), tokenised_document(other_file)
        if isinstance(mine, Skipped) or isinstance(theirs, Skipped):
            return made
        one, other = (fingerprinted(each, self.options, self.boilerplate) for each in (mine, theirs))
        found: tuple[model.SharedStretch, ...] = ()
        if not isinstance(one, Skipped) and not isinstance(other, Skipped):
            parameters, reduced = self.options.parameters, self.options.reduced
            reach = reduced.window + parameters.k - 1 if reduced else parameters.guarantee
            found = tuple(stretches(one, other, reach))
        return made._replace(
            stretches=found,
            texts=(mine.text, theirs.text) if self.options.texts and found else None,
            exact=exact_runs(mine.tokens, theirs.tokens),
            words=word_likeness(mine.tokens, theirs.tokens),
        )

    def _paired(self, number: int, shared: int) -> model.PairedFile:
        return model.PairedFile(self.files[number].path, self.sizes[number], shared / self.sizes[number])


def similarity(a: U64, b: U64, sketch: int | None = None, *, is_sample: bool = False) -> model.BodySimilarity:
    """Measure resemblance and containment of two sets of hashes (Broder 1997).

    From all hashes the shares are exact. From the s smallest of each set (a sketch) they are estimates: the s smallest
    of both sketches together are a random sample of the union. If x of n are shared, the error is the standard
    deviation of the share (Laplace): √(p(1 − p)/(n + 3)) with p = (x + 1)/(n + 2), also of a sample without a match.

    Both sets are sorted, and each hash is there once. ``sketch`` is how many of the smallest of each to look at, None
    for all; with ``is_sample`` they are a sample already, drawn by their values.
    """
    is_cut = sketch is not None and max(len(a), len(b)) > sketch
    a, b = a[:sketch], b[:sketch]
    union = np.union1d(a, b)[: sketch if is_cut else None]
    in_a, in_b = among(union, a), among(union, b)
    both = int(np.count_nonzero(in_a & in_b))

    def share(whole: int) -> model.ShareEstimate:
        likely = (both + 1) / (whole + 2)
        error = sqrt(likely * (1 - likely) / (whole + 3)) if is_cut or is_sample else 0.0
        return model.ShareEstimate(both / whole if whole else float(not len(union)), error)

    return model.BodySimilarity(
        share(len(union)), share(int(np.count_nonzero(in_a))), share(int(np.count_nonzero(in_b)))
    )


def word_likeness(one: Tokens, other: Tokens) -> float:
    """Measure how alike the words of two documents are, whatever their order, from 0 to 1: SCAM's measure, a baseline.

    Shivakumar and Garcia-Molina (1995), relative frequency model: only words that occur about equally often in both
    count, F(a)/F(b) + F(b)/F(a) < 2.5. The products of their frequencies in both are summed, and divided by the squares
    of all frequencies in one document or the other, whichever gives more; 1 at most. A word is a name, number or string
    here; all have the same weight. It finds what uses the same words, copied or not, and loses renamed copies.
    """
    ours, theirs = _words(one), _words(other)
    both = [(count, theirs[word]) for word, count in ours.items() if word in theirs]
    product = sum(here * there for here, there in both if here / there + there / here < CLOSE)
    return min(1.0, max(product / sum(n * n for n in counts.values()) for counts in (ours, theirs))) if product else 0.0


def _words(tokens: Tokens) -> Counter[int]:
    return Counter(tokens.verbatim[tokens.sketch >= IDENTIFIER_SKETCH.start].tolist())


def stretches(one: FingerprintedDocument, other: FingerprintedDocument, reach: int) -> list[model.SharedStretch]:
    """Find shared fingerprints that follow each other in both documents, for people to look at.

    Stretches come by their position in the one document, and each of its fingerprints is in at most one. In both
    documents the next fingerprint of a stretch begins at most ``reach`` tokens further on. To decide what is copied, a
    scan takes more care (docs/matching.md).
    """
    runs: list[list[tuple[int, int]]] = [[]]
    places: dict[int, list[int]] = {}
    for number, value in enumerate(other.fingerprints.hashes.tolist()):
        places.setdefault(value, []).append(number)
    start_of, start_there = one.fingerprints.positions.tolist(), other.fingerprints.positions.tolist()
    for mine in np.flatnonzero(among(one.fingerprints.hashes, other.hashes)).tolist():
        candidates = places[int(one.fingerprints.hashes[mine])]
        following = candidates[0]
        if runs[-1]:
            before, there = runs[-1][-1]
            following = candidates[min(bisect_right(candidates, there), len(candidates) - 1)]
            step, step_there = start_of[mine] - start_of[before], start_there[following] - start_there[there]
            if step > reach or not 0 < step_there <= reach:
                runs.append([])
                following = candidates[0]
        runs[-1].append((mine, following))
    return [_stretch(one, other, run) for run in runs if run]


def _stretch(
    one: FingerprintedDocument, other: FingerprintedDocument, run: list[tuple[int, int]]
) -> model.SharedStretch:
    mine, theirs = np.array(run).T
    same = one.fingerprints.checks[mine] == other.fingerprints.checks[theirs]
    lines = LineRange(int(one.first_lines[mine[0]]), int(one.last_lines[mine[-1]]))
    lines_there = LineRange(int(other.first_lines[theirs[0]]), int(other.last_lines[theirs[-1]]))
    seeds = zip(one.fingerprints.positions[mine].tolist(), other.fingerprints.positions[theirs].tolist(), strict=True)
    return model.SharedStretch(lines, lines_there, len(run), int(np.count_nonzero(same)), tuple(seeds))
