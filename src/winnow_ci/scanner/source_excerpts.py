"""What convinces a person of a finding: the source's own lines, and which names were changed into which.

All of that needs the text of the source, which an index keeps only if it was asked to. It is found for the findings
that are reported and not for every match, since it means to read the text, and to lex it if names were changed.
"""

from __future__ import annotations

from collections import Counter
from functools import lru_cache, partial
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from winnow_ci.languages import Untokenizable, comment_marks, language_at, names_in, normalise, tokenize
from winnow_ci.model import IDENTIFIER_SKETCH

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from winnow_ci.index import IndexReader
    from winnow_ci.model import I32, U8, U64, Region, TokenMap, Tokens
    from winnow_ci.scanner.preparation import PreparedFile

KEPT_TEXTS = 4
MOST_RENAMES = 500


class SourceExcerpt(NamedTuple):
    """Fields of a finding (``model.Finding``) that tell more of it."""

    source_excerpt: tuple[str, ...] = ()
    source_line: int = 0
    corresponding: tuple[tuple[int, int], ...] = ()
    renames: tuple[tuple[str, str], ...] = ()
    comment: tuple[str, str] = ("", "")


class _Copy(NamedTuple):
    """The stretch of a changed file that is a copy: what is needed of its tokens (``model.Tokens``), and its lines."""

    verbatim: U64
    first_lines: I32
    sketch: U8
    text: bytes
    front_end: str


class _Original(NamedTuple):
    """A content of an index: its normalised lines, and how to lex it."""

    lines: list[bytes]
    content: bytes
    language: str


class SourceTexts:
    """The texts that an index keeps.

    Args:
        index: known code.
        token_map: gives the token map of a content.
        most_lines: how many lines of a stretch are shown at most.
    """

    def __init__(self, index: IndexReader, token_map: Callable[[int], TokenMap], most_lines: int) -> None:
        self._index = index
        self._token_map = token_map
        self._most_lines = most_lines
        self._original = lru_cache(KEPT_TEXTS)(self._read)
        self._tokens = lru_cache(KEPT_TEXTS)(self._lex)

    def evidence(self, file: PreparedFile, region: Region, text: Sequence[bytes]) -> Callable[[], SourceExcerpt]:
        """Prepare to find the evidence for a region of a changed file, whose lines are ``text``.

        What is returned raises IndexFileError if the index is damaged.
        """
        line = int(file.tokens.first_lines[region.start])
        comment = comment_marks(language_at(file.path, file.content, line))
        if not self._index.texts:
            return partial(SourceExcerpt, comment=comment)
        # Copies of what is needed: a view would keep all arrays of the file in memory.
        part, tokens = slice(region.start, region.end), file.tokens
        copy = _Copy(
            tokens.verbatim[part].copy(),
            tokens.first_lines[part].copy(),
            tokens.sketch[part].copy(),
            b"\n".join(text),
            file.front_end.name,
        )
        return partial(self._evidence, copy, region, comment)

    def _evidence(self, copy: _Copy, region: Region, comment: tuple[str, str]) -> SourceExcerpt:
        original = self._original(region.content)
        if original is None:
            return SourceExcerpt(comment=comment)
        there = self._token_map(region.content)
        pairs = _pairs(region)
        first, last = int(there.first_lines[region.source_start]), int(there.last_lines[region.source_end - 1])
        # Where blocks were put into another order, the copy does not begin with what the source begins with.
        begin = int(there.first_lines[pairs[1][0]])
        excerpt = original.lines[begin - 1 : last][: self._most_lines]
        return SourceExcerpt(
            tuple(line.decode("utf-8", "replace") for line in excerpt),
            begin,
            tuple(self._corresponding(copy.first_lines[pairs[0]], there.first_lines[pairs[1]])),
            self._renames(copy, region.content, pairs, b"\n".join(original.lines[first - 1 : last])),
            comment,
        )

    def _read(self, content: int) -> _Original | None:
        text = self._index.text(content)
        if text is None:
            return None
        try:
            return _Original(normalise(text).split(b"\n"), text, self._index.content(content).language)
        except Untokenizable as error:
            raise self._index.damaged(f"text of content {content}") from error

    def _lex(self, content: int) -> Tokens | None:
        """The tokens of a content, if they still are those that the index was built from."""
        original = self._original(content)
        if original is None:
            return None
        try:
            tokens = tokenize(original.language, original.content)
        except Untokenizable:
            return None
        return tokens if np.array_equal(tokens.sketch, self._token_map(content).sketch) else None

    def _corresponding(self, here: Iterable[np.int32], there: Iterable[np.int32]) -> Iterator[tuple[int, int]]:
        """Lines that begin with the same token on both sides, or nearly so, among those that are shown."""
        pairs = list(zip(map(int, here), map(int, there), strict=True))
        last, end = (0, 0), (pairs[0][0] + self._most_lines, pairs[0][1] + self._most_lines) if pairs else (0, 0)
        for pair in pairs:
            if pair[0] >= end[0] or pair[1] >= end[1]:
                return
            if pair[0] > last[0] and pair[1] > last[1]:
                yield pair
                last = pair

    def _renames(
        self, copy: _Copy, content: int, pairs: tuple[NDArray[np.int64], NDArray[np.int64]], text: bytes
    ) -> tuple[tuple[str, str], ...]:
        sketches = copy.sketch[pairs[0]], self._token_map(content).sketch[pairs[1]]
        named = (sketches[0] >= IDENTIFIER_SKETCH.start) & (sketches[0] < IDENTIFIER_SKETCH.stop)
        if (sketches[0] == sketches[1])[named].all():
            return ()
        tokens = self._tokens(content)
        if tokens is None:
            return ()
        ids_here, ids_there = copy.verbatim[pairs[0]][named], tokens.verbatim[pairs[1]][named]
        here, there = names_in(copy.text, copy.front_end), names_in(text, copy.front_end)
        renamed = _renamed(ids_there.tolist(), ids_here.tolist())
        known = [(there[old], here[new]) for old, new in renamed if old in there and new in here]
        return tuple(known[:MOST_RENAMES])


def _pairs(region: Region) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Numbers of the matched tokens from the region's start on, and of those of the content that they stand for."""
    here = [np.arange(part.start, part.start + part.tokens) - region.start for part in region.stretches]
    there = [np.arange(part.source_start, part.source_start + part.tokens) for part in region.stretches]
    return np.concatenate(here), np.concatenate(there)


def _renamed(old: Sequence[int], new: Sequence[int]) -> Iterator[tuple[int, int]]:
    """For each name the one that it has mostly become, if that is another."""
    counts = Counter(zip(old, new, strict=True))
    most: dict[int, int] = {}
    for before, after in counts:
        best = most.setdefault(before, after)
        if counts[before, after] > counts[before, best]:
            most[before] = after
    yield from ((before, after) for before, after in most.items() if before != after)
