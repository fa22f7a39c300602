"""Group the matches of a file: which matches are places of one copy, and which lines each copy has.

docs/matching.md (*Sources*) has the rules. The best match comes first. A match gets the lines that are free, and those
where it has more to say than their owner; so a long and weak match cannot hide the exact copies inside it. The few
lines that nobody has of a verbatim match go to a copy of the same content, or else to those beside them.

Sources that the configuration calls our own make no finding. A match with another source is ours if our own sources
cover nearly all of it: then the finding stays for people to look at, but is suppressed.
"""

from __future__ import annotations

from collections import defaultdict
from itertools import pairwise
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from winnow_ci.arrays import covered, distinct, true_runs
from winnow_ci.evidence.model import evidence_model
from winnow_ci.matching.region_tokens import MOST, covers_most, part_of, part_with, region_tokens, union
from winnow_ci.matching.regions import Overlaps
from winnow_ci.model import RESTATED, LineRange, Tokens
from winnow_ci.model.regions import Evidence, Region
from winnow_ci.named_tuples import NamedTuple
from winnow_ci.scanner.files import token_lines
from winnow_ci.scanner.remarks import RemarksOf, with_remarks
from winnow_ci.scanner.restated import restated_groups
from winnow_ci.start_up import field, record

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from winnow_ci.policy.patterns import SourcePatterns
    from winnow_ci.scanner.files import Match, MatchGroup, PreparedFile

    # Makes a match of another region of the same content, to be shown on these lines.
    Remade: TypeAlias = Callable[[Match, Region, LineRange], Match]

# Fewer tokens than these, beside the lines of others, are no copy of their own.
LEAST_REST = 16
# Shorter runs of equal text do not mean that a match has the text.
LEAST_RUN = 8
# How many tokens one counts for beside itself if its text is the same: other tokens also continue by chance.
SAME_GAIN = 3
_NEARLY_ALL = 0.9
_NOBODY = -1


def file_groups(
    file: PreparedFile, matches: Sequence[Match], own: SourcePatterns, remade: Remade, remarks: RemarksOf
) -> tuple[list[MatchGroup], list[MatchGroup]]:
    """Group the matches of a file with others' code, and with ours that others have too.

    ``remade`` makes a match of a part of another.
    """

    def on_lines(match: Match, region: Region, lines: LineRange) -> Match:
        made = remade(match, region, lines)
        return made._replace(places=tuple(place._replace(lines=made.places[0].lines) for place in match.places))

    def groups(part: Sequence[Match]) -> list[MatchGroup]:
        copies = grouped([one for one in part if one.region.kind not in RESTATED], file.tokens, on_lines)
        copies = list(with_remarks(file, copies, remarks))
        return [*copies, *restated_groups(part, copies)]

    foreign, ours = split(matches, own)
    return groups(foreign), groups(ours)


def split(matches: Sequence[Match], own: SourcePatterns) -> tuple[list[Match], list[Match]]:
    """Return the matches of a file with others' code, and with ours that others have too."""
    if not own:
        return list(matches), []
    covered = np.zeros(max((match.region.end for match in matches), default=0), np.bool_)
    others: list[Match] = []
    foreign: list[Match] = []
    ours: list[Match] = []
    for match in matches:
        places = tuple(place for place in match.places if not own.matches(place.file.source.name))
        if len(places) < len(match.places):
            covered[match.region.start : match.region.end] = True
        if places:
            others.append(match._replace(places=places))
    for match in others:
        region = match.region
        is_ours = covered[region.start : region.end].sum() >= _NEARLY_ALL * region.tokens
        (ours if is_ours else foreign).append(match)
    return foreign, ours


def grouped(matches: Sequence[Match], tokens: Tokens, remade: Remade) -> list[MatchGroup]:
    """Group the matches of a file with these tokens; those of a group are places of one copy, and have its lines."""
    if not matches:
        return []
    page = _Page(tokens, remade)

    def rank(match: Match) -> tuple[int, int]:
        region = match.region
        return -region.matched - SAME_GAIN * region.matched_verbatim, region.start

    for match in sorted(_on_one_line(matches, remade), key=rank):
        page.take(_reach_of(match, tokens))
    page.settle()
    return list(page.groups())


def _on_one_line(matches: Sequence[Match], remade: Remade) -> Iterator[Match]:
    """The matches; what a line of minified code has from one content is one match."""
    joined: dict[tuple[int, int, int], list[Match]] = {}
    for match in matches:
        if match.lines.first != match.lines.last:
            yield match
        else:
            joined.setdefault((match.lines.first, *match.content_number), []).append(match)
    for first, *others in joined.values():
        yield remade(first, union(first.region, *(other.region for other in others)), first.lines) if others else first


class _Reach(NamedTuple):
    """What a match covers of its file."""

    match: Match
    here: NDArray[np.int64]  # rising; its tokens of the change
    same: NDArray[np.bool_]  # one a token; whether the source has the same text
    lines: NDArray[np.int64]  # rising; the lines on which these tokens begin
    counts: NDArray[np.int64]  # one a line; number of tokens
    weights: NDArray[np.int64]  # one a line; what the tokens are worth

    @property
    def is_verbatim(self) -> bool:
        return self.match.region.kind == "verbatim"

    @property
    def telling(self) -> NDArray[np.bool_]:
        """The tokens that make it a copy of its kind: bool, one a token."""
        return self.same if self.is_verbatim else np.ones(len(self.here), np.bool_)

    @property
    def texts(self) -> NDArray[np.int64]:
        """The tokens in runs of equal text: single ones are often equal in code of the same shape."""
        starts, ends = true_runs(self.same)
        long = ends - starts >= LEAST_RUN
        return self.here[covered(starts[long], ends[long], len(self.here))]

    def is_evidence(self, which: NDArray[np.bool_]) -> bool:
        """Whether it is a copy with some of its lines only; bool, one a line."""
        if self.is_verbatim:
            return True
        part = part_with(self.match.region, np.repeat(which, self.counts))
        return part is not None and evidence_model().is_reported(part)


def _reach_of(match: Match, tokens: Tokens) -> _Reach:
    here, _, same = region_tokens(match.region)
    lines, counts = np.unique(tokens.first_lines[here], return_counts=True)
    texts = np.bincount(np.searchsorted(lines, tokens.first_lines[here[same]]), minlength=len(lines))
    return _Reach(match, here, same, lines.astype(np.int64), counts, counts + SAME_GAIN * texts)


@record(slots=True, eq=False, repr=False)
class _Copy:
    """A copy: its best match, in parts, at least how many tokens it has, and its other places, one for each content."""

    parts: list[_Reach]
    tokens: int
    others: dict[tuple[int, int], Match] = field(default_factory=dict)


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
        self._numbers: defaultdict[tuple[int, int], Overlaps[int]] = defaultdict(Overlaps)
        self._verbatim: list[_Reach] = []
        self._exact: defaultdict[tuple[int, int], Overlaps[Region]] = defaultdict(Overlaps)
        # Guaranteed runs, by their lines.
        self._runs: Overlaps[Match] = Overlaps()

    def take(self, reach: _Reach) -> None:
        """Add a match that is no better than those before."""
        fresh = reach.telling & ~(self._text if reach.is_verbatim else self._structure)[reach.here]
        free = self._owners[reach.lines] == _NOBODY
        copy, lines = self._same_copy(reach), free | self._gained(reach, fresh)
        # Two views of one content are one place.
        if copy is not None and reach.match.content_number != copy.parts[0].match.content_number:
            copy.others.setdefault(reach.match.content_number, reach.match)
        is_fresh = copy is None and fresh.sum() >= MOST * reach.telling.sum()
        if (is_fresh or reach.counts[free].sum() >= LEAST_REST) and reach.is_evidence(lines):
            self._add(reach, lines)
        region, shown = reach.match.region, reach.match.lines
        if region.is_run:
            self._runs.add(shown.first, shown.last + 1, reach.match)
        if reach.is_verbatim:
            self._verbatim.append(reach)
            self._exact[reach.match.content_number].add(region.start, region.end, region)
        self._text[reach.texts] = True
        self._structure[reach.here] = True

    def settle(self) -> None:
        """Give up what is too little to be shown alone; verbatim matches there keep their lines.

        The longest piece of a verbatim copy stays. In the end, short pieces are lent to the copies beside them.
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
        # Lines without tokens between two copies are the first one's: the second may begin with a token before them.
        for gap in np.flatnonzero(np.diff(self._lines) > 1).tolist():
            before, after = self._lines[gap : gap + 2].tolist()
            if _NOBODY not in {self._owners[before], self._owners[after]}:
                self._owners[before + 1 : after] = self._owners[before]

    def groups(self) -> Iterator[MatchGroup]:
        order = np.argsort(self._owners, kind="stable")
        edges = np.searchsorted(self._owners[order], np.arange(len(self._copies) + 1))
        for number, (copy, (start, end)) in enumerate(zip(self._copies, pairwise(edges.tolist()), strict=True)):
            own = self._united(copy)
            pieces = [lines for lines, _ in self._pieces(own, order[start:end])]
            # Two copies on one line share it; what has lost all of its lines to better copies is no copy.
            for lines in pieces or [own.match.lines] * (own.is_verbatim and number not in self._lenders):
                matches = (own.match, *copy.others.values())
                best, *others = (_cut(match, self._tokens, lines, self._remade) for match in matches)
                if best and best.added:
                    places = (other for other in others if other and covers_most(other.region, best.region))
                    yield self._no_less(best), *map(self._no_less, places)

    def _give_up(self, number: int, pieces: Iterable[tuple[LineRange, int]]) -> None:
        for lines, _ in pieces:
            part = slice(lines.first, lines.last + 1)
            before = self._owners_before[part]
            self._owners[part] = np.where(
                self._owners[part] != number, self._owners[part], np.where(before == number, _NOBODY, before)
            )

    def _no_less(self, match: Match) -> Match:
        """A match; at least as likely as an exact match of the same content that lies in it for the most part.

        What is beside an exact copy takes nothing from it, even if both together are worth less a token. A match that
        has the lines of a guaranteed run is reported as that would be.
        """
        region = match.region
        if any(self._runs.over(match.lines.first, match.lines.last + 1)):
            region = region._replace(least_odds=max(region.least_odds, evidence_model().report))
        for own in self._exact[match.content_number].over(region.start, region.end):
            if match.region.kind != "verbatim" and covers_most(region, own):
                evidence = Evidence(*map(max, region.evidence, own.evidence))
                least = max(region.least_odds, evidence_model().log_odds(own))
                region = region._replace(least_odds=least, evidence=evidence)
        return match._replace(region=region)

    def _same_copy(self, reach: _Reach) -> _Copy | None:
        near: set[int] = set(self._owners[reach.lines].tolist()) - {_NOBODY}
        region = reach.match.region
        for copy in (self._copies[number] for number in sorted(near)):
            if region.matched > MOST * copy.tokens:
                best = self._united(copy).match.region
                if covers_most(best, region) and covers_most(region, best):
                    return copy
        return None

    def _gained(self, reach: _Reach, fresh: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """The lines on which a match has more to say than their owner, most of it new: bool, one a line."""
        on_line = np.searchsorted(reach.lines, self._tokens.first_lines[reach.here[fresh]])
        new = np.bincount(on_line, minlength=len(reach.lines))
        return (new >= MOST * reach.counts) & (reach.weights > self._weights[reach.lines])

    def _add(self, reach: _Reach, which: NDArray[np.bool_]) -> None:
        """Give lines to a match: as a copy of its own, or to a copy of the same content that it lies among."""
        number, lines = self._among(reach), reach.match.lines
        if number is None:
            number = len(self._copies)
            self._copies.append(_Copy([reach], len(reach.here)))
        else:
            self._copies[number].parts.append(reach)
            self._copies[number].tokens += int((~self._structure[reach.here]).sum())
        self._numbers[reach.match.content_number].add(lines.first, lines.last + 1, number)
        changed = reach.lines[which & (self._owners[reach.lines] != number)]
        self._owners_before[changed] = self._owners[changed]
        self._owners[reach.lines[which]] = number
        self._weights[reach.lines[which]] = reach.weights[which]

    def _among(self, reach: _Reach) -> int | None:
        lines = reach.match.lines
        return min(self._numbers[reach.match.content_number].over(lines.first, lines.last + 1), default=None)

    def _united(self, copy: _Copy) -> _Reach:
        """Unite the parts of a copy. That is done when somebody asks, since a copy may have very many parts."""
        if len(copy.parts) > 1:
            region = union(*(part.match.region for part in copy.parts), verbatim_first=True)
            lines = token_lines(self._tokens, region.start, region.end)
            copy.parts = [_reach_of(self._remade(copy.parts[0].match, region, lines), self._tokens)]
        return copy.parts[0]

    def _keep(self, reach: _Reach) -> None:
        """Give a verbatim match its free lines, if they are many."""
        free = self._owners[reach.lines] == _NOBODY
        if free.any() and reach.counts[free].sum() >= MOST * reach.counts.sum():
            self._add(reach, free)

    def _lend(self, reach: _Reach) -> None:
        """Give the free lines of a verbatim match to a copy of its content, or to those beside them, or to itself."""
        if self._among(reach) is None:
            lines = reach.lines[self._owners[reach.lines] == _NOBODY].tolist()
            for line in (*lines, *reversed(lines)):
                if self._owners[line] == _NOBODY:
                    self._owners[line] = next(iter(self._beside(line, line)), _NOBODY)
        left = self._owners[reach.lines] == _NOBODY
        if left.any():
            self._add(reach, left)

    def _lend_pieces(self, number: int, reach: _Reach) -> None:
        """Give the lines of a copy's short pieces to a neighbouring copy, if any."""
        for lines, tokens in self._pieces(reach, np.flatnonzero(self._owners == number)):
            others = self._beside(lines.first, lines.last)
            if others and tokens < min(LEAST_REST, len(reach.here)):
                part = self._owners[lines.first : lines.last + 1]
                part[part == number] = others[0]
                self._lenders.add(number)

    def _follow(self, reach: _Reach) -> None:
        """Give the free lines of long tokens to the copies on whose lines the tokens begin."""
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

    def _pieces(self, reach: _Reach, own: NDArray[np.int64]) -> list[tuple[LineRange, int]]:
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
            lines = reach.match.lines
            pieces = [LineRange(min(pieces[0].first, lines.first), max(pieces[0].last, lines.last))]
        inside = ((reach.lines >= lines.first) & (reach.lines <= lines.last) for lines in pieces)
        return [(lines, int(reach.counts[own].sum())) for lines, own in zip(pieces, inside, strict=True)]


def _cut(match: Match, tokens: Tokens, lines: LineRange, remade: Remade) -> Match | None:
    """A match cut to its tokens that begin on these lines, to be shown on them; None if there are none."""
    if match.lines == lines:
        return match
    start, end = np.searchsorted(tokens.first_lines, np.array((lines.first, lines.last + 1), np.int32)).tolist()
    part = part_of(match.region, start, end)
    if part is None:
        return None
    return remade(match, part, LineRange(lines.first, max(lines.last, int(tokens.last_lines[part.end - 1]))))
