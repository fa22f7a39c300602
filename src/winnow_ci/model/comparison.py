"""What ``winnow-ci compare`` asks for and finds. A module of its own, since no scan needs it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias

from winnow_ci.model import Parameters
from winnow_ci.named_tuples import NamedTuple

if TYPE_CHECKING:
    from winnow_ci.model import Fallback, LineRange, Skipped
    from winnow_ci.model.exact_runs import ExactRuns
    from winnow_ci.model.regions import AlignedLines
    from winnow_ci.model.side_by_side import SideBySide


Rank: TypeAlias = Literal["weight", "count"]
"""What pairs are ranked by: what their shared fingerprints weigh, or how many they are."""


class PairLimits(NamedTuple):
    """Which fingerprints make pairs, and which pairs are kept.

    Attributes:
        most_documents: a fingerprint that more documents have makes no pairs.
        least: pairs that share fewer fingerprints are dropped.
        top: how many pairs are kept, the first by ``rank``.
        rank: what they are ranked by.
    """

    most_documents: int = 10
    least: int = 4
    top: int = 20
    rank: Rank = "weight"


# Both sides select here, so each must select the same of equal runs; an index may rely on being asked for all.
COMPARED = Parameters(k=16, w=12, selection="robust")


class DocumentSketch(NamedTuple):
    """What documents are reduced to before they are compared (``winnowing.sketches``).

    Attributes:
        window: the length of shared windows that are looked for, in k-grams.
        size: how many entries a document may have; None for what the proof asks for.
        delta: the chance to miss a shared window with that size.
    """

    window: int
    size: int | None = None
    delta: float = 0.01


class ComparisonOptions(NamedTuple):
    """How to compare.

    Attributes:
        parameters: of the fingerprints.
        limits: which fingerprints and pairs count.
        sketch: how many of the smallest fingerprints of each body to estimate their similarity from; None for all.
        texts: whether pairs have the texts of their files, to be shown.
        reduced: what documents are reduced to; None for the fingerprints of ``parameters``.
    """

    parameters: Parameters = COMPARED
    limits: PairLimits = PairLimits()
    sketch: int | None = None
    texts: bool = False
    reduced: DocumentSketch | None = None


class ComparedBody(NamedTuple):
    """The files compared under one name.

    Attributes:
        name: as the user gave it.
        files: how many of its files have fingerprints.
        fingerprints: how many they have, without boilerplate; of two bodies, how many different ones.
        skipped: the other files, with the reason.
        fallback: those of its files that only the fallback tokenizer could read: they share nothing with others.
        commit: the id of the commit that has the files; None for a file or folder.
    """

    name: str
    files: int
    fingerprints: int
    skipped: tuple[Skipped, ...]
    fallback: tuple[Fallback, ...]
    commit: str | None = None


class PairedFile(NamedTuple):
    """A file of a pair: its path, the number of its different fingerprints, and the share of them that the pair has."""

    path: str
    fingerprints: int
    share: float


class SharedStretch(NamedTuple):
    """Lines of one document that are like lines of another.

    Attributes:
        lines: of the one.
        lines_there: of the other.
        fingerprints: how many they share.
        verbatim: how many of these have the same names and numbers in both.
        seeds: for each of them, the number of its first token in the one and in the other.
    """

    lines: LineRange
    lines_there: LineRange
    fingerprints: int
    verbatim: int
    seeds: tuple[tuple[int, int], ...] = ()


class PairedText(NamedTuple):
    """A file of a pair as it was read: its bytes, its language, and the name of the front end that made its tokens."""

    content: bytes
    language: str
    front_end: str


class FilePair(NamedTuple):
    """Two files that share fingerprints.

    Attributes:
        a: the one file.
        b: the other one.
        shared: how many fingerprints both have, of those that count.
        weight: the sum over these; a fingerprint that m files have weighs 1 / (m − 1).
        stretches: where they are; empty if a file has changed since it was first read.
        texts: of both, if they were asked for.
        exact: the longest runs of tokens that they share; None if a file has changed since it was first read.
        words: how alike their words are (``comparing.word_vectors``).
    """

    a: PairedFile
    b: PairedFile
    shared: int
    weight: float
    stretches: tuple[SharedStretch, ...]
    texts: tuple[PairedText, PairedText] | None = None
    exact: ExactRuns | None = None
    words: float = 0.0

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
    """How much two bodies A and B have in common (Broder 1997).

    Attributes:
        resemblance: the share of the fingerprints of A or B that both have.
        of_a: containment of A: the share of its fingerprints that B has.
        of_b: containment of B: the share of its fingerprints that A has.
    """

    resemblance: ShareEstimate
    of_a: ShareEstimate
    of_b: ShareEstimate


class Comparison(NamedTuple):
    """The files of one body compared with each other, or those of two bodies across.

    Attributes:
        bodies: what was compared: one or two.
        pairs: the first by ``PairLimits.rank``.
        found: how many pairs share enough fingerprints.
        matches: for each fingerprint that counts, how many pairs of documents have it; the sum.
        left_out: how many fingerprints too many documents have.
        similarity: of two bodies; None of one.
        miss: the greatest chance that the sketches of two documents do not show a shared window; None without sketches.
    """

    bodies: tuple[ComparedBody, ...]
    pairs: tuple[FilePair, ...]
    found: int
    matches: int
    left_out: int
    similarity: BodySimilarity | None = None
    miss: float | None = None


class ShownPair(NamedTuple):
    """A pair of files with their lines.

    Attributes:
        pair: the files.
        alignment: lines that correspond, in the order of the one.
        beside: the one beside the other; None if nothing of them is known to correspond.
    """

    pair: FilePair
    alignment: tuple[AlignedLines, ...] = ()
    beside: SideBySide | None = None
