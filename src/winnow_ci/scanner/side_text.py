"""One side of a copy: a file's text and tokens, and its lines in pieces that say what became of each token.

Tokens that matching has paired are compared by their text: they are the same, or have another name or literal. Between
two stretches, where it has paired none, a few may still be the same (``GapComparison``).
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from functools import cached_property
from itertools import groupby, islice, pairwise
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from winnow_ci.arrays import ranges
from winnow_ci.languages import Untokenizable, front_end_named, front_end_of, names_in, normalise
from winnow_ci.model import IDENTIFIER_SKETCH, NUMBER_SKETCH, STRING_SKETCH, LineRange, TokenMap, Tokens
from winnow_ci.model.regions import Mark, MarkedPiece, Role, SideLine
from winnow_ci.named_tuples import NamedTuple
from winnow_ci.start_up import record

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from winnow_ci.languages.texts_of_tokens import TokenPlaces
    from winnow_ci.model import I32, U8
    from winnow_ci.model.regions import Stretch

    _Numbers: TypeAlias = NDArray[np.int64]
    _Renames: TypeAlias = tuple[tuple[str, str, int], ...]
    # Where a piece begins and ends, what became of it, what it is, and the number of its names.
    _Extent: TypeAlias = tuple[int, int, Mark, Role, int | None]

LONGEST_LINE = 1_000
"""Bytes of a line that are shown, as a line may have megabytes."""
_BEFORE = 40
"""Bytes before the first matched token of a longer line."""
_PROSE = "text"
MOST_RENAMES = 500

_ONE_SIDED, _SAME, _RENAMED, _LITERAL = range(4)
_MARKS: tuple[Mark | None, ...] = (None, "same", "renamed", "literal")
"""The mark of each of these; ``_ONE_SIDED`` is another one on each side."""

MOST_IN_GAP = 64
MOST_COMPARED = 100_000
_COST = 64
"""Of a gap, besides its pairs of items."""


@record(frozen=True)
class SideText:
    """A file on one side of a copy."""

    text: bytes | None = None  # normalised; None if it is not known
    tokens: Tokens | TokenMap | None = None  # its tokens; or what an index keeps of them; None if they are not known
    places: TokenPlaces | None = None  # where they stand in the text, if that is known
    front_end: str = ""  # name of what read it
    first_token: int = 0  # number of the first of these tokens in the file

    @cached_property
    def _ends(self) -> NDArray[np.int64]:
        units = np.frombuffer(self.text or b"", np.uint8)
        ends = np.flatnonzero(units == ord("\n"))
        return ends if len(units) and len(ends) and ends[-1] == len(units) - 1 else np.append(ends, len(units))

    @property
    def lines(self) -> int:
        """Number of its lines; 0 if the text is not known."""
        return 0 if self.text is None else len(self._ends)

    def span(self, line: int) -> tuple[int, int]:
        """The bytes ``[start, end)`` of a line (1-based), without its line break; none of one that is not there."""
        if not 0 < line <= self.lines:
            return 0, 0
        return int(self._ends[line - 2]) + 1 if line > 1 else 0, int(self._ends[line - 1])

    def between(self, first: int, last: int) -> bytes:
        """The text from one line to another."""
        return (self.text or b"")[self.span(first)[0] : self.span(min(last, self.lines))[1]]


def read_side(content: bytes, language: str, front_end: str, *, has_places: bool = True) -> SideText:
    """Read a file for one side of a copy; without tokens if the front end fails, to be shown line by line.

    ``front_end`` is that of the language, or the fallback tokenizer. To mark single tokens takes their places.

    Raises:
        Untokenizable: the content is binary.
    """
    text = normalise(content)
    try:
        own = front_end_of(language)
        tokens = (own if own.name == front_end else front_end_named(front_end)).read(text, language)
    except Untokenizable:
        return SideText(text, front_end=front_end)
    if not has_places:
        return SideText(text, tokens, front_end=front_end)
    from winnow_ci.languages.texts_of_tokens import token_places  # noqa: PLC0415 - few findings are shown so

    places = token_places(text, language, front_end)
    agree = places is not None and len(places.starts) == len(tokens)
    return SideText(text, tokens, places if agree else None, front_end)


def known_side(side: SideText, known: TokenMap) -> SideText:
    """Return the source of a copy with the tokens of an index and no places, unless its own tokens are the same."""
    if isinstance(side.tokens, Tokens) and np.array_equal(side.tokens.sketch, known.sketch):
        return side
    return SideText(side.text, known, front_end=side.front_end)


def _are_there(stretches: Sequence[Stretch], count: int, source_count: int) -> bool:
    """Whether the stretches rise, and lie inside that many tokens; those of a stored report may be anybody's."""
    ends = [0, *(part.start + part.tokens for part in stretches)]
    return bool(stretches) and all(
        part.tokens > 0
        and before <= part.start <= count - part.tokens
        and 0 <= part.source_start <= source_count - part.tokens
        for before, part in zip(ends, stretches, strict=False)
    )


class GapComparison:
    """Finds what is the same in the gaps of a copy, where matching has paired no tokens.

    difflib may take time cubic in what it compares, so it gets ``MOST_IN_GAP`` items of each side at most, and
    ``MOST_COMPARED`` pairs of items of a copy. In a gap that is not compared nothing is the same.
    """

    def __init__(self, here: Callable[[int], Hashable], there: Callable[[int], Hashable]) -> None:
        self._items = here, there
        self._left = MOST_COMPARED

    def same(self, here: range, there: range) -> Iterator[tuple[int, int]]:
        """Numbers of items that are the same in a gap: pairs that rise on both sides."""
        cost = len(here) * len(there) + _COST
        if not here or not there or cost > self._left or max(len(here), len(there)) > MOST_IN_GAP:
            return
        from difflib import SequenceMatcher  # noqa: PLC0415 - few findings are shown so

        self._left -= cost
        ours, theirs = (list(map(*side)) for side in zip(self._items, (here, there), strict=True))
        for block in SequenceMatcher(None, ours, theirs, autojunk=False).get_matching_blocks():
            for number in range(block.size):
                yield here[block.a + number], there[block.b + number]


class TokenMarks(NamedTuple):
    """What became of the tokens on one side; arrays with one element a token."""

    marks: U8  # one-sided, same, renamed or literal, as in ``_MARKS``
    pairs: I32  # the number among the renames, of those that are renamed; otherwise -1


class ComparedTokens(NamedTuple):
    """The tokens of a copy and of its source."""

    here: TokenMarks  # their marks
    there: TokenMarks
    lines: NDArray[np.int32]  # int32, two columns: the lines that each pair of matched tokens begins on, here and there
    renames: _Renames  # names of the source, their names in the change, and how often; the most frequent first


def matched_tokens(stretches: Sequence[Stretch], here: SideText, there: SideText) -> tuple[_Numbers, _Numbers] | None:
    """Number the matched tokens on both sides; None if a side has not these tokens."""
    if here.tokens is None or there.tokens is None:
        return None
    stretches = [part._replace(start=part.start - here.first_token) for part in stretches]
    if not _are_there(stretches, len(here.tokens.sketch), len(there.tokens.sketch)):
        return None
    starts, starts_there, lengths = np.array(stretches, np.int64).T
    return ranges(starts, lengths), ranges(starts_there, lengths)


def compared_tokens(stretches: Sequence[Stretch], here: SideText, there: SideText) -> ComparedTokens | None:
    """Compare the tokens of a copy with those of its source; None if a side has not these tokens.

    If the text of the source is not known, tokens are compared by their sketches.
    """
    matched = matched_tokens(stretches, here, there)
    if matched is None or here.tokens is None or there.tokens is None:
        return None
    ours, theirs = matched
    lines = np.stack([here.tokens.first_lines[ours], there.tokens.first_lines[theirs]], axis=1)
    marks, pairs, renames = _compared_pairs(here, there, ours, theirs)
    of_here, of_there = (
        TokenMarks(np.full(count, _ONE_SIDED, np.uint8), np.full(count, -1, np.int32))
        for count in (len(here.tokens.sketch), len(there.tokens.sketch))
    )
    if isinstance(here.tokens, Tokens) and isinstance(there.tokens, Tokens):
        comparison = GapComparison(here.tokens.verbatim.item, there.tokens.verbatim.item)
        for before, after in pairwise(stretches):
            gap = range(before.start + before.tokens - here.first_token, after.start - here.first_token)
            for one, other in comparison.same(gap, range(before.source_start + before.tokens, after.source_start)):
                of_here.marks[one] = of_there.marks[other] = _SAME
    for side, numbers in zip((of_here, of_there), (ours, theirs), strict=True):
        side.marks[numbers], side.pairs[numbers] = marks, pairs
    return ComparedTokens(of_here, of_there, lines, renames)


def _compared_pairs(here: SideText, there: SideText, ours: _Numbers, theirs: _Numbers) -> tuple[U8, I32, _Renames]:
    """The mark of each pair of matched tokens, its number among the renames, and the renames."""
    assert here.tokens is not None
    assert there.tokens is not None
    sketches, pairs = here.tokens.sketch[ours], np.full(len(ours), -1, np.int32)
    are_names = (sketches >= IDENTIFIER_SKETCH.start) & (sketches < IDENTIFIER_SKETCH.stop)
    different = np.where(are_names, _RENAMED, _LITERAL).astype(np.uint8)
    if not (isinstance(here.tokens, Tokens) and isinstance(there.tokens, Tokens)):
        return np.where(sketches == there.tokens.sketch[theirs], np.uint8(_SAME), different), pairs, ()
    are_same = here.tokens.verbatim[ours] == there.tokens.verbatim[theirs]
    renamed = np.flatnonzero(are_names & ~are_same)
    pairs[renamed], renames = _renames(here, there, ours[renamed], theirs[renamed])
    return np.where(are_same, np.uint8(_SAME), different), pairs, renames


def _renames(here: SideText, there: SideText, ours: _Numbers, theirs: _Numbers) -> tuple[list[int], _Renames]:
    """The number of each pair of tokens with other names among the renames, or -1, and the renames."""
    (new, new_name), (old, old_name) = _names(here, ours), _names(there, theirs)
    ids = list(zip(old, new, strict=True))
    counted = ((pair, count, old_name(pair[0]), new_name(pair[1])) for pair, count in Counter(ids).most_common())
    shown = list(islice((each for each in counted if each[2] and each[3]), MOST_RENAMES))
    numbers = {pair: number for number, (pair, *_) in enumerate(shown)}
    return [numbers.get(pair, -1) for pair in ids], tuple((one, other, count) for _, count, one, other in shown)


def _names(side: SideText, numbers: _Numbers) -> tuple[list[int], Callable[[int], str]]:
    """The verbatim ids of tokens that are names, and a function from an id to its name, empty if it is not known."""
    assert isinstance(side.tokens, Tokens)
    ids: list[int] = side.tokens.verbatim[numbers].tolist()
    if side.places is None:
        lines = side.tokens.first_lines[numbers]
        known = names_in(side.between(int(lines.min()), int(lines.max())), side.front_end) if len(lines) else {}
        return ids, lambda own: known.get(own, "")
    places, text = side.places, side.text or b""
    first = dict(zip(reversed(ids), reversed(numbers.tolist()), strict=True))
    return ids, lambda own: text[places.starts[first[own]] : places.ends[first[own]]].decode("utf-8", "replace")


class MarkedSide(NamedTuple):
    """The lines on one side of a copy."""

    side: SideText
    one_sided: Mark  # the mark of a token without a counterpart
    matching: Sequence[LineRange]  # lines with tokens that matched, sorted
    added: Sequence[LineRange] = ()  # lines that the change adds, sorted
    # Of the tokens, if they were compared; without them, or without their places, lines are marked as a whole.
    marks: TokenMarks | None = None

    def line(self, number: int, *, is_copied: bool = True) -> SideLine:
        """A line, in marked pieces if its text is known."""
        start, end = self.side.span(number)
        if (places := self.side.places) and self.marks:
            tokens = _numbers(places, start, end)
            matched = np.flatnonzero(self.marks.marks[tokens.start : tokens.stop] != _ONE_SIDED)
            begin = int(places.starts[tokens.start + int(matched[0])]) if len(matched) else 0
            first, last = self._shown(start, end, begin)
            extents = self._extents(first, last, places, is_copied=is_copied)
        else:
            first, last = self._shown(start, end, start)
            is_same = is_copied and _holds(self.matching, number)
            extents = iter([(first, last, "same" if is_same else "not-compared", "", None)])
        pieces = tuple(_joined(self.side.text or b"", extents))
        added = _holds(self.added, number)
        return SideLine(number, pieces, self._count(number), is_copied, added, first - start, end - last)

    def words(self, number: int) -> Hashable:
        """The words of a line, to be compared; a line without any is equal to none."""
        start, end = self.side.span(number)
        words = (self.side.text or b"")[start : min(end, start + LONGEST_LINE)].split()
        return tuple(words) or object()

    def _count(self, number: int) -> int:
        if self.side.tokens is None:
            return 0
        # A stored report may name lines that no file has. With another type, NumPy would copy all lines first.
        lines = np.minimum((number, number + 1), np.iinfo(np.int32).max).astype(np.int32)
        first, last = np.searchsorted(self.side.tokens.first_lines, lines)
        return max(int(last - first), 0)

    def _shown(self, start: int, end: int, matched: int) -> tuple[int, int]:
        """The bytes of a line that are shown, if the first token on it that matched begins at ``matched``."""
        if end - start <= LONGEST_LINE:
            return start, end
        text, first = self.side.text or b"", max(start, min(matched - _BEFORE, end - LONGEST_LINE))
        return _character(text, first, end), _character(text, first + LONGEST_LINE, end)

    def _extents(self, first: int, last: int, places: TokenPlaces, *, is_copied: bool) -> Iterator[_Extent]:
        """The tokens on a part of a line, and the text between them."""
        at = first
        for number in _numbers(places, first, last):
            start, end = max(int(places.starts[number]), at), min(int(places.ends[number]), last)
            if end <= start:
                continue
            yield at, start, "not-compared", self._role_between(at, start), None
            mark: Mark = "not-compared"
            pair = -1
            if is_copied and self.marks:
                mark, pair = _MARKS[self.marks.marks[number]] or self.one_sided, int(self.marks.pairs[number])
            yield start, end, mark, self._role(number, start), None if pair < 0 else pair
            at = end
        yield at, last, "not-compared", self._role_between(at, last), None

    def _role(self, number: int, start: int) -> Role:
        assert self.side.tokens is not None
        assert self.side.text is not None
        sketch = self.side.tokens.sketch[number]
        if sketch >= STRING_SKETCH.start:
            return "string"
        if sketch >= NUMBER_SKETCH.start:
            return "number"
        if sketch >= IDENTIFIER_SKETCH.start:
            return "name"
        is_word = self.side.text[start : start + 1].isalpha() and self.side.front_end != _PROSE
        return "keyword" if is_word else ""

    def _role_between(self, start: int, end: int) -> Role:
        """The text between tokens: a comment, or white space, also behind the mark of a line that goes on."""
        assert self.side.text is not None
        is_comment = self.side.front_end != _PROSE and self.side.text[start:end].strip(b" \t\r\f\v\\")
        return "comment" if is_comment else ""


def _numbers(places: TokenPlaces, start: int, end: int) -> range:
    """The numbers of the tokens that stand in ``[start, end)``, at least in part."""
    first, last = np.searchsorted(places.ends, start, "right"), np.searchsorted(places.starts, end, "left")
    return range(int(first), int(last))


def _holds(ranges: Sequence[LineRange], line: int) -> bool:
    """Whether a line is in one of the ranges, which are sorted and do not overlap."""
    before = bisect_right(ranges, (line, line + (1 << 62))) - 1
    return before >= 0 and ranges[before].last >= line


def _character(text: bytes, place: int, end: int) -> int:
    """The beginning of the next character of UTF-8."""
    while place < end and text[place] & 0xC0 == 0x80:
        place += 1
    return place


def _joined(text: bytes, extents: Iterable[_Extent]) -> Iterator[MarkedPiece]:
    """The pieces; neighbours that are marked alike are one."""
    for (mark, role, pair), alike in groupby((one for one in extents if one[0] != one[1]), key=lambda one: one[2:]):
        start, *_, end = [place for one in alike for place in one[:2]]
        yield MarkedPiece(text[start:end].decode("utf-8", "replace"), mark, role, pair)
