"""Find what a changed file shares with known contents, before reading any of them.

*Seeds* are k-grams of the change that a content has, too. Most are there by chance. *Phrases* of comments, strings and
long names often outlive an edit that leaves no k-gram whole. By itself, a shared phrase is no copy of code. Names say
less than texts, because both sides may use the same library.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from winnow_ci.arrays import covered, distinct, run_starts
from winnow_ci.matching.constants import CONTEXT
from winnow_ci.model import WORD
from winnow_ci.named_tuples import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from numpy.typing import NDArray

    from winnow_ci.model import Fingerprints, Hits, Phrases, Tokens

# A copy on added lines may have its seeds on lines beside them, but not further away than this, in tokens.
AROUND = 200
# In bits: of one seed, and of all of a content.
LEAST_SEED = 18.0
LEAST_SEEDS = 34.0
# In bits: each word of a text, each word of a name, one phrase at most.
BITS_OF_WORD = 5.0
BITS_OF_NAME = 2.0
MOST_OF_ONE = 25.0
# A phrase in more places of an index than this is no reason to search around each of them.
MOST_PLACES = 50


class FileKgrams(NamedTuple):
    """What is looked up of one changed file."""

    tokens: Tokens  # its tokens
    kgrams: Fingerprints  # all its k-grams
    grams: NDArray[np.uint64]  # one a token but the last three; hashes of its structural 4-grams
    # One a k-gram; whether its structure carries information (and is not boilerplate).
    informative: NDArray[np.bool_]
    informative_text: NDArray[np.bool_]  # the same of its text
    rare_numbers: NDArray[np.bool_]  # one a token; whether it is a number that counts as text
    imported: NDArray[np.bool_]  # one a token; whether it stands in a statement that imports something
    added: NDArray[np.bool_]  # one a token; True on lines that the change adds
    phrases: Phrases  # those that stand on lines that the change adds

    @property
    def asked(self) -> NDArray[np.bool_]:
        """Which k-grams to look up: bool, one a k-gram; informative ones near an added line."""
        return (self.informative | self.informative_text) & self.reachable

    @property
    def reachable(self) -> NDArray[np.bool_]:
        """Which k-grams are near an added line: bool, one a k-gram."""
        added, count = np.flatnonzero(self.added), len(self.kgrams)
        return covered(np.clip(added - AROUND, 0, count), np.clip(added + AROUND + 1, 0, count), count)


class FileHits(NamedTuple):
    """One changed file that has hits in an index, ready to be matched."""

    kgrams: FileKgrams  # what was looked up
    hits: Hits  # where its k-grams stand; ``queries`` number the k-grams
    phrase_hits: Hits  # where its phrases stand; ``queries`` number them, positions are those of tokens
    token_bits: NDArray[np.float64]  # one a token; what it says after the three before it
    literal_bits: NDArray[np.float64]  # one a token; what it says that its text stands in another document too
    # The same, but nothing for a text that stands shortly before, too.
    new_literal_bits: NDArray[np.float64]
    further_rows: NDArray[np.bool_]  # one a token; whether it stands in one of many rows of one shape
    # One a k-gram; whether it is informative, its structure is not common property, and it imports nothing.
    telling: NDArray[np.bool_]
    cumulative: NDArray[np.float64]  # one more than tokens; bits of the tokens before each, and of all
    identical: tuple[int, ...] = ()  # contents that are the whole file

    @property
    def tokens(self) -> Tokens:
        """Tokens of the file."""
        return self.kgrams.tokens

    @property
    def added(self) -> NDArray[np.bool_]:
        """Bool, one a token; True on lines that the change adds."""
        return self.kgrams.added


class Seeds(NamedTuple):
    """K-grams of the change with an equal one in one content; arrays with one element a seed."""

    positions: NDArray[np.int64]  # where it begins in the change
    diagonals: NDArray[np.int64]  # position there − position here
    informative: NDArray[np.bool_]  # whether its structure carries information
    telling: NDArray[np.bool_]  # as in ``FileHits``
    verbatim: NDArray[np.bool_]  # whether its text is the same

    @property
    def structural(self) -> NDArray[np.bool_]:
        """Seeds that may lead to a changed copy: bool, one a seed; informative, or with equal text."""
        return self.informative | self.verbatim

    def part(self, which: NDArray[np.int64] | slice) -> Seeds:
        """Take some of the seeds."""
        return Seeds._make(column[which] for column in self)


class SharedPhrases(NamedTuple):
    """Phrases that the change and one content share; arrays with one element a pair of places."""

    phrases: NDArray[np.uint64]  # hash of the phrase
    names: NDArray[np.bool_]  # whether it is a name
    positions: NDArray[np.int64]  # where it stands in the change, in tokens
    diagonals: NDArray[np.int64]  # position there − position here
    bits: NDArray[np.float64]  # what it says that both sides have it
    opens: NDArray[np.bool_]  # whether it is reason enough to search around it

    def part(self, which: NDArray[np.int64] | slice) -> SharedPhrases:
        """Take some of the pairs."""
        return SharedPhrases._make(column[which] for column in self)


_NUMBERS, _MARKS = np.empty(0, np.int64), np.empty(0, np.bool_)
NOTHING_SHARED = SharedPhrases(np.empty(0, np.uint64), _MARKS, _NUMBERS, _NUMBERS, np.empty(0, np.float64), _MARKS)


class SharedContents(NamedTuple):
    """The known contents that may have a copy of a file."""

    contents: NDArray[np.int64]  # shape (n,), rising; their numbers
    owners: NDArray[np.int64]  # one a seed, rising; which of the contents has the seed, 0 to n − 1
    seeds: Seeds  # the seeds of all of them
    phrases: Mapping[int, SharedPhrases]  # what some of them share besides, by number of the content

    def part(self, which: NDArray[np.int64]) -> SharedContents:
        """Take some of the contents, given by rising numbers from 0 to n − 1."""
        kept = np.zeros(len(self.contents), np.bool_)
        kept[which] = True
        use = np.flatnonzero(kept[self.owners])
        contents = self.contents[which]
        phrases = {content: self.phrases[content] for content in contents.tolist() if content in self.phrases}
        return SharedContents(contents, (np.cumsum(kept) - 1)[self.owners[use]], self.seeds.part(use), phrases)

    def each(self) -> Iterator[tuple[int, Seeds, SharedPhrases]]:
        """Yield each content with its seeds and phrases."""
        edges = np.searchsorted(self.owners, np.arange(len(self.contents) + 1))
        for number, content in enumerate(self.contents.tolist()):
            seeds = self.seeds.part(slice(edges[number], edges[number + 1]))
            yield content, seeds, self.phrases.get(content, NOTHING_SHARED)


def shared_contents(file: FileHits, k: int) -> SharedContents:
    """Choose the known contents that may have a copy of a file, whose k-grams have the length ``k``.

    One of their seeds says much, or all together do, or a seed has the same text, or a phrase justifies a search.
    """
    having, seeds = _seeds(file)
    starts = run_starts(having)
    likely = np.zeros(len(having), np.bool_)
    if len(starts):
        # Most contents have seeds by chance.
        said = file.cumulative[seeds.positions + k] - file.cumulative[seeds.positions + CONTEXT]
        says_much = (np.maximum.reduceat(said, starts) >= LEAST_SEED) | (np.add.reduceat(said, starts) >= LEAST_SEEDS)
        could_be = says_much | np.logical_or.reduceat(seeds.verbatim, starts)
        likely = np.repeat(could_be, np.diff(starts, append=len(having)))
    use = np.flatnonzero(likely)
    having = having[use]
    are_phrases = file.kgrams.phrases.words != WORD
    found = file.phrase_hits.part(are_phrases[file.phrase_hits.queries])
    phrases = phrases_by_content(file.kgrams.phrases, found)
    opened = np.array([content for content, own in phrases.items() if own.opens.any()], np.int64)
    contents, _ = distinct(np.concatenate([having[run_starts(having)], opened]))
    owners = np.searchsorted(contents, having)
    of_these = {content: phrases[content] for content in contents.tolist() if content in phrases}
    return SharedContents(contents, owners, seeds.part(use), of_these)


def phrases_by_content(phrases: Phrases, places: Hits) -> dict[int, SharedPhrases]:
    """Collect the phrases that each content shares with a change, given where they stand, in tokens."""
    order = np.argsort(places.contents, kind="stable")
    queries, contents = places.queries[order], places.contents[order]
    positions = phrases.positions[queries].astype(np.int64)
    of_each = _most_of_equal(phrases.hashes, np.bincount(places.queries, minlength=len(phrases)))
    pairs = SharedPhrases(
        phrases.hashes[queries],
        phrases.names[queries],
        positions,
        places.positions[order].astype(np.int64) - positions,
        np.minimum(np.where(phrases.names, BITS_OF_NAME, BITS_OF_WORD) * phrases.words, MOST_OF_ONE)[queries],
        of_each[queries] <= MOST_PLACES,
    )
    starts = run_starts(contents).tolist()
    edges = [*starts, len(contents)]
    return {int(contents[start]): pairs.part(slice(start, end)) for start, end in pairwise(edges)}


def _seeds(file: FileHits) -> tuple[NDArray[np.int64], Seeds]:
    """Return the contents of all seeds, rising, and the seeds."""
    kgrams, hits = file.kgrams, file.hits
    informative = kgrams.informative[hits.queries]
    verbatim = hits.checks == kgrams.kgrams.checks[hits.queries]
    asked = kgrams.asked[hits.queries]
    keep = np.flatnonzero(asked & (informative | (verbatim & kgrams.informative_text[hits.queries])))
    order = keep[np.argsort(hits.contents[keep], kind="stable")]
    positions = hits.queries[order]
    diagonals = hits.positions[order] - positions
    seeds = Seeds(positions, diagonals, informative[order], file.telling[positions], verbatim[order])
    return hits.contents[order].astype(np.int64), seeds


def _most_of_equal(hashes: NDArray[np.uint64], counts: NDArray[np.int64]) -> NDArray[np.int64]:
    """Count how often one of several equal phrases was found at most; repeated phrases are found less often."""
    most: dict[int, int] = {}
    for phrase, count in zip(hashes.tolist(), counts.tolist(), strict=True):
        most[phrase] = max(count, most.get(phrase, 0))
    return np.array([most[phrase] for phrase in hashes.tolist()], np.int64)
