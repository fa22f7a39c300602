"""What convinces a person of a finding: its code, the source's own lines, and what exactly was changed.

Lines and names need the text of the source, which an index keeps only on request. To find them means reading the text,
and lexing it if the lines are not the same, so they are found only for findings that are shown.
"""

from __future__ import annotations

from collections import Counter
from functools import lru_cache
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from winnow_ci.languages import Untokenizable, names_in, normalise, tokenize
from winnow_ci.model import IDENTIFIER_SKETCH
from winnow_ci.model.findings import CopiedBlock
from winnow_ci.scanner.correspondence import exactly, lines_of, token_pairs

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from winnow_ci.index import IndexReader
    from winnow_ci.model import TokenMap, Tokens
    from winnow_ci.model.findings import AlignedLines, Finding
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
        known, (here, there) = self._token_map(match.region.content), token_pairs(match.region)
        pairs = np.stack([copied.first_lines[here], known.first_lines[there]], axis=1)
        blocks = tuple(self._block(lines, match, source, pairs) for lines in finding.block_lines)
        return self._compared(finding._replace(blocks=blocks), match, copied, source)

    def _compared(self, finding: Finding, match: Match, copied: Tokens, source: SourceText) -> Finding:
        """A finding with what was changed, by the whole texts of both sides; where lines are equal, nothing was."""
        content, region = match.region.content, match.region
        first, last = lines_of(self._token_map(content), region.source_start, region.source_end)
        if match.text == tuple(source.lines[first - 1 : last]):
            return finding._replace(agreement=match.agreement._replace(exact=True))
        if (tokens := self._tokens(content)) is None:
            return finding
        exact = exactly(match.agreement, copied, tokens, region)
        return finding._replace(agreement=exact, renames=_renames(match, copied, tokens, source))

    def _block(self, block: AlignedLines, match: Match, source: SourceText, pairs: NDArray[np.int32]) -> CopiedBlock:
        """The first lines of a block on both sides, given the lines of each pair of tokens of the match."""
        (first, last), there = block.here, block.there
        begin = first - match.lines.first
        last = min(last, first + self._most_lines - 1)
        last_there = min(there.last, there.first + self._most_lines - 1)
        inside = (pairs >= (first, there.first)) & (pairs <= (last, last_there))
        return CopiedBlock(
            block,
            _decoded(match.text[begin : last - match.lines.first + 1]),
            _decoded(source.lines[there.first - 1 : last_there]),
            tuple(_rising(pairs[inside.all(axis=1)].tolist())),
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


def _decoded(lines: Iterable[bytes]) -> tuple[str, ...]:
    return tuple(line.decode("utf-8", "replace") for line in lines)


def _rising(pairs: Iterable[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Pairs of lines that begin with the same token on both sides, or nearly so."""
    last = (0, 0)
    for here, there in pairs:
        if here > last[0] and there > last[1]:
            last = (here, there)
            yield last


def _renames(match: Match, copied: Tokens, tokens: Tokens, source: SourceText) -> tuple[tuple[str, str], ...]:
    """Names of the source with their names in the change."""
    region, (here, there) = match.region, token_pairs(match.region)
    sketches = copied.sketch[here]
    named = (sketches >= IDENTIFIER_SKETCH.start) & (sketches < IDENTIFIER_SKETCH.stop)
    old, new = tokens.verbatim[there][named], copied.verbatim[here][named]
    if np.array_equal(old, new):
        return ()
    first, last = lines_of(tokens, region.source_start, region.source_end)
    old_names = names_in(b"\n".join(source.lines[first - 1 : last]), match.front_end)
    new_names = names_in(b"\n".join(match.text), match.front_end)
    renamed = _renamed(old.tolist(), new.tolist())
    told = ((old_names[one], new_names[other]) for one, other in renamed if one in old_names and other in new_names)
    return tuple(islice(told, MOST_RENAMES))


def _renamed(old: Sequence[int], new: Sequence[int]) -> Iterator[tuple[int, int]]:
    """For each name the one that it has mostly become, if that differs."""
    counts = Counter(zip(old, new, strict=True))
    most: dict[int, int] = {}
    for before, after in counts:
        best = most.setdefault(before, after)
        if counts[before, after] > counts[before, best]:
            most[before] = after
    yield from ((before, after) for before, after in most.items() if before != after)
