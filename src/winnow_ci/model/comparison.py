"""The options and results of ``winnow-ci compare``: a separate module, since no scan needs them."""

from __future__ import annotations

from typing import Literal, TypeAlias

from winnow_ci.model import Fallback, LineRange, Parameters, Skipped
from winnow_ci.model.regions import AlignedLines, ExactRuns, SideBySide
from winnow_ci.named_tuples import NamedTuple

Rank: TypeAlias = Literal["weight", "count"]
"""How pairs are ranked: by the weight of their shared fingerprints, or by their number."""


class PairLimits(NamedTuple):
    """Which fingerprints make pairs, and which pairs are kept."""

    most_documents: int = 10  # a fingerprint of more documents makes no pairs
    least: int = 4  # pairs that share fewer fingerprints are dropped
    top: int = 20  # how many pairs are kept, the first by ``rank``
    rank: Rank = "weight"


# Both sides select here, so each must select the same of equal runs; an index may rely on being asked for all.
COMPARE_PARAMETERS = Parameters(k=16, w=12, selection="robust")


class DocumentSketch(NamedTuple):
    """How documents are reduced before they are compared (``winnowing.bounded``)."""

    window: int  # length of the shared windows to find, in k-grams
    size: int | None = None  # entries of a document, at most; None for as many as the proof asks for
    delta: float = 0.01  # the chance to miss a shared window with that size


class ComparisonOptions(NamedTuple):
    """How to compare."""

    parameters: Parameters = COMPARE_PARAMETERS
    limits: PairLimits = PairLimits()
    sketch: int | None = None  # estimate similarity from this many smallest fingerprints of each body; None for all
    texts: bool = False  # whether pairs have the texts of their files, to be shown
    reduced: DocumentSketch | None = None  # None for the fingerprints of ``parameters``


class ComparedBody(NamedTuple):
    """The files compared under one name."""

    name: str  # as the user gave it
    files: int  # that have fingerprints
    fingerprints: int  # without boilerplate; of two bodies, different ones only
    skipped: tuple[Skipped, ...]
    fallback: tuple[Fallback, ...]  # read by the fallback tokenizer only, so they share nothing with others
    commit: str | None = None  # id of the commit that has the files; None for a file or folder


class PairedFile(NamedTuple):
    """A file of a pair: its path, the number of its different fingerprints, and the share of them that the pair has."""

    path: str
    fingerprints: int
    share: float


class SharedStretch(NamedTuple):
    """Lines of one document that are like lines of another."""

    lines: LineRange
    lines_there: LineRange
    fingerprints: int  # how many they share
    verbatim: int  # how many of these have the same names and numbers in both
    seeds: tuple[tuple[int, int], ...] = ()  # number of the first token of each, in the one and in the other


class PairedText(NamedTuple):
    """A file of a pair as it was read: its bytes, its language, and the name of the front end that made its tokens."""

    content: bytes
    language: str
    front_end: str


class FilePair(NamedTuple):
    """Two files that share fingerprints."""

    a: PairedFile
    b: PairedFile
    shared: int  # fingerprints of both, of those that count
    weight: float  # their sum; a fingerprint of m files weighs 1 / (m − 1)
    stretches: tuple[SharedStretch, ...]  # empty if a file has changed since it was first read
    texts: tuple[PairedText, PairedText] | None = None  # if asked for
    exact: ExactRuns | None = None  # None if a file has changed since it was first read
    words: float = 0.0  # how alike their words are (``comparing.comparison.word_likeness``)
    # Of a pair that is shown with its lines:
    alignment: tuple[AlignedLines, ...] = ()  # lines that correspond, in the order of the one
    beside: SideBySide | None = None  # None if nothing of them is known to correspond

    @property
    def longest(self) -> SharedStretch | None:
        """The stretch with most fingerprints."""
        return max(self.stretches, key=lambda stretch: stretch.fingerprints, default=None)

    @property
    def verbatim(self) -> float:
        """The share of the stretches' fingerprints that have the same names and numbers in both files."""
        whole = sum(stretch.fingerprints for stretch in self.stretches)
        return sum(stretch.verbatim for stretch in self.stretches) / whole if whole else 0.0


class ShareEstimate(NamedTuple):
    """A share from 0 to 1 and its standard deviation, which is 0 if the share is exact."""

    value: float
    error: float = 0.0


class BodySimilarity(NamedTuple):
    """How much two bodies A and B have in common (Broder 1997)."""

    resemblance: ShareEstimate  # the share of the fingerprints of A or B that both have
    of_a: ShareEstimate  # containment: the share of A's fingerprints that B has
    of_b: ShareEstimate


class Comparison(NamedTuple):
    """The files of one body compared with each other, or those of two bodies across."""

    bodies: tuple[ComparedBody, ...]  # one or two
    pairs: tuple[FilePair, ...]  # the first by ``PairLimits.rank``
    found: int  # pairs that share enough fingerprints
    matches: int  # sum over the fingerprints that count: pairs of documents that have it
    left_out: int  # fingerprints of too many documents
    similarity: BodySimilarity | None = None  # of two bodies
    miss: float | None = None  # of sketches: the greatest chance that those of two documents miss a shared window
