"""Match changed files: find the regions that they share with known contents.

What is *around* a match shows code that users of an interface write as its authors do: plug-ins and the framework's own
tests override the same methods, with the same names. Two signs speak for one more use, and against a copy:

- the changed file has the *shapes* of the match, the structure of twelve tokens each, elsewhere, outside of it;
- known files with different names have most of it. Versions, forks and embedded copies of a file keep its name.

A match that is too little without them is dropped before they are looked for.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
import xxhash

from winnow_ci import run_log
from winnow_ci.evidence.model import evidence_model
from winnow_ci.evidence.weights import LEARNT
from winnow_ci.languages import comment_marks, front_end_named, language_at, normalise
from winnow_ci.matching.constants import Thresholds
from winnow_ci.matching.hits import shared_contents
from winnow_ci.matching.region_tokens import MOST, Repetitions, region_tokens, shared_tokens
from winnow_ci.matching.regions import Overlaps, find_regions, most_telling, whole_file
from winnow_ci.model import RESTATED, LineRange, Place, TokenMap, Tokens
from winnow_ci.model.findings import Agreement, FileReading, KnownContent
from winnow_ci.model.regions import AlignedLines, Region, rising_blocks
from winnow_ci.named_tuples import NamedTuple
from winnow_ci.scanner.files import FileMatches, Match, PreparedFile, clipped, token_lines
from winnow_ci.scanner.look_up import LEAST_IDENTICAL, phrases_beside_added
from winnow_ci.scanner.remarks import Remark, shared_remarks
from winnow_ci.scanner.restated import Restated, restated
from winnow_ci.winnowing import kgram_hashes

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from winnow_ci.index import ContentRow, IndexReader
    from winnow_ci.matching.hits import FileHits, SharedContents

# Contents that are read together at most, some megabytes; each question to a server is a round trip.
READ_TOGETHER = 1024
# Bytes of rows that are kept for files still to come: a row has some two bytes a token and the paths of its files.
KEPT_BYTES = 64 << 20
# What a path and its row take besides its bytes.
OF_A_FILE = 200
# Unpacked maps that are kept: some nine bytes a token.
KEPT_MAPS = 256
# Tokens of a shape.
SHAPE = 12
# Further names of known files are not counted.
_MOST_NAMES = 8
# A region is an import list if this share of its matched tokens imports something.
IMPORT_LIST = 0.9


class ContentReading:
    """Reads contents of one index together, and keeps those that were used last.

    Its methods raise IndexFileError if the index is damaged.
    """

    def __init__(self, index: IndexReader) -> None:
        self._index = index
        self._rows: dict[int, ContentRow] = {}
        self._bytes = 0
        self.token_map = lru_cache(KEPT_MAPS)(lambda content: index.unpacked_map(content, self.row(content)))

    def read(self, contents: Iterable[int]) -> None:
        """Read the contents that are not there yet; all are kept until the next ones are read."""
        wanted = dict.fromkeys(contents)
        lacking = [content for content in wanted if content not in self._rows]
        self._rows |= {content: self._rows.pop(content) for content in wanted if content in self._rows}
        if lacking:
            found = self._index.content_rows(lacking)
            self._rows |= found
            self._bytes += sum(map(_size, found.values()))
        for content in list(self._rows)[: -len(wanted) or None]:
            if self._bytes <= KEPT_BYTES:
                break
            self._bytes -= _size(self._rows.pop(content))

    def row(self, content: int) -> ContentRow:
        """Return the row of a content, checked."""
        if content not in self._rows:
            self.read([content])
        return self._rows[content]


class _Comparison(NamedTuple):
    """A file with the contents that it is compared with."""

    file: PreparedFile
    found: FileHits  # its hits on added tokens
    shared: SharedContents  # what it shares with the contents
    identical: tuple[int, ...]  # contents that are the whole file
    uncompared: int  # number of contents with hits that it is not compared with
    restated: list[Restated]  # parts of contents that it may restate

    @property
    def contents(self) -> list[int]:
        return [*self.shared.contents.tolist(), *self.identical, *(one.region.content for one in self.restated)]


class IndexMatcher:
    """Matches changed files with the contents of an index, the ``number``-th that the scan asks."""

    def __init__(self, index: IndexReader, number: int, thresholds: Thresholds) -> None:
        self.index = index
        self.contents = ContentReading(index)
        self._number = number
        self._thresholds = thresholds

    def matches(self, files: Sequence[PreparedFile], hits: Sequence[FileHits | None]) -> list[FileMatches]:
        """Match each file on its added tokens.

        Raises:
            IndexFileError: the index is damaged.
        """
        pairs = zip(files, hits, strict=True)
        compared = [None if found is None else self._comparison(file, found) for file, found in pairs]
        matched: list[FileMatches] = []
        for some in _together(compared):
            self.contents.read(content for one in some if one for content in one.contents)
            matched += [self._matches(one) if one else FileMatches([], 0) for one in some]
        return matched

    def match(self, file: PreparedFile, region: Region, shown: LineRange | None = None) -> Match:
        """Make a match of a region, shown on these lines or on its own."""
        known: Tokens | TokenMap
        row = self.contents.row(region.content)
        if region.identical:
            # What follows the last line break is a line unless it is empty.
            text = normalise(file.content)
            known, lines = file.tokens, LineRange(1, text.count(b"\n") + (not text.endswith(b"\n")))
            known_lines = lines
        else:
            known = self.contents.token_map(region.content)
            lines = shown or token_lines(file.tokens, region.start, region.end)
            known_lines = token_lines(known, region.source_start, region.source_end)
        # A reader may see the source's lines beside the copy's; those of an identical file are the same.
        is_compared = self.index.texts > 0 and not region.identical
        return Match(
            path=file.path,
            region=region,
            lines=lines,
            added=clipped(file.added_lines, lines),
            copied=xxhash.xxh3_128(file.tokens.verbatim[region.start : region.end].tobytes()).digest(),
            places=tuple(Place(known, known_lines) for known in self.index.files_of_row(row)),
            agreement=agreement(file.tokens, region)._replace(exact=region.identical),
            alignment=aligned_lines(file.tokens, known, region),
            index_number=self._number,
            content=file.content,
            language=file.language,
            tokens=file.tokens.part(np.arange(region.start, region.end)) if is_compared else None,
            front_end=file.front_end.name,
            # Inside a comment or string, a comment is none.
            comment=("", "") if file.in_text else comment_marks(language_at(file.path, file.content, lines.first)),
            in_text=file.in_text,
            known=KnownContent(row.key.hex(), FileReading(row.language, row.front_end)),
            has_text=region.identical or any(one.source in self.index.with_text for one in row.files),
        )

    def remarks(self, found: FileHits, content: int) -> list[Remark]:
        """Find the remarks that a file with these hits shares with a content."""
        return shared_remarks(found, content, self.contents.token_map(content))

    def _comparison(self, file: PreparedFile, found: FileHits) -> _Comparison:
        kgrams = found.kgrams._replace(added=found.kgrams.added & file.added)
        phrase_hits = found.phrase_hits.part(phrases_beside_added(kgrams)[found.phrase_hits.queries])
        found = found._replace(kgrams=kgrams, phrase_hits=phrase_hits)
        k = self.index.parameters.k
        shared, left = most_telling(shared_contents(found, k), found, k)
        verbatim, shortest = self._least(file)
        identical = found.identical if found.added.sum() >= max(LEAST_IDENTICAL, verbatim) else ()
        said_anew = restated(found, shortest) if file.may_restate and shortest is not None else []
        return _Comparison(file, found, shared, identical, left, said_anew)

    def _least(self, file: PreparedFile) -> Thresholds:
        if not file.front_end.shortest_text:
            return self._thresholds
        return Thresholds(max(self._thresholds.verbatim, file.front_end.shortest_text), None)

    def _matches(self, one: _Comparison) -> FileMatches:
        file, found, shared, identical, uncompared, said_anew = one
        parameters, thresholds = self.index.parameters, self._least(file)
        others = find_regions(found, shared, self.contents.token_map, parameters, thresholds)
        regions = [
            *(whole_file(found, content, parameters, thresholds) for content in identical),
            *(region for region in others if region.content not in identical),
        ]
        copies = likely(without_imports(regions, found.kgrams.imported), file)
        matches = with_surroundings([self.match(file, region) for region in copies], file.tokens)
        # The places in a damaged or forged index may be anywhere.
        known = self.contents.token_map
        sound = [one for one in said_anew if one.region.source_end <= len(known(one.region.content).sketch)]
        return FileMatches([*matches, *(self._restated(file, one, found) for one in sound)], uncompared)

    def _restated(self, file: PreparedFile, part: Restated, found: FileHits) -> Match:
        """A match of what the file restates, in the language of the content or in another one."""
        theirs = front_end_named(self.contents.row(part.region.content).front_end)
        is_same = bool(theirs.alphabets & file.front_end.alphabets)
        match = self.match(file, part.region._replace(kind="restated" if is_same else "translated"))
        return match._replace(phrases=found.kgrams.phrases.part(np.array(part.phrases)))


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


def without_imports(regions: Iterable[Region], imported: NDArray[np.bool_]) -> Iterator[Region]:
    """Drop import lists: users of a library all import the same names.

    ``imported`` marks the tokens of the file that import something.
    """
    dropped, has_imports = 0, imported.any()
    for region in regions:
        may_be = has_imports and not region.identical and not region.is_run
        if may_be and imported[region_tokens(region).here].mean() >= IMPORT_LIST:
            dropped += 1
        else:
            yield region
    if dropped:
        run_log.tell(f"filter imports: {dropped:,}")


def likely(regions: Iterable[Region], file: PreparedFile) -> Iterator[Region]:
    """Return the regions of a file that may be reported, whatever is around them."""
    unlearnt = file.front_end.name not in LEARNT
    for region in regions:
        found = region._replace(signs=region.signs._replace(unlearnt=unlearnt))
        if evidence_model().is_reported(found):
            yield found


def with_surroundings(matches: Sequence[Match], tokens: Tokens) -> list[Match]:
    """Add the signs around them to the matches of a file; return those that are still enough for a report."""
    if not matches:
        return []
    shapes = Repetitions(kgram_hashes(tokens.structural, SHAPE), SHAPE)
    near: Overlaps[Match] = Overlaps()
    for match in matches:
        near.add(match.region.start, match.region.end, match)

    def surrounded(match: Match) -> Match:
        region = match.region
        if region.identical:
            return match
        signs = region.signs._replace(again=shapes.share(region.stretches), places=_other_names(match, near))
        return match._replace(region=region._replace(signs=signs))

    return [match for match in map(surrounded, matches) if evidence_model().is_reported(match.region)]


def _other_names(match: Match, near: Overlaps[Match]) -> int:
    """How many differently named known files, besides the first, have most of a match."""
    names: set[str] = set()
    most = MOST * match.region.matched
    for other in near.over(match.region.start, match.region.end):
        if other.region.matched >= most and shared_tokens(other.region, match.region) >= most:
            names.update(place.file.path.rpartition("/")[2].partition(".")[0].lower() for place in other.places)
            # Hundreds of generated files may have it.
            if len(names) > _MOST_NAMES:
                break
    return len(names) - 1


def aligned_lines(tokens: Tokens, known: Tokens | TokenMap, region: Region) -> tuple[AlignedLines, ...]:
    """Align the lines of a region's stretches; join stretches with no line between them on either side."""
    lines = (
        AlignedLines(token_lines(tokens, here, here + count), token_lines(known, there, there + count))
        for here, there, count in region.stretches
    )
    return rising_blocks(lines, reach=0)


def agreement(tokens: Tokens, region: Region) -> Agreement:
    """Count how far a region of a changed file agrees with its source, by what an index knows."""
    first, last = token_lines(tokens, region.start, region.end)
    start = int(np.searchsorted(tokens.last_lines, np.int32(first), "left"))
    end = int(np.searchsorted(tokens.first_lines, np.int32(last), "right"))
    # What the copy has between two stretches replaces as many tokens of the source.
    missing = np.diff([part.source_start - part.start for part in region.stretches]).clip(0).sum()
    in_order = all(part.source_start < after.source_start for part, after in pairwise(region.stretches))
    # Words that both have may be written in different ways.
    verbatim = None if region.kind in RESTATED else region.matched_verbatim
    return Agreement(region.matched, verbatim, end - start - region.tokens, int(missing), in_order)


def _size(row: ContentRow) -> int:
    return len(row.token_map) + sum(len(file.path) + OF_A_FILE for file in row.files)
