"""Matches of a file → groups: which matches are places of one copy, and which lines each copy has.

Many known files have what one of them has, whole or in part: versions, forks, files with the same function. A person
wants to see each copied stretch once, with its sources, and none hidden behind another. So, best match first:

- A match whose tokens an earlier one mostly has, and that mostly has the earlier one's, is a place of the same copy.
- A match of which better ones have most tokens, and all lines, says nothing new and is left out. A verbatim match says
  something new where the others do not have its text.
- Any other match is a copy of its own. It gets the lines that are free, and those where it has more to say than their
  owner; so a long and weak match cannot hide the exact copies inside it, and is cut where they stand.
- The few lines that nobody has of a verbatim match go to a copy of the same content, or else to those beside them.

No line is in two copies, but where a copy has no line of its own: two copies on one line share it.
"""

from __future__ import annotations

from collections import defaultdict
from itertools import pairwise
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from winnow_ci.arrays import distinct
from winnow_ci.evidence.model import evidence_model
from winnow_ci.matching import part_of, score, union
from winnow_ci.matching.overlaps import Overlaps
from winnow_ci.matching.region_tokens import MOST, covers_most
from winnow_ci.model import LineRange
from winnow_ci.model.regions import Evidence
from winnow_ci.scanner.reach import Reach, reach_of
from winnow_ci.start_up import field, record

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from winnow_ci.model import Tokens
    from winnow_ci.model.regions import Region
    from winnow_ci.scanner.values import Match

    # Number of an index, and of its content.
    _Content: TypeAlias = tuple[int, int]
    MatchGroup: TypeAlias = tuple[Match, ...]
    # Makes a match of another region of the same content, to be shown on these lines.
    Remade: TypeAlias = Callable[[Match, Region, LineRange], Match]

# Fewer tokens than these, beside the lines of others, are no copy of their own.
LEAST_REST = 16
_NOBODY = -1


def grouped(matches: Sequence[Match], tokens: Tokens, remade: Remade) -> list[MatchGroup]:
    """Group the matches of one file.

    Args:
        matches: of the file, in any order.
        tokens: of the file.
        remade: makes a match of a part of another one.

    Returns:
        Groups of matches; the matches of a group are places of one copy, and all have the lines of that copy.
    """
    if not matches:
        return []
    page = _Page(tokens, remade)
    joined = _on_one_line(matches, remade)
    for match in sorted(joined, key=lambda match: (-score(match.region), match.region.start)):
        page.take(reach_of(match, tokens))
    page.settle()
    return list(page.groups())


def _on_one_line(matches: Sequence[Match], remade: Remade) -> Iterator[Match]:
    """The matches; what a line of minified code has from one content is one match."""
    joined: dict[tuple[int, int, int], list[Match]] = {}
    for match in matches:
        if match.lines.first != match.lines.last:
            yield match
        else:
            joined.setdefault((match.lines.first, match.index_number, match.region.content), []).append(match)
    for first, *others in joined.values():
        yield remade(first, union(first.region, *(other.region for other in others)), first.lines) if others else first


@record(slots=True, eq=False, repr=False)
class _Copy:
    """A copy: its best match, in parts, at least how many tokens it has, and its other places, one for each content."""

    parts: list[Reach]
    tokens: int
    others: dict[_Content, Match] = field(default_factory=dict)

    def add_place(self, match: Match) -> None:
        """Add another place; two views of one content are one place."""
        if _content(match) != _content(self.parts[0].match):
            self.others.setdefault(_content(match), match)


class _Page:
    """The lines and tokens of a file, and the copies that have them."""

    def __init__(self, tokens: Tokens, remade: Remade) -> None:
        lines = int(tokens.last_lines[-1]) + 2
        self._tokens = tokens
        self._remade = remade
        self._structure = np.zeros(len(tokens), np.bool_)
        self._text = np.zeros(len(tokens), np.bool_)
        self._owners = np.full(lines, _NOBODY)
        self._owners_before = self._owners.copy()
        # Those with tokens, rising.
        self._lines, _ = distinct(np.concatenate([tokens.first_lines, tokens.last_lines]))
        self._weights = np.zeros(lines, np.int64)
        self._copies: list[_Copy] = []
        # Copies that lent lines to others.
        self._lenders: set[int] = set()
        # The copies of each content, by their lines; and its verbatim matches, by their tokens.
        self._numbers: defaultdict[_Content, Overlaps[int]] = defaultdict(Overlaps)
        self._verbatim: list[Reach] = []
        self._exact: defaultdict[_Content, Overlaps[Region]] = defaultdict(Overlaps)
        # Guaranteed runs, by their lines.
        self._runs: Overlaps[Match] = Overlaps()

    def take(self, reach: Reach) -> None:
        """Add a match that is no better than those before."""
        fresh = reach.telling & ~(self._text if reach.is_verbatim else self._structure)[reach.here]
        free = self._owners[reach.lines] == _NOBODY
        copy, lines = self._same_copy(reach), free | self._gained(reach, fresh)
        if copy is not None:
            copy.add_place(reach.match)
        is_fresh = copy is None and fresh.sum() >= MOST * reach.telling.sum()
        if (is_fresh or reach.counts[free].sum() >= LEAST_REST) and reach.is_evidence(lines):
            self._add(reach, lines)
        region, shown = reach.match.region, reach.match.lines
        if region.is_run:
            self._runs.add(shown.first, shown.last + 1, reach.match)
        if reach.is_verbatim:
            self._verbatim.append(reach)
            self._exact[_content(reach.match)].add(region.start, region.end, region)
        self._text[reach.texts] = True
        self._structure[reach.here] = True

    def settle(self) -> None:
        """Give up what is too little to be shown alone; verbatim matches there keep their lines.

        The longest piece of a verbatim copy stays, however short it is. In the end, short pieces are lent to the copies
        beside them.
        """
        for number, copy in enumerate(self._copies):
            best = self._united(copy)
            is_own = self._owners[best.lines] == number
            pieces = sorted(self._pieces(best, best.lines[is_own]), key=lambda piece: -piece[1])
            if not best.is_evidence(is_own):
                self._give_up(number, pieces)
            self._give_up(number, (piece for piece in pieces[best.is_verbatim :] if piece[1] < LEAST_REST))
        # A match that others leave most of its tokens comes first: a longer one may only have a part of the same lines.
        for settled in (self._keep, self._lend, self._follow):
            for reach in self._verbatim:
                settled(reach)
        for number, copy in enumerate(self._copies):
            self._lend_pieces(number, self._united(copy))
        self._fill()

    def _fill(self) -> None:
        """Give lines without tokens between two copies to the first: the second may begin with a token before them."""
        for gap in np.flatnonzero(np.diff(self._lines) > 1).tolist():
            before, after = self._lines[gap : gap + 2].tolist()
            if _NOBODY not in {self._owners[before], self._owners[after]}:
                self._owners[before + 1 : after] = self._owners[before]

    def _give_up(self, number: int, pieces: Iterable[tuple[LineRange, int]]) -> None:
        for lines, _ in pieces:
            part = slice(lines.first, lines.last + 1)
            before = self._owners_before[part]
            self._owners[part] = np.where(
                self._owners[part] != number, self._owners[part], np.where(before == number, _NOBODY, before)
            )

    def groups(self) -> Iterator[MatchGroup]:
        """The matches of each copy, cut to the lines that the copy has."""
        order = np.argsort(self._owners, kind="stable")
        edges = np.searchsorted(self._owners[order], np.arange(len(self._copies) + 1))
        for number, (copy, (start, end)) in enumerate(zip(self._copies, pairwise(edges.tolist()), strict=True)):
            own = self._united(copy)
            pieces = [lines for lines, _ in self._pieces(own, order[start:end])]
            # Two copies on one line share it; what has lost all of its lines to better copies is no copy.
            for lines in pieces or [own.match.lines] * (own.is_verbatim and number not in self._lenders):
                matches = (own.match, *copy.others.values())
                best, *others = (_on_lines(match, self._tokens, lines, self._remade) for match in matches)
                if best and best.added:
                    places = (other for other in others if other and covers_most(other.region, best.region))
                    yield self._no_less(best), *map(self._no_less, places)

    def _no_less(self, match: Match) -> Match:
        """A match; at least as likely as an exact match of the same content that lies in it for the most part.

        What is beside an exact copy takes nothing from it, even if both together are worth less a token. A match that
        has the lines of a guaranteed run is reported as that would be.
        """
        region = match.region
        if any(self._runs.over(match.lines.first, match.lines.last + 1)):
            region = region._replace(least_odds=max(region.least_odds, evidence_model().report))
        if region.kind == "verbatim":
            return match._replace(region=region)
        for own in self._exact[_content(match)].over(region.start, region.end):
            if covers_most(region, own):
                evidence = Evidence(*map(max, region.evidence, own.evidence))
                least = max(region.least_odds, evidence_model().log_odds(own))
                region = region._replace(least_odds=least, evidence=evidence)
        return match._replace(region=region)

    def _same_copy(self, reach: Reach) -> _Copy | None:
        """The copy of which a match is another place."""
        near: set[int] = set(self._owners[reach.lines].tolist()) - {_NOBODY}
        region = reach.match.region
        for copy in (self._copies[number] for number in sorted(near)):
            if region.matched > MOST * copy.tokens:
                best = self._united(copy).match.region
                if covers_most(best, region) and covers_most(region, best):
                    return copy
        return None

    def _gained(self, reach: Reach, fresh: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """The lines on which a match has more to say than their owner, most of it new: bool, one a line."""
        on_line = np.searchsorted(reach.lines, self._tokens.first_lines[reach.here[fresh]])
        new = np.bincount(on_line, minlength=len(reach.lines))
        return (new >= MOST * reach.counts) & (reach.weights > self._weights[reach.lines])

    def _add(self, reach: Reach, which: NDArray[np.bool_]) -> None:
        """Give lines to a match: as a copy of its own, or to a copy of the same content that it lies among."""
        number, lines = self._among(reach), reach.match.lines
        if number is None:
            number = len(self._copies)
            self._copies.append(_Copy([reach], len(reach.here)))
        else:
            self._copies[number].parts.append(reach)
            self._copies[number].tokens += int((~self._structure[reach.here]).sum())
        self._numbers[_content(reach.match)].add(lines.first, lines.last + 1, number)
        changed = reach.lines[which & (self._owners[reach.lines] != number)]
        self._owners_before[changed] = self._owners[changed]
        self._owners[reach.lines[which]] = number
        self._weights[reach.lines[which]] = reach.weights[which]

    def _among(self, reach: Reach) -> int | None:
        """The copy of the same content that a match lies among."""
        lines = reach.match.lines
        return min(self._numbers[_content(reach.match)].over(lines.first, lines.last + 1), default=None)

    def _united(self, copy: _Copy) -> Reach:
        """Unite the parts of a copy. That is done when somebody asks, since a copy may have very many parts."""
        if len(copy.parts) > 1:
            region = union(*(part.match.region for part in copy.parts), verbatim_first=True)
            first_line = int(self._tokens.first_lines[region.start])
            lines = LineRange(first_line, int(self._tokens.last_lines[region.end - 1]))
            copy.parts = [reach_of(self._remade(copy.parts[0].match, region, lines), self._tokens)]
        return copy.parts[0]

    def _keep(self, reach: Reach) -> None:
        """Give a verbatim match its free lines, if they are many."""
        free = self._owners[reach.lines] == _NOBODY
        if free.any() and reach.counts[free].sum() >= MOST * reach.counts.sum():
            self._add(reach, free)

    def _lend(self, reach: Reach) -> None:
        """Give the free lines of a verbatim match to a copy of its content, or to those beside them, or to itself."""
        if self._among(reach) is None:
            self._lend_to_neighbours(reach.lines[self._owners[reach.lines] == _NOBODY].tolist())
        left = self._owners[reach.lines] == _NOBODY
        if left.any():
            self._add(reach, left)

    def _lend_pieces(self, number: int, reach: Reach) -> None:
        """Give the lines of a copy's short pieces to a copy beside them, where there is one."""
        for lines, tokens in self._pieces(reach, np.flatnonzero(self._owners == number)):
            others = self._beside(lines.first, lines.last)
            if others and tokens < min(LEAST_REST, len(reach.here)):
                part = self._owners[lines.first : lines.last + 1]
                part[part == number] = others[0]
                self._lenders.add(number)

    def _lend_to_neighbours(self, lines: Sequence[int]) -> None:
        for line in (*lines, *reversed(lines)):
            if self._owners[line] == _NOBODY:
                self._owners[line] = next(iter(self._beside(line, line)), _NOBODY)

    def _follow(self, reach: Reach) -> None:
        """Give the free lines of a verbatim match's long tokens to the copies on whose lines these begin."""
        firsts, lasts = self._tokens.first_lines[reach.here], self._tokens.last_lines[reach.here]
        long = firsts < lasts
        for first, last in zip(firsts[long].tolist(), lasts[long].tolist(), strict=True):
            rest = self._owners[first + 1 : last + 1]
            rest[rest == _NOBODY] = self._owners[first]

    def _beside(self, first: int, last: int) -> list[int]:
        """The copies that have the line with tokens before some lines, and the one after them."""
        start, end = np.searchsorted(self._lines, (first, last + 1)).tolist()
        beside = [*self._lines[max(0, start - 1) : start], *self._lines[end : end + 1]]
        return [owner for owner in self._owners[beside].tolist() if owner != _NOBODY]

    def _pieces(self, reach: Reach, own: NDArray[np.int64]) -> list[tuple[LineRange, int]]:
        """The runs of lines that a copy has, each with its tokens there, given all lines that it has.

        Lines of others divide them; lines that nobody has do not.
        """
        if not len(own):
            return []
        between = self._owners[own[0] : own[-1]]
        owned = np.append(0, np.cumsum(between != _NOBODY))[own - own[0]]
        edges = np.flatnonzero(np.diff(owned - np.arange(len(own)), prepend=-1, append=len(between) + 1)).tolist()
        pieces = [LineRange(int(own[start]), int(own[end - 1])) for start, end in pairwise(edges)]
        if len(pieces) == 1 and np.isin(reach.lines, own).all():
            pieces = [_hull(pieces[0], reach.match.lines)]
        return [(lines, reach.count(lines)) for lines in pieces]


def _hull(one: LineRange, other: LineRange) -> LineRange:
    return LineRange(min(one.first, other.first), max(one.last, other.last))


def _content(match: Match) -> _Content:
    """Names the known content of a match."""
    return match.index_number, match.region.content


def _on_lines(match: Match, tokens: Tokens, lines: LineRange, remade: Remade) -> Match | None:
    """A match cut to its tokens that begin on these lines, to be shown on them; None if there are none."""
    if match.lines == lines:
        return match
    start, end = np.searchsorted(tokens.first_lines, np.array((lines.first, lines.last + 1), np.int32)).tolist()
    part = part_of(match.region, start, end)
    if part is None:
        return None
    return remade(match, part, LineRange(lines.first, max(lines.last, int(tokens.last_lines[part.end - 1]))))
