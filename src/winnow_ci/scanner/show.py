"""Show findings with their code, beside the code of their source, and with what exactly was changed.

Lines and names of the source need its text, which an index keeps only on request, and lexing it if the lines are not
the same, so they are found only for findings that are shown. To mark single tokens means cutting both texts once more,
so that is done only for reports that show the marks. A scan and ``winnow-ci report`` show a finding by the same steps:
the report reads again what the scan has at hand, and checks the copied tokens (``anchor``).

Lines of both sides correspond if their first matched tokens do; between those, if they say the same, such as comments.
Other lines fill the rows before the next pair that corresponds. The time is linear in the tokens of the finding.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from itertools import compress, islice, zip_longest
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
import xxhash

from winnow_ci.arrays import firsts
from winnow_ci.evidence.weights import literal_bits
from winnow_ci.languages import Untokenizable, front_end_of, normalise, quoted_code
from winnow_ci.matching.constants import RARE
from winnow_ci.model import NUMBER_SKETCH, LineRange, SourceFile, TokenMap, Tokens
from winnow_ci.model.findings import FileReading, Finding, KnownContent, ShownCode
from winnow_ci.model.regions import AlignedBlock, AlignedRow, ExactRuns, SideBySide
from winnow_ci.named_tuples import NamedTuple
from winnow_ci.scanner.side_text import (
    GapComparison,
    MarkedSide,
    SideText,
    compared_tokens,
    known_side,
    matched_tokens,
    read_side,
)
from winnow_ci.start_up import compiled_on_use

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from winnow_ci.model.regions import AlignedLines, Stretch
    from winnow_ci.scanner.files import Match
    from winnow_ci.scanner.match import IndexMatcher

    _LineNumbers: TypeAlias = tuple[int | None, int | None]

_KEPT_TEXTS = 4
_TOP = 8192
"""Bytes of a file that may name its holders."""
_HOLDER = compiled_on_use(
    r"(?im)^[^\w\n]*((?:copyright\W{0,3}(?:\(c\)|©|[0-9]|by |(?-i:(?!Hold|Own|Noti|Lic)[A-Z][a-z]))|\(c\) ?[0-9]|©"
    r"|spdx-filecopyrighttext:).*)"
)
CONTEXT_LINES = 3
"""Lines before and after a block."""
_LEAST_ROWS = 2
"""Of a block."""


class NeededText(NamedTuple):
    """A content of an index whose text is needed, and a known file that has it."""

    content: KnownContent
    file: SourceFile


TextSupply: TypeAlias = Callable[[Sequence[NeededText]], Mapping[str, bytes]]
"""Gives the bytes of those contents that it finds, by key; each has been checked against its key."""


class CopiedFile(NamedTuple):
    """The changed file of a finding: its bytes, and the copied tokens; None to read them from the file."""

    content: bytes
    reading: FileReading
    tokens: Tokens | None = None


class KnownFile(NamedTuple):
    """The source's file of a finding."""

    content: bytes | None  # its bytes; None if nobody has them
    reading: FileReading  # how it was read for the index
    tokens: TokenMap | None = None  # what the index keeps of its tokens; None without the index


def with_code(
    found: Sequence[tuple[Finding, Match]],
    matchers: Sequence[IndexMatcher],
    shows: Callable[[Finding], bool],
    wanted: ShownCode,
    supply: TextSupply | None,
) -> tuple[Finding, ...]:
    """Add its code to each finding that is shown; ``supply`` finds texts that no index keeps."""
    are_shown = [shows(one) for one, _ in found]
    shown = list(compress(found, are_shown))
    for number, matcher in enumerate(matchers):
        matcher.contents.read(match.region.content for _, match in shown if match.index_number == number)
    needed = [NeededText(one.known, one.source.file) for one, match in shown if one.known and not match.has_text]
    texts = supply(needed) if supply else {}
    kept = [lru_cache(maxsize=_KEPT_TEXTS)(matcher.index.text) for matcher in matchers]
    excerpts = SourceExcerpts(wanted)

    def complete(finding: Finding, match: Match) -> Finding:
        assert finding.known is not None
        matcher, content, (key, reading) = matchers[match.index_number], match.region.content, finding.known
        copied = CopiedFile(match.content, FileReading(match.language, match.front_end), match.tokens)
        text = kept[match.index_number](content) if match.has_text else texts.get(key)
        try:
            return excerpts.shown(finding, copied, KnownFile(text, reading, matcher.contents.token_map(content)))
        except Untokenizable as error:
            raise matcher.index.damaged(f"text of content {content}") from error

    pairs = zip(found, are_shown, strict=True)
    return tuple(complete(*one) if is_shown else one[0] for one, is_shown in pairs)


class SourceExcerpts:
    """Shows findings with their code, beside the source's where that is known."""

    def __init__(self, wanted: ShownCode) -> None:
        self._wanted = wanted
        self._text = lru_cache(_KEPT_TEXTS)(normalise)
        self._read = lru_cache(_KEPT_TEXTS)(read_side)

    def shown(self, finding: Finding, copied: CopiedFile, known: KnownFile) -> Finding:
        """Add its code to a finding.

        Raises:
            Untokenizable: the text of the source is none.
        """
        most, (first, last) = self._wanted.lines, finding.lines
        excerpt = SideText(self._text(copied.content)).between(first, min(last, first + most - 1))
        finding = finding._replace(excerpt=tuple(line.decode("utf-8", "replace") for line in excerpt.split(b"\n")))
        known_text = copied.content if finding.identical else known.content
        if self._wanted.marks and known_text is not None:
            finding = finding._replace(copyright_lines=copyright_lines(self._text(known_text)))
        if known.content is not None and not finding.identical:
            return self._with_source(finding, copied, known)
        if not self._wanted.marks:
            return finding
        here = self._here(finding, copied)
        if finding.identical:
            # The text of the source is that of the change.
            return finding._replace(renames=(), beside=self._beside(finding, here, here))
        return finding._replace(beside=self._beside(finding, here, SideText(tokens=known.tokens)))

    def _beside(self, finding: Finding, here: SideText, there: SideText) -> SideBySide:
        copy = AlignedCopy(finding.stretches, finding.alignment, finding.block_lines, finding.added)
        return beside(copy, here, there, self._wanted.lines)

    def _with_source(self, finding: Finding, copied: CopiedFile, known: KnownFile) -> Finding:
        here, there = self._here(finding, copied), SideText(self._text(known.content or b""), known.tokens)
        # Where the lines are equal nothing was changed, and the source need not be lexed to know it.
        if is_equal := here.between(*finding.lines) == there.between(*finding.source.lines):
            finding = finding._replace(agreement=finding.agreement._replace(exact=True), renames=())
        if self._wanted.marks or not is_equal:
            side = self._read(known.content or b"", *known.reading, has_places=self._wanted.marks)
            # Without an index, the text has the key of a content, so its tokens are those of the content.
            there = side if known.tokens is None else known_side(side, known.tokens)
        rows = self._beside(finding, here, there)
        if isinstance(here.tokens, Tokens) and isinstance(there.tokens, Tokens) and not is_equal:
            finding = exactly(finding, here, there)
            finding = finding._replace(renames=() if finding.kind == "verbatim" else rows.renames)
        return finding._replace(beside=rows)

    def _here(self, finding: Finding, copied: CopiedFile) -> SideText:
        """The changed file; the tokens of quoted code have no places."""
        if copied.tokens is not None and (finding.in_text or not self._wanted.marks):
            first = finding.stretches[0].start
            return SideText(self._text(copied.content), copied.tokens, None, copied.reading.front_end, first)
        if finding.in_text:
            return _quoted_side(finding, self._text(copied.content), copied.reading)
        side = self._read(copied.content, *copied.reading, has_places=self._wanted.marks)
        is_found = isinstance(side.tokens, Tokens) and _has_copy(finding, side.tokens)
        return side if is_found else SideText(side.text, front_end=side.front_end)


def copyright_lines(text: bytes) -> tuple[str, ...]:
    """Return the lines of copyright at the top of a file, without the marks of comments."""
    found = _HOLDER.finditer(text[:_TOP].decode("utf-8", "replace"))
    lines = (line[1].rstrip().removesuffix("-->").removesuffix("*/").rstrip(" \t*") for line in found)
    return tuple(dict.fromkeys(lines))


def _has_copy(finding: Finding, tokens: Tokens, moved: int = 0) -> bool:
    """Whether the copied tokens stand where the finding says, or some tokens further on."""
    first = finding.stretches[0].start + moved if finding.stretches else 0
    copied = tokens.verbatim[first : first + finding.tokens]
    return not finding.anchor or xxhash.xxh3_128(copied.tobytes()).hexdigest() == finding.anchor


def _quoted_side(finding: Finding, text: bytes, reading: FileReading) -> SideText:
    """Quoted code, read again; how its tokens are numbered depends on what else the change has added."""
    side = SideText(text, front_end=reading.front_end)
    if not finding.stretches:
        return side
    try:
        own = front_end_of(reading.language).read(text, reading.language)
    except Untokenizable:
        return side
    everywhere = np.ones(text.count(b"\n") + 1, np.bool_)
    found, _ = quoted_code(reading.language, text, own, frozenset([reading.front_end]), everywhere)
    first = finding.stretches[0].start
    for tokens in (one.tokens for one in found):
        for start in np.flatnonzero(tokens.first_lines == finding.lines.first).tolist():
            if _has_copy(finding, tokens, start - first):
                part = tokens.part(np.arange(start, start + finding.tokens))
                return SideText(text, part, None, reading.front_end, first)
    return side


def exactly(finding: Finding, here: SideText, there: SideText) -> Finding:
    """Count agreement and evidence of a finding by the text of the tokens: sketches may agree by chance."""
    matched = matched_tokens(finding.stretches, here, there)
    if matched is None or not isinstance(here.tokens, Tokens) or not isinstance(there.tokens, Tokens):
        return finding
    ours, theirs = matched
    same = ours[here.tokens.verbatim[ours] == there.tokens.verbatim[theirs]]
    rare = same[literal_bits(here.tokens)[same] >= RARE]
    rare = rare[firsts(here.tokens.verbatim[rare])]
    names, known = int((here.tokens.sketch[rare] < NUMBER_SKETCH.start).sum()), finding.evidence
    evidence = known._replace(names=min(known.names, names), literals=min(known.literals, len(rare) - names))
    return finding._replace(agreement=finding.agreement._replace(verbatim=len(same), exact=True), evidence=evidence)


class AlignedCopy(NamedTuple):
    """What corresponds to what of a copy and its source."""

    stretches: tuple[Stretch, ...]  # tokens that match
    alignment: tuple[AlignedLines, ...]  # their lines, in the order of the copy
    block_lines: tuple[AlignedLines, ...]  # the same, joined to blocks that rise on both sides
    added: tuple[LineRange, ...] = ()  # lines that the change adds


def beside(copy: AlignedCopy, here: SideText, there: SideText, most_rows: int) -> SideBySide:
    """Show a copy beside its source, whose text may not be known; of an identical file, both are the same object.

    Single tokens are marked where both sides have their tokens, and where these stand; otherwise lines are marked as a
    whole. At most ``most_rows`` rows are made, without context, if that is enough for two rows of one block.
    """
    blocks = copy.block_lines
    shown = blocks[: max(most_rows // _LEAST_ROWS, 1)]
    page = _Page.of(copy, here, there, max(most_rows // len(shown), min(_LEAST_ROWS, most_rows)))
    made, last = [], 0
    ends = [*(lines.here.first - 1 for lines in shown[1:]), here.lines]
    for lines, until in zip(shown, ends, strict=True):
        made.append(page.block(lines, LineRange(last + 1, until)))
        last = max([last, *(row.here.number for row in made[-1].rows if row.here)])
    left_out = len(blocks) - len(shown)
    return SideBySide(tuple(made), page.renames, there.text is not None, left_out, _exact(blocks, here, there))


def _exact(blocks: Sequence[AlignedLines], here: SideText, there: SideText) -> ExactRuns | None:
    """The longest runs that both sides share, on the lines of the copy."""
    ours, theirs = here.tokens, there.tokens
    if here is there or not isinstance(ours, Tokens) or not isinstance(theirs, Tokens):
        return None
    from winnow_ci.exact_runs import exact_runs  # noqa: PLC0415 - few findings are shown so

    return exact_runs(_on(ours, [each.here for each in blocks]), _on(theirs, [each.there for each in blocks]))


def _on(tokens: Tokens, lines: Sequence[LineRange]) -> Tokens:
    """The tokens from the first line of some to the last."""
    first, last = min(each.first for each in lines), max(each.last for each in lines)
    return tokens.part((tokens.first_lines >= first) & (tokens.last_lines <= last))


class _Page(NamedTuple):
    """Both sides, with the lines on which matched tokens begin."""

    here: MarkedSide  # the change and the source
    there: MarkedSide
    pairs: NDArray[np.integer]  # int32, two columns; a line of each side
    renames: tuple[tuple[str, str, int], ...]  # as in ``SideBySide``
    most: int  # rows of a block

    @classmethod
    def of(cls, copy: AlignedCopy, here: SideText, there: SideText, most: int) -> _Page:
        alignment = copy.alignment or copy.block_lines
        found = compared_tokens(copy.stretches, here, there)
        pairs = _line_by_line(alignment, most) if found is None else found.lines
        ours, theirs = sorted(lines.here for lines in alignment), sorted(lines.there for lines in alignment)
        return cls(
            MarkedSide(here, "only-here", ours, copy.added, found and found.here),
            MarkedSide(there, "only-there", theirs, (), found and found.there),
            pairs,
            found.renames if found else (),
            most,
        )

    def block(self, lines: AlignedLines, free: LineRange) -> AlignedBlock:
        """A block with its context, for which some lines of the change are free."""
        pairs = self._corresponding(lines)
        numbers = list(islice(_numbered(lines, pairs), self.most))
        all_rows = len(pairs) + sum(max(len(ours), len(theirs)) for ours, theirs in _gaps(lines, pairs))
        left_out = all_rows - len(numbers)
        before, after = self._context(lines, free)
        rows = [
            *(self._row(*both, is_copied=False) for both in before),
            *(self._row(*both) for both in numbers),
            *(self._row(*both, is_copied=False) for both in after if not left_out),
        ]
        return AlignedBlock(lines, tuple(rows), left_out)

    def _corresponding(self, lines: AlignedLines) -> list[tuple[int, int]]:
        """Pairs of lines of a block that correspond: by their tokens, and between those by their text."""
        first, last = np.searchsorted(self.pairs[:, 0], [lines.here.first, lines.here.last + 1])
        pairs = self.pairs[first:last]
        by_tokens = _rising(pairs[(pairs[:, 1] >= lines.there.first) & (pairs[:, 1] <= lines.there.last)])
        comparison = GapComparison(self.here.words, self.there.words)
        found: list[tuple[int, int]] = []
        for gap, pair in zip_longest(_gaps(lines, by_tokens), by_tokens):
            # Later rows are not shown.
            if len(found) < self.most:
                found += comparison.same(*gap)
            if pair:
                found.append(pair)
        return found

    def _context(self, lines: AlignedLines, free: LineRange) -> tuple[list[_LineNumbers], list[_LineNumbers]]:
        """The lines around a block, those next to it on one row; none on a side without a known text."""
        (first, last), (source_first, source_last) = lines
        count = self.there.side.lines
        ours = range(first - 1, max(first - CONTEXT_LINES, free.first) - 1, -1) if self.here.side.lines else ()
        theirs = range(source_first - 1, max(source_first - CONTEXT_LINES, 1) - 1, -1) if count else ()
        after = range(last + 1, min(last + CONTEXT_LINES, free.last) + 1)
        source_after = range(source_last + 1, min(source_last + CONTEXT_LINES, count) + 1)
        return list(zip_longest(ours, theirs))[::-1], list(zip_longest(after, source_after))

    def _row(self, here: int | None, there: int | None, *, is_copied: bool = True) -> AlignedRow:
        return AlignedRow(
            None if here is None else self.here.line(here, is_copied=is_copied),
            None if there is None else self.there.line(there, is_copied=is_copied),
        )


def _line_by_line(alignment: Sequence[AlignedLines], most: int) -> NDArray[np.integer]:
    """Pairs of lines where only the lines of stretches are known: the first few of each, one by one."""
    pairs = [
        both
        for (first, last), there in alignment
        for both in islice(zip(range(first, last + 1), range(there.first, there.last + 1), strict=False), most)
    ]
    return np.array(pairs, np.int64).reshape(-1, 2)


def _rising(pairs: NDArray[np.integer]) -> list[tuple[int, int]]:
    """Pairs of lines, each below the one before on both sides."""
    # Most tokens begin on the lines of the token before.
    changes = np.any(np.diff(pairs, axis=0, prepend=-1) != 0, axis=1)
    last, found = (0, 0), []
    for here, there in pairs[changes].tolist():
        if here > last[0] and there > last[1]:
            last = here, there
            found.append(last)
    return found


def _gaps(lines: AlignedLines, pairs: Sequence[tuple[int, int]]) -> Iterator[tuple[range, range]]:
    """The lines on both sides before each pair, and after the last one."""
    here, there = lines.here.first, lines.there.first
    for one, other in (*pairs, (lines.here.last + 1, lines.there.last + 1)):
        yield range(here, one), range(there, other)
        here, there = one + 1, other + 1


def _numbered(lines: AlignedLines, pairs: Sequence[tuple[int, int]]) -> Iterator[_LineNumbers]:
    """The line numbers of each row of a block."""
    for (here, there), pair in zip_longest(_gaps(lines, pairs), pairs):
        if not pair:
            yield from zip_longest(here, there)
            return
        # What is on one side only comes first: a comment mostly belongs to the code below it.
        here_more, there_more = max(len(here) - len(there), 0), max(len(there) - len(here), 0)
        yield from zip_longest(here[:here_more], there[:there_more])
        yield from zip(here[here_more:], there[there_more:], strict=True)
        yield pair
