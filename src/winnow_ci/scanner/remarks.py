"""Grow copies by the remarks beside them: comments, docstrings and messages that stand beside the source, too.

A remark is one token or none, so a copy ends where its code ends. If somebody has changed the head of a function, its
docstring would not be in the copy, though it is the source's. So a copy takes a remark near it that the source has near
the same code.

An index knows few lines of a long remark, those of least hash (``fingerprint``). Of a remark that somebody copied, they
are those of least hash in the change, too; if at least half of them are the same, the whole remark is (Broder 1997).
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from operator import attrgetter
from sys import maxsize
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from winnow_ci.arrays import among
from winnow_ci.fingerprint import LINES_AT_ONE
from winnow_ci.model import WORD, LineRange
from winnow_ci.model.regions import AlignedLines
from winnow_ci.named_tuples import NamedTuple
from winnow_ci.scanner.files import clipped

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from winnow_ci.matching.hits import FileHits
    from winnow_ci.model import Phrases, TokenMap, Tokens
    from winnow_ci.scanner.files import Match, MatchGroup, PreparedFile

# Tokens between a copy and a remark that it takes, on both sides together, at most.
_REACH = 128


RemarksOf: TypeAlias = "Callable[[int, int], list[Remark]]"
"""What a file shares with a content, given the number of its index and its own."""


class _Text(NamedTuple):
    """A line of a comment or string, or a long name."""

    hash: int
    line: int
    is_name: bool


class Remark(NamedTuple):
    """A comment or string that a change and a content have."""

    lines: AlignedLines  # in the content, by what an index knows
    token: int  # the one with the remark in it, or the first after it
    token_there: int  # the same in the content


def shared_remarks(found: FileHits, content: int, known: TokenMap) -> list[Remark]:
    """Find the remarks that a file shares with a content, given the tokens of the content; by rising token."""
    hits, phrases = found.phrase_hits, found.kgrams.phrases
    # The places in a damaged or forged index may be anywhere.
    at = np.flatnonzero((hits.contents == content) & (hits.positions < len(known.sketch)))
    here = phrases.positions[hits.queries[at]]
    shared: defaultdict[tuple[int, int], set[int]] = defaultdict(set)
    columns = here, hits.positions[at], phrases.hashes[hits.queries[at]]
    for token, there, phrase in zip(*(column.tolist() for column in columns), strict=True):
        shared[token, there].add(phrase)
    texts, remarks = _texts_at(phrases, here), []
    for (token, there), known_texts in sorted(shared.items()):
        kept = {text.hash for text in texts[token][:LINES_AT_ONE] if not text.is_name}
        lines = [text.line for text in texts[token] if not text.is_name]
        if kept and 2 * len(known_texts & kept) >= len(kept):
            remarks.append(_remark(LineRange(min(lines), max(lines)), found.tokens, known, token, there))
    return remarks


def _texts_at(phrases: Phrases, tokens: NDArray[np.int32]) -> dict[int, list[_Text]]:
    """Return the phrases that stand at each of these tokens, those of least hash first."""
    texts = defaultdict(list)
    at = np.flatnonzero(among(phrases.positions, np.sort(tokens)) & (phrases.words != WORD))
    columns = phrases.hashes[at], phrases.lines[at], phrases.names[at]
    pairs = zip(phrases.positions[at].tolist(), map(_Text, *(column.tolist() for column in columns)), strict=True)
    for token, text in sorted(pairs):
        texts[token].append(text)
    return texts


def _remark(lines: LineRange, tokens: Tokens, known: TokenMap, token: int, there: int) -> Remark:
    """Make a remark of its lines; they are as far from the nearer token, before or after, on both sides."""
    before, after = int(tokens.last_lines[token - 1]), int(tokens.first_lines[token])
    before_there, after_there = int(known.last_lines[max(0, there - 1)]), int(known.first_lines[there])
    is_below = lines.first - before < after - lines.last
    shift = before_there - before if is_below else after_there - after
    room = min(before_there + 1, after_there), int(known.last_lines[there])
    lines_there = LineRange(*(min(max(line + shift, room[0]), room[1]) for line in lines))
    return Remark(AlignedLines(lines, lines_there), token, there)


def with_remarks(file: PreparedFile, groups: Iterable[MatchGroup], remarks: RemarksOf) -> Iterator[MatchGroup]:
    """Grow the copies of a file by remarks on lines that no other copy has.

    Args:
        file: the file.
        groups: its copies, each with its places, which have the same lines.
        remarks: those that it shares with a content.
    """
    in_order, reached = sorted(groups, key=lambda group: group[0].lines), 0
    starts = [*(best.lines.first for best, *_ in in_order[1:]), maxsize]
    for group, start in zip(in_order, starts, strict=False):
        found = [remarks(*match.content_number) for match in group]
        best, *others = _grown(file, group, found, LineRange(reached + 1, start - 1))
        reached = max(reached, best.lines.last)
        yield best, *others


def _grown(file: PreparedFile, group: MatchGroup, remarks: Sequence[Sequence[Remark]], free: LineRange) -> MatchGroup:
    """Grow a copy on free lines by what its best place shares, and its other places with it."""
    blocks = [_beside(match, shared, free) for match, shared in zip(group, remarks, strict=True)]
    if not blocks[0]:
        return group
    lines = _all_lines([group[0].lines, *(block.here for block in blocks[0])])
    return tuple(_with_blocks(file, match, own, lines) for match, own in zip(group, blocks, strict=True))


def _beside(match: Match, remarks: Sequence[Remark], free: LineRange) -> list[AlignedLines]:
    """Return the shared remarks above and below a match that it takes, each once, on free lines."""
    region, (first, last) = match.region, match.lines
    above = [
        (region.start - one.token, region.source_start - one.token_there, one.lines)
        for one in _between(remarks, region.start - _REACH, region.start)
        if free.first <= one.lines.here.first and one.lines.here.last < first
    ]
    below = [
        (one.token - region.end, one.token_there - region.source_end, one.lines)
        for one in _between(remarks, region.end, region.end + _REACH)
        if last < one.lines.here.first and one.lines.here.last <= free.last
    ]
    near = [(here + there, lines) for here, there, lines in above + below if there >= 0 and here + there <= _REACH]
    # A source may have one twice: the nearest counts.
    return list({lines.here: lines for _, lines in sorted(near, reverse=True)}.values())


def _between(remarks: Sequence[Remark], first: int, last: int) -> Sequence[Remark]:
    """Return the remarks at these tokens of the change."""
    start = bisect_left(remarks, first, key=attrgetter("token"))
    return remarks[start : bisect_right(remarks, last, key=attrgetter("token"))]


def _with_blocks(file: PreparedFile, match: Match, blocks: Sequence[AlignedLines], lines: LineRange) -> Match:
    there = [block.there for block in blocks]
    others = _tokens_on(file, lines) - match.region.tokens - sum(_tokens_on(file, block.here) for block in blocks)
    return match._replace(
        lines=lines,
        added=clipped(file.added_lines, lines),
        agreement=match.agreement._replace(others=others),
        alignment=tuple(sorted((*match.alignment, *blocks))),
        places=tuple(place._replace(lines=_all_lines([place.lines, *there])) for place in match.places),
    )


def _tokens_on(file: PreparedFile, lines: LineRange) -> int:
    tokens = file.tokens
    return int(((tokens.last_lines >= lines.first) & (tokens.first_lines <= lines.last)).sum())


def _all_lines(ranges: Sequence[LineRange]) -> LineRange:
    return LineRange(min(one.first for one in ranges), max(one.last for one in ranges))
