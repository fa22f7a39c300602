"""Hits of a changed file → matches: the regions that it shares with known contents, and where these stand."""

from __future__ import annotations

from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

import xxhash

from winnow_ci.languages import Untokenizable, comment_marks, language_at, normalise
from winnow_ci.matching import Thresholds, find_regions, whole_file
from winnow_ci.model import LineRange, Place
from winnow_ci.model.findings import FileReading, KnownContent
from winnow_ci.scanner.correspondence import agreement, aligned_lines, lines_of
from winnow_ci.scanner.features import phrases_beside_added
from winnow_ci.scanner.identity import LEAST_TOKENS
from winnow_ci.scanner.values import Match

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from winnow_ci.index import IndexReader
    from winnow_ci.languages import FrontEnd
    from winnow_ci.matching import FileHits
    from winnow_ci.model import TokenMap, Tokens
    from winnow_ci.model.findings import Finding
    from winnow_ci.model.regions import Region
    from winnow_ci.model.side_by_side import ShownCode
    from winnow_ci.scanner.source_excerpts import SourceExcerpts
    from winnow_ci.scanner.values import PreparedFile

KEPT_MAPS = 256
KEPT_TEXTS = 4


class IndexMatcher:
    """Matches changed files with the contents of one index.

    Args:
        index: known code.
        number: of the index among those that the scan asks.
        thresholds: what is too short to report.
        shown: how much of a finding's code is shown.
    """

    def __init__(self, index: IndexReader, number: int, thresholds: Thresholds, shown: ShownCode) -> None:
        self._index = index
        self._number = number
        self._thresholds = thresholds
        self._token_map = lru_cache(maxsize=KEPT_MAPS)(index.token_map)
        self._kept = lru_cache(maxsize=KEPT_TEXTS)(index.text)
        self._shown = shown

    def matches(self, file: PreparedFile, found: FileHits | None) -> list[Match]:
        """The matches of a file on its added tokens.

        Raises:
            IndexFileError: the index is damaged.
        """
        if found is None:
            return []
        kgrams = found.kgrams._replace(added=found.kgrams.added & file.added)
        phrase_hits = found.phrase_hits.part(phrases_beside_added(kgrams)[found.phrase_hits.queries])
        found = found._replace(kgrams=kgrams, phrase_hits=phrase_hits)
        regions = self._regions(found, _of_front_end(self._thresholds, file.front_end))
        return [self.match(file, region) for region in regions]

    def _regions(self, found: FileHits, thresholds: Thresholds) -> list[Region]:
        """What is the whole file, and regions of other contents."""
        parameters = self._index.parameters
        identical = found.identical if found.added.sum() >= max(LEAST_TOKENS, thresholds.verbatim) else ()
        others = find_regions(found, self._token_map, parameters, thresholds)
        return [
            *(whole_file(found, content, parameters, thresholds) for content in identical),
            *(region for region in others if region.content not in identical),
        ]

    def identified(self, finding: Finding, match: Match) -> Finding:
        """A finding that says which content of the index it is like, and how a comment is written there."""
        row = self._index.content(match.region.content)
        known = KnownContent(row.key.hex(), FileReading(row.language, row.front_end))
        return finding._replace(known=known, comment=match.comment)

    def has_text(self, match: Match) -> bool:
        """Whether the text of the source is at hand: the index keeps it, or it is that of the change."""
        kept = self._index.with_text
        files = self._index.content(match.region.content).files if kept and not match.region.identical else ()
        return match.region.identical or any(file.source in kept for file in files)

    def with_excerpt(self, finding: Finding, match: Match, texts: Mapping[str, bytes]) -> Finding:
        """Add its code to a finding that is shown (``identified``), given texts that the index does not keep, by key.

        Raises:
            IndexFileError: the index is damaged.
        """
        from winnow_ci.scanner.source_excerpts import CopiedFile, KnownFile  # noqa: PLC0415 - as below

        assert finding.known is not None
        content, (key, reading) = match.region.content, finding.known
        copied = CopiedFile(match.content, FileReading(match.language, match.front_end), match.tokens)
        kept = self._kept(content) if self.has_text(match) else texts.get(key)
        try:
            known = KnownFile(kept, reading, self._token_map(content))
            return self._excerpts.shown(finding, copied, known)
        except Untokenizable as error:
            raise self._index.damaged(f"text of content {content}") from error

    @cached_property
    def _excerpts(self) -> SourceExcerpts:
        """Made when there is a finding to show: a commit hook without one need not wait."""
        from winnow_ci.scanner.source_excerpts import SourceExcerpts  # noqa: PLC0415 - as above

        return SourceExcerpts(self._shown)

    def _shows_source(self, region: Region) -> bool:
        """Whether a reader may see the source's lines beside the copy's; those of an identical file are the same."""
        return self._index.texts > 0 and not region.identical

    def match(self, file: PreparedFile, region: Region, shown: LineRange | None = None) -> Match:
        """A region as a match, shown on these lines or on its own."""
        known: Tokens | TokenMap
        if region.identical:
            known, lines = file.tokens, LineRange(1, _line_count(file.content))
            lines_there = lines
        else:
            known, lines = self._token_map(region.content), shown or lines_of(file.tokens, region.start, region.end)
            lines_there = lines_of(known, region.source_start, region.source_end)
        return Match(
            path=file.path,
            region=region,
            lines=lines,
            added=_inside(file.added_lines, lines),
            copied=xxhash.xxh3_128(file.tokens.verbatim[region.start : region.end].tobytes()).digest(),
            places=tuple(Place(known, lines_there) for known in self._index.files(region.content)),
            agreement=agreement(file.tokens, region)._replace(exact=region.identical),
            alignment=aligned_lines(file.tokens, known, region),
            index_number=self._number,
            content=file.content,
            language=file.language,
            tokens=file.tokens.copied(region.start, region.end) if self._shows_source(region) else None,
            front_end=file.front_end.name,
            # Inside a comment or string, what would be a comment is none.
            comment=("", "") if file.in_text else comment_marks(language_at(file.path, file.content, lines.first)),
            in_text=file.in_text,
        )


def _of_front_end(thresholds: Thresholds, front_end: FrontEnd) -> Thresholds:
    """What is too short to report of what a front end has read."""
    if not front_end.shortest_text:
        return thresholds
    return Thresholds(max(thresholds.verbatim, front_end.shortest_text), None)


def _line_count(content: bytes) -> int:
    """How many lines a file has; what follows its last line break is one unless it is empty."""
    text = normalise(content)
    return text.count(b"\n") + (not text.endswith(b"\n"))


def _inside(ranges: Iterable[LineRange], lines: LineRange) -> tuple[LineRange, ...]:
    """The parts of ranges that lie inside ``lines``."""
    cut = (LineRange(max(part.first, lines.first), min(part.last, lines.last)) for part in ranges)
    return tuple(part for part in cut if part.first <= part.last)
