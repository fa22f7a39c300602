"""Changed files → matches with known code, in one index."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import xxhash

from winnow_ci.errors import IndexFileError, UsageError
from winnow_ci.languages import normalise, revisions
from winnow_ci.matching import Thresholds, find_regions
from winnow_ci.model import LineRange, Place
from winnow_ci.scanner.answers import answers, asked_kgrams, asked_phrases, kept, of_phrases
from winnow_ci.scanner.attribution import Match
from winnow_ci.scanner.features import beside, query_of, question_of, without
from winnow_ci.scanner.source_excerpts import SourceTexts
from winnow_ci.winnowing import select

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from winnow_ci.config import ReportThresholds
    from winnow_ci.index import IndexReader
    from winnow_ci.languages import FrontEnd
    from winnow_ci.matching import FileKgrams, WeightedFile
    from winnow_ci.model import Hits, Parameters, Region, TokenMap, Tokens
    from winnow_ci.scanner.preparation import PreparedFile

KEPT_MAPS = 256
EXCERPT_LINES = 6


class Boilerplate(NamedTuple):
    """What of a file is boilerplate.

    Attributes:
        kgrams: bool, one a k-gram.
        phrases: bool, one a phrase.
    """

    kgrams: NDArray[np.bool_]
    phrases: NDArray[np.bool_]


class LookedUp(NamedTuple):
    """What an index has of a file.

    Attributes:
        question: what was asked.
        hits: where its k-grams are; nowhere those that are boilerplate of this index.
        phrase_places: where its phrases are, likewise.
        boilerplate: which k-grams and phrases are.
    """

    question: FileKgrams
    hits: Hits
    phrase_places: Hits
    boilerplate: Boilerplate


class Matchable(NamedTuple):
    """A file's hits in an index, and what its tokens say, which need not be known if there are none."""

    query: WeightedFile | None
    hits: Hits


class Search:
    """Looks changed files up in one index.

    Args:
        index: known code.
        boilerplate: uint64, sorted; hashes of k-grams that are no evidence.
        thresholds: what is too short to report.
        excerpt_lines: how many lines of a match are shown at most.
        window: length of the windows of which one k-gram each is looked up; None to look up every k-gram.

    Raises:
        UsageError: the index does not have the k-grams that such windows select.
    """

    def __init__(
        self,
        index: IndexReader,
        boilerplate: NDArray[np.uint64],
        thresholds: ReportThresholds,
        excerpt_lines: int = EXCERPT_LINES,
        *,
        window: int | None = None,
    ) -> None:
        self._index = index
        self._window = _checked(window, index)
        self._token_map = lru_cache(maxsize=KEPT_MAPS)(index.token_map)
        self._boilerplate = boilerplate
        self._thresholds = Thresholds(thresholds.min_tokens, thresholds.min_tokens_renamed)
        self._excerpt_lines = excerpt_lines
        self._texts = SourceTexts(index, self._token_map, excerpt_lines)

    @property
    def parameters(self) -> Parameters:
        """What the fingerprints of the index were made with."""
        return self._index.parameters

    def look_up(self, batch: Sequence[PreparedFile]) -> list[LookedUp]:
        """What the index has of each file; one pass over it serves all.

        Raises:
            IndexFileError: the index is damaged, or cannot be compared with the files.
        """
        for file in batch:
            self._check_comparable(file.front_end)
        questions = [question_of(file, self.parameters, self._boilerplate) for file in batch]
        kgrams = answers(self._index, [asked_kgrams(one.kgrams, self._asked(one)) for one in questions])
        spoken = answers(self._index, [asked_phrases(one.phrases) for one in questions])
        return [
            LookedUp(question, hits, of_phrases(places), Boilerplate(common, said))
            for question, (hits, common), (places, said) in zip(questions, kgrams, spoken, strict=True)
        ]

    def matchable(self, file: PreparedFile, found: LookedUp, boilerplate: Boilerplate) -> Matchable:
        """A file with what was found, but for what is boilerplate."""
        if not len(found.hits) and not len(found.phrase_places):
            return Matchable(None, found.hits)
        question = without(found.question, boilerplate.kgrams, self.parameters.k)
        hits = kept(found.hits, self._selected(question)[found.hits.queries])
        places = kept(found.phrase_places, ~boilerplate.phrases[found.phrase_places.queries])
        return Matchable(query_of(file, question, places, self.parameters.k), hits)

    def matches(self, file: PreparedFile, found: Matchable) -> list[Match]:
        """The matches of a file.

        Raises:
            IndexFileError: the index is damaged.
        """
        query, hits = found
        if query is None:
            return []
        question = query.question._replace(added=query.added & file.added)
        places = kept(query.phrase_places, beside(question)[query.phrase_places.queries])
        query = query._replace(question=question, phrase_places=places)
        regions = find_regions(query, hits, self._token_map, self.parameters, self._thresholds)
        text = normalise(file.content).split(b"\n") if regions else []
        return [self._match(file, text, region) for region in regions]

    def _asked(self, question: FileKgrams) -> NDArray[np.bool_]:
        """Which k-grams are looked up: bool, one a k-gram; all that may be, where each may turn out boilerplate."""
        return question.reachable if self._index.boilerplate else self._selected(question)

    def _selected(self, question: FileKgrams) -> NDArray[np.bool_]:
        """Which k-grams may be evidence: bool, one a k-gram."""
        if self._window is None or not len(question.kgrams):
            return question.asked
        selected = np.zeros(len(question.kgrams), np.bool_)
        selected[select(question.kgrams.hashes, self._window, self.parameters.selection)] = True
        return question.asked & selected

    def _match(self, file: PreparedFile, text: Sequence[bytes], region: Region) -> Match:
        lines = _lines(file.tokens, region.start, region.end)
        lines_there = _lines(self._token_map(region.content), region.source_start, region.source_end)
        copied = text[lines.first - 1 : lines.last]
        return Match(
            path=file.path,
            region=region,
            lines=lines,
            added=_inside(file.added_lines, lines),
            excerpt=tuple(line.decode("utf-8", "replace") for line in copied[: self._excerpt_lines]),
            copied=xxhash.xxh3_128(file.tokens.verbatim[region.start : region.end].tobytes()).digest(),
            places=tuple(Place(known, lines_there) for known in self._index.files(region.content)),
            evidence=self._texts.evidence(file, region, copied),
        )

    def _check_comparable(self, front_end: FrontEnd) -> None:
        """Refuse an index of which another reading of such code was made.

        In one that lacks the front end, each of the others may have read such code when it was made.
        """
        theirs = self._index.front_ends
        known = {front_end.name: front_end.revision} if front_end.name in theirs else revisions()
        for name in [front_end.name] if front_end.name in theirs else theirs:
            if theirs[name] != known.get(name):
                msg = f"{self._index.path} was made with revision {theirs[name]} of the {name} front end"
                again = "build the index again from its sources: winnow-ci index build"
                raise IndexFileError(f"{msg}, this is revision {known.get(name)}", again)


def _checked(window: int | None, index: IndexReader) -> int | None:
    """The window, if what it selects is nearly all in the index (Schleimer et al. 2003, section 3.2)."""
    p = index.parameters
    if window is not None and p.selection not in {"winnowing", "robust"}:
        problem = f"{index.path} was made with {p.selection} selection, of which a wider window has no part"
        raise UsageError(problem, "leave out --window, or build the index with robust selection")
    if window is not None and window < p.w:
        problem = f"{index.path} was made with w = {p.w}, and lacks what a window of {window} would look up"
        raise UsageError(problem, f"give --window at least {p.w}, or leave it out to look up everything")
    return window


def _lines(tokens: Tokens | TokenMap, start: int, end: int) -> LineRange:
    """The lines of some tokens."""
    return LineRange(int(tokens.first_lines[start]), int(tokens.last_lines[end - 1]))


def _inside(ranges: Iterable[LineRange], lines: LineRange) -> tuple[LineRange, ...]:
    """The parts of ranges that lie inside some lines."""
    cut = (LineRange(max(part.first, lines.first), min(part.last, lines.last)) for part in ranges)
    return tuple(part for part in cut if part.first <= part.last)
