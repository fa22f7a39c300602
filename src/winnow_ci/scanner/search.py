"""Changed files → matches with known code, in one index."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import xxhash

from winnow_ci.errors import IndexFileError, UsageError
from winnow_ci.fingerprint import (
    all_kgrams,
    bits,
    common_grams,
    common_kgrams,
    fresh_bits,
    grams,
    same_bits,
    text_grams,
)
from winnow_ci.index import lookup
from winnow_ci.languages import normalise, revisions
from winnow_ci.matching import Query, Question, Thresholds, find_regions
from winnow_ci.model import Hits, LineRange, Place
from winnow_ci.scanner.attribution import Match
from winnow_ci.scanner.evidence_text import SourceTexts
from winnow_ci.winnowing import among, informative, select

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from winnow_ci.config import ReportThresholds
    from winnow_ci.index import IndexReader
    from winnow_ci.languages import FrontEnd
    from winnow_ci.model import Region, TokenMap, Tokens
    from winnow_ci.scanner.preparation import Prepared

KEPT_MAPS = 256
EXCERPT_LINES = 6


class _LookedUp(NamedTuple):
    """A file's hits; its tokens are kept since it is known by their identity."""

    tokens: Tokens
    query: Query | None
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
        # A file that had some of its code before is matched again, with less of it added.
        self._looked_up: dict[int, _LookedUp] = {}

    def matches(self, batch: Sequence[Prepared]) -> list[list[Match]]:
        """The matches of each file; one pass over the index serves all.

        Raises:
            IndexFileError: the index is damaged, or cannot be compared with the files.
        """
        for file in batch:
            self._check_comparable(file.front_end)
        if not all(id(file.tokens) in self._looked_up for file in batch):
            self._looked_up = {
                id(file.tokens): looked_up for file, looked_up in zip(batch, self._look_up(batch), strict=True)
            }
        return [self._matches(file, self._looked_up[id(file.tokens)]) for file in batch]

    def _look_up(self, batch: Sequence[Prepared]) -> Iterator[_LookedUp]:
        """The hits of each file."""
        questions = [self._question(file) for file in batch]
        asked = [np.flatnonzero(self._asked(question)) for question in questions]
        hits = lookup(
            self._index,
            np.concatenate([question.kgrams.hashes[own] for question, own in zip(questions, asked, strict=True)]),
            np.concatenate([question.kgrams.checks[own] for question, own in zip(questions, asked, strict=True)]),
        )
        edges = np.cumsum([0, *map(len, asked)])
        parts = np.searchsorted(hits.queries, edges)
        for n, (file, question) in enumerate(zip(batch, questions, strict=True)):
            own = _part(hits, parts[n], parts[n + 1], asked[n], edges[n])
            # Most files have no hits: what their tokens say need not be known.
            yield _LookedUp(file.tokens, self._query(file, question) if len(own) else None, own)

    def _asked(self, question: Question) -> NDArray[np.bool_]:
        """Which k-grams are looked up: bool, one a k-gram."""
        if self._window is None or not len(question.kgrams):
            return question.asked
        selected = np.zeros(len(question.kgrams), np.bool_)
        selected[select(question.kgrams.hashes, self._window, self._index.parameters.selection)] = True
        return question.asked & selected

    def _question(self, file: Prepared) -> Question:
        k = self._index.parameters.k
        kgrams, structure = all_kgrams(file.tokens, self._index.parameters), grams(file.tokens)
        boilerplate = among(kgrams.hashes, self._boilerplate)
        return Question(
            tokens=file.tokens,
            kgrams=kgrams,
            grams=structure,
            informative=informative(structure, k) & ~boilerplate,
            informative_text=informative(text_grams(file.tokens), k) & ~boilerplate,
            # A copy beside boilerplate is extended into it: what stands in there is no evidence.
            added=file.added & ~_covered(boilerplate, k, len(file.tokens)),
        )

    def _query(self, file: Prepared, question: Question) -> Query:
        common = common_grams(file.tokens)
        said, same = bits(file.tokens, file.front_end.name, common), same_bits(file.tokens)
        return Query(
            question=question,
            bits=said,
            same_bits=same,
            fresh_bits=fresh_bits(file.tokens, same),
            telling=question.informative & ~common_kgrams(file.tokens, self._index.parameters.k, common),
            cumulative=np.concatenate([[0.0], np.cumsum(said)]),
        )

    def _matches(self, file: Prepared, looked_up: _LookedUp) -> list[Match]:
        _, query, hits = looked_up
        if query is None:
            return []
        question = query.question._replace(added=query.added & file.added)
        query = query._replace(question=question)
        regions = find_regions(query, hits, self._token_map, self._index.parameters, self._thresholds)
        text = normalise(file.content).split(b"\n") if regions else []
        return [self._match(file, text, region) for region in regions]

    def _match(self, file: Prepared, text: Sequence[bytes], region: Region) -> Match:
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


def _part(hits: Hits, start: int, end: int, asked: NDArray[np.int64], first: int) -> Hits:
    """The hits of one file of a batch, which asked for those k-grams, the first of them as that number."""
    part = slice(start, end)
    return Hits(asked[hits.queries[part] - first], hits.contents[part], hits.positions[part], hits.checks[part])


def _covered(kgrams: NDArray[np.bool_], k: int, tokens: int) -> NDArray[np.bool_]:
    """Which of so many tokens lie in one of some k-grams."""
    change = np.zeros(tokens + 1, np.int64)
    starts = np.flatnonzero(kgrams)
    change[starts] += 1
    change[starts + k] -= 1
    return np.asarray(change.cumsum()[:-1] > 0, np.bool_)
