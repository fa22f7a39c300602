"""Hits of a changed file → matches: the regions that it shares with known contents, and where these stand."""

from __future__ import annotations

from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

import xxhash

from winnow_ci.languages import Untokenizable, comment_marks, language_at, normalise
from winnow_ci.matching import Thresholds, find_regions, most_telling, whole_file
from winnow_ci.matching.hits import shared_contents
from winnow_ci.model import LineRange, Place
from winnow_ci.model.findings import FileReading, KnownContent
from winnow_ci.named_tuples import NamedTuple
from winnow_ci.scanner.added import clipped
from winnow_ci.scanner.content_reading import ContentReading
from winnow_ci.scanner.correspondence import agreement, aligned_lines, lines_of
from winnow_ci.scanner.features import phrases_beside_added
from winnow_ci.scanner.filters import without_imports
from winnow_ci.scanner.identity import LEAST_TOKENS
from winnow_ci.scanner.surroundings import Surroundings, likely
from winnow_ci.scanner.values import FileMatches, Match

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from winnow_ci.index import ContentRow, IndexReader
    from winnow_ci.languages import FrontEnd
    from winnow_ci.matching import FileHits, SharedContents
    from winnow_ci.model import TokenMap, Tokens
    from winnow_ci.model.findings import Finding, ShownCode
    from winnow_ci.model.regions import Region
    from winnow_ci.scanner.source_excerpts import SourceExcerpts
    from winnow_ci.scanner.values import PreparedFile

KEPT_TEXTS = 4
# Contents that are read together at most, some megabytes; ten files of a commit need fewer.
READ_TOGETHER = 1024


class _Comparison(NamedTuple):
    """A file with the contents that it is compared with.

    Attributes:
        file: the file.
        found: its hits on added tokens.
        shared: what it shares with the contents.
        identical: contents that are the whole file.
        left: how many contents it has something of, but is not compared with.
    """

    file: PreparedFile
    found: FileHits
    shared: SharedContents
    identical: tuple[int, ...]
    left: int

    @property
    def contents(self) -> list[int]:
        """All contents that are read for it."""
        return [*self.shared.contents.tolist(), *self.identical]


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
        self._contents = ContentReading(index)
        self._kept = lru_cache(maxsize=KEPT_TEXTS)(index.text)
        self._shown = shown

    def matches(self, files: Sequence[PreparedFile], hits: Sequence[FileHits | None]) -> list[FileMatches]:
        """The matches of each file on its added tokens; the contents that they need are read together.

        Raises:
            IndexFileError: the index is damaged.
        """
        pairs = zip(files, hits, strict=True)
        compared = [None if found is None else self._comparison(file, found) for file, found in pairs]
        matched: list[FileMatches] = []
        for some in _together(compared):
            self._contents.read(content for one in some if one for content in one.contents)
            matched += [self._matches(one) if one else FileMatches([], 0) for one in some]
        return matched

    def _comparison(self, file: PreparedFile, found: FileHits) -> _Comparison:
        """What a file is compared with."""
        kgrams = found.kgrams._replace(added=found.kgrams.added & file.added)
        phrase_hits = found.phrase_hits.part(phrases_beside_added(kgrams)[found.phrase_hits.queries])
        found = found._replace(kgrams=kgrams, phrase_hits=phrase_hits)
        k = self._index.parameters.k
        shared, left = most_telling(shared_contents(found, k), found, k)
        least = max(LEAST_TOKENS, self._least(file).verbatim)
        return _Comparison(file, found, shared, found.identical if found.added.sum() >= least else (), left)

    def _least(self, file: PreparedFile) -> Thresholds:
        return _of_front_end(self._thresholds, file.front_end)

    def _matches(self, one: _Comparison) -> FileMatches:
        """What is the whole file, and regions of other contents."""
        file, found, shared, identical, left = one
        parameters, thresholds = self._index.parameters, self._least(file)
        others = find_regions(found, shared, self._contents.token_map, parameters, thresholds)
        found_there = [
            *(whole_file(found, content, parameters, thresholds) for content in identical),
            *(region for region in others if region.content not in identical),
        ]
        regions = likely(without_imports(found_there, found.kgrams.imported), file)
        matches = [self.match(file, region) for region in regions]
        return FileMatches(Surroundings(matches, file).reported(), left)

    def read(self, matches: Iterable[Match]) -> None:
        """Read the contents of matches together, before they are shown.

        Raises:
            IndexFileError: the index is damaged.
        """
        self._contents.read(match.region.content for match in matches)

    def _has_text(self, row: ContentRow) -> bool:
        """Whether the index keeps the text of a content."""
        return any(file.source in self._index.with_text for file in row.files)

    def with_excerpt(self, finding: Finding, match: Match, texts: Mapping[str, bytes]) -> Finding:
        """Add its code to a finding that is shown, given texts that the index does not keep, by key.

        Raises:
            IndexFileError: the index is damaged.
        """
        from winnow_ci.scanner.source_excerpts import CopiedFile, KnownFile  # noqa: PLC0415 - as below

        assert finding.known is not None
        content, (key, reading) = match.region.content, finding.known
        copied = CopiedFile(match.content, FileReading(match.language, match.front_end), match.tokens)
        kept = self._kept(content) if match.has_text else texts.get(key)
        try:
            known = KnownFile(kept, reading, self._contents.token_map(content))
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
        row = self._contents.row(region.content)
        if region.identical:
            known, lines = file.tokens, LineRange(1, _line_count(file.content))
            lines_there = lines
        else:
            known, lines = (
                self._contents.token_map(region.content),
                shown or lines_of(file.tokens, region.start, region.end),
            )
            lines_there = lines_of(known, region.source_start, region.source_end)
        return Match(
            path=file.path,
            region=region,
            lines=lines,
            added=clipped(file.added_lines, lines),
            copied=xxhash.xxh3_128(file.tokens.verbatim[region.start : region.end].tobytes()).digest(),
            places=tuple(Place(known, lines_there) for known in self._contents.files(region.content)),
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
            known=KnownContent(row.key.hex(), FileReading(row.language, row.front_end)),
            has_text=region.identical or self._has_text(row),
        )


def _together(compared: Iterable[_Comparison | None]) -> Iterator[list[_Comparison | None]]:
    """Files whose contents are read together."""
    some: list[_Comparison | None] = []
    contents = 0
    for one in compared:
        own = len(one.contents) if one else 0
        if some and contents + own > READ_TOGETHER:
            yield some
            some, contents = [], 0
        some.append(one)
        contents += own
    if some:
        yield some


def _of_front_end(thresholds: Thresholds, front_end: FrontEnd) -> Thresholds:
    """What is too short to report of what a front end has read."""
    if not front_end.shortest_text:
        return thresholds
    return Thresholds(max(thresholds.verbatim, front_end.shortest_text), None)


def _line_count(content: bytes) -> int:
    """How many lines a file has; what follows its last line break is one unless it is empty."""
    text = normalise(content)
    return text.count(b"\n") + (not text.endswith(b"\n"))
