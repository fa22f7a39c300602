"""What convinces a person of a finding: its code, the source's own lines, and the names that were changed.

Lines and names need the text of the source, which an index keeps only on request. To find them means reading the text,
and lexing it if names were changed, so they are found only for findings that are shown.
"""

from __future__ import annotations

from collections import Counter
from functools import lru_cache
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from winnow_ci.languages import Untokenizable, names_in, normalise, tokenize
from winnow_ci.model import IDENTIFIER_SKETCH

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from winnow_ci.index import IndexReader
    from winnow_ci.model import Finding, Region, TokenMap, Tokens
    from winnow_ci.scanner.values import Match

KEPT_TEXTS = 4
MOST_RENAMES = 500


class SourceText(NamedTuple):
    """A content of an index: its normalised lines, and how to lex it."""

    lines: list[bytes]
    content: bytes
    language: str


class SourceExcerpts:
    """Makes the excerpts of findings, also from the texts that an index keeps.

    Args:
        index: known code.
        token_map: gives the token map of a content.
        most_lines: how many lines of a stretch are shown at most.
    """

    def __init__(self, index: IndexReader, token_map: Callable[[int], TokenMap], most_lines: int) -> None:
        self._index = index
        self._token_map = token_map
        self._most_lines = most_lines
        self._text = lru_cache(KEPT_TEXTS)(self._read)
        self._tokens = lru_cache(KEPT_TEXTS)(self._lex)

    def shown(self, finding: Finding, match: Match) -> Finding:
        """Add its excerpts to a finding, given the match that it was made of.

        Raises:
            IndexFileError: the index is damaged.
        """
        finding = finding._replace(excerpt=_decoded(match.text[: self._most_lines]), comment=match.comment)
        source = None if match.tokens is None else self._text(match.region.content)
        return finding if source is None or match.tokens is None else self._beside(finding, match, match.tokens, source)

    def _beside(self, finding: Finding, match: Match, copied: Tokens, source: SourceText) -> Finding:
        """A finding with the source's own lines."""
        known, (here, there) = self._token_map(match.region.content), _pairs(match.region)
        # If blocks were reordered, the copy does not begin with the first block of the source.
        begin, last = int(known.first_lines[there[0]]), int(known.last_lines[match.region.source_end - 1])
        return finding._replace(
            source_excerpt=_decoded(source.lines[begin - 1 : last][: self._most_lines]),
            source_line=begin,
            corresponding=tuple(self._corresponding(copied.first_lines[here], known.first_lines[there])),
            renames=self._renames(match, copied, source),
        )

    def _read(self, content: int) -> SourceText | None:
        text = self._index.text(content)
        if text is None:
            return None
        try:
            return SourceText(normalise(text).split(b"\n"), text, self._index.content(content).language)
        except Untokenizable as error:
            raise self._index.damaged(f"text of content {content}") from error

    def _lex(self, content: int) -> Tokens | None:
        """The tokens of a content, if they still are the ones that the index was built from."""
        source = self._text(content)
        if source is None:
            return None
        try:
            tokens = tokenize(source.language, source.content)
        except Untokenizable:
            return None
        return tokens if np.array_equal(tokens.sketch, self._token_map(content).sketch) else None

    def _corresponding(self, here: Iterable[np.int32], there: Iterable[np.int32]) -> Iterator[tuple[int, int]]:
        """Pairs of shown lines that begin with the same token on both sides, or nearly so."""
        pairs = list(zip(map(int, here), map(int, there), strict=True))
        last, end = (0, 0), (pairs[0][0] + self._most_lines, pairs[0][1] + self._most_lines) if pairs else (0, 0)
        for pair in pairs:
            if pair[0] >= end[0] or pair[1] >= end[1]:
                return
            if pair[0] > last[0] and pair[1] > last[1]:
                yield pair
                last = pair

    def _renames(self, match: Match, copied: Tokens, source: SourceText) -> tuple[tuple[str, str], ...]:
        """Names of the source with their names in the change."""
        content, (here, there) = match.region.content, _pairs(match.region)
        known = self._token_map(content)
        sketches = copied.sketch[here], known.sketch[there]
        named = (sketches[0] >= IDENTIFIER_SKETCH.start) & (sketches[0] < IDENTIFIER_SKETCH.stop)
        if (sketches[0] == sketches[1])[named].all() or (tokens := self._tokens(content)) is None:
            return ()
        first, last = known.first_lines[match.region.source_start], known.last_lines[match.region.source_end - 1]
        old_names = names_in(b"\n".join(source.lines[first - 1 : last]), match.front_end)
        new_names = names_in(b"\n".join(match.text), match.front_end)
        renamed = _renamed(tokens.verbatim[there][named].tolist(), copied.verbatim[here][named].tolist())
        told = ((old_names[old], new_names[new]) for old, new in renamed if old in old_names and new in new_names)
        return tuple(islice(told, MOST_RENAMES))


def _decoded(lines: Iterable[bytes]) -> tuple[str, ...]:
    return tuple(line.decode("utf-8", "replace") for line in lines)


def _pairs(region: Region) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Numbers of the matched tokens from the region's start on, and of the content's tokens that they stand for."""
    here = [np.arange(part.start, part.start + part.tokens) - region.start for part in region.stretches]
    there = [np.arange(part.source_start, part.source_start + part.tokens) for part in region.stretches]
    return np.concatenate(here), np.concatenate(there)


def _renamed(old: Sequence[int], new: Sequence[int]) -> Iterator[tuple[int, int]]:
    """For each name the one that it has mostly become, if that differs."""
    counts = Counter(zip(old, new, strict=True))
    most: dict[int, int] = {}
    for before, after in counts:
        best = most.setdefault(before, after)
        if counts[before, after] > counts[before, best]:
            most[before] = after
    yield from ((before, after) for before, after in most.items() if before != after)
